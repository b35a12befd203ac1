// Quoted cells over several lines: which are notes, and which have swallowed rows because a quote stands where none belongs.

/** A cell with line breaks that is longer is taken for one whose quote was never closed. */
const MAX_LINES_BYTES = 64 * 1024;

/** Digits that a phone number has at least: a line without them is no contact. */
const DIGITS = 8;

const [TAB, LINE_FEED, CARRIAGE_RETURN, BLANK, QUOTE] = [0x09, 0x0a, 0x0d, 0x20, 0x22];
const BREAK = /\r\n|\n|\r/;

/** Has one of the cells a line break? */
export function isMultiline(cells: readonly string[]): boolean {
  return cells.some((cell) => BREAK.test(cell));
}

/**
 * Why a record with a cell of several lines can't be trusted, undefined when it can. A cell has swallowed rows when its first
 * line completes the row that it stands in, and a line inside resembles a contact: as many cells as the header, with the
 * digits of a number. A record of the wrong length got its quotes from somewhere else.
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
    if (index + count(first) === columns && rows.length > 0)
      return 'holds lines that resembles rows of their own';
  }
  if (columns > 0 && cells.length !== columns)
    return `spans several lines, and its row has ${cells.length} cells where the header has ${columns}`;
  return undefined;
}

/** `unknown`: a longer block is needed. `either`: both readings are possible, because many quotes stand between separators. */
export type Side = 'outside' | 'inside' | 'either' | 'unknown';

/** Text by which a side is judged at most, where it does not show earlier. */
const WINDOW_BYTES = 2 * MAX_LINES_BYTES;

/**
 * Is `from`, behind a record with quotes, outside of them? With a stray quote above, inside and outside are swapped, and what
 * resembles rows is the text of a cell. Both readings are followed from quote to quote until one breaks a rule: a quote
 * opens at the beginning of a cell, and one that closes stands at its end. Where both break at once, nothing is certain.
 */
export function sideOf(block: Buffer, from: number, at: { last: boolean; delimiter: string }): Side {
  // Nearly every record: the next one begins with a quote before text.
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
    // What the quote is shows in the two bytes behind it.
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

/** Does a quote open a cell within the text by which a side is judged? Otherwise all quotes are plain text, as inches are. */
export function hasQuotedCell(block: Buffer, from: number, delimiter: string): boolean {
  const text = block.subarray(from, from + WINDOW_BYTES).toString('latin1');
  const escaped = delimiter === '|' ? '\\|' : delimiter;
  return new RegExp(`(?:^|[\\r\\n${escaped}])[ \\t]*"`).test(text);
}

/** One reading of the quotes of a block. */
class Reading {
  readonly #block: Buffer;
  readonly #from: number;
  readonly #separator: number;
  readonly #last: boolean;
  /** Where the cell began that is open; null outside of quotes. */
  #open: number | null;
  /** A doubled quote has been seen to here. */
  #behind = 0;

  constructor(block: Buffer, from: number, at: { last: boolean; delimiter: string; inside: boolean }) {
    this.#block = block;
    this.#from = from;
    this.#separator = at.delimiter.charCodeAt(0);
    this.#last = at.last;
    this.#open = at.inside ? from : null;
  }

  /** Does the quote at `at` fit? */
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

  /** Does it fit that the block ends here? */
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
