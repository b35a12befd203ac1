// The only place where text leaves the program for a terminal. It makes the text harmless.
import { type Color, paint } from '../../../observe/color.ts';
import { neutralLines } from '../../../observe/neutral.ts';

interface TextStream {
  write(text: string, ...more: never[]): unknown;
}

/** The stream's own `write`, on a guarded stream. */
const RAW = Symbol('raw write');
/** Whether the stream shows colors. */
const COLORED = Symbol('colored');
type Guarded = TextStream & { [RAW]?: TextStream['write']; [COLORED]?: boolean };

/**
 * From now on, makes every text that is written to the stream harmless (see neutral.ts): of a command, its errors,
 * the log or a library. Call it once per process and stream, in the entry point.
 * @param isColored see `hasColor`
 */
export function guardStream(stream: NodeJS.WriteStream, isColored: boolean): void {
  const raw = stream.write.bind(stream) as (chunk: unknown, ...more: unknown[]) => boolean;
  const write = (chunk: unknown, ...more: unknown[]) =>
    raw(typeof chunk === 'string' ? neutralLines(chunk) : chunk, ...more);
  Object.assign(stream, { write, [RAW]: raw, [COLORED]: isColored });
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

/** Whether the entry point allows colors on this stream. */
export function hasColors(stream: TextStream): boolean {
  return (stream as Guarded)[COLORED] === true;
}

/** The text in this color, for `writeRaw`; unchanged on a stream without colors. */
export function colorFor(stream: TextStream, text: string, color: Color): string {
  return hasColors(stream) ? paint(text, color) : text;
}
