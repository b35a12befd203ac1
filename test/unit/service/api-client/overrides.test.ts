// Every assumption can be overridden, and each override changes what goes out or what is read.
import { describe, expect, it } from 'vitest';
import {
  type AssumptionKey,
  type AssumptionOverrides,
  type MessagingClient,
  resolveAssumptions,
  UnexpectedShapeError,
} from '../../../../src/service/api-client/index.ts';
import { aCard, aContact, aPipeline, aSentMessage } from './builders.ts';
import { answer } from './raw-server.ts';
import { failure, setup } from './setup.ts';

interface Case {
  readonly override: unknown;
  readonly call: (client: MessagingClient) => Promise<unknown>;
  /** What the service answers; default: nothing that matters. */
  readonly body?: unknown;
  /** What the request then holds, request line and body. */
  readonly sends?: string;
  /** What the default reads in the same answer, and what the override reads. */
  readonly reads?: readonly [usual: unknown, overridden: unknown];
}

const items = (result: unknown) => (result as { data: { items: unknown[] } }).data.items;
const historyOf = async (client: MessagingClient) =>
  items(await client.conversations.messages(1)) as Array<Record<string, unknown>>;
const cardPage = { cards: [], count: 0, hasMore: false, totalValue: 0 };
const TIME = '2026-11-20T10:00:00.000Z';
const historyWith = (over: object) => ({
  count: 1,
  hasMore: false,
  messages: [{ id: 'a', body: 'x', fromMe: false, createdAt: TIME, ...over }],
});
const history = historyWith({ other: 'b', flag: true });
const two = <T>(one: T, other: T) => ({ one, other });

const CASES: Record<Exclude<AssumptionKey, 'readBack.settleSeconds'>, Case> = {
  'answer.envelope': {
    override: 'data',
    body: { data: { tags: [{ id: 1, name: 'a' }] } },
    call: async (client) => items(await client.tags.list()),
    reads: [UnexpectedShapeError, [{ id: 1, name: 'a' }]],
  },
  'wrapper.tags': {
    override: 'other',
    body: two([{ id: 1, name: 'a' }], [{ id: 2, name: 'b' }]),
    call: async (client) => items(await client.tags.list()),
    reads: [UnexpectedShapeError, [{ id: 2, name: 'b' }]],
  },
  'wrapper.pipelines': {
    override: 'other',
    body: two([], [aPipeline()]),
    call: async (client) => items(await client.pipelines.list()).length,
    reads: [UnexpectedShapeError, 1],
  },
  'wrapper.lostReasons': {
    override: 'other',
    body: two([], [{ id: 3 }]),
    call: async (client) => items(await client.lostReasons.list()).length,
    reads: [UnexpectedShapeError, 1],
  },
  'wrapper.card': {
    override: 'other',
    body: two({}, aCard()),
    call: async (client) => (await client.cards.get(7)).data.id,
    reads: [UnexpectedShapeError, 7],
  },
  'wrapper.contactUpdate': {
    override: 'other',
    body: two({}, aContact()),
    call: async (client) => (await client.contacts.update(1, {})).data.id,
    reads: [null, 1],
  },
  'wrapper.messageStatus': {
    override: 'other',
    body: two({}, { ack: 1, status: 'sent' }),
    call: async (client) => (await client.messages.status('m')).data.ack,
    reads: [UnexpectedShapeError, 1],
  },
  'contactUpdate.nameField': {
    override: 'n',
    call: (client) => client.contacts.update(1, { name: 'X' }),
    sends: '{"n":"X"}',
  },
  'contactUpdate.emailField': {
    override: 'e',
    call: (client) => client.contacts.update(1, { email: 'X' }),
    sends: '{"e":"X"}',
  },
  'contactUpdate.documentField': {
    override: 'd',
    call: (client) => client.contacts.update(1, { document: 'X' }),
    sends: '{"d":"X"}',
  },
  'contactUpdate.disableBotField': {
    override: 'b',
    call: (client) => client.contacts.update(1, { disableBot: true }),
    sends: '{"b":true}',
  },
  'cards.titleSearchParam': {
    override: 'q',
    body: cardPage,
    call: (client) => client.cards.list({ title: 'X' }),
    sends: '?q=X',
  },
  'cards.sortDirectionParam': {
    override: 'dir',
    body: cardPage,
    call: (client) => client.cards.list({ sortDirection: 'asc' }),
    sends: '?dir=asc',
  },
  'card.titleField': {
    override: 't',
    body: { card: aCard() },
    call: (client) => client.cards.create({ pipelineId: 1, title: 'X' }),
    sends: '"t":"X"',
  },
  'card.expectedCloseDateField': {
    override: 'closing',
    body: { card: aCard() },
    call: (client) => client.cards.create({ pipelineId: 1, expectedCloseDate: '2026-12-01' }),
    sends: '"closing":"2026-12-01"',
  },
  'card.contactNameField': {
    override: 'who',
    body: { card: aCard() },
    call: (client) => client.cards.create({ pipelineId: 1, contactName: 'X' }),
    sends: '"who":"X"',
  },
  'message.idField': {
    override: 'other',
    body: history,
    call: async (client) => (await historyOf(client))[0]?.key,
    reads: ['id:a', 'id:b'],
  },
  'message.bodyField': {
    override: 'other',
    body: history,
    call: async (client) => (await historyOf(client))[0]?.body,
    reads: ['x', 'b'],
  },
  'message.fromMeField': {
    override: 'flag',
    body: history,
    call: async (client) => (await historyOf(client))[0]?.fromMe,
    reads: [false, true],
  },
  'message.timeField': {
    override: 'at',
    body: historyWith({ at: '2026-11-21T10:00:00.000Z' }),
    call: async (client) => (await historyOf(client))[0]?.createdAt,
    reads: [TIME, '2026-11-21T10:00:00.000Z'],
  },
  'message.templateField': {
    override: 'hsm',
    body: historyWith({ hsm: { templateName: 'hello' } }),
    call: async (client) => (await historyOf(client))[0]?.template,
    reads: [undefined, { templateName: 'hello' }],
  },
  'message.statusField': {
    override: 'state',
    body: historyWith({ status: 'sent', state: 'read' }),
    call: async (client) => (await historyOf(client))[0]?.status,
    reads: ['sent', 'read'],
  },
  'message.ackField': {
    override: 'code',
    body: historyWith({ code: 4 }),
    call: async (client) => (await historyOf(client))[0]?.ack,
    reads: [null, 4],
  },
  'reply.messagesField': {
    override: 'other',
    body: { other: [aSentMessage()] },
    call: async (client) => (await client.conversations.reply(1, { body: 'x' })).data.messages.length,
    reads: [0, 1],
  },
  'reply.quotedMessageField': {
    override: 'quotedId',
    call: (client) => client.conversations.reply(1, { body: 'x', quotedMessageId: 'm' }),
    sends: '{"body":"x","quotedId":"m"}',
  },
  'multipart.mediaField': {
    override: 'file',
    call: (client) => {
      const media = { filename: 'a', contentType: 'a/b', data: new Uint8Array() };
      return client.conversations.reply(1, { medias: [media] });
    },
    sends: 'name="file"; filename="a"',
  },
  'flows.contactField': {
    override: 'person',
    call: (client) => client.flows.trigger({ flowId: 1, whatsappId: 2, contact: { id: 3 } }),
    sends: '"person":3',
  },
  'flows.flowIdType': {
    override: 'text',
    call: (client) => client.flows.trigger({ flowId: 7, whatsappId: 2, contact: { id: 3 } }),
    sends: '"flowId":"7"',
  },
  'flows.contactIdentity': {
    override: 'number',
    call: (client) => client.flows.trigger({ flowId: 1, whatsappId: 2, contact: { id: 3, number: '55' } }),
    sends: '"contactId":"55"',
  },
  'success.statuses': {
    override: [201],
    body: { tags: [] },
    call: async (client) => items(await client.tags.list()),
    reads: [[], UnexpectedShapeError],
  },
};

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => value,
    (error: unknown) => error,
  );
}

describe('an override', () => {
  it.each(Object.entries(CASES).filter(([, { sends }]) => sends !== undefined))(
    '%s changes the request',
    async (key, { override, call, body, sends }) => {
      const { client, server } = await setup([answer(200, body ?? { contact: aContact() })], {
        assumptions: { [key]: override } as AssumptionOverrides,
      });
      await call(client);
      const { line, body: sent } = server.requests[0] ?? { line: '', body: '' };
      expect(`${line} ${sent}`).toContain(sends);
    },
  );

  it.each(Object.entries(CASES).filter(([, { reads }]) => reads !== undefined))(
    '%s changes what is read',
    async (key, { override, call, body, reads = [] }) => {
      const without = await setup([answer(200, body)]);
      const overridden = await setup([answer(200, body)], {
        assumptions: { [key]: override } as AssumptionOverrides,
      });
      const results = [await outcome(call(without.client)), await outcome(call(overridden.client))];
      for (const [index, expected] of reads.entries()) {
        if (expected === UnexpectedShapeError) expect(results[index]).toBeInstanceOf(UnexpectedShapeError);
        else expect(results[index]).toEqual(expected);
      }
    },
  );

  it('of an input that may stay unset can be null again', () => {
    expect(resolveAssumptions({ 'reply.quotedMessageField': null })['reply.quotedMessageField']).toBeNull();
  });

  it('of a name does not reach another call', async () => {
    const { client } = await setup([answer(200, { messages: [] })], {
      assumptions: { 'reply.quotedMessageField': 'quotedId' },
    });
    const error = await failure(client.conversations.messages(1, { quotedId: 'm' } as never));
    expect(error).toMatchObject({ name: 'InvalidArgumentError' });
  });
});
