// Finds the position at which a text stops being valid JSON. The parser's own message quotes the text and often names
// no position.

export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** The text ends where more is expected. */
  readonly ended: boolean;
}

const BLANK = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Wanted = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' | 'nothing';

/** Only for a text that JSON.parse has rejected and that is not deeply nested. */
export function findFault(text: string): JsonFault {
  const at = faultAt(text);
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, ended: at >= text.length };
}

function faultAt(text: string): number {
  const open: ('{' | '[')[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  const after = (): Wanted => (open.length === 0 ? 'nothing' : ', or end');
  for (;;) {
    at = endOf(BLANK, text, at) ?? at;
    const char = text[at];
    if (char === undefined) return at;
    if (wanted === 'nothing') return at;
    if (wanted === ':') {
      if (char !== ':') return at;
      wanted = 'value';
    } else if (wanted === ', or end') {
      const list = open.at(-1) === '[';
      if (char === ',') wanted = list ? 'value' : 'name';
      else if (char === (list ? ']' : '}')) {
        open.pop();
        wanted = after();
      } else return at;
    } else if ((wanted === 'value or ]' && char === ']') || (wanted === 'name or }' && char === '}')) {
      open.pop();
      wanted = after();
    } else if (wanted === 'name' || wanted === 'name or }') {
      if (char !== '"') return at;
      const name = readString(text, at);
      if (!name.whole) return name.end;
      at = name.end;
      wanted = ':';
      continue;
    } else if (char === '"') {
      const value = readString(text, at);
      if (!value.whole) return value.end;
      at = value.end;
      wanted = after();
      continue;
    } else if (char === '{' || char === '[') {
      open.push(char);
      wanted = char === '{' ? 'name or }' : 'value or ]';
    } else {
      const end = endOf(SCALAR, text, at);
      if (end === undefined) return at;
      at = end;
      wanted = after();
      continue;
    }
    at += 1;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Scans by hand: a regular expression would need stack for each character of a long text. */
function readString(text: string, start: number): { end: number; whole: boolean } {
  let at = start + 1;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '"') return { end: at + 1, whole: true };
    if (char < ' ') return { end: at, whole: false };
    const end = char === '\\' ? endOf(ESCAPE, text, at) : at + 1;
    if (end === undefined) return { end: at, whole: false };
    at = end;
  }
  return { end: at, whole: false };
}
