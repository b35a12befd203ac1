// An append-only file of JSON lines. A line is written whole before the caller goes on, so what was
// acknowledged survives the death of the process; a torn last line was never acknowledged and is cut off.
import fs from 'node:fs';

const CHUNK = 1 << 20;

/** A line that can't be read though another line follows it: the file was damaged, not merely cut short. */
export class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged';
  readonly file: string;
  readonly line: number;
  constructor(file: string, line: number, options?: ErrorOptions) {
    super(
      `${file}: line ${line} is damaged and lines follow it; restore the file or start with an empty data folder`,
      options,
    );
    this.file = file;
    this.line = line;
  }
}

/**
 * Reads every whole line in order; `offset` is where the line begins, in bytes.
 * @returns The length in bytes up to the last newline: whatever is behind it is torn.
 */
function readLines(file: string, each: (line: Buffer, offset: number) => void): number {
  const fd = fs.openSync(file, 'r');
  try {
    let rest: Buffer = Buffer.alloc(0);
    let start = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const got = fs.readSync(fd, chunk, 0, CHUNK, start + rest.length);
      if (got === 0) return start;
      const bytes =
        rest.length === 0 ? chunk.subarray(0, got) : Buffer.concat([rest, chunk.subarray(0, got)]);
      let from = 0;
      for (let end = bytes.indexOf(10, from); end !== -1; end = bytes.indexOf(10, from)) {
        each(bytes.subarray(from, end), start + from);
        from = end + 1;
      }
      start += from;
      rest = bytes.subarray(from);
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** A file of lines open for appending. Not shared: one process, one writer. */
export class LineFile {
  readonly file: string;
  #fd: number;
  #length: number;
  #closed = false;

  /** Opens or creates `file`, hands each whole line to `each`, and cuts off a torn end. */
  constructor(file: string, each: (line: Buffer, offset: number) => void) {
    this.file = file;
    this.#fd = fs.openSync(file, 'a+');
    const size = fs.fstatSync(this.#fd).size;
    this.#length = readLines(file, each);
    if (this.#length < size) fs.ftruncateSync(this.#fd, this.#length);
  }

  /** Bytes in the file. */
  get length(): number {
    return this.#length;
  }

  /** Appends one line before it returns. A line that did not fit on the disk is taken back whole. */
  append(line: string): void {
    // The number of a closed file may be another file's by now.
    if (this.#closed) throw new Error(`${this.file}: closed`);
    const bytes = Buffer.from(`${line}\n`);
    try {
      let written = 0;
      while (written < bytes.length) written += fs.writeSync(this.#fd, bytes, written);
    } catch (error) {
      fs.ftruncateSync(this.#fd, this.#length);
      throw error;
    }
    this.#length += bytes.length;
  }

  /** Bytes `from`..`to`, to serve what was logged without keeping it in memory. */
  read(from: number, to: number): Buffer {
    const bytes = Buffer.allocUnsafe(to - from);
    let filled = 0;
    while (filled < bytes.length) {
      const got = fs.readSync(this.#fd, bytes, filled, bytes.length - filled, from + filled);
      if (got === 0) throw new Error(`${this.file}: ended at ${from + filled}, expected ${to}`);
      filled += got;
    }
    return bytes;
  }

  /** Puts these lines in the place of all that is there, atomically: a crash leaves the old file or the new one. */
  replace(lines: Iterable<string>): void {
    const temporary = `${this.file}.new`;
    const fd = fs.openSync(temporary, 'w');
    let length = 0;
    let batch: string[] = [];
    let size = 0;
    const flush = () => {
      const bytes = Buffer.from(batch.join(''));
      let written = 0;
      while (written < bytes.length) written += fs.writeSync(fd, bytes, written);
      length += bytes.length;
      batch = [];
      size = 0;
    };
    try {
      for (const line of lines) {
        batch.push(line, '\n');
        size += line.length;
        if (size > CHUNK) flush();
      }
      flush();
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, this.file);
    fs.closeSync(this.#fd);
    this.#fd = fs.openSync(this.file, 'a+');
    this.#length = length;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    fs.closeSync(this.#fd);
  }
}
