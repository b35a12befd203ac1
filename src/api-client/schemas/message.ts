// Messages: as sending answers them (API text, Resources, Message), as a conversation's history shows
// them (fields not shown), and what the sending calls take.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { PageArguments } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import { isObject, type JsonObject } from '../shapes.ts';
import { Id, Instant, openWord, orNull } from './fields.ts';

type KnownStatus =
  | 'queued'
  | 'sent'
  | 'server_ack'
  | 'delivered'
  | 'read'
  | 'failed'
  | 'received'
  | 'unknown';
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

/** Answer of POST /v1/messages/send. */
export const SendReceipt = z.object({
  ticketId: Id,
  contactId: Id,
  whatsappId: Id,
  channel: openWord<'whatsapp' | 'waba'>(),
  messages: z.array(SentMessage),
});
/** With `saveOnTicket: false` the answer names neither conversation nor contact (rule 6). */
export const UnsavedReceipt = SendReceipt.extend({ ticketId: orNull(Id), contactId: orNull(Id) });
export type SendReceipt = z.infer<typeof UnsavedReceipt>;

/** The two fields of GET /v1/messages/{messageId}/status that the text names; others are kept as they come. */
export const MessageStatus = z.looseObject({ ack: z.int(), status: openWord<KnownStatus>() });
export type MessageStatus = z.infer<typeof MessageStatus>;

/**
 * One message of a conversation's history. Which fields the service shows is not known: those that the
 * assumptions find are read, null stands for the others, and `raw` is the item as it came.
 */
export interface HistoryMessage {
  /** Tells messages of one conversation apart: the id, or a hash of the item when it shows none. */
  readonly key: string;
  readonly id: string | null;
  readonly body: string | null;
  readonly fromMe: boolean | null;
  /** Date-time as the service writes it. */
  readonly createdAt: string | null;
  /** Null: the message is of no template; undefined: the item does not say. */
  readonly template: JsonObject | null | undefined;
  /** Status word (API text, Message status). */
  readonly status: string | null;
  /** Raw delivery code; use `status` for logic. */
  readonly ack: number | null;
  readonly raw: JsonObject;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** JSON with sorted keys: the same item hashes alike in whatever order its fields come. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** Reads items of a history by the account's assumptions. */
export function historyMessage(assumed: Assumptions) {
  return z.looseObject({}).transform((raw): HistoryMessage => {
    const value = raw[assumed['message.idField']];
    const id = Number.isSafeInteger(value) ? String(value) : text(value) || null;
    const body = raw[assumed['message.bodyField']];
    const fromMe = raw[assumed['message.fromMeField']];
    const time = raw[assumed['message.timeField']];
    const template = raw[assumed['message.templateField']];
    const ack = raw[assumed['message.ackField']];
    // What a message is does not change; its delivery code does, and would make it another item.
    const basis = time === undefined || time === null ? raw : [time, fromMe ?? null, body ?? null];
    const hash = () => createHash('sha256').update(canonical(basis)).digest('base64url');
    return {
      key: id === null ? `hash:${hash()}` : `id:${id}`,
      id,
      body: text(body),
      fromMe: typeof fromMe === 'boolean' ? fromMe : null,
      createdAt: Instant.safeParse(time).success ? (time as string) : null,
      template: template === null || isObject(template) ? template : undefined,
      status: text(raw[assumed['message.statusField']]) || null,
      ack: Number.isSafeInteger(ack) ? (ack as number) : null,
      raw,
    };
  });
}

/**
 * Numbers messages without an id that look alike (twice "ok" in one instant), from the newest back, so
 * that none is taken for a repetition of another.
 */
export function tellApart(chronological: readonly HistoryMessage[]): HistoryMessage[] {
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

/** One file to send. A stream is read once and belongs to the call, also when the call fails. */
export interface Media {
  readonly filename: string;
  /** For example `image/png`. */
  readonly contentType: string;
  readonly data: Readable | Blob | Uint8Array | { readonly path: string };
  /** Bytes. Known of everything but a stream; without it a stream is sent in chunks. */
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

/** What POST /v1/messages/send takes. */
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

/** What POST /v1/conversations/{ticketId}/messages takes. */
export interface MessageReply extends MessageContent {
  /** Needs the assumption `reply.quotedMessageField`: the field's name is not shown. */
  readonly quotedMessageId?: string | undefined;
}
