// Rules of conversations: the conversation of a message, the person who serves it, its window, and the filters of
// lists.

import type { Scene } from '../http/route.ts';
import type { Account } from '../state/account.ts';
import type { Connection, Contact, Conversation } from '../state/model.ts';
import { searchedDigits } from './numbers.ts';
import { csv, type Query, singleId, text } from './query.ts';

const WINDOW_MS = 24 * 60 * 60 * 1000;

/** Returns the newest stored conversation of these two that is not closed; undefined if a new one is needed. */
function currentConversation(
  account: Account,
  contactId: number,
  connectionId: number,
): Conversation | undefined {
  return account
    .conversationsOf(contactId)
    .findLast((row) => row.connectionId === connectionId && row.status !== 'closed');
}

/** Returns the current conversation or a new one, with `changes`, updated now; not stored yet. */
export function conversationFor(
  scene: Scene,
  contact: Contact,
  connection: Connection,
  changes: Partial<Pick<Conversation, 'status' | 'chatbot'>>,
): Conversation {
  const current = currentConversation(scene.account, contact.id, connection.id) ?? {
    id: scene.store.nextId('conversation'),
    contactId: contact.id,
    connectionId: connection.id,
    // A conversation that nobody has taken is pending.
    status: 'pending',
    chatbot: false,
    userId: null,
    queueId: null,
    createdAt: scene.at,
  };
  return { ...current, ...changes, updatedAt: scene.at };
}

/** Returns the open conversation in which a person serves this contact, if there is one. */
export function humanService(account: Account, contactId: number): Conversation | undefined {
  return account
    .conversationsOf(contactId)
    .findLast((row) => row.status === 'open' && !row.chatbot && row.userId !== null);
}

/** Returns whether the newest message of the contact is less than 24 hours old. */
export function isWindowOpen(account: Account, conversationId: number, at: number): boolean {
  const newest = account.messages.get(conversationId)?.findLast((message) => !message.fromMe);
  return newest !== undefined && at - newest.at < WINDOW_MS;
}

/** Returns the last message as a list shows it: its text, else the name of its file or template. */
export function lastMessage(account: Account, conversationId: number): string {
  const message = account.messages.get(conversationId)?.at(-1);
  if (message === undefined) return '';
  return message.body || message.media?.name || message.templateData?.templateName || '';
}

/** Applies the filters of GET /v1/conversations. The most recently updated conversation is the last. */
export function matchingConversations(account: Account, query: Query): readonly Conversation[] {
  const tests: ((row: Conversation) => boolean)[] = [];
  const statuses = csv(query, 'status');
  if (statuses !== undefined) tests.push((row) => statuses.has(row.status));
  const connectionId = singleId(query, 'whatsappId');
  if (connectionId !== undefined) tests.push((row) => row.connectionId === connectionId);
  const search = text(query, 'searchParam')?.toLowerCase();
  if (search !== undefined) {
    const digits = searchedDigits(search);
    tests.push((row) => {
      const contact = account.tables.contact.get(row.contactId) as Contact;
      return (
        contact.name.toLowerCase().includes(search) ||
        contact.number.includes(digits) ||
        lastMessage(account, row.id).toLowerCase().includes(search)
      );
    });
  }
  const all = account.conversationsByUpdate;
  // Pollers read page 1 without a search all day. That must not copy or scan the account.
  return tests.length === 0 ? all : all.filter((row) => tests.every((test) => test(row)));
}
