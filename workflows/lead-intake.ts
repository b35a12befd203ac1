// Events that came in: each is done once, in its turn, by one call after the other. The ledger holds what they say; this
// workflow knows them by hashes only.
import {
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type {
  EffectResult,
  EffectStep,
  EventTurn,
  LeadIntakeInput,
  NextInLine,
} from '../src/contracts/intake.ts';
import { retrySignal, SEARCH_KEYS, turnSignal } from './messages.ts';
import { API_OPTIONS, apiQueue, callPriority, LANE, LEDGER_OPTIONS } from './policies.ts';
import { nextStep } from './record-steps.ts';
import { reasonOf } from './refusals.ts';

type Turn = Extract<EventTurn, { turn: 'yours' }>;

/** Events of one start that are under way at once. */
const CONCURRENCY = 20;
/** An event whose turn has not come looks again after this long, should nobody tell it; then ever later. */
const FIRST_LOOK_MS = 1000;
const LAST_LOOK_MS = 60_000;
/** Who stands in line is told, and looks in case the word got lost: thousands of looks would hold up the line itself. */
const LINE_LOOK_MS = 10_000;
const LAST_LINE_LOOK_MS = 600_000;
/** An event that the account refuses waits for somebody to act, and tries again by itself. */
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 3_600_000;

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export async function leadIntake(input: LeadIntakeInput): Promise<void> {
  await new LeadIntake(input).execute();
}

/** The history is long enough: the event goes on in the workflow's next run, where it was. */
class LeftError extends Error {
  override readonly name = 'LeftError';
}

class LeadIntake {
  readonly #input: LeadIntakeInput;
  /** Events that wait, and are left to the next run. */
  readonly #left = new Set<string>();
  /** Events that were told that it is their turn. */
  readonly #turns = new Set<string>();
  #retries = 0;
  #held = 0;

  constructor(input: LeadIntakeInput) {
    this.#input = input;
    setHandler(turnSignal, (event) => void this.#turns.add(event));
    setHandler(retrySignal, () => void this.#retries++);
  }

  async execute(): Promise<void> {
    const { account, route, events } = this.#input;
    let next = 0;
    let cutOff = false;
    const worker = async () => {
      while (next < events.length && !cutOff) {
        await this.#event(events[next++] as string);
        cutOff ||= isLong();
      }
    };
    const rest = () => events.filter((event, n) => n >= next || this.#left.has(event));
    const workers = Array.from({ length: Math.min(CONCURRENCY, events.length) }, worker);
    // All of them: a workflow that ends at the first error would leave the others' events open.
    const ended = await Promise.allSettled(workers);
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed !== undefined) {
      if (!isCancelled(failed.reason)) throw failed.reason;
      await CancellationScope.nonCancellable(async () => {
        for (const event of rest()) await this.#close(event, true);
      });
      throw new CancelledFailure('the events of this workflow were cancelled');
    }
    if (rest().length > 0) await continueAsNew<typeof leadIntake>({ account, route, events: rest() });
  }

  async #event(event: string): Promise<void> {
    try {
      const turn = await this.#begin(event);
      if (turn.turn === 'over') return await this.#pass(turn.next);
      for (const list of turn.lists) await this.#readList(event, turn, list);
      if (turn.work.type === 'record') await this.#record(event, turn, turn.work);
      else await this.#effect(event, turn, turn.work);
      await this.#close(event);
    } catch (error) {
      if (isCancelled(error)) await CancellationScope.nonCancellable(() => this.#close(event, true));
      else if (error instanceof LeftError) return void this.#left.add(event);
      throw error;
    }
  }

  /** Waits until every earlier event about the same subject is done. */
  async #begin(event: string): Promise<Exclude<EventTurn, { turn: 'wait' }>> {
    const { workflowId: workflow } = workflowInfo();
    for (let look = 1; ; look *= 2) {
      this.#turns.delete(event);
      const turn = await ledger.beginEvent({ event, workflow });
      if (turn.turn !== 'wait') return turn;
      const wait = turn.told
        ? Math.min(look * LINE_LOOK_MS, LAST_LINE_LOOK_MS)
        : Math.min(look * FIRST_LOOK_MS, LAST_LOOK_MS);
      await condition(() => this.#turns.has(event) || isLong(), wait);
      if (isLong()) throw new LeftError();
    }
  }

  /** A lead: the steps of its record, as a sync does them. */
  async #record(
    event: string,
    turn: Turn,
    { record, todo }: { record: number; todo: number },
  ): Promise<void> {
    const api = this.#api(turn, LANE.lead);
    for (let step = nextStep(todo, 0); step !== null; step = nextStep(todo, 0)) {
      const current = step;
      const result = await this.#insist(event, () => api[current]({ run: turn.run, record }));
      if (result.ended !== undefined) return;
      todo = result.todo;
      if (result.waitMs !== undefined) await sleep(result.waitMs);
    }
  }

  /** Any other action: one step leads to the next, until there is none. */
  async #effect(event: string, turn: Turn, first: Extract<Turn['work'], { type: 'effect' }>): Promise<void> {
    const api = this.#api(turn, LANE[first.lane]);
    for (let step: EffectStep | null = first.step; step !== null; ) {
      const current: EffectStep = step;
      const result: EffectResult = await this.#insist(event, () => api[current]({ event }));
      step = result.next;
      if (step !== null && result.waitMs !== undefined) await sleep(result.waitMs);
    }
  }

  async #readList(event: string, turn: Turn, list: Turn['lists'][number]): Promise<void> {
    const { readTags, readPipelines } = this.#api(turn, LANE.lead);
    const read = list === 'tags' ? readTags : readPipelines;
    await this.#insist(event, () => read({ run: turn.run }));
  }

  /** What the account refuses is tried again, ever later, or when somebody says so: an event that was accepted is not dropped. */
  async #insist<T>(event: string, call: () => Promise<T>): Promise<T> {
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      // From before the call: who says so while it is under way may have mended what it was refused for.
      const before = this.#retries;
      try {
        return await call();
      } catch (error) {
        if (isCancelled(error)) throw error;
        const reason = reasonOf(error);
        const [code = 'REFUSED'] = reason.split(':');
        log.warn('held', { event, reason });
        await ledger.holdEvent({ event, code, reason });
        this.#showHeld(+1);
        try {
          await condition(() => this.#retries !== before || isLong(), wait);
          if (isLong()) throw new LeftError();
        } finally {
          this.#showHeld(-1);
        }
      }
    }
  }

  #showHeld(change: number): void {
    this.#held += change;
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value: this.#held > 0 ? 'held' : 'running' }]);
  }

  async #close(event: string, cancelled = false): Promise<void> {
    const { next } = await ledger.closeEvent({ event, ...(cancelled ? { cancelled } : {}) });
    await this.#pass(next);
  }

  /** Tells the next event about the same subject; should it not hear, it looks by itself. */
  async #pass(next: NextInLine | null): Promise<void> {
    if (next === null) return;
    if (next.workflow === workflowInfo().workflowId) {
      this.#turns.add(next.id);
      return;
    }
    try {
      await getExternalWorkflowHandle(next.workflow).signal(turnSignal, next.id);
    } catch (error) {
      if (isCancellation(error)) throw error;
      log.info('the next event could not be told', { next: next.id, reason: reasonOf(error) });
    }
  }

  #api(turn: Turn, lane: number): Activities {
    return proxyActivities<Activities>({
      ...API_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(lane, turn.tokenKey, turn.callsPerMinute),
    });
  }
}

/**
 * Days of waiting, with a look every minute, would grow the history until the engine terminates the workflow: what waits
 * has to see it, too.
 */
function isLong(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** A call that waited for its next attempt when the cancellation came ends with the failure of the last one. */
function isCancelled(error: unknown): boolean {
  return isCancellation(error) || CancellationScope.current().consideredCancelled;
}
