// A batch of a sink: sends what is due, some events at a time, while it holds the sink's lease and there is time.
import { randomUUID } from 'node:crypto';
import type { OutboxBatchResult } from '../../src/contracts/wire/outbox.ts';
import { patienceOf, type SinkPatience } from '../../src/ledger/outbox/outbox-circuit.ts';
import { dueEvents, nextDueMs, type Probe, probeEvent } from '../../src/ledger/outbox/outbox-due.ts';
import { settleSending } from '../../src/ledger/outbox/outbox-outcomes.ts';
import {
  claimSink,
  forgetTrouble,
  ledgerNow,
  noteTrouble,
  releaseSink,
  type SinkLease,
} from '../../src/ledger/outbox/outbox-states.ts';
import type { Sink } from '../../src/sinks/sink.ts';
import type { Deps } from '../shared/deps.ts';
import { sendEvents } from './outbox-send.ts';

export interface OutboxBatchOptions {
  /** What time it is. @default the ledger's clock */
  readonly now?: () => Promise<Date>;
  /** 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** Milliseconds after which no further sending begins. @default 10_000 */
  readonly takeMs?: number;
  /** Milliseconds for one sending: longer than any sink's own time for one event. @default 75_000 */
  readonly deadlineMs?: number;
  /** Milliseconds to give up in. @default 3_000 */
  readonly graceMs?: number;
  /** Milliseconds that a sink is held without a sign of life. @default 15_000 */
  readonly leaseMs?: number;
  /** Between signs of life. @default 3_000 */
  readonly pulseMs?: number;
}

/** What of the activity's context a batch needs. */
export interface OutboxBatchContext {
  readonly cancelled: AbortSignal;
  heartbeat(): void;
}

const DEFAULTS = {
  random: Math.random,
  takeMs: 10_000,
  deadlineMs: 75_000,
  graceMs: 3000,
  leaseMs: 15_000,
  pulseMs: 3000,
};
/** The first sending is small, as nobody knows how fast the sink is; each quick one doubles it. */
const FIRST_EVENTS = 50;
const MOST_EVENTS = 200;
const QUICK_MS = 1000;
const SLOW_MS = 4000;
/** Bytes of events at once, as stored. */
const MOST_BYTES = 4_000_000;
/** Another worker may have a configuration that knows the sink. */
const NO_SINK_MS = 60_000;
const IDLE_MS = 1000;
/** A sink that has been closed belongs to a worker that is going. */
const CLOSED_MS = 5000;

/** Empties the outbox of one sink as far as it goes. Never fails because of the sink. */
export async function runOutboxBatch(
  deps: Deps,
  sink: string,
  context: OutboxBatchContext,
  options: OutboxBatchOptions = {},
): Promise<OutboxBatchResult> {
  const found = findSink(deps, sink);
  if (typeof found === 'string') {
    const next = await nextDueMs(deps.db, sink, await ledgerNow(deps.db), true);
    if (next === null) return { sent: 0, nextMs: null };
    await noteTrouble(deps.db, sink, { code: 'NO_SINK', reason: found });
    deps.log.warn({ sink, code: 'NO_SINK' }, `events wait: ${found}`);
    return { sent: 0, nextMs: NO_SINK_MS };
  }
  return await new OutboxBatch(deps, sink, found, context, options).run();
}

/** @returns why there is none */
function findSink(deps: Deps, name: string): { target: Sink; patience: SinkPatience } | string {
  try {
    return { target: deps.sink(name), patience: patienceOf(deps.sinkRetry(name)) };
  } catch (error) {
    return error instanceof Error ? error.message : `there is no sink "${name}"`;
  }
}

class OutboxBatch {
  readonly #deps: Deps;
  readonly #sink: string;
  readonly #target: Sink;
  readonly #patience: SinkPatience;
  readonly #context: OutboxBatchContext;
  readonly #options: OutboxBatchOptions & typeof DEFAULTS;
  /** Tells this batch from any other. */
  readonly #me = randomUUID();
  #size = FIRST_EVENTS;
  #sent = 0;
  #over = false;

  constructor(
    deps: Deps,
    sink: string,
    found: { target: Sink; patience: SinkPatience },
    context: OutboxBatchContext,
    options: OutboxBatchOptions,
  ) {
    this.#deps = deps;
    this.#sink = sink;
    this.#target = found.target;
    this.#patience = found.patience;
    this.#context = context;
    this.#options = { ...DEFAULTS, ...options };
  }

  async run(): Promise<OutboxBatchResult> {
    const { db } = this.#deps;
    const lease = await this.#lease();
    // Whoever has it lets go, or is lost.
    if (!lease.mine) return { sent: 0, nextMs: Math.max(1000, lease.leftMs) };
    let leasing: Promise<unknown> = Promise.resolve();
    const pulse = setInterval(() => {
      this.#context.heartbeat();
      // A database that is away shows at the next statement of the batch itself.
      leasing = this.#lease().catch(() => undefined);
    }, this.#options.pulseMs);
    try {
      await forgetTrouble(db, this.#sink, 'NO_SINK');
      const until = performance.now() + this.#options.takeMs;
      const { cancelled } = this.#context;
      let more = true;
      while (more && !this.#over && !cancelled.aborted && performance.now() < until)
        more = await this.#sendSome();
      return { sent: this.#sent, nextMs: await this.#nextMs(more) };
    } finally {
      clearInterval(pulse);
      await leasing;
      await releaseSink(db, this.#sink, this.#me);
    }
  }

  /** @returns whether there may be more to do */
  async #sendSome(): Promise<boolean> {
    const { db } = this.#deps;
    const { mine, openUntil } = await this.#lease();
    const now = await this.#now();
    if (!mine || (openUntil !== null && openUntil > now)) return false;
    if (openUntil !== null) {
      const probe = await probeEvent(db, this.#sink, now);
      if (probe === null) return false;
      await this.#send([probe]);
      return true;
    }
    const { due, more } = await dueEvents(db, this.#sink, now, { events: this.#size, size: MOST_BYTES });
    if (due.length === 0) return more;
    await this.#send(due.map((event) => ({ ...event, early: false })));
    return true;
  }

  async #send(events: readonly Probe[]): Promise<void> {
    const { deadlineMs, graceMs, random } = this.#options;
    const { cancelled } = this.#context;
    const begun = performance.now();
    const end = await sendEvents({ sink: this.#target, events, cancelled, deadlineMs, graceMs });
    this.#over ||= end.over;
    this.#adapt(performance.now() - begun, end.fault !== null);
    const settled = await settleSending(this.#deps.db, {
      sink: this.#sink,
      patience: this.#patience,
      handed: events,
      tried: end.tried,
      random,
      now: await this.#now(),
    });
    this.#sent += settled.sent;
    this.#report(settled, end);
  }

  #report(
    { dead, circuit }: Awaited<ReturnType<typeof settleSending>>,
    { tried, fault }: Awaited<ReturnType<typeof sendEvents>>,
  ): void {
    const { log } = this.#deps;
    const sink = this.#sink;
    const last = tried.findLast((each) => each.state === 'failed');
    const failure = last?.state === 'failed' ? last.failure : fault;
    const why = failure === null ? {} : { code: failure.code };
    if (fault !== null) log.error({ sink, ...why }, `${fault.reason}; events go one by one`);
    if (dead > 0)
      log.warn({ sink, dead, ...why }, 'events could not be sent and are dead: sluice outbox list --dead');
    if (circuit === 'opened')
      log.warn({ sink, ...why }, `the sink is left alone for a while: ${failure?.reason ?? ''}`);
    if (circuit === 'closed') log.info({ sink }, 'the sink takes events again');
  }

  #adapt(tookMs: number, fault: boolean): void {
    if (fault) this.#size = 1;
    // One by one it stays, until the next batch.
    else if (this.#size === 1) return;
    else if (tookMs < QUICK_MS) this.#size = Math.min(this.#size * 2, MOST_EVENTS);
    else if (tookMs > SLOW_MS) this.#size = Math.max(2, Math.floor(this.#size / 2));
  }

  /** @param more something was sent last, and not the finding that there is none to send */
  async #nextMs(more: boolean): Promise<number | null> {
    const { mine, openUntil } = await this.#lease();
    const now = await this.#now();
    const next = await nextDueMs(this.#deps.db, this.#sink, now, openUntil !== null);
    if (next === null) return null;
    if (!mine) return Math.max(1000, next);
    const closedMs = this.#over ? CLOSED_MS : 0;
    const waitMs = Math.max(next, closedMs, openUntil === null ? 0 : openUntil.getTime() - now.getTime());
    // What came in between is published by a wake. Whatever else it is must not become a hot loop.
    return waitMs === 0 && !more ? IDLE_MS : waitMs;
  }

  async #lease(): Promise<SinkLease> {
    return await claimSink(this.#deps.db, this.#sink, this.#me, await this.#now(), this.#options.leaseMs);
  }

  async #now(): Promise<Date> {
    return await (this.#options.now?.() ?? ledgerNow(this.#deps.db));
  }
}
