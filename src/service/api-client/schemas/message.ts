// Messages: in the answers to sending (API text, Resources, Message), in a conversation's history (the API text does
// not show its fields), and as inputs of the sending calls.
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { PageArguments } from '../arguments.ts';
import type { JsonObject } from '../json-object.ts';
import { readItems } from '../shapes.ts';
import { Id, Instant, openWord, orNull } from './fields.ts';

const STATUSES = [
  'queued',
  'sent',
  'server_ack',
  'delivered',
  'read',
  'failed',
  'received',
  'unknown',
] as const;
type KnownStatus = (typeof STATUSES)[number];
export const KNOWN_STATUSES: ReadonlySet<string> = new Set(STATUSES);
export type MessageState = KnownStatus | (string & {});

export const SentMessage = z.looseObject({
  /** Channel message id or internal uuid; may be null with `saveOnTicket: false`. */
  id: orNull(z.string()),
  status: openWord<KnownStatus>(),
  /** Raw delivery code; use `status` for logic. */
  ack: z.int(),
  createdAt: Instant,
});
export type SentMessage = z.infer<typeof SentMessage>;

/**
 * Answer of POST /v1/messages/send. A field that the answer does not show is null: with `saveOnTicket: false`
 * conversation and contact (rule 6), and all fields if the service answers with a word. The message was sent.
 */
export interface SendReceipt {
  readonly ticketId: number | null;
  readonly contactId: number | null;
  readonly whatsappId: number | null;
  readonly channel: 'whatsapp' | 'waba' | (string & {}) | null;
  /** The readable messages. */
  readonly messages: readonly SentMessage[];
}

export function readReceipt(body: JsonObject): SendReceipt {
  const idOf = (key: string) => Id.safeParse(body[key]).data ?? null;
  const { channel, messages } = body;
  return {
    ticketId: idOf('ticketId'),
    contactId: idOf('contactId'),
    whatsappId: idOf('whatsappId'),
    channel: typeof channel === 'string' ? channel : null,
    messages: Array.isArray(messages) ? readItems(SentMessage, messages, 'messages').items : [],
  };
}

/** The two fields of GET /v1/messages/{messageId}/status that the API text names. Others are kept unchanged. */
export const MessageStatus = z.looseObject({ ack: z.int(), status: openWord<KnownStatus>() });
export type MessageStatus = z.infer<typeof MessageStatus>;

/**
 * One message of a conversation's history, read by the account's assumptions: see history.ts for what makes a message
 * readable. A null means that the service shows no value, never that the value is unreadable.
 */
export interface HistoryMessage {
  /** Identity of a message within its conversation: the id, or a hash of the item if it has none. */
  readonly key: string;
  /** The key that it would have without an id. Under another assumption about ids, this was its key. */
  readonly hashKey: string;
  readonly id: string | null;
  /** Null: the message has no text. */
  readonly body: string | null;
  /** True for a message that the account sent. */
  readonly fromMe: boolean;
  /** Date-time in ISO 8601, as the service writes it. Null if the service shows none. */
  readonly createdAt: string | null;
  /** Null if the message has no template; undefined if the item does not show it. */
  readonly template: JsonObject | null | undefined;
  /** Status word (API text, Message status); null: the history shows none. */
  readonly status: string | null;
  /** Raw delivery code; use `status` for logic. */
  readonly ack: number | null;
  readonly raw: JsonObject;
}

/**
 * Numbers messages without an id that look alike (twice "ok" in one instant), from the newest back, so that
 * none counts as a duplicate of another.
 */
export function distinguish(chronological: readonly HistoryMessage[]): HistoryMessage[] {
  const counts = new Map<string, number>();
  return chronological
    .toReversed()
    .map((message) => {
      if (message.id !== null) return message;
      const count = (counts.get(message.key) ?? 0) + 1;
      counts.set(message.key, count);
      return count === 1 ? message : { ...message, key: `${message.key}#${count}` };
    })
    .toReversed();
}

/** Query of GET /v1/conversations/{ticketId}/messages; page 1 holds the most recent messages. */
export const MessageQuery = z.strictObject(PageArguments);
export type MessageQuery = z.input<typeof MessageQuery>;

/** One file to send. A stream is read once and belongs to the call, even if the call fails. */
export interface Media {
  readonly filename: string;
  /** For example `image/png`. */
  readonly contentType: string;
  readonly data: Readable | Blob | Uint8Array | { readonly path: string };
  /** Size in bytes. Only a stream needs it: without a size, it is sent in chunks. */
  readonly size?: number | undefined;
}

/** An approved template: the only content delivered outside the 24-hour window of a waba connection. */
export interface TemplateData {
  readonly templateName: string;
  /** For example `pt_BR`. */
  readonly templateLanguage: string;
  readonly templateParameters: readonly string[];
}

/** At least one is needed; without any the service answers ERR_MISSING_CONTENT. */
export interface MessageContent {
  readonly body?: string | undefined;
  readonly medias?: readonly Media[] | undefined;
  /** Or the same structure as JSON text. */
  readonly templateData?: TemplateData | string | undefined;
}

/** Input of POST /v1/messages/send. */
export interface MessageSend extends MessageContent {
  /** E.164 without plus. The service judges it. */
  readonly number: string;
  /** Outgoing connection; wins over `whatsappName`. */
  readonly whatsappId?: number | undefined;
  readonly whatsappName?: string | undefined;
  /** Used only when the call creates the contact. */
  readonly contactName?: string | undefined;
  /** false: fire and forget, without medias. */
  readonly saveOnTicket?: boolean | undefined;
}

/** Input of POST /v1/conversations/{ticketId}/messages. */
export interface MessageReply extends MessageContent {
  /** Needs the assumption `reply.quotedMessageField`: the API text does not show the field's name. */
  readonly quotedMessageId?: string | undefined;
}
