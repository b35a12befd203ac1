// Finds a sent message among those that a conversation shows. Pure functions. The API text does not show the fields
// of a history, so an item that can't be compared proves nothing, not even that the message is missing.
import { createHash } from 'node:crypto';
import type { LookAlike } from '../../src/core/store/intents.ts';
import type { RequestOf } from '../../src/jobs/events/contract/intake.ts';
import type { HistoryMessage } from '../../src/service/api-client/schemas/message.ts';

/** What a history can show of a message: its text, or its template. It shows no content of files. */
export type Wanted = Pick<RequestOf<'message'>, 'text' | 'template'>;

/** True if reading the conversation can show whether this message is there. */
export function canBeSeen(request: RequestOf<'message'>): boolean {
  const { text, template, saveOnTicket } = request;
  return saveOnTicket && (text !== undefined || template !== undefined);
}

/** Hash of a message's content. */
export function markOf({ text, template }: Wanted): string {
  return createHash('sha256')
    .update(JSON.stringify([text, template]))
    .digest('base64url');
}

export type Found =
  /** Messages with the same content, oldest first. */
  | { readonly kind: 'like'; readonly messages: readonly HistoryMessage[] }
  | { readonly kind: 'none' }
  /** An item may be the message, but can't be compared. */
  | { readonly kind: 'unclear' };

/**
 * Searches for a message on the newest page of a conversation.
 * @param items in chronological order
 * @param since the message is not older than this
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
  // The page may be full of newer messages, so older ones have not been checked.
  return { kind: isUnclear || (hasMore && !items.some(isOlder)) ? 'unclear' : 'none' };
}

function compare(item: HistoryMessage, { text, template }: Wanted): 'same' | 'other' | 'unclear' {
  if (text !== undefined) {
    if (item.body === null) return 'unclear';
    const [shown, sent] = [plain(item.body), plain(text)];
    if (shown === sent) return 'same';
    // The service may add a name before the text, or a footer after it, but another message may also contain it.
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

/** Normalizes a text, because channels trim texts and change line breaks. */
const plain = (text: string) => text.normalize('NFC').replace(/\r\n?/g, '\n').trim();

export type Claim =
  /** This message is the intent's. */
  | { readonly kind: 'own'; readonly message: HistoryMessage }
  /** Every candidate belongs to another intent. */
  | { readonly kind: 'none' }
  /** The outcome of another intent must be known first. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'unclear' };

/**
 * Chooses which of several identical messages belongs to this intent. No message is assigned twice: a message whose
 * owner the ledger knows is left out, and while other intents may own one, there must be enough messages for all.
 * @param lookAlikes intents with the same content in the same conversation, by id
 * @param own this intent, and the keys of all messages on the page
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
  // Intents that are done, but whose message has no key on the page. One of the free messages may be theirs.
  const hidden = lookAlikes.filter(
    ({ state, trace }) => state === 'done' && !(trace.messages ?? []).some((key) => own.keys.has(key)),
  );
  const open = lookAlikes.filter(({ state }) => state === 'sent' || state === 'unknown');
  if (free.length > hidden.length + open.length) return { kind: 'own', message: first };
  // A call may still be in progress; its response will show its message.
  if (open.some(({ state, age }) => state === 'sent' && age <= own.settleSeconds)) return { kind: 'wait' };
  if (hidden.length > 0 || open.some(({ state }) => state === 'unknown')) return { kind: 'unclear' };
  // All responses were lost: each intent takes one message, in the order of their ids.
  return open.some(({ id }) => id < own.id) ? { kind: 'wait' } : { kind: 'own', message: first };
}
