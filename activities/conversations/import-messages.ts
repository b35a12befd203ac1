// Ends a reading: new messages go to the outbox, oldest first, and the ledger records them as published.

import type { Queryable } from '../../src/core/sql/database.ts';
import { shortHash } from '../../src/core/sql/short-hash.ts';
import type { StatusChange } from '../../src/jobs/conversations/contract/envelope.ts';
import type { ConversationEvent } from '../../src/jobs/conversations/contract/events.ts';
import type { PollCall, ReadResult } from '../../src/jobs/conversations/contract/poll.ts';
import { endReading } from '../../src/jobs/conversations/store/conversations.ts';
import {
  addKnown,
  pruneMessages,
  type StagedMessage,
  saveStatuses,
  takeStaged,
} from '../../src/jobs/conversations/store/messages.ts';
import { countMessages, noteGap } from '../../src/jobs/conversations/store/poll-progress.ts';
import {
  type ConversationRow,
  type NewestMark,
  type Reading,
} from '../../src/jobs/conversations/store/rows.ts';
import { hasUnread } from '../../src/jobs/conversations/store/unread.ts';
import { noteSeenStatuses } from '../../src/jobs/events/store/deliveries.ts';
import { movesOn } from '../../src/jobs/events/store/delivery-status.ts';
import { putOutbox } from '../../src/jobs/outbox/store/outbox.ts';
import type { HistoryMessage } from '../../src/service/api-client/schemas/message.ts';
import { assumedBy, type Deps } from '../shared/deps.ts';
import { eventsOf } from './conversation-events.ts';
import { instant, isCovered } from './listing.ts';

export type ReadCall = PollCall & { readonly conversation: number };

export interface ReadOptions {
  /** Messages per page; the service allows at most 200 (API text, Limits). */
  readonly messagePageSize: number;
  /** Approximate number of keys kept of a conversation's newest messages; more than a page has. */
  readonly keep: number;
}

/** Result of a call, and the sinks to wake for it. */
export interface Read extends ReadResult {
  readonly sinks: readonly string[];
}

export const NOTHING: Read = { done: true, messages: 0, sinks: [] };

/** Context for judging a page. `row` is the conversation before the call, `now` the one inside the transaction. */
export interface ReadContext {
  readonly deps: Deps;
  readonly tx: Queryable;
  readonly call: ReadCall;
  readonly options: ReadOptions;
  readonly row: ConversationRow;
  readonly now: ConversationRow;
}

/** Number of repeated readings if the list shows a message that the history does not show yet. */
const MAX_LAGS = 2;
/** The Date header has whole seconds, and a message with the same text may follow within the same millisecond. */
const SETTLED_MS = 1000;
/** After this delay the Date header shows that the second is over. */
const COARSE_SECONDS = 2;

/** What the newest page shows about the conversation as a whole. */
export function newestOf(
  items: readonly HistoryMessage[],
  date: Date | null,
  listed: string | null,
): NewestMark {
  const last = items.at(-1);
  const at = last?.createdAt == null ? null : instant(last.createdAt);
  const inbound = items.findLast(({ fromMe, createdAt }) => !fromMe && createdAt !== null);
  return {
    text: last?.body ? shortHash(last.body) : null,
    at,
    inboundAt: inbound?.createdAt == null ? null : instant(inbound.createdAt),
    settled: at !== null && date !== null && date.getTime() - Date.parse(at) >= SETTLED_MS,
    showsListed: listed === null || listed === '' || items.some(({ body }) => isText(body, listed)),
  };
}

/** True if the list shows this text. A list may show only its beginning. */
function isText(body: string | null, listed: string): boolean {
  return (
    body !== null && (body === listed || (body !== '' && (body.startsWith(listed) || listed.endsWith(body))))
  );
}

/** Finds published messages whose status has changed, and notes the status of messages that Sluice sent and follows. */
export async function statusChanges(
  { tx, call }: ReadContext,
  items: readonly HistoryMessage[],
  published: ReadonlyMap<string, string | null>,
): Promise<StatusChange[]> {
  const { account, conversation } = call;
  const sent = items.filter(({ fromMe }) => fromMe);
  // Sluice never received an id with a NUL, because the ledger could not have stored it.
  const seen = sent.flatMap(({ id, status, ack }) =>
    id === null || id.includes('\0') ? [] : [{ messageId: id, status, ack }],
  );
  const events = await noteSeenStatuses(tx, account, conversation, seen);
  const changes = sent.flatMap(({ key, id, status, ack }): StatusChange[] => {
    const previous = published.get(key);
    if (previous === undefined || status === null || !movesOn(previous, status)) return [];
    return [{ key, id, status, previous, ack, event: id === null ? null : (events.get(id) ?? null) }];
  });
  await saveStatuses(tx, account, conversation, changes);
  return changes;
}

/** Publishes status changes only. @returns the sinks to wake */
export async function putStatuses(
  { deps, tx, call, now }: ReadContext,
  statuses: readonly StatusChange[],
): Promise<string[]> {
  const { state } = now.item;
  const findings = { account: call.account, state, previous: state, since: null, messages: [], statuses };
  return await put({ deps, tx, call }, now, eventsOf(findings));
}

export interface Import {
  /** Messages of the last page, oldest first. */
  readonly fresh: readonly StagedMessage[];
  readonly statuses: readonly StatusChange[];
  /** Epoch milliseconds before which nothing is published; null publishes everything. */
  readonly since: number | null;
  /** Null if the conversation was not read and will not be. */
  readonly reading: Reading | null;
}

/** Publishes everything that a reading has found, and ends the reading. */
export async function importMessages(context: ReadContext, found: Import): Promise<Read> {
  const { deps, tx, call, options, now } = context;
  const { account, conversation } = call;
  const staged = await takeStaged(tx, account, conversation);
  // Pages are read from newest to oldest, so the last page has the oldest messages.
  const messages = await addKnown(tx, account, conversation, [...found.fresh, ...staged]);
  const { state } = now.item;
  const events = eventsOf({
    account,
    state,
    previous: now.published,
    since: found.since,
    messages,
    statuses: found.statuses,
  });
  const sinks = await put(context, now, events);
  // An unread message may be older than those that would be pruned.
  const unread = await hasUnread(tx, account, conversation);
  const pruned = unread ? null : await pruneMessages(tx, account, conversation, options.keep);
  await countMessages(tx, call, messages.length);
  const next = nextOf(now, found.reading, messages.length, deps.account(account).settleSeconds);
  if (next === 'done' && found.reading?.read === 0) await noteMissing(context);
  const mark = found.reading?.newest ?? null;
  await endReading(tx, account, conversation, {
    next,
    published: state,
    inboundAt: mark?.inboundAt ?? null,
    coveredAt: mark?.settled === true ? mark.at : null,
    seen: {
      newest: mark === null ? (now.seen?.newest ?? null) : mark.text,
      listed: typeof next === 'object' ? (now.seen?.listed ?? null) : listedHash(now),
      pruned: pruned?.toISOString() ?? now.seen?.pruned ?? null,
    },
  });
  return { done: true, messages: messages.length, sinks };
}

/** Notes a gap: the list shows a last message, but the history shows none. */
async function noteMissing({ deps, tx, call, now }: ReadContext): Promise<void> {
  const { account, conversation } = call;
  if ((now.item.lastMessage ?? '') === '') return;
  const reason = 'the list shows a last message of the conversation, but its history shows none';
  const assumed = assumedBy(deps.account(account));
  const unread = { assumed, assumption: null, personKey: now.personKey, floor: null };
  await noteGap(tx, call, { code: 'MESSAGES_MISSING', reason, conversation, unread });
}

const listedHash = ({ item }: ConversationRow) =>
  item.lastMessage === null ? null : shortHash(item.lastMessage);

/** Decides whether the conversation must be read again, and when. */
function nextOf(now: ConversationRow, reading: Reading | null, published: number, settleSeconds: number) {
  if (reading === null) return 'done';
  const { newest, fingerprint } = reading;
  const { state, lastMessage } = now.item;
  if (now.fingerprint !== fingerprint) {
    const covered = { at: newest.settled ? newest.at : null, text: newest.text };
    return isCovered({ updatedAt: state.updatedAt, lastMessage }, covered) ? 'done' : 'again';
  }
  // The list shows a message that the history does not show yet.
  const isBehind = newest.at === null || Date.parse(newest.at) < Date.parse(state.updatedAt);
  const isOpen = published === 0 || newest.text !== null;
  const lags =
    !newest.showsListed && isBehind && isOpen && now.tries < MAX_LAGS && now.seen?.listed !== listedHash(now);
  if (lags) return { afterSeconds: settleSeconds };
  // If times are whole seconds, another message with the same second and text does not change the list.
  const isCoarse = Date.parse(state.updatedAt) % 1000 === 0;
  return isCoarse && !newest.settled && now.tries < MAX_LAGS ? { afterSeconds: COARSE_SECONDS } : 'done';
}

async function put(
  { deps, tx, call }: Pick<ReadContext, 'deps' | 'tx' | 'call'>,
  { item }: ConversationRow,
  events: readonly ConversationEvent[],
): Promise<string[]> {
  const connection = item.state.connection.id;
  const published = events.map((event) => ({ event, connection }));
  return await putOutbox(tx, call.account, deps.account(call.account).announce, published);
}
