// The end of a reading: what is new goes to the outbox, oldest first, and the ledger notes that it was published.
import type { HistoryMessage } from '../../src/api-client/schemas/message.ts';
import type { StatusChange } from '../../src/contracts/wire/conversation-envelope.ts';
import type { ConversationEvent } from '../../src/contracts/wire/conversation-events.ts';
import type { PollCall, ReadResult } from '../../src/contracts/wire/poll.ts';
import {
  type ConversationRow,
  endReading,
  type NewestMark,
  type Reading,
} from '../../src/ledger/conversations/conversations.ts';
import {
  addKnown,
  pruneMessages,
  type StagedMessage,
  saveStatuses,
  takeStaged,
} from '../../src/ledger/conversations/messages.ts';
import { countMessages, noteGap } from '../../src/ledger/conversations/poll-progress.ts';
import { hasUnread } from '../../src/ledger/conversations/unread.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import { noteSeenStatuses } from '../../src/ledger/events/deliveries.ts';
import { movesOn } from '../../src/ledger/events/delivery-status.ts';
import { putOutbox } from '../../src/ledger/outbox/outbox.ts';
import { shortHash } from '../../src/ledger/short-hash.ts';
import { assumedBy, type Deps } from '../shared/deps.ts';
import { eventsOf } from './conversation-events.ts';
import { instant, isCovered } from './listing.ts';

export type ReadCall = PollCall & { readonly conversation: number };

export interface ReadOptions {
  /** Messages a page; a service caps at 200 (API text, Limits). */
  readonly messagePageSize: number;
  /** About so many keys of a conversation's newest messages are kept; more than a page has. */
  readonly keep: number;
}

/** What a call has brought, and which sinks are to be woken for it. */
export interface Read extends ReadResult {
  readonly sinks: readonly string[];
}

export const NOTHING: Read = { done: true, messages: 0, sinks: [] };

/** All that a page is judged with; `row`: the conversation before the call, `now`: inside the transaction. */
export interface ReadContext {
  readonly deps: Deps;
  readonly tx: Queryable;
  readonly call: ReadCall;
  readonly options: ReadOptions;
  readonly row: ConversationRow;
  readonly now: ConversationRow;
}

/** A message that the list shows and the history not yet: so often it is read again. */
const MAX_LAGS = 2;
/** The Date header has whole seconds, and a tie of the newest message may come after it within its millisecond. */
const SETTLED_MS = 1000;
/** Then the Date header shows that second as over. */
const COARSE_SECONDS = 2;

/** What the newest page says of the conversation as a whole. */
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

/** A list may show the beginning of a text only. */
function isText(body: string | null, listed: string): boolean {
  return (
    body !== null && (body === listed || (body !== '' && (body.startsWith(listed) || listed.endsWith(body))))
  );
}

/** Messages that were published before and show another status word now; the one who follows what Sluice sent hears of all. */
export async function statusChanges(
  { tx, call }: ReadContext,
  items: readonly HistoryMessage[],
  published: ReadonlyMap<string, string | null>,
): Promise<StatusChange[]> {
  const { account, conversation } = call;
  const sent = items.filter(({ fromMe }) => fromMe);
  // An id with a NUL is none that Sluice was given: the ledger could not have kept it.
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

/** Tells status words alone. @returns the sinks that have something to do */
export async function putStatuses(
  { deps, tx, call, now }: ReadContext,
  statuses: readonly StatusChange[],
): Promise<string[]> {
  const { state } = now.item;
  const findings = { account: call.account, state, previous: state, since: null, messages: [], statuses };
  return await put({ deps, tx, call }, now, eventsOf(findings));
}

export interface Import {
  /** Of the last page, oldest first. */
  readonly fresh: readonly StagedMessage[];
  readonly statuses: readonly StatusChange[];
  /** Epoch milliseconds before which nothing is published; null: everything is. */
  readonly since: number | null;
  /** Null: it was not read, and will not be. */
  readonly reading: Reading | null;
}

/** Tells all that a reading has found, and ends it. */
export async function importMessages(context: ReadContext, found: Import): Promise<Read> {
  const { deps, tx, call, options, now } = context;
  const { account, conversation } = call;
  const staged = await takeStaged(tx, account, conversation);
  // The last page is the oldest one.
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
  // What was unread may be older than what would be forgotten.
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

/** The list shows a last message, and the history none at all. */
async function noteMissing({ deps, tx, call, now }: ReadContext): Promise<void> {
  const { account, conversation } = call;
  if ((now.item.lastMessage ?? '') === '') return;
  const reason = 'the list shows a last message of it, and its history shows none';
  const assumed = assumedBy(deps.account(account));
  const unread = { assumed, assumption: null, personKey: now.personKey, floor: null };
  await noteGap(tx, call, { code: 'MESSAGES_MISSING', reason, conversation, unread });
}

const listedHash = ({ item }: ConversationRow) =>
  item.lastMessage === null ? null : shortHash(item.lastMessage);

/** Whether the conversation is to be read once more, and when. */
function nextOf(now: ConversationRow, reading: Reading | null, published: number, settleSeconds: number) {
  if (reading === null) return 'done';
  const { newest, fingerprint } = reading;
  const { state, lastMessage } = now.item;
  if (now.fingerprint !== fingerprint) {
    const covered = { at: newest.settled ? newest.at : null, text: newest.text };
    return isCovered({ updatedAt: state.updatedAt, lastMessage }, covered) ? 'done' : 'again';
  }
  // The list tells of a message that the history does not show yet.
  const isBehind = newest.at === null || Date.parse(newest.at) < Date.parse(state.updatedAt);
  const isOpen = published === 0 || newest.text !== null;
  const lags =
    !newest.showsListed && isBehind && isOpen && now.tries < MAX_LAGS && now.seen?.listed !== listedHash(now);
  if (lags) return { afterSeconds: settleSeconds };
  // Where times are whole seconds, another message of the same second and text changes nothing that the list shows.
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
