// Runs jobs after an answer, in order, one job per iteration of the event loop.

export class BackgroundQueue {
  #jobs: (() => void)[] = [];
  #step: NodeJS.Immediate | null = null;
  #stopped = false;

  /** `job` must not throw. */
  add(job: () => void): void {
    if (this.#stopped) return;
    this.#jobs.push(job);
    this.#step ??= setImmediate(() => this.#next());
  }

  /** Resolves when all jobs added before are done. Never resolves after `stop`. */
  settled(): Promise<void> {
    return this.#jobs.length === 0 ? Promise.resolve() : new Promise((resolve) => this.add(resolve));
  }

  /** Drops the waiting jobs in this process. */
  stop(): void {
    this.#stopped = true;
    this.#jobs = [];
    if (this.#step !== null) clearImmediate(this.#step);
  }

  #next(): void {
    this.#jobs.shift()?.();
    this.#step = this.#jobs.length === 0 ? null : setImmediate(() => this.#next());
  }
}
