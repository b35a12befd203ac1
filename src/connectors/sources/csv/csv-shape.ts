// Finds where the table of a CSV file begins and ends. Title lines above its header and footers below its rows are not
// rows.
import { isLikeData, type SourceNote } from '../../../core/source.ts';
import { codecFor } from '../codec.ts';
import { readAt, type SourceFile } from '../file.ts';
import { type CellRow, type Dialect, isBlank, splitCells } from './csv-rows.ts';

const TITLE_LINES = 10;
/** Number of rows used to judge a delimiter. */
const JUDGED = 20;

export interface TableStart {
  readonly delimiter: string;
  readonly header: CellRow | undefined;
  /** Number of lines above the header. */
  readonly titles: number;
  /** Offset at which the first row may begin. */
  readonly end: number;
}

/** One reading of the first rows. `even` (0..1) is the share of rows with as many cells as the header. */
interface Reading extends TableStart {
  readonly columns: number;
  readonly even: number;
}

/**
 * Finds where the table in `body` begins and its delimiter. The best delimiter gives most of the first rows as many
 * cells as the header; more columns win a tie. If no row agrees with the first line, lines with one cell count as
 * report titles and the wider line below them as the header, provided most rows agree with it.
 */
export function findTable(
  body: Buffer,
  last: boolean,
  delimiters: readonly string[],
  encoding: string,
): TableStart {
  const best = (readings: readonly Reading[]) =>
    readings.reduce<Reading | undefined>(
      (a, b) => (a === undefined || b.even > a.even || (b.even === a.even && b.columns > a.columns) ? b : a),
      undefined,
    );
  const dialects = delimiters.map((delimiter) => ({ delimiter, encoding, columns: 0 }));
  const plain = dialects.map((dialect) => readFrom(body, last, dialect, 0, 0));
  const first = best(plain.filter(({ columns }) => columns > 1));
  if (first !== undefined && first.even > 0) return first;
  const titled = best(dialects.flatMap((dialect) => behindTitles(body, last, dialect) ?? []));
  if (titled !== undefined && titled.even > 0.5) return titled;
  return first ?? (plain[0] as Reading);
}

function readFrom(body: Buffer, last: boolean, dialect: Dialect, from: number, titles: number): Reading {
  const { record: header, end } = nextRecord(body, last, dialect, from);
  const columns = header !== undefined && 'cells' in header ? header.cells.length : 0;
  const at = { limit: JUDGED, last, full: true, row: 0 };
  const { records } = splitCells(body.subarray(end), at, dialect);
  const counts = records.map((record) => ('cells' in record ? record.cells.length : 0));
  const even = counts.length === 0 ? 1 : counts.filter((count) => count === columns).length / counts.length;
  return { delimiter: dialect.delimiter, header, titles, end, columns, even };
}

/** The reading in which the first line with several filled cells is the header. Undefined if nothing supports it. */
function behindTitles(body: Buffer, last: boolean, dialect: Dialect): Reading | undefined {
  let from = 0;
  for (let titles = 0; titles <= TITLE_LINES; titles += 1) {
    const { record, end } = nextRecord(body, last, dialect, from);
    if (record === undefined || !('cells' in record)) return undefined;
    if (!isAlone(record.cells)) {
      const names = record.cells.filter((cell) => cell.trim() !== '');
      if (titles === 0 || names.length < 2 || names.some(isLikeData)) return undefined;
      return readFrom(body, last, dialect, from, titles);
    }
    from = end;
  }
  return undefined;
}

/** Returns the first non-blank record from `from`, and where it ends. */
function nextRecord(
  body: Buffer,
  last: boolean,
  dialect: Dialect,
  from: number,
): { record: CellRow | undefined; end: number } {
  let end = from;
  while (end < body.length) {
    const at = { limit: 1, last, full: true, row: 0 };
    const { records, consumed, then } = splitCells(body.subarray(end), at, dialect);
    end += consumed;
    if (records[0] || consumed === 0 || then === 'stop') return { record: records[0], end };
  }
  return { record: undefined, end };
}

/** Returns whether only the first cell is filled. */
function isAlone(cells: readonly string[]): boolean {
  return cells[0]?.trim() !== '' && isBlank(cells.slice(1));
}

const TAIL_BYTES = 16 * 1024;
const FOOTER_LINES = 20;

/** First words of lines that exports and reports write below a table, in English, Portuguese and Spanish. */
const FOOTER =
  /^[\s"*=-]*(?:(?:grand |sub)?totals?\b|totais\b|soma\b|suma\b|sum\b|count\b|(?:number|quantidade|n[ºo°]\.?) (?:of|de)\b|export(?:ed|ado)\b|generated\b|gerado\b|emitido\b|printed\b|impresso\b|report\b|relat[óo]rio\b|filter(?:s|ed)?\b|filtros?\b|source:|fonte:|page \d|p[áa]gina \d|confidential\b|confidencial\b|copyright\b|©|end of\b|fim d|\d[\d.,]*\s+(?:rows|records|registros|linhas|contatos|contacts|leads|itens|items|resultados|results)\b)/i;

/**
 * Finds where the rows of a table end, reading backward from the end of the file. A line is a footer if its first cell
 * says so and the others are empty or short numbers. It is also a footer if it stands alone after a blank line, in a
 * table of at least three columns, with fewer digits than a phone number. Such a line cannot be a contact. Lines with
 * quotes count only if every cell is fully quoted.
 */
export async function findFooter(
  file: SourceFile,
  from: number,
  dialect: Dialect,
): Promise<{ end: number; notes: readonly SourceNote[] }> {
  const { size } = file.fingerprint;
  const none = { end: size, notes: [] };
  if (dialect.columns < 2) return none;
  // An even offset, because UTF-16 characters begin only at those.
  const begin = Math.max(from, (size - TAIL_BYTES) & ~1);
  const raw = await readAt(file.handle, begin, size - begin);
  const { utf8, rawLength } = codecFor(dialect.encoding).read(raw);
  const lines = linesOf(utf8);
  if (begin > from) lines.shift();
  let cut: number | undefined;
  const words: string[] = [];
  let pending: { offset: number; word: string }[] = [];
  for (const { offset, bytes } of lines.slice(-FOOTER_LINES).toReversed()) {
    const cells = cellsOf(bytes, dialect);
    if (cells === undefined) break;
    if (isBlank(cells)) {
      // The line that stood alone below this blank line is a footer too.
      for (const line of pending) [cut, words[words.length]] = [line.offset, line.word];
      pending = [];
      continue;
    }
    const text = cells[0]?.trim() ?? '';
    const word = text.split(/\s/)[0]?.slice(0, 20) ?? '';
    const others = cells.slice(1).filter((cell) => cell.trim() !== '');
    const short = others.every((cell) => /^[^\p{L}@]*$/u.test(cell) && digits(cell) < 8);
    const alone = isAlone(cells) && dialect.columns >= 3 && digits(text) < 8;
    if (FOOTER.test(text) && short) {
      for (const line of pending) [cut, words[words.length]] = [line.offset, line.word];
      [cut, pending] = [offset, []];
      words.push(word);
    } else if (alone) pending.push({ offset, word });
    else break;
  }
  if (cut === undefined) return none;
  const end = begin + rawLength(cut);
  const count = words.length;
  const reason = `${count} ${count === 1 ? 'line' : 'lines'} below the table ${count === 1 ? 'is a footer, not a row' : 'are footers, not rows'}: ${words
    .toReversed()
    .map((word) => JSON.stringify(`${word}…`))
    .join(', ')}`;
  return { end, notes: [{ code: 'FOOTER', reason }] };
}

const digits = (text: string): number => text.replace(/\D/g, '').length;

function linesOf(bytes: Buffer): { offset: number; bytes: Buffer }[] {
  const lines: { offset: number; bytes: Buffer }[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const feed = bytes.indexOf(0x0a, offset);
    const end = feed < 0 ? bytes.length : feed + 1;
    lines.push({ offset, bytes: bytes.subarray(offset, end) });
    offset = end;
  }
  return lines;
}

/** Undefined for a line that may be the end of a cell above it. */
function cellsOf(line: Buffer, dialect: Dialect): readonly string[] | undefined {
  const text = line.toString('utf8').trim();
  if (text === '') return [];
  if (text.includes('\r')) return undefined;
  const { records } = splitCells(line, { limit: 1, last: true, full: true, row: 0 }, dialect);
  const [record] = records;
  if (record === undefined) return [];
  return 'cells' in record && record.exact === undefined ? record.cells : undefined;
}
