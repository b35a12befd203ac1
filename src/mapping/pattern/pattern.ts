// Regular expressions that a user wrote, over texts that somebody else wrote. They run on RE2, which takes a time that
// grows with the length of the text. JavaScript's own takes years for some patterns and stops the process meanwhile.
import { RE2JS } from 're2js';
import { PatternError, translatePattern } from './translate.ts';

export { PatternError } from './translate.ts';

/** Instructions of a compiled pattern. */
const MAX_SIZE = 4000;
/**
 * Instructions times characters of one match. Measured: at worst 100 million a second, so one match takes 0.3 s at most.
 * A pattern of usual size (30) takes texts of 1 MiB.
 */
const MAX_STEPS = 32_000_000;

/** Thrown when a pattern would take too long over a text, or took too long over several. */
export class PatternLimitError extends Error {
  override readonly name = 'PatternLimitError';
  readonly code = 'STUCK';
}

/** Time that patterns took, for all matches that belong together. */
export class PatternTime {
  readonly limitMs: number;
  #ms = 0;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  restart(): void {
    this.#ms = 0;
  }

  /** @throws PatternLimitError once the limit is reached */
  measure<T>(work: () => T): T {
    if (this.#ms > this.limitMs) throw new PatternLimitError(`patterns took longer than ${this.limitMs} ms`);
    const since = performance.now();
    try {
      return work();
    } finally {
      this.#ms += performance.now() - since;
    }
  }
}

/** A pattern that answers whether a text matches. */
export class TestPattern {
  readonly #source: string;
  readonly #compiled: RE2JS;
  readonly #longest: number;
  readonly #time: PatternTime;

  /** @throws PatternError, SyntaxError */
  constructor(source: string, time: PatternTime) {
    this.#source = source;
    this.#compiled = compile(translatePattern(source, { groups: false, ignoreCase: false }));
    this.#longest = longestText(this.#compiled);
    this.#time = time;
  }

  /** @throws PatternLimitError */
  test(text: string): boolean {
    requireLength(text, this.#longest);
    return this.#time.measure(() => this.#compiled.test(text));
  }

  /** ajv takes two patterns with the same text for one. */
  toString(): string {
    return this.#source;
  }
}

/** Time for all matches of one regular expression in one evaluation. */
const EVALUATION_MS = 500;

/** Stands in for RegExp in JSONata, which creates one from a literal for each evaluation and calls `exec`. */
export class LinearRegExp {
  lastIndex = 0;
  readonly #compiled: RE2JS;
  readonly #time = new PatternTime(EVALUATION_MS);

  constructor(literal: RegExp) {
    this.#compiled = compileLiteral(literal);
  }

  /** Searches from `lastIndex`. @throws PatternLimitError */
  exec(text: string): RegExpExecArray | null {
    requireLength(text, longestText(this.#compiled));
    if (this.lastIndex > text.length) return this.#end();
    const matcher = this.#compiled.matcher(text);
    if (!this.#time.measure(() => matcher.find(this.lastIndex))) return this.#end();
    this.lastIndex = matcher.end();
    const groups = Array.from(
      { length: matcher.groupCount() + 1 },
      (_, at) => matcher.group(at) ?? undefined,
    );
    return Object.assign(groups, { index: matcher.start(), input: text }) as RegExpExecArray;
  }

  #end(): null {
    this.lastIndex = 0;
    return null;
  }
}

const literals = new WeakMap<RegExp, RE2JS>();

/** @throws PatternError */
export function compileLiteral(literal: RegExp): RE2JS {
  const known = literals.get(literal);
  if (known !== undefined) return known;
  if (literal.multiline)
    throw new PatternError(
      'has the flag m, whose ^ and $ stop at lines; write (?:^|\\n) or (?:\\n|$) instead',
    );
  const compiled = compile(
    translatePattern(literal.source, { groups: true, ignoreCase: literal.ignoreCase }),
  );
  literals.set(literal, compiled);
  return compiled;
}

function compile(translated: string): RE2JS {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(translated);
  } catch (error) {
    throw new PatternError('is too large, with repetitions inside repetitions; make it simpler', {
      cause: error,
    });
  }
  if (compiled.programSize() > MAX_SIZE)
    throw new PatternError('is too large, for example by numbers in {…}; make it simpler');
  return compiled;
}

const longestText = (compiled: RE2JS) => Math.floor(MAX_STEPS / compiled.programSize());

function requireLength(text: string, longest: number): void {
  if (text.length > longest)
    throw new PatternLimitError(`this pattern takes texts of at most ${longest} characters`);
}
