// How many cells of a terminal a text takes.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const PLAIN = /^[ -~]*$/;
/** Letters of two cells: East Asian scripts, their punctuation and full-width forms. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const HALF_WIDTH = /^[\uff61-\uffdc]/u;
/** Drawn as a picture by itself, or because U+FE0F asks for it. */
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator})/u;
/** A mark without a letter. */
const MARK = /^\p{Mark}/u;

/** Cells of a text without control characters. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += cellsOf(segment);
  return width;
}

function cellsOf(grapheme: string): number {
  if (MARK.test(grapheme)) return 0;
  if (HALF_WIDTH.test(grapheme)) return 1;
  return WIDE.test(grapheme) || EMOJI.test(grapheme) ? 2 : 1;
}

/** The text in at most `width` cells; one that is cut ends in `…`. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  let left = width - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= cellsOf(segment);
    if (left < 0) break;
    cut += segment;
  }
  return width < 1 ? '' : `${cut.trimEnd()}…`;
}

/** Fills the text with spaces to `width` cells. */
export function padTo(text: string, width: number, side: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'right' ? space + text : text + space;
}
