// Is a message that was sent among those that a conversation shows? Pure functions: the fields of a history are not
// shown by the API text, so an item that can't be compared proves nothing, not even that the message is missing.
import { createHash } from 'node:crypto';
import type { HistoryMessage } from '../../../src/api-client/schemas/message.ts';
import type { RequestOf } from '../../../src/contracts/wire/intake.ts';
import type { LookAlike } from '../../../src/ledger/sync/intents.ts';

/** What of a message a history can show: its text, else its template. Files have no content there. */
export type Wanted = Pick<RequestOf<'message'>, 'text' | 'template'>;

/** Can a check into the conversation tell whether this message is there? */
export function canBeSeen(request: RequestOf<'message'>): boolean {
  const { text, template, saveOnTicket } = request;
  return saveOnTicket && (text !== undefined || template !== undefined);
}

/** Hash of what a message says. */
export function markOf({ text, template }: Wanted): string {
  return createHash('sha256')
    .update(JSON.stringify([text, template]))
    .digest('base64url');
}

export type Found =
  /** These are like it, the oldest first. */
  | { readonly kind: 'like'; readonly messages: readonly HistoryMessage[] }
  | { readonly kind: 'none' }
  /** Something there might be it. */
  | { readonly kind: 'unclear' };

/**
 * Looks for a message on the newest page of a conversation.
 * @param items in chronological order
 * @param since it is not older
 */
export function findMessage(
  { items, hasMore }: { readonly items: readonly HistoryMessage[]; readonly hasMore: boolean },
  wanted: Wanted,
  since: Date,
): Found {
  const time = ({ createdAt }: HistoryMessage) => (createdAt === null ? null : new Date(createdAt).getTime());
  const isOlder = (item: HistoryMessage) => (time(item) ?? Number.POSITIVE_INFINITY) < since.getTime();
  const candidates = items.filter((item) => item.fromMe && !isOlder(item));
  const certain = candidates.filter(({ fromMe, createdAt }) => fromMe && createdAt !== null);
  const like = certain.filter((item) => compare(item, wanted) === 'same');
  if (like.length > 0) return { kind: 'like', messages: like };
  const isUnclear =
    certain.length < candidates.length || certain.some((item) => compare(item, wanted) === 'unclear');
  // The page is full of newer messages: what lies behind it was not checked.
  return { kind: isUnclear || (hasMore && !items.some(isOlder)) ? 'unclear' : 'none' };
}

function compare(item: HistoryMessage, { text, template }: Wanted): 'same' | 'other' | 'unclear' {
  if (text !== undefined) {
    if (item.body === null) return 'unclear';
    const [shown, sent] = [plain(item.body), plain(text)];
    if (shown === sent) return 'same';
    // A service may put a name before it, or a footer behind; but so may another message.
    return sent !== '' && shown.includes(sent) ? 'unclear' : 'other';
  }
  const shown = item.template;
  if (shown === undefined) return 'unclear';
  if (shown === null || template === undefined) return 'other';
  const { templateName, templateLanguage, templateParameters } = shown;
  if (typeof templateName !== 'string') return 'unclear';
  const fits = (value: unknown, wanted: unknown) =>
    value === undefined || JSON.stringify(value) === JSON.stringify(wanted);
  const same =
    templateName === template.name &&
    fits(templateLanguage, template.language) &&
    fits(templateParameters, template.parameters);
  return same ? 'same' : 'other';
}

/** Channels trim texts and write line ends their own way. */
const plain = (text: string) => text.normalize('NFC').replace(/\r\n?/g, '\n').trim();

export type Claim =
  /** This message is the intent's. */
  | { readonly kind: 'own'; readonly message: HistoryMessage }
  /** All of them belong to others. */
  | { readonly kind: 'none' }
  /** Another intent's outcome has to be known first. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'unclear' };

/**
 * Which of several messages that are alike is this intent's? No message is taken by two: one whose owner the ledger
 * knows is left out, and while others are open that may own one, there must be enough for all.
 * @param look-alikes intents that say the same in the same conversation, by id
 * @param keys of all messages on the page
 */
export function claimMessage(
  like: readonly HistoryMessage[],
  lookAlikes: readonly LookAlike[],
  own: { readonly id: number; readonly settleSeconds: number; readonly keys: ReadonlySet<string> },
): Claim {
  const taken = new Set(lookAlikes.flatMap(({ trace }) => trace.messages ?? []));
  const free = like.filter(({ key }) => !taken.has(key));
  const first = free[0];
  if (first === undefined) return { kind: 'none' };
  // Done, yet under no key that the page shows: one of the free messages may be theirs.
  const hidden = lookAlikes.filter(
    ({ state, trace }) => state === 'done' && !(trace.messages ?? []).some((key) => own.keys.has(key)),
  );
  const open = lookAlikes.filter(({ state }) => state === 'sent' || state === 'unknown');
  if (free.length > hidden.length + open.length) return { kind: 'own', message: first };
  // A call may still be under way, and its answer will tell.
  if (open.some(({ state, age }) => state === 'sent' && age <= own.settleSeconds)) return { kind: 'wait' };
  if (hidden.length > 0 || open.some(({ state }) => state === 'unknown')) return { kind: 'unclear' };
  // All of them lost their answers: in the order of their ids each takes one, while there are any.
  return open.some(({ id }) => id < own.id) ? { kind: 'wait' } : { kind: 'own', message: first };
}
