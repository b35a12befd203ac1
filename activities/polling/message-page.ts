// What a page of a conversation's history brings: which messages are new, and whether all older ones are known.
// API text, GET /v1/conversations/{ticketId}/messages: page 1 holds the most recent messages, items are chronological.
import type { HistoryMessage } from '../../src/api-client/schemas/message.ts';
import type { Page } from '../../src/api-client/shapes.ts';
import { toJson } from '../../src/contracts/stored-json.ts';
import type { LookAlikes, Reading } from '../../src/ledger/conversations/conversations.ts';
import type { KnownMessages, StagedMessage } from '../../src/ledger/conversations/messages.ts';
import { instant } from './listing.ts';

/** One message and its place. */
export interface Placed {
  readonly message: StagedMessage;
  /** Counted from the newest message of the conversation, 0. */
  readonly place: number;
  /** Key that it would have without an id; null: it has none. */
  readonly alias: string | null;
  /** At the old end of the page, where others of the same instant may follow on the next page. */
  readonly atEdge: boolean;
}

export interface PageView {
  /** Chronological; none that an earlier page of this reading has shown. */
  readonly items: readonly Placed[];
  /** Items of the page, unreadable ones too. */
  readonly length: number;
  readonly start: number;
  /** So many of the newest places are read with this page. */
  readonly read: number;
  /** Follows on what was read, with nothing between. */
  readonly joins: boolean;
  readonly lookAlikes: LookAlikes;
}

/** What was read so far, as far as the next page needs it. */
export type ReadSoFar = Pick<Reading, 'count' | 'read' | 'lookAlikes'> | null;

/**
 * Puts the items of a page in their places. Messages without an id that look alike are numbered from the newest back,
 * over all pages of a reading: one more of them is one more number.
 * @param window what was asked for
 */
export function viewPage(
  page: Page<HistoryMessage>,
  window: { readonly page: number; readonly size: number },
  before: ReadSoFar,
): PageView {
  const length = page.items.length + page.invalid.length;
  const start = (window.page - 1) * window.size;
  // What has arrived since the last page has pushed everything back by as many places.
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
  // By place, not by key: of two that look alike, one may have been read and the other not.
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
  const goesOn = before !== null && oldest === before.lookAlikes.at;
  const kept = Object.entries(counts).filter(([base]) => oldest === null || goesOn || edge.has(base));
  const lookAlikes = { at: oldest, counts: Object.fromEntries(kept) };
  return { items, length, start, read: Math.max(start + length, joins ? readUpTo : 0), joins, lookAlikes };
}

const timeOf = ({ createdAt }: HistoryMessage) => (createdAt === null ? null : Date.parse(createdAt));

function baseOf({ id, key }: HistoryMessage): string {
  return id === null ? key.replace(/#\d+$/, '') : key;
}

/** As the ledger keeps it: what it can't store would never be found again. */
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
  /** Epoch milliseconds; what is older is not published. Null: everything is. */
  readonly since: number | null;
  /** Up to here messages were published and forgotten, epoch milliseconds. */
  readonly pruned: number | null;
}

export interface Verdict {
  /** To be published, oldest first. */
  readonly fresh: readonly Placed[];
  /** All that is older is known, or not to be published. */
  readonly reached: boolean;
  /** The page ends the reading although nothing says where it should end. */
  readonly isUndated: boolean;
}

/**
 * Judges a page by what the ledger knows.
 * @param deep messages that are known do not end the reading: older ones may have been unread
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
  // One that resembles a known one and stands at the edge may be another of the same instant: the next page tells.
  const reached = items.some(
    ({ message, atEdge }) =>
      behind(message) || (!deep && published(message) && (message.id !== null || !atEdge)),
  );
  const fresh = items.filter(({ message }, n) => {
    if (published(message) || behind(message)) return false;
    // Without a time, what stands before a known one may be from before the beginning.
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
