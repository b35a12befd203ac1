// Events as sinks are given them.
import { ConversationEvent } from '../../../../src/jobs/conversations/contract/events.ts';

export interface Publication {
  /** Identifies an event, and orders events by time. */
  readonly n: number;
  readonly conversation?: number;
  readonly body?: string;
  readonly id?: string;
}

/** A `message.received` of the account acme. */
export function publishedEvent({ n, conversation = 1, body = 'hi', id }: Publication): ConversationEvent {
  const at = new Date(Date.UTC(2026, 10, 20) + n * 1000).toISOString();
  return ConversationEvent.parse({
    specversion: '1.0',
    id: id ?? `acme/${conversation}/id:m${n}/received`,
    source: `/sluice/accounts/acme/conversations/${conversation}`,
    type: 'message.received',
    subject: `id:m${n}`,
    time: at,
    datacontenttype: 'application/json',
    partitionkey: `acme/${conversation}`,
    data: {
      account: 'acme',
      conversation: {
        id: conversation + 1,
        status: 'open',
        channel: 'waba',
        chatbot: false,
        queueId: null,
        userId: null,
        createdAt: at,
        updatedAt: at,
        contact: { id: 1, name: 'Bia Canária', number: '5511987654321' },
        connection: { id: 1, name: 'main', channel: 'waba' },
      },
      message: {
        key: `id:m${n}`,
        id: `m${n}`,
        body,
        fromMe: false,
        at,
        status: null,
        raw: { id: `m${n}`, body },
      },
    },
  });
}
