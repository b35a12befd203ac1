// Finds a message whose answer was lost in the person's conversations.

import { canonicalKey } from '../../src/mapping/phone/index.ts';
import type { Conversation } from '../../src/service/api-client/schemas/conversation.ts';
import { findMessage as findOnPage } from '../shared/message-match.ts';
import { CLOCK_SKEW_MS } from '../shared/read-back.ts';
import { wholeList } from '../shared/whole-list.ts';
import type { AccountResources } from './account-client.ts';
import type { Shown } from './once.ts';
import { keyOfNumber } from './recipient.ts';

/** Last digits that all forms of a number share. */
const SUBSCRIBER_DIGITS = 8;

/** A message as it was sent: its recipient, and its text or its template. */
export interface SentTo {
  readonly number: string;
  readonly text?: string;
  readonly template?: { readonly name: string; readonly language: string; readonly parameters: string[] };
}

/** Reads conversations of the person that changed since, and the newest page of each. Makes one call, and one for each. */
export async function findMessage(client: AccountResources, message: SentTo, sentAt: Date): Promise<Shown> {
  const { text, template } = message;
  if (text === undefined && template === undefined) return 'unclear';
  const key = keyOfNumber(message.number);
  const since = new Date(sentAt.getTime() - CLOCK_SKEW_MS);
  const query = { searchParam: key.slice(-SUBSCRIBER_DIGITS), pageSize: 100 };
  const { data: page } = await client.conversations.list(query);
  const all = wholeList<Conversation>({ method: 'GET', path: '/v1/conversations' }, page);
  const changed = all.filter(({ updatedAt }) => new Date(updatedAt).getTime() >= since.getTime());
  // Sorted by update, newest first: if the page does not reach back to the message, a conversation may be missing.
  let isUnclear = page.hasMore && changed.length === all.length;
  for (const { id, contact } of changed) {
    if (canonicalKey(contact.number ?? '') !== key) continue;
    const { data } = await client.conversations.messages(id, { pageSize: 200 });
    const items = wholeList({ method: 'GET', path: '/v1/conversations/{ticketId}/messages' }, data);
    const { kind } = findOnPage({ items, hasMore: data.hasMore }, { text, template }, since);
    if (kind === 'like') return 'done';
    if (kind === 'unclear') isUnclear = true;
  }
  return isUnclear ? 'unclear' : 'absent';
}
