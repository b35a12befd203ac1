// Recognizes replies that opt out of campaigns. They are noted when they are read, whether they are published or not.

import { noteOptOuts } from '../../src/core/store/opt-outs.ts';
import { addedOptOuts } from '../../src/jobs/outbox/store/opt-out-news.ts';
import { putOutbox } from '../../src/jobs/outbox/store/outbox.ts';
import type { HistoryMessage } from '../../src/service/api-client/schemas/message.ts';
import type { ReadContext } from './import-messages.ts';

/**
 * Longer messages are no opt-outs. Configured words have at most 60 letters; the rest allows for ignored characters.
 */
const MAX_LENGTH = 200;

/**
 * Records the contact's opt-out if one of their messages is one of the account's words. Every message of the page
 * counts, also those from before the poller's first start: an opt-out of last month is an opt-out. A message with
 * unknown direction does not count.
 * @returns the sinks that have something to send
 */
export async function noteOptOutReplies(
  { deps, tx, call, now }: ReadContext,
  items: readonly HistoryMessage[],
): Promise<string[]> {
  const { words } = deps.account(call.account).optOut;
  if (words.length === 0) return [];
  const isOptOut = optOutMatcher(words);
  const first = items.find(({ fromMe, body }) => !fromMe && body !== null && isOptOut(body));
  if (first === undefined) return [];
  const at = new Date(first.createdAt ?? now.item.state.updatedAt);
  const recorded = await noteOptOuts(tx, call.account, [now.personKey], 'reply', at, first.body);
  const news = addedOptOuts(call.account, recorded, { via: 'reply' });
  return await putOutbox(tx, call.account, deps.announce(call.account), news);
}

/**
 * Returns a function that is true for a message that consists of one of these words. It ignores case, accents,
 * punctuation, emoji and spaces. A word that consists of emoji matches those emoji.
 */
export function optOutMatcher(words: readonly string[]): (text: string) => boolean {
  const known = new Set(words.map(bare).filter((word) => word !== ''));
  return (text) => text.length <= MAX_LENGTH && known.has(bare(text));
}

// Accents of Latin, Greek and Cyrillic letters. In other scripts such marks are vowels.
const ACCENTS = /[\u0300-\u036f]/g;
// Joiners and marks that are part of emoji, skin tones, and the apostrophes of "don't".
const MARKS = /[\p{Cf}\ufe0e\ufe0f\u20e3'’`´]|\p{Emoji_Modifier}/gu;

function bare(text: string): string {
  // Marks first: NFKD would split a standalone accent (´) into a space and a mark.
  const plain = text.replace(MARKS, '').normalize('NFKD').replace(ACCENTS, '').toLowerCase();
  const words = plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
  return words === '' ? plain.replace(/[\s\p{P}]+/gu, '') : words;
}
