// The only place where text leaves the program for a terminal. It makes the text harmless.
import { neutralLines } from '../../observability/neutral.ts';

interface TextStream {
  write(text: string, ...more: never[]): unknown;
}

/** The stream's own `write`, on a guarded stream. */
const RAW = Symbol('raw write');
type Guarded = TextStream & { [RAW]?: TextStream['write'] };

/**
 * From now on, makes every text that is written to the stream harmless (see neutral.ts): of a command, its errors,
 * the log or a library. Call it once per process and stream, in the entry point.
 */
export function guardStream(stream: NodeJS.WriteStream): void {
  const raw = stream.write.bind(stream) as (chunk: unknown, ...more: unknown[]) => boolean;
  const write = (chunk: unknown, ...more: unknown[]) =>
    raw(typeof chunk === 'string' ? neutralLines(chunk) : chunk, ...more);
  Object.assign(stream, { write, [RAW]: raw });
}

/** Writes what the program itself made, such as the colors of a log line, and data that must not change. */
export function writeRaw(stream: TextStream, text: string): boolean {
  const guarded: Guarded = stream;
  return (guarded[RAW] === undefined ? stream.write(text) : guarded[RAW](text)) !== false;
}

/** Whether a person watches who can act on a refusal: no script reads the output, and stderr is a terminal. */
export function isAttended(forScript: boolean): boolean {
  return !forScript && process.stderr.isTTY;
}
