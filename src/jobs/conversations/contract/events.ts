// The events of conversations that Sluice publishes: CloudEvents 1.0, at least once, in order within a conversation. A
// repeated event has the same `id`.
import { z } from 'zod';
import { described } from '../../../core/config/base.ts';

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

/** The conversation as page 1 last showed it (API text, Conversation). */
export const ConversationState = z.object({
  id: described(id, 'Id of the conversation.'),
  status: described(z.string(), 'open, pending, closed, or another status that the service has added.'),
  channel: described(z.string(), 'Channel of the conversation, for example whatsapp or waba.'),
  chatbot: described(z.boolean(), 'true while the chatbot serves the conversation.'),
  queueId: described(id.nullable(), 'Id of the queue. null: the conversation is in no queue.'),
  userId: described(id.nullable(), 'Id of the user who owns the conversation. null: nobody owns it.'),
  createdAt: described(z.string(), 'Time at which the conversation began, as the service returned it.'),
  updatedAt: described(
    z.string(),
    'Time of the last change of the conversation, as the service returned it.',
  ),
  contact: z.object({
    id: described(id, 'Id of the contact.'),
    name: described(z.string().nullable(), 'Name of the contact. null: it has none.'),
    number: described(
      z.string().nullable(),
      'Phone number of the contact. null: the channel has no numbers, for example facebook and instagram.',
    ),
  }),
  connection: z.object({
    id: described(id, 'Id of the connection.'),
    name: described(z.string(), 'Name of the connection.'),
    channel: described(z.string(), 'Channel of the connection, for example whatsapp or waba.'),
  }),
});
export type ConversationState = z.infer<typeof ConversationState>;

/** One message of a history. The API text does not show its fields, so all but `key`, `fromMe` and `raw` may be null. */
export const PublishedMessage = z.object({
  key: described(
    z.string().min(1),
    'Identifies the message in its conversation: `id:` and the id of the service, or `hash:` and a hash of its content.',
  ),
  id: described(z.string().nullable(), 'Id of the message in the service. null: the service shows none.'),
  body: described(z.string().nullable(), 'Text of the message. null: it has none, for example a template.'),
  fromMe: described(z.boolean(), 'true: the account sent the message. false: the contact sent it.'),
  at: described(z.string().nullable(), 'Time of the message. null: the service shows none.'),
  status: described(z.string().nullable(), 'Delivery status of the message. null: the service shows none.'),
  raw: described(z.record(z.string(), z.unknown()), 'The item as the service returned it.'),
});
export type PublishedMessage = z.infer<typeof PublishedMessage>;

const ACCOUNT = 'Name of the account in the configuration.';

const envelope = {
  specversion: z.literal('1.0'),
  id: described(z.string().min(1), 'Identifies the event. A repeated event has the same id.'),
  source: described(
    z.string().regex(/^\/sluice\/accounts\/[^/]+\/conversations\/\d+$/),
    '`/sluice/accounts/{account}/conversations/{id}`.',
  ),
  time: described(z.iso.datetime(), 'Time of the event, in UTC.'),
  datacontenttype: z.literal('application/json'),
  partitionkey: described(
    z.string().min(1),
    '`{account}/{conversation}`. Events with the same key arrive in order (CloudEvents extension "partitioning").',
  ),
};

export const MessagePublishedEvent = z
  .strictObject({
    ...envelope,
    type: z.enum(['message.received', 'message.sent']),
    subject: described(z.string().min(1), 'Key of the message.'),
    data: z.object({
      account: described(z.string(), ACCOUNT),
      conversation: described(ConversationState, 'State of the conversation when Sluice read the message.'),
      message: described(PublishedMessage, 'The message.'),
    }),
  })
  .readonly();

export const MessageStatusEvent = z
  .strictObject({
    ...envelope,
    type: z.literal('message.status'),
    subject: described(z.string().min(1), 'Key of the message.'),
    data: z.object({
      account: described(z.string(), ACCOUNT),
      conversationId: described(id, 'Id of the conversation.'),
      message: z.object({
        key: described(z.string().min(1), 'Key of the message, as in message.sent.'),
        id: described(
          z.string().nullable(),
          'Id of the message in the service. null: the service shows none.',
        ),
        status: described(
          z.string(),
          'The new status: queued, sent, server_ack, delivered, read, failed, or another status of the service.',
        ),
        previous: described(z.string().nullable(), 'The status that Sluice saw before. null: it saw none.'),
        ack: described(z.int().nullable(), 'Delivery code of the service. null: the service shows none.'),
      }),
      event: described(
        z.string().nullable(),
        'Id of the incoming event that made Sluice send the message. null: Sluice did not send it.',
      ),
    }),
  })
  .readonly();

export const ConversationChangedEvent = z
  .strictObject({
    ...envelope,
    type: z.enum(['conversation.opened', 'conversation.updated', 'conversation.closed']),
    data: z.object({
      account: described(z.string(), ACCOUNT),
      conversation: described(ConversationState, 'State of the conversation after the change.'),
      previous: described(
        ConversationState.nullable(),
        'State of the conversation before the change. null: Sluice did not know the conversation.',
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
