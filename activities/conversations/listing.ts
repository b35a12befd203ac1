// A conversation as a list shows it, reduced to the fields that matter, and whether it differs from what is known.

import { shortHash } from '../../src/core/sql/short-hash.ts';
import type { ConversationState } from '../../src/jobs/conversations/contract/events.ts';
import type { Change } from '../../src/jobs/conversations/store/conversations.ts';
import type { ConversationRow, Listing } from '../../src/jobs/conversations/store/rows.ts';
import { canonicalKey } from '../../src/mapping/phone/index.ts';
import type { Conversation } from '../../src/service/api-client/schemas/conversation.ts';

const idOrNull = (id: number | null) => (id !== null && id > 0 ? id : null);

/** Formats an instant as the ledger and events do: ISO 8601 in UTC. */
export const instant = (text: string): string => new Date(text).toISOString();

/** @param showsOwner true if the page shows for at least one conversation who serves it, or that nobody does */
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
  // An owner whose id Sluice can't store still counts as an owner.
  const hasOwner = item.userId === undefined && owner !== undefined && owner !== null;
  const mayBeServed = (!showsOwner || hasOwner) && state.userId === null && !item.chatbot;
  // Fields that change by themselves (signed URLs of pictures, the state of a connection) are left out. Otherwise every
  // conversation would be read again.
  const shown = [visible(state), state.createdAt, state.updatedAt, lastMessage, mayBeServed];
  return {
    state,
    lastMessage,
    mayBeServed,
    fingerprint: shortHash(JSON.stringify(shown)),
    personKey: canonicalKey(digitsOf(contact.number ?? '')),
  };
}

/** A number consists of digits only (API text, Contact). A number formatted for people identifies the same person. */
const digitsOf = (number: string): string =>
  /^[+\d\s().-]+$/.test(number) ? number.replace(/\D/g, '') : number;

/** Fields whose change is published. A new name of the connection is not a change of the conversation. */
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

/** Identifies a state of a conversation in ids of events. */
export function stateHash(state: ConversationState): string {
  return shortHash(JSON.stringify([visible(state), state.updatedAt]));
}

/**
 * True if a listing shows nothing that is not imported: its last update is not newer than the newest message of a
 * complete reading, and it shows that message's text.
 */
export function isCovered(
  { updatedAt, lastMessage }: { updatedAt: string; lastMessage: string | null },
  covered: { at: string | null; text: string | null },
): boolean {
  if (covered.at === null || covered.text === null || lastMessage === null) return false;
  return Date.parse(updatedAt) <= Date.parse(covered.at) && shortHash(lastMessage) === covered.text;
}

/**
 * The change to store for a listing; null if the listing is known.
 * @param since epoch milliseconds before which nothing is published; null publishes everything
 * @param isOld the listing is from an older page, which is read in addition to newer ones
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
  // Page 1 has shown the conversation since, so the older page is outdated.
  if (isOld && at <= Date.parse(known.item.state.updatedAt)) return null;
  const covered = { at: known.covered_at?.toISOString() ?? null, text: known.seen?.newest ?? null };
  const silent =
    known.published !== null &&
    isAlike(known.published, state) &&
    isCovered({ updatedAt: state.updatedAt, lastMessage }, covered);
  return { listing, todo: !silent, published: false };
}
