// An append-only file of JSON lines. A line is completely written before the caller continues, so acknowledged changes
// survive a crash of the process. A torn last line was never acknowledged and is cut off.
import fs from 'node:fs';

const CHUNK = 1 << 20;

/** Thrown for an unreadable line that another line follows: the file is damaged, not just truncated. */
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
 * Reads every complete line in order. `offset` is the beginning of the line, in bytes.
 *
 * @returns the length in bytes up to the last newline; the rest is torn
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

/** A file of lines that is open for appending. It has one writer in one process. */
export class LineFile {
  readonly file: string;
  #fd: number;
  #length: number;
  #closed = false;

  /** Opens or creates `file`, passes each complete line to `each`, and cuts off a torn end. */
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

  /** Appends one line before it returns. If the line does not fit on the disk, it is removed completely. */
  append(line: string): void {
    // The descriptor of a closed file may already belong to another file.
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

  /** Returns bytes `from`..`to`, to serve logged lines without keeping them in memory. */
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

  /** Replaces the whole content atomically: a crash leaves the old file or the new one. */
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
