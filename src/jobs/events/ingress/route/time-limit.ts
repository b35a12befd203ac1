// Stops synchronous work that takes too long. No timer can interrupt it, but the time limit of a script can.
import { createContext, Script } from 'node:vm';

// One context serves all: the work is synchronous, so `run` is set and called with nothing in between.
const sandbox: { run(): void } = { run() {} };
const context = createContext(sandbox);
const script = new Script('run()');

/** Thrown when work did not end in time. */
export class StuckError extends Error {
  override readonly name = 'StuckError';
  readonly limitMs: number;
  constructor(limitMs: number, options?: ErrorOptions) {
    super(`it did not end within ${limitMs} ms`, options);
    this.limitMs = limitMs;
  }
}

/**
 * Runs synchronous work, which must not call this again. Measured: about 25 µs more than without.
 * @throws StuckError after `limitMs`, wherever the work is; whatever the work throws otherwise
 */
export function inTime<T>(limitMs: number, work: () => T): T {
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
