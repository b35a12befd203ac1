// Schemas of the sandbox's answers. The views have their types, the OpenAPI document is generated from them, and every
// contract test compares real answers with that document. They are strict: an undeclared field is a defect.
import { z } from 'zod';
import { CARD_STATUSES, CONVERSATION_STATUSES } from '../state/model.ts';

const id = z
  .int()
  .min(1)
  .meta({ examples: [1] });
const instant = z.iso.datetime({ precision: 3 }).meta({
  description: 'ISO 8601, UTC, milliseconds.',
  examples: ['2026-11-20T10:00:00.000Z'],
});
const digits = z
  .string()
  .regex(/^[0-9]+$/)
  .meta({ description: 'E.164 without the plus sign, digits only.', examples: ['5511987654321'] });
const personName = z.string().meta({ examples: ['Bia'] });
const email = z
  .string()
  .nullable()
  .meta({ examples: ['bia@example.com'] });
const channel = z.string().meta({ examples: ['waba'] });
const noPicture = z
  .null()
  .meta({ description: 'A string or null in the service; the sandbox has no pictures.' });

export const Named = z
  .strictObject({ id, name: z.string().meta({ examples: ['site'] }) })
  .meta({ id: 'Named' });

export const Tag = z
  .strictObject({
    id,
    name: z.string().meta({ examples: ['vip'] }),
    color: z.string().meta({ description: 'Hex color.', examples: ['#ff0000'] }),
  })
  .meta({ id: 'Tag' });

export const ExtraField = z
  .strictObject({
    name: z.string().meta({ examples: ['cpf'] }),
    value: z.string().meta({ examples: ['1'] }),
  })
  .meta({ id: 'ExtraField' });

const times = { createdAt: instant, updatedAt: instant };
const contactShape = {
  id,
  name: personName,
  number: digits,
  email,
  document: z.string().nullable(),
  channel: z.string().meta({ examples: ['whatsapp'] }),
  profilePicUrl: noPicture,
  disableBot: z.boolean().meta({ examples: [false] }),
  tags: z.array(Tag),
};

export const Contact = z
  .strictObject({ ...contactShape, ...times })
  .meta({ id: 'Contact', description: 'A contact as lists and writing calls show it: without extraInfo.' });

export const FullContact = z
  .strictObject({ ...contactShape, extraInfo: z.array(ExtraField), ...times })
  .meta({ id: 'FullContact', description: 'A contact with its extra fields.' });

export const Card = z
  .strictObject({
    id,
    title: z.string().meta({ examples: ['Lead - Bia'] }),
    value: z.number().meta({ examples: [10] }),
    status: z.enum(CARD_STATUSES),
    probability: z.int().meta({ description: 'That of the current stage.', examples: [10] }),
    pipeline: Named,
    stage: Named.nullable().meta({ description: 'Null when the card was created without a stage.' }),
    contact: z.strictObject({ id, name: personName, number: digits, email, tags: z.array(Named) }),
    user: Named.nullable().meta({ description: 'The responsible user.' }),
    source: Named.nullable().meta({ description: 'The origin of the card.' }),
    lostReason: Named.nullable().meta({ description: 'Filled only when status is lost.' }),
    originTicketId: id.nullable(),
    expectedCloseDate: z.iso
      .date()
      .nullable()
      .meta({ examples: ['2026-12-01'] }),
    closedAt: instant.nullable().meta({ examples: [null] }),
    stageEnteredAt: instant,
    ...times,
  })
  .meta({ id: 'Card', description: 'An item of a pipeline.' });

export const Pipeline = z
  .strictObject({
    id,
    name: z.string().meta({ examples: ['Sales'] }),
    stages: z
      .array(
        z.strictObject({
          id,
          name: z.string().meta({ examples: ['New'] }),
          order: z.number().meta({ examples: [1] }),
          isFinal: z.boolean().meta({ description: 'A closing stage.', examples: [false] }),
          isWon: z
            .boolean()
            .meta({ description: 'Means something only when isFinal is true.', examples: [false] }),
          probability: z.int().meta({ examples: [10] }),
        }),
      )
      .meta({ description: 'By order, ascending.' }),
  })
  .meta({ id: 'Pipeline' });

const connectionShape = {
  id,
  name: z.string().meta({ examples: ['main'] }),
  channel: channel.meta({ description: 'waba, whatsapp, facebook or instagram.' }),
  status: z.string().meta({ description: 'CONNECTED, or anything else.', examples: ['CONNECTED'] }),
};

export const Connection = z
  .strictObject({
    ...connectionShape,
    isDefault: z.boolean().meta({ description: 'Mirrors the panel; has no influence on sending.' }),
    lastWebhookAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Connection', description: 'Its id is the whatsappId of other calls.' });

export const Conversation = z
  .strictObject({
    id,
    status: z.enum(CONVERSATION_STATUSES),
    channel,
    chatbot: z.boolean().meta({ description: 'True while the chatbot handles it.', examples: [false] }),
    queueId: id.nullable(),
    userId: id.nullable(),
    lastMessage: z.string().meta({ examples: ['hi'] }),
    ...times,
    contact: z.strictObject({ id, name: personName, number: digits, email, profilePicUrl: noPicture }),
    connection: z.strictObject(connectionShape),
    queue: z.strictObject({ id, name: z.string(), color: z.string() }).nullable(),
    owner: Named.nullable(),
  })
  .meta({ id: 'Conversation', description: 'A conversation (ticket).' });

const MESSAGE_STATUSES = [
  'queued',
  'sent',
  'server_ack',
  'delivered',
  'read',
  'failed',
  'received',
  'unknown',
] as const;
const delivery = {
  status: z.enum(MESSAGE_STATUSES).meta({ description: 'Use this, not ack, for logic.' }),
  ack: z
    .int()
    .min(0)
    .max(5)
    .meta({
      description: '0 pending, 1 sent, 2 received by the server, 3 delivered, 4 read, 5 failed.',
      examples: [0],
    }),
};
const messageId = z.string().meta({
  description: 'Channel message id or internal uuid.',
  examples: ['wamid.c2x1aWNlLWV4YW1wbGUtMDAx=='],
});

export const SentMessage = z
  .strictObject({
    id: messageId
      .nullable()
      .meta({ description: 'Null when the message was not kept (saveOnTicket=false).' }),
    ...delivery,
    createdAt: instant,
  })
  .meta({ id: 'SentMessage', description: 'A message as sending returns it.' });

/** GET /v1/messages/{messageId}/status, without requestId. */
export const messageStatus = { id: messageId, ...delivery, createdAt: instant };

export const TemplateData = z
  .object({
    templateName: z
      .string()
      .min(1)
      .meta({ examples: ['hello'] }),
    templateLanguage: z
      .string()
      .min(1)
      .meta({ examples: ['pt_BR'] }),
    templateParameters: z.array(z.string()).meta({ examples: [['Bia']] }),
  })
  .meta({ id: 'TemplateData', description: 'An approved template.' });

export const HistoryMessage = z
  .strictObject({
    id: messageId,
    ticketId: id,
    body: z.string().meta({ examples: ['hi'] }),
    fromMe: z.boolean().meta({ examples: [true] }),
    ...delivery,
    media: z
      .strictObject({
        name: z.string(),
        type: z.string(),
        size: z.int().min(0).meta({ description: 'Bytes.' }),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      })
      .nullable()
      .meta({ description: 'What the sandbox keeps of a file: never its bytes.', examples: [null] }),
    templateData: z
      .strictObject(TemplateData.shape)
      .nullable()
      .meta({ examples: [null] }),
    createdAt: instant,
  })
  .meta({ id: 'HistoryMessage', description: 'A message in the history of its conversation.' });

const count = z
  .int()
  .min(0)
  .meta({ description: 'All that match, not only this page.', examples: [1] });

/** The two fields that every paginated answer has. */
export const paging = {
  count,
  hasMore: z.boolean().meta({ description: 'Whether a later page holds more.', examples: [false] }),
};

export const ConnectionList = { count, connections: z.array(Connection) };

/** The answer to both ways of sending. */
export const sentShape = {
  ticketId: id,
  contactId: id,
  whatsappId: id,
  channel,
  messages: z.array(SentMessage),
};

/** The 202 of a flow trigger. */
export const flowStarted = { executionId: id, flowId: id, ticketId: id, contactId: id, whatsappId: id };

export const requestId = z
  .uuid()
  .meta({ description: 'Carried by every success.', examples: ['5d1f6c0e-6f43-4c55-9f1a-0d7b7a1c2e3f'] });
