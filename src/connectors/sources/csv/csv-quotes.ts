// Judges quoted cells with several lines: some are notes, others have swallowed rows because of a misplaced quote.

/** A longer cell with line breaks counts as one whose quote was never closed. */
const MAX_LINES_BYTES = 64 * 1024;

/** Minimum number of digits of a phone number. A line with fewer is not a contact. */
const DIGITS = 8;

const [TAB, LINE_FEED, CARRIAGE_RETURN, BLANK, QUOTE] = [0x09, 0x0a, 0x0d, 0x20, 0x22];
const BREAK = /\r\n|\n|\r/;

/** Returns whether one of the cells has a line break. */
export function isMultiline(cells: readonly string[]): boolean {
  return cells.some((cell) => BREAK.test(cell));
}

/**
 * Returns why a record with a multi-line cell cannot be trusted, or undefined. A cell has swallowed rows if its first
 * line completes the row that it is in and an inner line looks like a contact: as many cells as the header, and the
 * digits of a number. A record of the wrong length has its quotes from somewhere else.
 */
export function checkCells(
  cells: readonly string[],
  { columns, delimiter }: { columns: number; delimiter: string },
): string | undefined {
  for (const [index, cell] of cells.entries()) {
    if (!BREAK.test(cell)) continue;
    if (cell.length * 3 > MAX_LINES_BYTES && Buffer.byteLength(cell) > MAX_LINES_BYTES)
      return `has line breaks and is longer than ${MAX_LINES_BYTES / 1024} kB`;
    if (columns < 2) continue;
    const [first = '', ...more] = cell.split(BREAK);
    const count = (line: string) => line.split(delimiter).length;
    const behind = cells.length - index - 1;
    const rows = more.filter((line, at) => {
      const width = count(line) + (at === more.length - 1 ? behind : 0);
      return width === columns && line.replace(/\D/g, '').length >= DIGITS;
    });
    if (index + count(first) === columns && rows.length > 0) return 'contains lines that look like rows';
  }
  if (columns > 0 && cells.length !== columns)
    return `spans several lines, and its row has ${cells.length} cells where the header has ${columns}`;
  return undefined;
}

/**
 * `unknown`: a longer block is needed. `either`: both readings are possible, because many quotes are next to
 * separators.
 */
export type Side = 'outside' | 'inside' | 'either' | 'unknown';

/** Maximum length of text used to judge a side, if nothing decides earlier. */
const WINDOW_BYTES = 2 * MAX_LINES_BYTES;

/**
 * Returns whether `from`, after a record with quotes, is outside of quotes. After a stray quote, inside and outside are
 * swapped, and what looks like rows is the text of a cell. The function follows both readings from quote to quote until
 * one breaks a rule: a quote opens at the beginning of a cell and closes at its end. If both break at once, nothing is
 * certain.
 */
export function sideOf(block: Buffer, from: number, at: { last: boolean; delimiter: string }): Side {
  // The usual case: the next record begins with a quote before text.
  const [first, second] = [block[from], block[from + 1]];
  if (
    first === QUOTE &&
    second !== undefined &&
    second !== QUOTE &&
    !isEdge(second, at.delimiter.charCodeAt(0))
  )
    return 'outside';
  const outside = new Reading(block, from, { ...at, inside: false });
  const inside = new Reading(block, from, { ...at, inside: true });
  for (let next = block.indexOf(QUOTE, from); next >= 0; next = block.indexOf(QUOTE, next + 1)) {
    // The two bytes after the quote show what it is.
    if (next + 2 >= block.length && !at.last) break;
    if (next - from > WINDOW_BYTES) return 'either';
    const [fits, swapped] = [outside.take(next), inside.take(next)];
    if (!fits) return 'inside';
    if (!swapped) return 'outside';
  }
  const [fits, swapped] = [outside.end(), inside.end()];
  if (fits !== swapped) return fits ? 'outside' : 'inside';
  return block.length - from > WINDOW_BYTES || at.last ? 'either' : 'unknown';
}

/** A line break, a separator, or the end of the text. */
function isEdge(byte: number | undefined, separator: number): boolean {
  return byte === undefined || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === separator;
}

/**
 * Returns whether a quote opens a cell within the judged text. Otherwise all quotes are plain text, such as inch marks.
 */
export function hasQuotedCell(block: Buffer, from: number, delimiter: string): boolean {
  const text = block.subarray(from, from + WINDOW_BYTES).toString('latin1');
  const escaped = delimiter === '|' ? '\\|' : delimiter;
  return new RegExp(`(?:^|[\\r\\n${escaped}])[ \\t]*"`).test(text);
}

/** One reading of the quotes in a block. */
class Reading {
  readonly #block: Buffer;
  readonly #from: number;
  readonly #separator: number;
  readonly #last: boolean;
  /** Start of the open cell. Null outside of quotes. */
  #open: number | null;
  /** Position up to which a doubled quote was seen. */
  #behind = 0;

  constructor(block: Buffer, from: number, at: { last: boolean; delimiter: string; inside: boolean }) {
    this.#block = block;
    this.#from = from;
    this.#separator = at.delimiter.charCodeAt(0);
    this.#last = at.last;
    this.#open = at.inside ? from : null;
  }

  /** Returns whether the quote at `at` is valid in this reading. */
  take(at: number): boolean {
    if (at < this.#behind) return true;
    if (this.#open === null) {
      this.#open = at;
      return this.#begins(at);
    }
    if (at - this.#open > MAX_LINES_BYTES && this.#hasBreak(this.#open, at)) return false;
    if (this.#block[at + 1] === QUOTE) {
      this.#behind = at + 2;
      return true;
    }
    this.#open = null;
    return isEdge(this.#block[at + 1], this.#separator);
  }

  /** Returns whether the block may end here in this reading. */
  end(): boolean {
    if (this.#open === null) return true;
    const { length } = this.#block;
    return !this.#last && !(length - this.#open > MAX_LINES_BYTES && this.#hasBreak(this.#open, length));
  }

  #begins(at: number): boolean {
    let before = at - 1;
    while (before >= this.#from && this.#isBlank(this.#block[before])) before -= 1;
    return before < this.#from || isEdge(this.#block[before], this.#separator);
  }

  #isBlank(byte: number | undefined): boolean {
    return byte === BLANK || (byte === TAB && this.#separator !== TAB);
  }

  #hasBreak(from: number, to: number): boolean {
    const part = this.#block.subarray(from, to);
    return part.includes(LINE_FEED) || part.includes(CARRIAGE_RETURN);
  }
}
