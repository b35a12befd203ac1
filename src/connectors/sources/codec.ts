// Reads blocks of any encoding as UTF-8. Rows are found in the decoded text, so a byte that looks like a quote inside a
// Shift_JIS or GB18030 character never counts. Byte offsets are recovered by counting line breaks, which all these
// encodings keep.
import { isAscii, isUtf8 } from 'node:buffer';

/**
 * Marks a line with bytes outside the file's encoding. UTF-8 text never contains this byte, so the row is reported as
 * broken.
 */
const BROKEN = Buffer.from([0xff]);
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

export interface Block {
  /** The text of the block in UTF-8. A character cut off by the end of the block may be broken. */
  readonly utf8: Buffer;
  /**
   * Returns how many bytes of the file correspond to the first `consumed` bytes of `utf8`. They must end after a line
   * break or at the end of the text.
   */
  rawLength(consumed: number): number;
}

export interface Codec {
  /** Name of the encoding in `TextDecoder`: `utf-8`, `windows-1252`, `shift_jis`, … */
  readonly encoding: string;
  read(raw: Buffer): Block;
  /** Offset after the first line feed, or -1. */
  afterLineFeed(raw: Buffer): number;
}

/** @param encoding a name that `TextDecoder` knows */
export function codecFor(encoding: string): Codec {
  if (encoding === 'utf-8') return UTF_8;
  const unit = encoding === 'utf-16le' || encoding === 'utf-16be' ? UNITS[encoding] : BYTE;
  const decode = decoderFor(encoding);
  return {
    encoding,
    afterLineFeed: (raw) => unit.afterBreaks(raw, 1, false),
    read(raw) {
      const utf8 = toUtf8(raw, encoding, decode);
      return {
        utf8,
        rawLength(consumed) {
          if (consumed === 0 || consumed >= utf8.length) return consumed === 0 ? 0 : raw.length;
          const breaks = BYTE.countBreaks(utf8.subarray(0, consumed));
          return unit.afterBreaks(raw, breaks, true);
        },
      };
    },
  };
}

/** Decodes text for which no byte offsets are needed: a header, a sample, a preview. */
export function decodeAll(raw: Buffer, encoding: string): string {
  return decoderFor(encoding)(raw);
}

const UTF_8: Codec = {
  encoding: 'utf-8',
  read: (raw) => ({ utf8: raw, rawLength: (consumed) => consumed }),
  afterLineFeed: (raw) => raw.indexOf(LINE_FEED) + 1 || -1,
};

function decoderFor(encoding: string): (raw: Buffer) => string {
  // Some Node releases since 20 decode windows-1252 as ISO 8859-1.
  if (encoding === 'windows-1252') return (raw) => fromWindows1252(raw.toString('latin1'));
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (raw) => decoder.decode(raw);
}

function toUtf8(raw: Buffer, encoding: string, decode: (raw: Buffer) => string): Buffer {
  const wide = encoding.startsWith('utf-16');
  if (!wide && encoding !== 'iso-2022-jp' && isAscii(raw)) return raw;
  const text = decode(raw);
  const suspect =
    text.includes('\ufffd') || (isSingleByte(encoding) && UTF_8_SEQUENCE.test(raw.toString('latin1')));
  if (wide || !suspect) return Buffer.from(text);
  // Line by line: each keeps its line break, and a broken one is marked.
  const parts: Buffer[] = [];
  for (let from = 0; from < raw.length; ) {
    const feed = raw.indexOf(LINE_FEED, from);
    const end = feed < 0 ? raw.length : feed + 1;
    const line = raw.subarray(from, end);
    const decoded = decode(line);
    // UTF-8 text in a file of a single-byte encoding. Almost no other text has only such byte pairs.
    const foreign = isSingleByte(encoding) && !isAscii(line) && isUtf8(line);
    if (foreign || decoded.includes('\ufffd')) parts.push(BROKEN);
    parts.push(Buffer.from(decoded));
    from = end;
  }
  return Buffer.concat(parts);
}

const UTF_8_SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
const MULTI_BYTE = /^(?:utf-|gb|big5|euc-|shift_jis|iso-2022)/;

function isSingleByte(encoding: string): boolean {
  return !MULTI_BYTE.test(encoding);
}

interface Unit {
  countBreaks(bytes: Buffer): number;
  /** Offset after the `count`-th line feed (`both`: or carriage return), or -1 if there are fewer. */
  afterBreaks(bytes: Buffer, count: number, both: boolean): number;
}

const BYTE = unitOf(1, 0);
const UNITS = { 'utf-16le': unitOf(2, 0), 'utf-16be': unitOf(2, 1) };

/** @param low position of the byte that marks a line break, in a unit of `size` bytes whose other byte is 0 */
function unitOf(size: 1 | 2, low: 0 | 1): Unit {
  const isBreak = (bytes: Buffer, at: number, both: boolean) => {
    const byte = bytes[at + low];
    if (byte !== LINE_FEED && !(both && byte === CARRIAGE_RETURN)) return false;
    return size === 1 || bytes[at + 1 - low] === 0;
  };
  return {
    countBreaks(bytes) {
      let count = 0;
      for (let at = 0; at < bytes.length; at += size) if (isBreak(bytes, at, true)) count += 1;
      return count;
    },
    afterBreaks(bytes, count, both) {
      let seen = 0;
      for (let at = 0; at < bytes.length; at += size) {
        if (!isBreak(bytes, at, both)) continue;
        seen += 1;
        if (seen === count) return at + size;
      }
      return -1;
    },
  };
}

// Windows-1252 differs from ISO 8859-1 in 0x80–0x9F: the euro sign, dashes and curly quotes that Excel and Word write.
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const C1 = /[\u0080-\u009f]/;
const EVERY_C1 = /[\u0080-\u009f]/g;

/** Converts text decoded as ISO 8859-1 to the windows-1252 text of the same bytes. */
function fromWindows1252(text: string): string {
  if (!C1.test(text)) return text;
  return text.replace(EVERY_C1, (char) => WINDOWS_1252.charAt(char.charCodeAt(0) - 0x80));
}
