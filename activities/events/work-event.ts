// Activity that works on one event from beginning to end. The ledger stores its content and progress, so it can
// restart at any point.
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { LANES } from '../../src/core/lanes.ts';
import { accountLists, releaseCatalog } from '../../src/core/store/catalog.ts';
import type { EffectStep, EventInput, EventProgress } from '../../src/jobs/events/contract/intake.ts';
import { noteBlock, noteStep } from '../../src/jobs/events/store/events.ts';
import { loadRecord } from '../../src/jobs/sync/store/due-records.ts';
import { getRun } from '../../src/jobs/sync/store/runs.ts';
import { createCatalogActivities } from '../records/catalog.ts';
import { runContext } from '../records/record-step.ts';
import { placeOf, workRecord } from '../records/record-work.ts';
import { LINGER_MS } from '../shared/batch.ts';
import { callScope, delayInScope, withCallScope } from '../shared/call-scope.ts';
import type { Deps } from '../shared/deps.ts';
import { blockOf, comesBackAfter, configured } from '../shared/failures.ts';
import { withHeartbeats } from '../shared/heartbeats.ts';
import { wakeDelivery } from '../shared/wake.ts';
import { createEffects } from './effects/index.ts';
import { beginEvent } from './event-begin.ts';
import { closeEvent } from './intake.ts';

/** Heartbeats deliver cancellations. They are rare because a worker has up to a thousand events in a burst. */
const HEARTBEAT_MS = 2000;
/** How long an event may wait before it frees its slot in the worker for others. */
const SLOT_MS = 120_000;
/** Failures of this worker, not of the event. Temporal retries, perhaps on another worker. */
const OF_THE_WORKER: ReadonlySet<unknown> = new Set(['INTERNAL', 'CONFIG']);

export interface EventTools {
  /** Called with an account whose messages are to be followed. @default starts or wakes its workflow */
  readonly wake?: (account: string) => Promise<void>;
}

export function createEventActivities(deps: Deps, { wake = wakeDelivery }: EventTools = {}) {
  const { db, log } = deps;
  const { readTags, readPipelines } = createCatalogActivities(deps);
  const effects = createEffects(deps);

  return {
    /** Works on an event that is next, in its own lane, until it has ended or must wait. */
    async workEvent(input: EventInput): Promise<EventProgress> {
      const slotIsOver = new CancelledFailure('other events wait for this worker slot');
      const slot = new AbortController();
      const signal = AbortSignal.any([Context.current().cancellationSignal, slot.signal]);
      let timer = setTimeout(() => slot.abort(slotIsOver), SLOT_MS);
      let calls = 0;
      // Once an event has made a call, it ends before others begin: what it read would be outdated later.
      const started = () => {
        calls++;
        clearTimeout(timer);
        timer = setTimeout(() => slot.abort(slotIsOver), SLOT_MS);
      };
      try {
        const about = { event: input.event };
        const scope = { lane: LANES.lead, signal, started, first: () => calls > 0, about };
        return await withHeartbeats(() => withCallScope(scope, () => advance(input)), HEARTBEAT_MS);
      } catch (error) {
        if (error === slotIsOver) return { state: 'waiting', waitMs: 0 };
        return await block(input.event, error);
      } finally {
        clearTimeout(timer);
      }
    },
  };

  async function advance(input: EventInput): Promise<EventProgress> {
    await checkAccount(input);
    for (;;) {
      const progress = await work(input);
      if (progress.state !== 'waiting' || progress.waitMs > LINGER_MS) return progress;
      await pause(progress.waitMs);
    }
  }

  async function work(input: EventInput): Promise<EventProgress> {
    const { account, event } = input;
    const begun = await beginEvent(deps, input);
    if (begun.state === 'over') return await close(event);
    if (begun.state !== 'begun') return begun;
    const { run } = begun;
    for (const [n, list] of begun.lists.entries()) {
      try {
        await (list === 'tags' ? readTags({ run }) : readPipelines({ run }));
      } catch (error) {
        // Release the claims, so that the next event can read the lists.
        for (const claimed of begun.lists.slice(n)) await releaseCatalog(db, account, claimed);
        return { state: 'waiting', waitMs: delayOf(error) };
      }
    }
    const { work } = begun;
    const waitMs =
      work.type === 'record'
        ? await workLead(run, work.record)
        : await withCallScope({ ...callScope(), lane: LANES[work.lane] }, () => workEffect(event, work.step));
    if (waitMs !== null) return { state: 'waiting', waitMs };
    return await close(event);
  }

  async function close(event: string): Promise<EventProgress> {
    return { state: 'ended', next: await closeEvent(deps, { event }, wake) };
  }

  /**
   * Runs the steps of a lead's record, as a sync does.
   * @returns milliseconds until it is due again; null if it has ended
   */
  async function workLead(runId: string, record: number): Promise<number | null> {
    const row = await getRun(db, runId);
    const run = runContext(deps, row, accountLists(row.account));
    const end = await workRecord(deps, run, await loadRecord(db, placeOf(run), record));
    return end.state === 'waits' ? end.ms : null;
  }

  /** Runs the steps of any other action. @returns as `workLead` */
  async function workEffect(event: string, first: EffectStep): Promise<number | null> {
    let step = first;
    const keepSlot = async () => {
      if (step !== first) await noteStep(db, event, step);
    };
    try {
      for (;;) {
        const current = step;
        const result = await attempt(() => effects[current]({ event }));
        if (typeof result !== 'number' && result.next === null) return null;
        if (typeof result !== 'number') step = result.next as EffectStep;
        const waitMs = typeof result === 'number' ? result : (result.waitMs ?? 0);
        if (waitMs > LINGER_MS) {
          await keepSlot();
          return waitMs;
        }
        await pause(waitMs);
      }
    } catch (error) {
      await keepSlot();
      throw error;
    }
  }

  async function checkAccount({ account, event }: EventInput): Promise<void> {
    try {
      configured(() => deps.account(account));
    } catch (error) {
      await noteBlock(db, event, { code: 'CONFIG', reason: (error as Error).message });
      throw error;
    }
  }

  /** Records what the account refuses; an operator must resolve it. */
  async function block(event: string, error: unknown): Promise<EventProgress> {
    if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
    const { code, reason } = blockOf(error);
    await noteBlock(db, event, { code, reason });
    log.warn({ event, code }, `an event is blocked: ${reason}`);
    return { state: 'blocked', reason };
  }
}

/** Runs a step. @returns its result, or the milliseconds until it is retried */
async function attempt<T>(step: () => Promise<T>): Promise<T | number> {
  try {
    return await step();
  } catch (error) {
    return delayOf(error);
  }
}

/** Same as `comesBackAfter`, but rethrows a failure that the worker caused or that must not be retried. */
function delayOf(error: unknown): number {
  const waitMs = comesBackAfter(error);
  if (waitMs === null || OF_THE_WORKER.has((error as ApplicationFailure).type)) throw error;
  return waitMs;
}

/** @throws the reason of the call scope's signal */
async function pause(ms: number): Promise<void> {
  callScope().signal.throwIfAborted();
  if (ms > 0) await delayInScope(ms);
}
