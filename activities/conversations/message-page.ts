// Interprets a page of a conversation's history: which messages are new, and whether all older ones are known. API
// text, GET /v1/conversations/{ticketId}/messages: page 1 has the most recent messages, and items are chronological.

import { toJson } from '../../src/core/json/stored-json.ts';
import type { KnownMessages, StagedMessage } from '../../src/jobs/conversations/store/messages.ts';
import type { LookAlikes, Reading } from '../../src/jobs/conversations/store/rows.ts';
import type { HistoryMessage } from '../../src/service/api-client/schemas/message.ts';
import type { Page } from '../../src/service/api-client/shapes.ts';
import { instant } from './listing.ts';

/** A message and its position. */
export interface Placed {
  readonly message: StagedMessage;
  /** Position, counted from the conversation's newest message, which is 0. */
  readonly place: number;
  /** Key that the message would have without its id; null if it has no id. */
  readonly alias: string | null;
  /** True at the old end of the page, where the next page may show others of the same instant. */
  readonly atEdge: boolean;
}

export interface PageView {
  /** Chronological, without messages that an earlier page of this reading has shown. */
  readonly items: readonly Placed[];
  /** Number of items on the page, including unreadable ones. */
  readonly length: number;
  readonly start: number;
  /** Number of newest positions that are read, including this page. */
  readonly read: number;
  /** True if the page continues what was read without a gap. */
  readonly joins: boolean;
  readonly lookAlikes: LookAlikes;
}

/** The part of a reading so far that the next page needs. */
export type ReadSoFar = Pick<Reading, 'count' | 'read' | 'lookAlikes'> | null;

/**
 * Assigns positions to the items of a page. Identical messages without an id are numbered from the newest back, over
 * all pages of a reading, so each additional one gets the next number.
 * @param window the requested page
 */
export function viewPage(
  page: Page<HistoryMessage>,
  window: { readonly page: number; readonly size: number },
  before: ReadSoFar,
): PageView {
  const length = page.items.length + page.invalid.length;
  const start = (window.page - 1) * window.size;
  // Messages that have arrived since the last page have moved the others back by as many positions.
  const grown = before === null ? 0 : page.count - before.count;
  const readUpTo = before === null ? 0 : before.read + Math.max(0, grown);
  const joins = before === null || start === 0 || (grown >= 0 && start <= readUpTo);
  const gone = new Set(page.invalid.map(({ index }) => index));
  const indices = Array.from({ length }, (_, index) => index).filter((index) => !gone.has(index));
  const oldest = page.items[0] === undefined ? null : timeOf(page.items[0]);
  const placed = page.items.map((message, n) => ({
    message,
    place: start + length - 1 - (indices[n] as number),
    atEdge: page.hasMore && oldest !== null && timeOf(message) === oldest,
  }));
  // By position, not by key: of two identical messages, one may have been read and the other not.
  const fresh = placed.filter(({ place }) => start === 0 || place >= readUpTo);
  const counts: Record<string, number> = { ...before?.lookAlikes.counts };
  const items = fresh
    .toReversed()
    .map(({ message, place, atEdge }) => ({
      message: numbered(message, counts),
      place,
      atEdge,
      alias: message.id === null ? null : message.hashKey,
    }))
    .toReversed();
  const edge = new Set(placed.filter(({ atEdge }) => atEdge).map(({ message }) => baseOf(message)));
  const continues = before !== null && oldest === before.lookAlikes.at;
  const kept = Object.entries(counts).filter(([base]) => oldest === null || continues || edge.has(base));
  const lookAlikes = { at: oldest, counts: Object.fromEntries(kept) };
  return { items, length, start, read: Math.max(start + length, joins ? readUpTo : 0), joins, lookAlikes };
}

const timeOf = ({ createdAt }: HistoryMessage) => (createdAt === null ? null : Date.parse(createdAt));

function baseOf({ id, key }: HistoryMessage): string {
  return id === null ? key.replace(/#\d+$/, '') : key;
}

/** Converts an id to the form that the ledger stores; otherwise it would not be found again. */
function storable(id: string | null): string | null {
  return JSON.parse(toJson(id)) as string | null;
}

function numbered(message: HistoryMessage, counts: Record<string, number>): StagedMessage {
  const { body, fromMe, createdAt, status, raw } = message;
  const id = storable(message.id);
  const rest = { id, body, fromMe, at: createdAt === null ? null : instant(createdAt), status, raw };
  if (message.id !== null) return { key: `id:${id}`, ...rest };
  const base = baseOf(message);
  const count = (counts[base] ?? 0) + 1;
  counts[base] = count;
  return { key: count === 1 ? base : `${base}#${count}`, ...rest };
}

export interface Bounds {
  /** Epoch milliseconds before which messages are not published; null publishes everything. */
  readonly since: number | null;
  /** Epoch milliseconds up to which messages were published and then forgotten. */
  readonly pruned: number | null;
}

export interface Verdict {
  /** Messages to publish, oldest first. */
  readonly fresh: readonly Placed[];
  /** True if everything older is known, or must not be published. */
  readonly reached: boolean;
  /** True if the page ends the reading although no message has a time. */
  readonly isUndated: boolean;
}

/**
 * Judges a page by what the ledger knows.
 * @param deep known messages do not end the reading, because older ones may have been unread
 */
export function judge(
  { items }: PageView,
  known: Pick<KnownMessages, 'published' | 'any'>,
  { since, pruned }: Bounds,
  deep = false,
): Verdict {
  const publishedAs = new Set(
    items.flatMap(({ message: { key }, alias }) =>
      known.published.has(key) || (alias !== null && known.published.has(alias)) ? [key] : [],
    ),
  );
  const published = ({ key }: StagedMessage) => publishedAs.has(key);
  const behind = ({ at }: StagedMessage) => {
    if (at === null) return false;
    const time = Date.parse(at);
    return (since !== null && time < since) || (pruned !== null && time <= pruned);
  };
  const border = items.findLastIndex(({ message }) => published(message) || behind(message));
  // A message without an id at the edge may be another of the same instant. The next page shows whether it is.
  const reached = items.some(
    ({ message, atEdge }) =>
      behind(message) || (!deep && published(message) && (message.id !== null || !atEdge)),
  );
  const fresh = items.filter(({ message }, n) => {
    if (published(message) || behind(message)) return false;
    // A message without a time that precedes a known one may be from before the beginning.
    return message.at !== null || n > border;
  });
  const isUndated =
    !reached &&
    since !== null &&
    !known.any &&
    items.length > 0 &&
    items.every(({ message }) => message.at === null);
  return { fresh, reached: reached || isUndated, isUndated };
}
