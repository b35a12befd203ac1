// Finds the encoding of a file by its byte order mark, its bytes or a detector, and reports the confidence.
import { isAscii, isUtf8 } from 'node:buffer';
import { SourceError } from '../../../core/source.ts';
import { decodeAll } from '../codec.ts';
import { readAt, type SourceFile } from '../file.ts';

export interface FoundEncoding {
  /** Name of the encoding in `TextDecoder`. */
  readonly encoding: string;
  /** Length of the byte order mark. */
  readonly start: number;
  readonly by: 'configuration' | 'mark' | 'bytes' | 'detector';
  /** Confidence from 0 to 1. It is 1 unless a detector found the encoding. */
  readonly sure: number;
  /** Other candidates, if a detector found the encoding. */
  readonly other?: string;
}

const SCAN_BYTES = 1024 * 1024;
/** Amount of text passed to the detector. Measured: 42 KB take 10 ms, and more text changes no answer. */
const SAMPLE_BYTES = 32 * 1024;

const MARKS: readonly { bytes: readonly number[]; encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe, 0, 0], encoding: 'utf-32le' },
  { bytes: [0, 0, 0xfe, 0xff], encoding: 'utf-32be' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
];

/**
 * Finds the encoding of the whole file. For `auto`, every byte is checked once before the first row is read: a file
 * with megabytes of ASCII followed by Latin-1 would be corrupted if only its beginning were checked. Measured: 1.4 GB/s
 * on ASCII.
 *
 * A byte order mark decides first, then zeros in every second byte (UTF-16). Valid UTF-8 is UTF-8. With invalid bytes,
 * the more frequent kind decides: other encodings have almost no valid multi-byte sequences, so a file with more of
 * those than of stray bytes is UTF-8 with broken rows, which are reported one by one. The detector decides the rest.
 * @param configured `auto`, or a label of the Encoding Standard
 * @throws SourceError `encoding` when the mark contradicts the configuration or names an unsupported encoding
 */
export async function findEncoding(
  file: SourceFile,
  configured: string,
  signal?: AbortSignal,
): Promise<FoundEncoding> {
  const mark = MARKS.find(({ bytes }) => bytes.every((byte, at) => file.head[at] === byte));
  const start = mark?.bytes.length ?? 0;
  if (mark?.encoding.startsWith('utf-32')) {
    const message = `source file "${file.name}" is UTF-32, which can't be read; save it as "CSV UTF-8" and use that file`;
    throw new SourceError('encoding', message);
  }
  if (configured !== 'auto') {
    const { encoding } = new TextDecoder(configured);
    if (mark !== undefined && mark.encoding !== encoding) {
      const message = `source file "${file.name}" begins with the mark of ${mark.encoding}, but \`encoding: ${configured}\` is set; remove \`encoding\` from the source`;
      throw new SourceError('encoding', message);
    }
    return { encoding, start, by: 'configuration', sure: 1 };
  }
  if (mark !== undefined) return { encoding: mark.encoding, start, by: 'mark', sure: 1 };
  const wide = bareUtf16(file.head);
  if (wide !== undefined) return { encoding: wide, start, by: 'bytes', sure: 1 };
  const { sequences, strays, escapes, sample } = await scan(file, signal);
  if (strays === 0 && !escapes) return { encoding: 'utf-8', start, by: 'bytes', sure: 1 };
  if (strays === 0) {
    const found = await detect(file.head);
    return found.encoding === 'iso-2022-jp'
      ? { ...found, start }
      : { encoding: 'utf-8', start, by: 'bytes', sure: 1 };
  }
  if (sequences > strays)
    return { encoding: 'utf-8', start, by: 'bytes', sure: sequences / (sequences + strays) };
  return { ...(await detect(sample)), start };
}

/** UTF-16 without a mark: line ends, separators and digits leave a zero in every second byte and none in the others. */
function bareUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = Math.floor(Math.min(head.length, 4096) / 2);
  if (pairs < 4) return undefined;
  const zeros = [0, 0];
  for (let at = 0; at < pairs * 2; at += 1) if (head[at] === 0) zeros[at % 2]! += 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > pairs / 5 && even < odd / 20) return 'utf-16le';
  return even > pairs / 5 && odd < even / 20 ? 'utf-16be' : undefined;
}

interface Scan {
  readonly sequences: number;
  readonly strays: number;
  /** The file has escape characters, which ISO-2022-JP uses to switch. */
  readonly escapes: boolean;
  /** Lines that are not UTF-8. */
  readonly sample: Buffer;
}

async function scan(file: SourceFile, signal: AbortSignal | undefined): Promise<Scan> {
  let [sequences, strays, sampled] = [0, 0, 0];
  let escapes = false;
  const lines: Buffer[] = [];
  for (let position = 0; position < file.fingerprint.size; ) {
    signal?.throwIfAborted();
    const bytes = await readAt(file.handle, position, SCAN_BYTES);
    if (bytes.length === 0) break;
    const whole = position + bytes.length >= file.fingerprint.size;
    const end = whole ? bytes.length : bytes.length - cutSequence(bytes);
    const part = bytes.subarray(0, end);
    escapes ||= part.includes(0x1b);
    if (!isAscii(part)) {
      const found = countSequences(part);
      sequences += found.sequences;
      strays += found.strays;
      if (found.strays > 0 && sampled < SAMPLE_BYTES)
        sampled += sampleLines(part, lines, SAMPLE_BYTES - sampled);
    }
    position += end;
  }
  return { sequences, strays, escapes, sample: Buffer.concat(lines) };
}

/** Adds lines that are not UTF-8, each with a line feed. Returns how many bytes they had. */
function sampleLines(part: Buffer, lines: Buffer[], maxBytes: number): number {
  let taken = 0;
  for (let from = 0; from < part.length && taken < maxBytes; ) {
    const feed = part.indexOf(0x0a, from);
    const end = feed < 0 ? part.length : feed + 1;
    const line = part.subarray(from, Math.min(end, from + maxBytes - taken));
    if (!isUtf8(line)) {
      lines.push(Buffer.from(line));
      taken += line.length;
    }
    from = end;
  }
  return taken;
}

/** Names for which the detector and the Encoding Standard differ. */
const ALIASES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  macroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
  cp874: 'windows-874',
};

/** The most frequent encodings. With only a few letters, the detector has nothing else to go by. */
const WEIGHTS: Readonly<Record<string, number>> = { 'windows-1252': 3, macintosh: 1, 'x-mac-cyrillic': 0.5 };
const OTHERS = 1.5;

async function detect(sample: Buffer): Promise<Omit<FoundEncoding, 'start'>> {
  // Loading takes 45 ms and 7 MB of models, so only files that need the detector load it.
  const { detectAll } = (await import('jschardet')).default;
  const scores = new Map<string, { text: string; encoding: string; score: number }>();
  const add = (encoding: string, confidence: number) => {
    const text = decodeAll(sample, encoding);
    // Bytes that the encoding does not define.
    if (/[\ufffd\u0080-\u009f]/.test(text) && encoding !== 'windows-1252') return;
    const penalty = /[\u0080-\u009f]/.test(text) ? 0.01 : 1;
    const score = confidence * (WEIGHTS[encoding] ?? OTHERS) * penalty * (mixesScripts(text) ? 0.01 : 1);
    const seen = scores.get(text);
    // The same reading under two names is one candidate, with the more frequent name.
    if (seen === undefined) scores.set(text, { text, encoding, score });
    else if (encoding === 'windows-1252') seen.encoding = encoding;
  };
  for (const { encoding, confidence } of detectAll(sample)) {
    const name = known(encoding ?? '');
    if (name !== undefined) add(name, confidence);
  }
  add('windows-1252', 0.0005);
  const [best, next] = [...scores.values()].sort((a, b) => b.score - a.score);
  if (best === undefined) return { encoding: 'windows-1252', by: 'detector', sure: 0 };
  const found = { encoding: best.encoding, by: 'detector' as const };
  if (next === undefined) return { ...found, sure: 1 };
  return { ...found, sure: best.score / (best.score + next.score), other: next.encoding };
}

/** Letters that never appear in words next to Latin ones. */
const OTHER_SCRIPTS =
  /[\p{Script=Arabic}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Thai}]+/gu;
const LATIN = /[a-z]/i;

/** Returns whether most of its foreign letters are in Latin words, as in `Zé` read as Thai. */
function mixesScripts(text: string): boolean {
  let [words, mixed] = [0, 0];
  for (const { 0: letters, index } of text.matchAll(OTHER_SCRIPTS)) {
    words += 1;
    if (LATIN.test(text.charAt(index - 1)) || LATIN.test(text.charAt(index + letters.length))) mixed += 1;
  }
  return mixed > words / 2;
}

function known(name: string): string | undefined {
  try {
    return new TextDecoder(ALIASES[name.toLowerCase()] ?? name).encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Number of bytes (0 to 3) at the end that begin a UTF-8 sequence which the next block completes. */
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

/** A share as each place shows it: rounded down to whole percents, so that only certainty is 100 %. */
export const wholePercents = (share: number): number => Math.floor(share * 100);
