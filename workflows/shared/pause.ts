// Pause and resume of a run. A pause cancels the work under way and waits for it to stop.
import { CancellationScope, condition, log } from '@temporalio/workflow';
import { type LastResume, resumeInVain } from '../../src/core/blocked-again.ts';
import type { Pause } from '../../src/core/pause.ts';
import type { OperatorCommand } from '../messages.ts';

export class PauseControl {
  #pause: Pause | null;
  #resumed: LastResume | null;
  #active = 0;
  /** The work under way. A pause cancels it, and a resume starts a new scope. */
  #scope = new CancellationScope();
  readonly #changed: () => void;

  /**
   * @param carried the pause and the last resume from before the run continued as new
   * @param changed runs after each pause and resume
   */
  constructor(
    { paused = null, resumed = null }: Partial<Pick<PauseControl, 'paused' | 'resumed'>>,
    changed: () => void,
  ) {
    this.#pause = paused;
    this.#resumed = resumed;
    this.#changed = changed;
  }

  /** Who paused the run and why; null while it is not paused. */
  get paused(): Pause | null {
    return this.#pause;
  }

  /** The last resume of the run; null before the first one. */
  get resumed(): LastResume | null {
    return this.#resumed;
  }

  /** True when the whole run is canceled. */
  get cancelled(): boolean {
    return this.#pause === null && this.#scope.consideredCancelled;
  }

  /** Returns once the run is not paused. */
  async untilResumed(): Promise<void> {
    await condition(() => this.#pause === null);
  }

  /**
   * Runs work that a pause cancels.
   * @returns null when the work was canceled before it had a result
   */
  async run<T>(work: () => Promise<T>): Promise<T | null> {
    const scope = this.#scope;
    this.#active++;
    try {
      return await scope.run(work);
    } catch (error) {
      // A call that waited for its next attempt ends with the failure of the last one. The caller handles a
      // cancellation of the whole run.
      if (scope.consideredCancelled && !CancellationScope.current().consideredCancelled) return null;
      throw error;
    } finally {
      this.#active--;
    }
  }

  /** Pauses and returns at once. The first reason is kept. */
  setPause(pause: Pause): void {
    if (this.#pause !== null) return;
    log.warn('paused', described(pause));
    this.#pause = { ...pause, at: now(), again: resumeInVain(pause.code, this.#resumed) };
    this.#changed();
    this.#scope.cancel();
  }

  /** Pauses and returns when no work is under way, so no further call goes out. */
  async pause(command: OperatorCommand): Promise<void> {
    this.setPause(command);
    const pause = this.#pause;
    await condition(() => this.#active === 0 || this.#pause !== pause);
  }

  resume(command: OperatorCommand): void {
    log.info('resumed', described(command));
    if (this.#pause !== null) {
      this.#scope = new CancellationScope();
      this.#resumed = { by: command.by, at: now(), code: this.#pause.code };
    }
    this.#pause = null;
    this.#changed();
  }
}

/** By Temporal's clock, so that a replay has the same time. */
const now = () => new Date().toISOString();

/** A person's reason may contain personal data, so logs never include it. */
function described({ by, reason, code }: Pause): Record<string, unknown> {
  return code === undefined ? { by } : { by, reason };
}
