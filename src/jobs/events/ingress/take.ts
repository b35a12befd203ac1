// The way of events from their arrival to Temporal: they are written down, started and marked.
import type { EventDraft } from '../contract/intake.ts';
import { type Arrival, lateError } from './deadline.ts';
import type { EventWriter } from './event-writer.ts';
import { eachInOrder } from './in-order.ts';
import type { Accepted, Route } from './intake.ts';
import { STARTS, type Starts } from './starts.ts';

/** An event whose deadline passes before its start is withdrawn: it has no effect. */
export interface Taker {
  /**
   * Starts one workflow for all events.
   * @returns null for an event that was withdrawn
   */
  takeTogether(route: Route, arrivals: readonly Arrival[]): Promise<(Accepted | null)[]>;
  /**
   * Starts one workflow for each event. Repeated, a delivery of several events continues where it stopped.
   * @param signal withdraws events that are not being written yet
   */
  takeEach(route: Route, arrivals: readonly Arrival[], signal: AbortSignal): Promise<(Accepted | null)[]>;
}

export interface TakerOptions {
  readonly writer: EventWriter;
  readonly starts: Starts;
}

/** The events that Temporal has accepted, and the error that kept it from accepting the others. */
interface Started {
  readonly started: readonly EventDraft[];
  readonly failure: { readonly error: unknown } | null;
}

export function createTaker({ writer, starts }: TakerOptions): Taker {
  async function take(
    route: Route,
    arrivals: readonly Arrival[],
    startAll: (route: Route, fresh: readonly Arrival[]) => Promise<Started>,
    signal?: AbortSignal,
  ): Promise<(Accepted | null)[]> {
    const unique = uniqueOf(arrivals.filter(({ deadline }) => !deadline.signal.aborted));
    if (unique.length === 0) return arrivals.map(() => null);
    const drafts = unique.map(({ draft }) => draft);
    const states = await writer.write(route, drafts, signal);
    const fresh = unique.filter((_, n) => states[n] === 'received');
    const { started, failure } = await startAll(route, fresh);
    const ids = started.map(({ id }) => id);
    if (ids.length > 0) await writer.mark(ids);
    if (failure !== null) throw failure.error;
    const known = drafts.filter((_, n) => states[n] !== 'received').map(({ id }) => id);
    return answersOf(arrivals, new Set(known), new Set(ids));
  }

  async function startTogether(route: Route, fresh: readonly Arrival[]): Promise<Started> {
    const [first, ...others] = fresh;
    const started = first === undefined ? [] : await starts.start(route, [first, ...others]);
    return { started, failure: null };
  }

  async function startEach(route: Route, fresh: readonly Arrival[]): Promise<Started> {
    const { done, failure } = await eachInOrder(
      fresh,
      ({ draft: { subject } }) => subject,
      STARTS,
      async (arrival) => {
        const started = await starts.start(route, [arrival]);
        if (started.length === 0) throw lateError(false);
      },
    );
    return { started: done.map(({ draft }) => draft), failure };
  }

  return {
    takeTogether: (route, arrivals) => take(route, arrivals, startTogether),
    takeEach: (route, arrivals, signal) => take(route, arrivals, startEach, signal),
  };
}

/** The first content of each event counts. The last of its senders waits longest. */
function uniqueOf(arrivals: readonly Arrival[]): Arrival[] {
  const unique = new Map<string, Arrival>();
  for (const { draft, deadline } of arrivals)
    unique.set(draft.id, { draft: unique.get(draft.id)?.draft ?? draft, deadline });
  return [...unique.values()];
}

/** @param known ids of events that Sluice had before @param started ids of those that are new */
function answersOf(
  arrivals: readonly Arrival[],
  known: ReadonlySet<string>,
  started: ReadonlySet<string>,
): (Accepted | null)[] {
  const answered = new Set(known);
  return arrivals.map(({ draft: { id } }) => {
    if (!known.has(id) && !started.has(id)) return null;
    const duplicate = answered.has(id);
    answered.add(id);
    return { id, duplicate };
  });
}
