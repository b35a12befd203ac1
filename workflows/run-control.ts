// Pause and resume of a run: what is under way is counted, and what nobody has begun can be taken back.
import { CancellationScope, condition, log, sleep } from '@temporalio/workflow';
import type { OperatorAct } from './messages.ts';

export class RunControl {
  #held: OperatorAct | null;
  #active = 0;
  #tookBack = false;
  /** Holds the calls of this run: a pause cancels it, a resume begins a new one. */
  #calls = new CancellationScope();
  readonly #changed: (held: OperatorAct | null) => void;

  /**
   * @param held who holds the run already, after it continued as new
   * @param changed told of each pause and resume
   */
  constructor(held: OperatorAct | null, changed: (held: OperatorAct | null) => void) {
    this.#held = held;
    this.#changed = changed;
  }

  /** Who holds the run, and why; null while it goes on. */
  get held(): OperatorAct | null {
    return this.#held;
  }

  /** How much is under way. */
  get active(): number {
    return this.#active;
  }

  /** Whether a pause has taken something back since this was last asked. */
  askTookBack(): boolean {
    const tookBack = this.#tookBack;
    this.#tookBack = this.#held !== null;
    return tookBack;
  }

  /** Returns while the run is not held, and less than `limit` is under way. */
  async turn(limit = Number.POSITIVE_INFINITY): Promise<void> {
    await condition(() => this.#held === null && this.#active < limit);
  }

  /** Returns when nothing is under way. */
  async idle(): Promise<void> {
    await condition(() => this.#active === 0);
  }

  /** Counts `work` as under way. It makes its calls through the `Calls` that it is given. */
  async during<T>(work: (calls: Calls) => Promise<T>): Promise<T> {
    this.#active++;
    try {
      return await work(new Calls(this.#calls));
    } finally {
      this.#active--;
    }
  }

  /** Takes back what nobody has begun; what is under way ends by itself. The first reason stands. */
  hold(act: OperatorAct): void {
    if (this.#held !== null) return;
    log.warn('paused', told(act));
    this.#held = act;
    this.#tookBack = true;
    this.#changed(act);
    this.#calls.cancel();
  }

  /** "Paused" is said only when no call of the run is under way or waiting in the queue. */
  async pause(act: OperatorAct): Promise<void> {
    this.hold(act);
    const hold = this.#held;
    await condition(() => this.#active === 0 || this.#held !== hold);
  }

  resume(act: OperatorAct): void {
    log.info('resumed', told(act));
    if (this.#held !== null) this.#calls = new CancellationScope();
    this.#held = null;
    this.#changed(null);
  }
}

/** What people write down as their reason may be about a person: no log has it. */
function told({ by, reason }: OperatorAct): Record<string, unknown> {
  return by === 'sluice' ? { by, reason } : { by };
}

/** The calls of one piece of work, all begun before the next pause. */
export class Calls {
  readonly #scope: CancellationScope;
  constructor(scope: CancellationScope) {
    this.#scope = scope;
  }

  /** True once a pause or a cancellation has taken them back. */
  get takenBack(): boolean {
    return this.#scope.consideredCancelled;
  }

  make<T>(call: () => Promise<T>): Promise<T> {
    return this.#scope.run(call);
  }

  wait(ms: number): Promise<void> {
    return this.#scope.run(() => sleep(ms));
  }
}

export function validateAct(act: OperatorAct): void {
  if (typeof act?.by !== 'string' || act.by === '') throw new Error('say who does this: by must be a name');
  if (typeof act.reason !== 'string') throw new Error('reason must be a text');
}
