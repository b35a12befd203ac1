// Names to show that come from outside. Control characters, line separators, direction marks and what no screen shows, such
// as a zero-width space, could make one name look like another, or command a terminal.

/** What joins emoji and letters of some scripts is part of a name, but not after a letter of ours. */
const JOINERS = '\\u200c\\u200d\\ufe00-\\ufe0f';
const UNSAFE = new RegExp(
  `[[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}]--[${JOINERS}]]`,
  'gv',
);
const LOOSE = new RegExp(`(?<=^|[\\x00-\\x7f])[${JOINERS}]+`, 'g');

export function isPlainName(text: string): boolean {
  return text.search(UNSAFE) === -1 && text.search(LOOSE) === -1;
}

/** For names that nobody here can correct. */
export function plainName(text: string): string {
  return text.replace(UNSAFE, '').replace(LOOSE, '').trim();
}
