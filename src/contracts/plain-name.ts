// Names to show that come from outside. Control characters, line separators and direction marks could make one name look
// like another, or command a terminal.
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

export function isPlainName(text: string): boolean {
  return !UNSAFE.test(text);
}

/** For names that nobody here can correct. */
export function plainName(text: string): string {
  return text.replace(new RegExp(UNSAFE, 'gu'), '').trim();
}
