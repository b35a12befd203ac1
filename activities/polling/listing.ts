// A conversation as a list shows it, cut down to what matters, and whether it differs from what is known.
import type { Conversation } from '../../src/api-client/schemas/conversation.ts';
import type { ConversationState } from '../../src/contracts/wire/conversation-events.ts';
import type { Change, ConversationRow, Listing } from '../../src/ledger/conversations/conversations.ts';
import { shortHash } from '../../src/ledger/short-hash.ts';
import { canonicalKey } from '../../src/mapping/phone/index.ts';

const idOrNull = (id: number | null) => (id !== null && id > 0 ? id : null);

/** An instant as the ledger and events write it: ISO 8601, UTC. */
export const instant = (text: string): string => new Date(text).toISOString();

/** @param showsOwner the page shows of some conversation who serves it, or that nobody does */
export function listingOf(item: Conversation, showsOwner: boolean): Listing {
  const { contact, connection, owner } = item;
  const ownerId = typeof owner?.id === 'number' ? owner.id : null;
  const state: ConversationState = {
    id: item.id,
    status: item.status,
    channel: item.channel,
    chatbot: item.chatbot,
    queueId: idOrNull(item.queueId),
    userId: idOrNull(item.userId === undefined ? ownerId : item.userId),
    createdAt: instant(item.createdAt),
    updatedAt: instant(item.updatedAt),
    contact: { id: contact.id, name: contact.name, number: contact.number },
    connection: { id: connection.id, name: connection.name, channel: connection.channel },
  };
  const { lastMessage } = item;
  // An owner without a number that Sluice can keep is an owner all the same.
  const hasOwner = item.userId === undefined && owner !== undefined && owner !== null;
  const mayBeServed = (!showsOwner || hasOwner) && state.userId === null && !item.chatbot;
  // Fields that change by themselves (signed addresses of pictures, the state of a connection) would have every
  // conversation read again.
  const shown = [visible(state), state.createdAt, state.updatedAt, lastMessage, mayBeServed];
  return {
    state,
    lastMessage,
    mayBeServed,
    fingerprint: shortHash(JSON.stringify(shown)),
    personKey: canonicalKey(digitsOf(contact.number ?? '')),
  };
}

/** A number is digits only (API text, Contact); one that is written for people is that of the same person. */
const digitsOf = (number: string): string =>
  /^[+\d\s().-]+$/.test(number) ? number.replace(/\D/g, '') : number;

/** What is published of a change: a new name of the connection is none of the conversation. */
function visible({ id, status, channel, chatbot, queueId, userId, contact, connection }: ConversationState) {
  return [
    id,
    status,
    channel,
    chatbot,
    queueId,
    userId,
    connection.id,
    contact.id,
    contact.name,
    contact.number,
  ];
}

export function isAlike(a: ConversationState, b: ConversationState): boolean {
  return JSON.stringify(visible(a)) === JSON.stringify(visible(b));
}

/** Tells states of a conversation apart, in ids of events. */
export function stateHash(state: ConversationState): string {
  return shortHash(JSON.stringify([visible(state), state.updatedAt]));
}

/**
 * Whether a listing brings nothing that is not imported: its last update is not newer than the newest message that a
 * reading saw with nothing hidden behind it, and it shows that message's text.
 */
export function isCovered(
  { updatedAt, lastMessage }: { updatedAt: string; lastMessage: string | null },
  covered: { at: string | null; text: string | null },
): boolean {
  if (covered.at === null || covered.text === null || lastMessage === null) return false;
  return Date.parse(updatedAt) <= Date.parse(covered.at) && shortHash(lastMessage) === covered.text;
}

/**
 * What is to be written down of a listing; null: it is known.
 * @param since epoch milliseconds before which nothing is published; null: everything is
 * @param isOld the listing is of an older page, read beside newer ones
 */
export function changeOf(
  listing: Listing,
  known: ConversationRow | undefined,
  { since, isOld }: { since: number | null; isOld: boolean },
): Change | null {
  const { state, lastMessage, fingerprint } = listing;
  const at = Date.parse(state.updatedAt);
  if (known === undefined) {
    const todo = since === null || at >= since;
    return { listing, todo, published: !todo };
  }
  if (known.fingerprint === fingerprint) return null;
  // What page 1 has shown since is newer than what stood on an older page.
  if (isOld && at <= Date.parse(known.item.state.updatedAt)) return null;
  const covered = { at: known.covered_at?.toISOString() ?? null, text: known.seen?.newest ?? null };
  const silent =
    known.published !== null &&
    isAlike(known.published, state) &&
    isCovered({ updatedAt: state.updatedAt, lastMessage }, covered);
  return { listing, todo: !silent, published: false };
}
