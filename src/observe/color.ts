// Colors of text for a terminal, and the variables that turn them on and off.

export type Color = 'gray' | 'green' | 'yellow' | 'red';

const CODES: Readonly<Record<Color, number>> = { gray: 90, green: 32, yellow: 33, red: 31 };

/**
 * FORCE_COLOR comes before NO_COLOR; both count only when they are not empty. Without them, a terminal has colors
 * unless TERM is `dumb`.
 */
export function hasColor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env.FORCE_COLOR) return !['0', 'false'].includes(env.FORCE_COLOR);
  if (env.NO_COLOR) return false;
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** The text in this color. Write it with `writeRaw`, since a guarded stream escapes colors. */
export function paint(text: string, color: Color): string {
  return `\u001b[${CODES[color]}m${text}\u001b[39m`;
}
