// Recognizes source files that are not tables: workbooks, archives, pictures, web pages. Each error names the fix.
import { SourceError } from '../../core/source.ts';

interface Kind {
  readonly bytes: readonly (number | null)[];
  readonly what: string;
  readonly way: string;
}

const SAVE = 'open it, save it as "CSV UTF-8" and use that file';
const UNPACK = 'unpack it and use the CSV file in it';
const EXPORT = 'export the list as CSV and use that file';

const text = (chars: string) => [...chars].map((char) => char.charCodeAt(0));

const KINDS: readonly Kind[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    what: 'an Excel workbook (xlsx) or a zip archive',
    way: `${SAVE}, or unpack it`,
  },
  { bytes: [0x50, 0x4b, 0x05, 0x06], what: 'an empty zip archive', way: EXPORT },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], what: 'an old Excel workbook (xls)', way: SAVE },
  { bytes: [0x1f, 0x8b], what: 'compressed with gzip', way: UNPACK },
  { bytes: text('BZh'), what: 'compressed with bzip2', way: UNPACK },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], what: 'compressed with xz', way: UNPACK },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], what: 'compressed with zstd', way: UNPACK },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf], what: 'a 7z archive', way: UNPACK },
  { bytes: text('Rar!'), what: 'a rar archive', way: UNPACK },
  { bytes: text('%PDF'), what: 'a PDF document', way: EXPORT },
  { bytes: text('{\\rtf'), what: 'an RTF document', way: EXPORT },
  { bytes: text('SQLite format 3'), what: 'an SQLite database', way: EXPORT },
  { bytes: text('PAR1'), what: 'a Parquet file', way: EXPORT },
  { bytes: [0x89, 0x50, 0x4e, 0x47], what: 'a picture (png)', way: EXPORT },
  { bytes: [0xff, 0xd8, 0xff], what: 'a picture (jpeg)', way: EXPORT },
];

/** @throws SourceError `format` for a known kind of binary file, or for bytes that no text contains */
export function refuseBinary(path: string, head: Buffer): void {
  const kind = KINDS.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte));
  if (kind !== undefined) throw refused(path, kind.what, kind.way);
}

/**
 * If more than one in this many characters is a control character, the file is not text in any encoding. One stray NUL
 * concerns only its row.
 */
const CONTROLS_IN = 50;

/**
 * @param start beginning of the file, decoded
 * @throws SourceError `format` for a web page, for XML, and for what no encoding turns into text
 */
export function refuseMarkup(path: string, start: string): void {
  const head = start.slice(0, 16_384);
  // oxlint-disable-next-line no-control-regex -- the code searches for exactly these
  const controls = head.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  if (controls > 4 && controls * CONTROLS_IN > head.length)
    throw refused(path, 'binary data instead of text', EXPORT);
  const first = head
    .replace(/^(?:\s|\ufeff|<!--[\s\S]*?-->)+/, '')
    .slice(0, 4000)
    .toLowerCase();
  const markup = /^<(?:!doctype\s+html|html|head|body|table|meta|style|script|div|form|title|tr|p)\b/.test(
    first,
  );
  if (markup || (first.startsWith('<?xml') && /<(?:html|table)\b/.test(first))) {
    const page = /<input\b|<form\b|password|senha|sign ?in|log ?in/.test(head.toLowerCase());
    const table = /<(?:table|tr|td)\b/.test(head.toLowerCase());
    if (page && !table)
      throw refused(
        path,
        'a web page (HTML), perhaps a login page',
        'sign in, download the export again and use that file',
      );
    throw refused(path, 'a web page (HTML), which some systems call "xls"', SAVE);
  }
  if (first.startsWith('<?xml') || /^<[a-z][\w:.-]*[\s>]/.test(first))
    throw refused(path, 'XML', `${SAVE} if a spreadsheet opens it, or export it as CSV`);
}

function refused(path: string, what: string, way: string): SourceError {
  return new SourceError('format', `source file "${path}" is ${what}, not a text table; ${way}`);
}
