// A multipart body written out by hand, so that the test and not a library says what goes over the wire.
import type { Ask } from './context.ts';

export interface Part {
  readonly name: string;
  readonly value: string | Buffer;
  /** Makes the part a file. */
  readonly filename?: string;
  readonly type?: string;
}

const BOUNDARY = 'x-boundary-7d1';

/** What `context.call` needs to send these parts in this order. `cut` leaves out that many bytes at the end. */
export function form(parts: readonly Part[], { cut = 0 } = {}): Ask {
  const pieces = parts.flatMap(({ name, value, filename, type }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`,
    filename === undefined ? '' : `; filename="${filename}"`,
    type === undefined ? '' : `\r\nContent-Type: ${type}`,
    '\r\n\r\n',
    value,
    '\r\n',
  ]);
  const whole = Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)));
  return {
    raw: whole.subarray(0, whole.length - cut),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}
