// Reads what the sandbox's log and a sink's file say about a poller. Pure functions; times are epoch milliseconds.
import { type LoggedCall, timeOf, wasTaken } from './log.ts';
import type { Written } from './poll-data.ts';
import type { PublishedLine } from './poll-tail.ts';

const LIST = /\/v1\/conversations$/;
const READ = /\/v1\/conversations\/(\d+)\/messages$/;
/** Maximum number of conversations on one page of the list (API text, Limits). */
const PAGE = 100;

export interface Spent {
  readonly calls: number;
  readonly lists: number;
  readonly reads: number;
  /** Neither of the two. */
  readonly others: number;
  /** Lists for which somebody had written since the previous list. */
  readonly listsWithNews: number;
  /** Reads that showed a message for the first time. */
  readonly readsWithNews: number;
  /**
   * The minimum number of calls that show what these reads showed: each of them, and as many pages of the list as name
   * their conversations. A poller that knew the right moments would need no more.
   */
  readonly fewest: number;
}

/** @param calls of one token */
export function spentOf(calls: readonly LoggedCall[], written: readonly Written[]): Spent {
  const taken = calls.filter(wasTaken).toSorted((a, b) => timeOf(a) - timeOf(b));
  const lists = taken.filter(({ path }) => LIST.test(path));
  const reads = taken.filter(({ path }) => READ.test(path));
  const readsOf = new Map<number, number[]>();
  for (const call of reads) {
    const conversation = Number(READ.exec(call.path)?.[1]);
    readsOf.set(conversation, [...(readsOf.get(conversation) ?? []), timeOf(call)]);
  }
  const listTimes = lists.map(timeOf);
  const news = new Set<string>();
  const listed = new Set<number>();
  for (const { conversation, at } of written) {
    const read = (readsOf.get(conversation) ?? []).findIndex((time) => time >= at);
    if (read >= 0) news.add(`${conversation} ${read}`);
    const list = listTimes.findIndex((time) => time >= at);
    if (list >= 0) listed.add(list);
  }
  return {
    calls: taken.length,
    lists: lists.length,
    reads: reads.length,
    others: taken.length - lists.length - reads.length,
    listsWithNews: listed.size,
    readsWithNews: news.size,
    fewest: news.size + Math.ceil(news.size / PAGE),
  };
}

export interface Balance {
  /** Written and not published. */
  readonly missing: number;
  /** Published under more than one event id. */
  readonly twice: number;
  /** Lines that repeat one under the same id. */
  readonly repeated: number;
  /** Published and never written. */
  readonly unexpected: number;
  /** Conversations whose messages were first published in another order than they were written. */
  readonly disordered: number;
}

/** @param written each conversation in its order */
export function balanceOf(written: readonly Written[], lines: readonly PublishedLine[]): Balance {
  const published = lines.filter(({ type }) => type === 'message.received');
  const eventsOf = new Map<string, Set<string>>();
  for (const { message, event } of published) {
    const key = message ?? '';
    eventsOf.set(key, (eventsOf.get(key) ?? new Set()).add(event));
  }
  const ids = new Set(written.map(({ id }) => id));
  const order = [...eventsOf.keys()];
  const place = new Map(order.map((id, at) => [id, at]));
  const disordered = new Set<number>();
  const last = new Map<number, number>();
  for (const { id, conversation } of written) {
    const at = place.get(id);
    if (at === undefined) continue;
    if (at < (last.get(conversation) ?? -1)) disordered.add(conversation);
    last.set(conversation, Math.max(at, last.get(conversation) ?? -1));
  }
  return {
    missing: written.filter(({ id }) => !eventsOf.has(id)).length,
    twice: [...eventsOf.values()].filter(({ size }) => size > 1).length,
    repeated: published.length - new Set(published.map(({ event }) => event)).size,
    unexpected: order.filter((id) => !ids.has(id)).length,
    disordered: disordered.size,
  };
}

/** Milliseconds from handing in to the first line, of each message that has both. */
export function delaysOf(handed: ReadonlyMap<string, number>, lines: readonly PublishedLine[]): number[] {
  const first = new Map<string, number>();
  for (const { message, at } of lines) if (message !== null && !first.has(message)) first.set(message, at);
  return [...handed].flatMap(([id, at]) => {
    const published = first.get(id);
    return published === undefined ? [] : [published - at];
  });
}

/** Calls an hour at the pace of these times; NaN of fewer than two. */
export function perHour(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const span = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  return times.length < 2 ? Number.NaN : ((times.length - 1) * 3_600_000) / span;
}
