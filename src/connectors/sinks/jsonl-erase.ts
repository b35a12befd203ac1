// Erases events from a file that the JSONL sink wrote.
import { type FileHandle, open } from 'node:fs/promises';

const NEWLINE = 0x0a;
const SPACE = 0x20;
const CHUNK = 1_048_576;
/** What replaces an event: a JSON object still, so that readers of the file need no rule for it. */
const ERASED = Buffer.from('{"erased":true}');

/**
 * Overwrites these events in place. Every line keeps its length, so that a process that appends at
 * the same time, or a reader that remembers its position, is not disturbed.
 * @param marks an attribute and its value, of which each of the events has one
 * @returns the number of lines; null when there is no such file
 */
export async function eraseLines(
  path: string,
  marks: readonly (readonly [attribute: string, value: string])[],
): Promise<number | null> {
  const handle = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    // Quotes within a text are escaped, so a message that contains these characters does not match.
    const needles = marks.map(([attribute, value]) =>
      Buffer.from(`${JSON.stringify(attribute)}:${JSON.stringify(value)}`),
    );
    let lines = 0;
    for await (const { at, line } of linesOf(handle)) {
      if (line.length < ERASED.length || !needles.some((needle) => line.includes(needle))) continue;
      const blank = Buffer.alloc(line.length, SPACE);
      ERASED.copy(blank);
      await handle.write(blank, 0, blank.length, at);
      lines += 1;
    }
    if (lines > 0) await handle.datasync();
    return lines;
  } finally {
    await handle.close();
  }
}

/** Lines without their newline, and the position of each. The last one may be incomplete. */
async function* linesOf(handle: FileHandle): AsyncGenerator<{ at: number; line: Buffer }> {
  let rest: Buffer = Buffer.alloc(0);
  let at = 0;
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, at + rest.length);
    if (bytesRead === 0) break;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let begin = 0;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, begin)) {
      yield { at: at + begin, line: rest.subarray(begin, end) };
      begin = end + 1;
    }
    at += begin;
    rest = rest.subarray(begin);
  }
  if (rest.length > 0) yield { at, line: rest };
}
