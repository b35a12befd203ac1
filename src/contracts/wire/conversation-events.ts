// What Sluice tells of conversations: CloudEvents 1.0, told at least once, in order within a conversation. A repeat
// carries the same `id`.
import { z } from 'zod';
import { described } from '../config/config-base.ts';

export const CONVERSATION_EVENT_TYPES = [
  'message.received',
  'message.sent',
  'message.status',
  'conversation.opened',
  'conversation.updated',
  'conversation.closed',
] as const;
export type ConversationEventType = (typeof CONVERSATION_EVENT_TYPES)[number];

const id = z.int().positive();

/** The conversation as page 1 last showed it (API text, Conversation). Null: the message was sent before it was seen there. */
export const ConversationState = z.object({
  id,
  status: z.string(),
  channel: z.string(),
  chatbot: z.boolean(),
  queueId: id.nullable(),
  userId: id.nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  contact: z.object({
    id,
    name: z.string().nullable(),
    number: described(
      z.string().nullable(),
      'null: a person without one, as facebook and instagram have them',
    ),
  }),
  connection: z.object({ id, name: z.string(), channel: z.string() }),
});
export type ConversationState = z.infer<typeof ConversationState>;

/** One message of a history; its fields are not shown by the API text, so all but `key` and `raw` may be null. */
export const PublishedMessage = z.object({
  key: described(
    z.string().min(1),
    "Tells messages of one conversation apart: `id:` and the service's id, or `hash:` and a hash of what it is",
  ),
  id: z.string().nullable(),
  body: z.string().nullable(),
  fromMe: described(
    z.boolean().nullable(),
    'null: the item does not say which way it went; it is told as received',
  ),
  at: z.string().nullable(),
  status: z.string().nullable(),
  raw: described(z.record(z.string(), z.unknown()), 'The item as the service showed it'),
});
export type PublishedMessage = z.infer<typeof PublishedMessage>;

const envelope = {
  specversion: z.literal('1.0'),
  id: described(z.string().min(1), 'The same at each repetition'),
  source: described(
    z.string().regex(/^\/sluice\/accounts\/[^/]+\/conversations\/\d+$/),
    '`/sluice/accounts/{account}/conversations/{id}`',
  ),
  time: z.iso.datetime(),
  datacontenttype: z.literal('application/json'),
  partitionkey: described(
    z.string().min(1),
    '`{account}/{conversation}`: what stays in order (CloudEvents extension "partitioning")',
  ),
};

export const MessagePublishedEvent = z
  .strictObject({
    ...envelope,
    type: z.enum(['message.received', 'message.sent']),
    subject: described(z.string().min(1), 'Key of the message'),
    data: z.object({ account: z.string(), conversation: ConversationState, message: PublishedMessage }),
  })
  .readonly();

export const MessageStatusEvent = z
  .strictObject({
    ...envelope,
    type: z.literal('message.status'),
    subject: z.string().min(1),
    data: z.object({
      account: z.string(),
      conversationId: id,
      message: z.object({
        key: z.string().min(1),
        id: z.string().nullable(),
        status: described(
          z.string(),
          'queued, sent, server_ack, delivered, read, failed, received or unknown, as the service has it',
        ),
        previous: z.string().nullable(),
        ack: z.int().nullable(),
      }),
      event: described(z.string().nullable(), 'The event that had the message sent, when Sluice sent it'),
    }),
  })
  .readonly();

export const ConversationChangedEvent = z
  .strictObject({
    ...envelope,
    type: z.enum(['conversation.opened', 'conversation.updated', 'conversation.closed']),
    data: z.object({
      account: z.string(),
      conversation: ConversationState,
      previous: described(
        ConversationState.nullable(),
        'As it was last told; null when it was not known before',
      ),
    }),
  })
  .readonly();

export const ConversationEvent = z.discriminatedUnion('type', [
  MessagePublishedEvent,
  MessageStatusEvent,
  ConversationChangedEvent,
]);
export type ConversationEvent = z.infer<typeof ConversationEvent>;
