// Finds whether a file is UTF-8 or Latin-1, and reads Latin-1 the way that Windows means it.
import { isAscii, isUtf8 } from 'node:buffer';
import { readAt, type SourceFile } from './file.ts';

export type Encoding = 'utf-8' | 'latin1';

const SCAN_BYTES = 1024 * 1024;

/**
 * The encoding of the whole file, for `encoding: auto`. Every byte is looked at, once, before the first row is read: a file that is
 * ASCII for its first megabytes and Latin-1 after that would be corrupted by a look at its head. Measured: 1.4 GB/s on ASCII.
 *
 * Valid UTF-8 is UTF-8. With invalid bytes, the more frequent kind decides: Latin-1 text has next to no valid multi-byte
 * sequences, so a file that has more of them than of stray bytes is UTF-8 with broken rows, which are then reported one by one.
 */
export async function detectEncoding(file: SourceFile, signal?: AbortSignal): Promise<Encoding> {
  let sequences = 0;
  let strays = 0;
  let position = file.bomBytes;
  while (position < file.fingerprint.size) {
    signal?.throwIfAborted();
    const bytes = await readAt(file.handle, position, SCAN_BYTES);
    if (bytes.length === 0) break;
    const whole = position + bytes.length >= file.fingerprint.size;
    const end = whole ? bytes.length : bytes.length - cutSequence(bytes);
    const part = bytes.subarray(0, end);
    if (!isAscii(part)) {
      const found = countSequences(part);
      sequences += found.sequences;
      strays += found.strays;
    }
    position += end;
  }
  return strays === 0 || sequences > strays ? 'utf-8' : 'latin1';
}

/** Bytes at the end that begin a UTF-8 sequence which the next block completes: 0 to 3. */
function cutSequence(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length - 1); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? back : 0;
  }
  return 0;
}

function countSequences(bytes: Buffer): { sequences: number; strays: number } {
  let sequences = 0;
  let strays = 0;
  const allValid = isUtf8(bytes);
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    if (byte < 0x80) {
      at += 1;
      continue;
    }
    const length = sequenceLength(byte);
    if (length > 1 && (allValid || isUtf8(bytes.subarray(at, at + length)))) {
      sequences += 1;
      at += length;
    } else {
      strays += 1;
      at += 1;
    }
  }
  return { sequences, strays };
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
}

// Windows-1252 differs from ISO 8859-1 in 0x80–0x9F: the euro sign, dashes and curly quotes that Excel and Word write.
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const C1 = /[\u0080-\u009f]/;
const EVERY_C1 = /[\u0080-\u009f]/g;

/** Turns text decoded as ISO 8859-1 into what windows-1252 means by the same bytes. */
export function fromWindows1252(text: string): string {
  if (!C1.test(text)) return text;
  return text.replace(EVERY_C1, (char) => WINDOWS_1252.charAt(char.charCodeAt(0) - 0x80));
}

/** Decodes one line. */
export function decode(bytes: Buffer, encoding: Encoding): string {
  return encoding === 'utf-8' ? bytes.toString('utf8') : fromWindows1252(bytes.toString('latin1'));
}
