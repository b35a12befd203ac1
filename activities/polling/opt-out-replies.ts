// Replies that mean "no more campaigns": noted as they are read, whatever is published of them.
import type { HistoryMessage } from '../../src/api-client/schemas/message.ts';
import { noteOptOuts } from '../../src/ledger/campaigns/opt-outs.ts';
import type { ReadContext } from './import-messages.ts';

/** A longer message is no opt-out: words have 60 letters at most, and some room for what does not count. */
const MAX_LENGTH = 200;

/**
 * Notes the contact as opted out when a message of theirs is one of the account's words. Every message of the page
 * counts, those from before the poller's beginning too: who asked last month to be left alone has asked. A message
 * whose direction is not known counts as nobody's.
 */
export async function noteOptOutReplies(
  { deps, tx, call, now }: ReadContext,
  items: readonly HistoryMessage[],
): Promise<void> {
  const { words } = deps.account(call.account).optOut;
  if (words.length === 0) return;
  const isOptOut = optOutMatcher(words);
  const first = items.find(({ fromMe, body }) => !fromMe && body !== null && isOptOut(body));
  if (first === undefined) return;
  const at = new Date(first.createdAt ?? now.item.state.updatedAt);
  await noteOptOuts(tx, call.account, [now.personKey], 'reply', at);
}

/**
 * Tells whether a whole message is one of these words, whatever its case, accents, punctuation, emoji and spaces. A word
 * of emoji alone means those emoji.
 */
export function optOutMatcher(words: readonly string[]): (text: string) => boolean {
  const known = new Set(words.map(bare).filter((word) => word !== ''));
  return (text) => text.length <= MAX_LENGTH && known.has(bare(text));
}

// Accents of Latin, Greek and Cyrillic letters; in other scripts such marks are vowels.
const ACCENTS = /[\u0300-\u036f]/g;
// Joiners and marks that are part of emoji, skin tones, and the apostrophes of "don't".
const MARKS = /[\p{Cf}\ufe0e\ufe0f\u20e3'’`´]|\p{Emoji_Modifier}/gu;

function bare(text: string): string {
  // Marks first: an accent of its own (´) would fall apart into a space and a mark.
  const plain = text.replace(MARKS, '').normalize('NFKD').replace(ACCENTS, '').toLowerCase();
  const words = plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
  return words === '' ? plain.replace(/[\s\p{P}]+/gu, '') : words;
}
