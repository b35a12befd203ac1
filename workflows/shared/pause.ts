// Pause and resume of a run: what is under way is called off and waited for.
import { CancellationScope, condition, log } from '@temporalio/workflow';
import type { OperatorCommand, Pause } from '../messages.ts';

export class PauseControl {
  #pause: Pause | null;
  #active = 0;
  /** The work under way: a pause cancels it, a resume begins a new scope. */
  #scope = new CancellationScope();
  readonly #changed: () => void;

  /**
   * @param pause who has paused the run already, before it continued as new
   * @param changed told of each pause and resume
   */
  constructor(pause: Pause | null, changed: () => void) {
    this.#pause = pause;
    this.#changed = changed;
  }

  /** Who has paused the run, and why; null while it goes on. */
  get paused(): Pause | null {
    return this.#pause;
  }

  /** The whole run is cancelled. */
  get cancelled(): boolean {
    return this.#pause === null && this.#scope.consideredCancelled;
  }

  /** Returns while the run is not paused. */
  async resumed(): Promise<void> {
    await condition(() => this.#pause === null);
  }

  /**
   * Does work that a pause calls off.
   * @returns null when it was called off before it had a result
   */
  async run<T>(work: () => Promise<T>): Promise<T | null> {
    const scope = this.#scope;
    this.#active++;
    try {
      return await scope.run(work);
    } catch (error) {
      // A call that waited for its next attempt ends with the failure of the last one. A cancellation of the whole run is seen outside.
      if (scope.consideredCancelled && !CancellationScope.current().consideredCancelled) return null;
      throw error;
    } finally {
      this.#active--;
    }
  }

  /** Pauses, and returns. The first reason stands. */
  setPause(pause: Pause): void {
    if (this.#pause !== null) return;
    log.warn('paused', described(pause));
    this.#pause = pause;
    this.#changed();
    this.#scope.cancel();
  }

  /** Pauses, and returns when nothing is under way any more: no further call goes out. */
  async pause(command: OperatorCommand): Promise<void> {
    this.setPause(command);
    const pause = this.#pause;
    await condition(() => this.#active === 0 || this.#pause !== pause);
  }

  resume(command: OperatorCommand): void {
    log.info('resumed', described(command));
    if (this.#pause !== null) this.#scope = new CancellationScope();
    this.#pause = null;
    this.#changed();
  }
}

/** What people write down as their reason may be about a person: no log has it. */
function described({ by, reason, code }: Pause): Record<string, unknown> {
  return code === undefined ? { by } : { by, reason };
}
