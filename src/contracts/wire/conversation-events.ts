// Events that Sluice publishes about conversations: CloudEvents 1.0, delivered at least once, in order within a conversation. A
// repeat carries the same `id`.
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

/** The conversation as page 1 last showed it (API text, Conversation). Null if the message was sent before it showed there. */
export const ConversationState = z.object({
  id,
  status: described(z.string(), 'Status: open, pending or closed, or a word that the service added.'),
  channel: z.string(),
  chatbot: described(z.boolean(), 'true while the chatbot serves the conversation.'),
  queueId: described(id.nullable(), 'Id of the queue; null: none.'),
  userId: described(id.nullable(), 'Id of the user who owns the conversation; null: nobody.'),
  createdAt: described(z.string(), 'When the conversation began.'),
  updatedAt: described(z.string(), 'When it last changed.'),
  contact: z.object({
    id,
    name: z.string().nullable(),
    number: described(
      z.string().nullable(),
      'Phone number; null: the channel has none, as facebook and instagram.',
    ),
  }),
  connection: z.object({ id, name: z.string(), channel: z.string() }),
});
export type ConversationState = z.infer<typeof ConversationState>;

/** One message of a history. The API text does not show its fields, so all but `key` and `raw` may be null. */
export const PublishedMessage = z.object({
  key: described(
    z.string().min(1),
    "Identifies a message within its conversation: `id:` and the service's id, or `hash:` and a hash of its content",
  ),
  id: z.string().nullable(),
  body: z.string().nullable(),
  fromMe: described(
    z.boolean().nullable(),
    'null if the item does not show its direction; Sluice then publishes it as received',
  ),
  at: z.string().nullable(),
  status: z.string().nullable(),
  raw: described(z.record(z.string(), z.unknown()), 'The item as the service returned it.'),
});
export type PublishedMessage = z.infer<typeof PublishedMessage>;

const envelope = {
  specversion: z.literal('1.0'),
  id: described(z.string().min(1), 'Identifies the event; the same at each repetition.'),
  source: described(
    z.string().regex(/^\/sluice\/accounts\/[^/]+\/conversations\/\d+$/),
    '`/sluice/accounts/{account}/conversations/{id}`',
  ),
  time: z.iso.datetime(),
  datacontenttype: z.literal('application/json'),
  partitionkey: described(
    z.string().min(1),
    '`{account}/{conversation}`: events with the same key stay in order (CloudEvents extension "partitioning")',
  ),
};

export const MessagePublishedEvent = z
  .strictObject({
    ...envelope,
    type: z.enum(['message.received', 'message.sent']),
    subject: described(z.string().min(1), 'Key of the message.'),
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
          'queued, sent, server_ack, delivered, read, failed, received or unknown, as the service returned it',
        ),
        previous: z.string().nullable(),
        ack: z.int().nullable(),
      }),
      event: described(
        z.string().nullable(),
        'Id of the incoming event that sent the message; null: Sluice did not send it.',
      ),
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
        'State in the event before this one; null: the conversation was unknown.',
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
