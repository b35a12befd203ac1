// Builds the messages and schemas of the AsyncAPI document from the zod schemas that validate the events.
import { z } from 'zod';
import { EVENT_CONTENT_TYPE } from '../../../connectors/sinks/event.ts';
import type { ConversationEvent, ConversationState } from '../../conversations/contract/events.ts';
import type { RunEndedEvent } from '../../events/contract/envelope.ts';
import { ACCOUNT_MESSAGES } from './account-messages.ts';
import { type EventType, type MessageText, SCHEMAS } from './schemas.ts';

const CONVERSATION: ConversationState = {
  id: 4711,
  status: 'open',
  channel: 'waba',
  chatbot: false,
  queueId: null,
  userId: 7,
  createdAt: '2026-11-20T09:58:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
  contact: { id: 815, name: 'Bia Reis', number: '5511900000000' },
  connection: { id: 1, name: 'main', channel: 'waba' },
};

const ENVELOPE = {
  specversion: '1.0',
  source: '/sluice/accounts/acme/conversations/4711',
  time: '2026-11-20T10:00:00.000Z',
  datacontenttype: 'application/json',
  partitionkey: 'acme/4711',
} as const;

function published(type: 'message.received' | 'message.sent', id: string, body: string): ConversationEvent {
  const [fromMe, at] = [type === 'message.sent', ENVELOPE.time];
  const status = fromMe ? 'sent' : 'received';
  const message = { key: `id:${id}`, id, body, fromMe, at, status, raw: { id, body, fromMe, createdAt: at } };
  return {
    ...ENVELOPE,
    type,
    id: `${type}/acme/4711/id:${id}`,
    subject: `id:${id}`,
    data: { account: 'acme', conversation: CONVERSATION, message },
  };
}

function changed(
  type: 'conversation.opened' | 'conversation.updated' | 'conversation.closed',
  now: Partial<ConversationState>,
  previous: ConversationState | null,
): ConversationEvent {
  const conversation = { ...CONVERSATION, ...now };
  return {
    ...ENVELOPE,
    type,
    id: `${type}/acme/4711/${conversation.updatedAt}/k3Jx0w9QbVtM`,
    time: conversation.updatedAt,
    data: { account: 'acme', conversation, previous },
  };
}

function ended(status: 'finished' | 'cancelled' | 'failed', pending: number): RunEndedEvent {
  const counts = {
    read: 120,
    created: 35,
    updated: 12,
    unchanged: 60 - pending,
    merged: 5,
    rejected: 8,
    failed: 0,
    unknown: 0,
  };
  return {
    specversion: '1.0',
    id: `run-1/${status}`,
    type: `sluice.sync.${status}`,
    time: ENVELOPE.time,
    source: '/sluice/accounts/acme/syncs/leads',
    datacontenttype: 'application/json',
    partitionkey: 'acme/leads',
    data: {
      run: 'run-1',
      ...counts,
      cards: 38,
      calls: 171,
      seconds: 86.4,
      pending,
      stoppedSteps: [],
      warnings: [],
    },
  };
}

/** Every event that a sink can receive. */
export const MESSAGES: Readonly<Record<EventType, MessageText>> = {
  'message.received': {
    title: 'Message received',
    summary:
      'A contact sent a message. A message whose direction cannot be read is not published, and is a gap of its poller.',
    schema: 'MessagePublished',
    example: published('message.received', 'wamid.1', 'Is it still there?'),
  },
  'message.sent': {
    title: 'Message sent',
    summary: 'A user, the chatbot or Sluice sent a message.',
    schema: 'MessagePublished',
    example: published('message.sent', 'wamid.2', 'Yes, it is!'),
  },
  'message.status': {
    title: 'Message status changed',
    summary: 'The status of a sent message changed since Sluice last saw it, in a poll or a delivery check.',
    schema: 'MessageStatus',
    example: {
      ...ENVELOPE,
      type: 'message.status',
      id: 'message.status/acme/4711/id:wamid.2/read',
      subject: 'id:wamid.2',
      data: {
        account: 'acme',
        conversationId: 4711,
        message: { key: 'id:wamid.2', id: 'wamid.2', status: 'read', previous: 'delivered', ack: 4 },
        event: 'wAJ8kq0sT2u1',
      },
    },
  },
  'conversation.opened': {
    title: 'Conversation opened or reopened',
    summary: 'A conversation is new, or it was closed and is open again.',
    schema: 'ConversationChanged',
    example: changed('conversation.opened', {}, null),
  },
  'conversation.updated': {
    title: 'Conversation changed',
    summary: 'The status, chatbot, queue, owner, contact or connection of a conversation changed.',
    schema: 'ConversationChanged',
    example: changed(
      'conversation.updated',
      { userId: 8, updatedAt: '2026-11-20T10:05:00.000Z' },
      CONVERSATION,
    ),
  },
  'conversation.closed': {
    title: 'Conversation closed',
    summary: 'The status of a conversation changed to closed.',
    schema: 'ConversationChanged',
    example: changed(
      'conversation.closed',
      { status: 'closed', updatedAt: '2026-11-20T11:00:00.000Z' },
      CONVERSATION,
    ),
  },
  'sluice.sync.finished': {
    title: 'Sync run finished',
    summary: 'A run of a sync finished, and every record has an outcome.',
    schema: 'RunEnded',
    example: ended('finished', 0),
  },
  'sluice.sync.cancelled': {
    title: 'Sync run canceled',
    summary:
      'Somebody canceled a run of a sync. Completed records stay in the service; `pending` counts the others.',
    schema: 'RunEnded',
    example: ended('cancelled', 30),
  },
  'sluice.sync.failed': {
    title: 'Sync run failed',
    summary:
      'A run of a sync stopped with an error. Completed records stay in the service; the warnings name the cause.',
    schema: 'RunEnded',
    example: ended('failed', 60),
  },
  ...ACCOUNT_MESSAGES,
};

export const EVENT_TYPES = Object.keys(MESSAGES) as readonly EventType[];

/** The name and the description of a message, without the schema of its payload. */
export function messageOf(type: EventType) {
  const { title, summary } = MESSAGES[type];
  return {
    name: type,
    title,
    summary,
    contentType: EVENT_CONTENT_TYPE,
    payload: { $ref: `#/components/schemas/${type}` },
  };
}

/**
 * JSON Schemas (draft 7, as AsyncAPI 3.0 requires): the shared ones, and one for each event type. Objects stay open, so
 * a field added later breaks no consumer.
 */
export function schemasOf(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-7',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // The format already says the same.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      delete jsonSchema.readOnly;
    },
  });
  const shared = Object.entries(schemas).map(([name, schema]) => {
    const { $schema: _dialect, $id: _place, ...rest } = schema;
    return [name, rest] as const;
  });
  const cases = EVENT_TYPES.map((type) => {
    const base = { $ref: `#/components/schemas/${MESSAGES[type].schema}` };
    return [type, { allOf: [base, { type: 'object', properties: { type: { const: type } } }] }] as const;
  });
  return Object.fromEntries([...shared, ...cases]);
}
