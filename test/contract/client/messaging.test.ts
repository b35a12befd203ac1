// Conversations, messages and flows against the sandbox: what the client says is what the service holds.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAmbiguous } from '../../../src/service/api-client/index.ts';
import { aChatAccount, type Context, openContext } from './context.ts';

let context: Context;
beforeEach(async () => {
  context = await openContext(aChatAccount());
});
afterEach(() => context.close());

interface StoredMessage {
  readonly id: string;
  readonly body: string;
  readonly fromMe: boolean;
  readonly media?: {
    readonly name: string;
    readonly type: string;
    readonly size: number;
    readonly sha256: string;
  };
}

async function stored(contactId: number, connectionId = 1): Promise<StoredMessage[]> {
  const { conversations = [] } = await context.account();
  return conversations
    .filter((each) => each.contactId === contactId && each.connectionId === connectionId)
    .flatMap(({ messages }) => messages as StoredMessage[]);
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const template = { templateName: 'come_back', templateLanguage: 'pt_BR', templateParameters: ['Bia'] };

describe('conversations', () => {
  it('come most recently updated first, with contact, connection and owner', async () => {
    const { data } = await context.client.conversations.list();
    expect(data).toMatchObject({ count: 4, hasMore: false, invalid: [] });
    expect(data.items[0]).toMatchObject({
      id: 1,
      status: 'open',
      chatbot: true,
      lastMessage: 'hi, Bia',
      contact: { id: 1, name: 'Bia', number: '5511987654321' },
      connection: { id: 1, name: 'main', channel: 'whatsapp', status: 'CONNECTED' },
      owner: null,
    });
    expect(data.items.find(({ id }) => id === 3)).toMatchObject({ userId: 1, owner: { id: 1, name: 'Ana' } });
  });

  it.each<[string, object, number[]]>([
    ['one status', { status: 'closed' }, [4]],
    ['several', { status: ['closed', 'pending'] }, [2, 4]],
    ['connection', { whatsappId: 2 }, [2]],
    ['name', { searchParam: 'rui' }, [2, 4]],
    ['number', { searchParam: '97777' }, [3]],
    ['part of the last message', { searchParam: 'hi, B' }, [1]],
    ['all at once', { searchParam: 'rui', status: 'pending', whatsappId: 2 }, [2]],
  ])('filter by %s', async (_name, query, ids) => {
    const { data } = await context.client.conversations.list(query);
    expect(data.items.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids);
  });

  it('are iterated once each while customers write', async () => {
    const contacts = Array.from({ length: 60 }, (_, n) => ({ id: n + 1, number: `55119000000${n + 10}` }));
    const conversations = contacts.map(({ id }) => ({ id, contactId: id, connectionId: 1, messages: [] }));
    const crowd = await openContext(aChatAccount({ contacts, conversations }));
    try {
      const seen: number[] = [];
      for await (const { id } of crowd.client.conversations.iterate({ pageSize: 20 })) {
        seen.push(id);
        if (seen.length % 15 === 0) await crowd.inbound(`55119000000${69 - seen.length / 15}`, 'me first');
      }
      expect(seen.toSorted((a, b) => a - b)).toEqual(contacts.map(({ id }) => id));
    } finally {
      await crowd.close();
    }
  });
});

describe('the history of a conversation', () => {
  it('is chronological inside a page, newest page first', async () => {
    const { data } = await context.client.conversations.messages(1);
    expect(data).toMatchObject({ count: 2, hasMore: false });
    expect(data.items).toMatchObject([
      { id: 'm1', body: 'hello', fromMe: false, createdAt: '2026-01-10T10:00:00.000Z' },
      { id: 'm2', body: 'hi, Bia', fromMe: true },
    ]);
    const newest = await context.client.conversations.messages(1, { pageSize: 1 });
    expect(newest.data).toMatchObject({ count: 2, hasMore: true, items: [{ id: 'm2' }] });
  });

  it('is read back whole while the customer writes', async () => {
    const messages = Array.from({ length: 90 }, (_, n) => ({
      id: `h${n}`,
      at: new Date(Date.UTC(2026, 0, 10) + n * 1000).toISOString(),
    }));
    const talk = { id: 1, contactId: 1, connectionId: 1, messages };
    const long = await openContext(aChatAccount({ conversations: [talk] }));
    try {
      const ids: string[] = [];
      for await (const { id } of long.client.conversations.iterateMessages(1, { pageSize: 25 })) {
        ids.push(id ?? '');
        if (ids.length % 20 === 0 && ids.length < 90) await long.inbound('5511987654321', `at ${ids.length}`);
      }
      expect(ids.slice(0, 90)).toEqual(messages.map(({ id }) => id).toReversed());
      expect(new Set(ids).size).toBe(94);
    } finally {
      await long.close();
    }
  });
});

describe('sending', () => {
  it('text makes contact and conversation; its status can be asked for', async () => {
    const { client } = context;
    const { data } = await client.messages.send({
      number: '5511944443333',
      body: 'Olá ✓',
      contactName: 'Léo',
    });
    expect(data).toMatchObject({ whatsappId: 1, channel: 'whatsapp', messages: [{ status: 'queued' }] });
    expect((await client.contacts.get(data.contactId ?? 0)).data.name).toBe('Léo');
    const history = await client.conversations.messages(data.ticketId ?? 0);
    expect(history.data.items).toMatchObject([{ id: data.messages[0]?.id, body: 'Olá ✓', fromMe: true }]);
    const status = await client.messages.status(data.messages[0]?.id ?? '');
    expect(status.data).toMatchObject({ ack: expect.any(Number), status: expect.any(String) });
  });

  it('a channel id with signs of base64 finds its message', async () => {
    const { data } = await context.client.messages.send({
      number: '5511955556666',
      whatsappId: 2,
      templateData: template,
    });
    const id = data.messages[0]?.id ?? '';
    expect(id).toMatch(/^wamid\..*=$/);
    expect((await context.client.messages.status(id)).data.status).not.toBe('failed');
  });

  it.each<[string, object]>([
    ['an object', template],
    ['JSON text', JSON.stringify(template) as never],
  ])('a template as %s, by the name of the connection', async (_name, templateData) => {
    const { data } = await context.client.messages.send({
      number: '5511955556666',
      whatsappName: 'official',
      templateData: templateData as never,
    });
    expect(data).toMatchObject({ whatsappId: 2, channel: 'waba', ticketId: 2, contactId: 2 });
    expect(await stored(2, 2)).toMatchObject([{ templateData: template }]);
  });

  it('fire and forget names neither conversation nor contact', async () => {
    const { data } = await context.client.messages.send({
      number: '5511944443333',
      body: 'x',
      saveOnTicket: false,
    });
    expect(data).toMatchObject({ ticketId: null, contactId: null, messages: [{ id: null }] });
  });

  it('files arrive byte for byte, with text and template in the same form', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-send-'));
    try {
      const path = join(folder, 'photo.jpg');
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 31) % 251));
      await writeFile(path, bytes);
      const media = { filename: 'foto ção.jpg', contentType: 'image/jpeg' };
      const { data } = await context.client.messages.send({
        number: '5511987654321',
        whatsappId: 1,
        saveOnTicket: true,
        body: 'see',
        templateData: template,
        medias: [
          { ...media, data: { path } },
          { filename: 'b.txt', contentType: 'text/plain', data: Readable.from(['a', 'b']) },
          { filename: 'c.bin', contentType: 'application/octet-stream', data: new Blob(['c']), size: 1 },
        ],
      });
      expect(data.messages).toHaveLength(5);
      const files = (await stored(1)).flatMap((each) => (each.media === undefined ? [] : [each.media]));
      expect(files).toEqual([
        { name: media.filename, type: 'image/jpeg', size: bytes.length, sha256: sha256(bytes) },
        { name: 'b.txt', type: 'text/plain', size: 2, sha256: sha256(Buffer.from('ab')) },
        { name: 'c.bin', type: 'application/octet-stream', size: 1, sha256: sha256(Buffer.from('c')) },
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('files go under the name that the assumption gives', async () => {
    const other = await openContext(aChatAccount(), { choices: { mediasField: 'files' } });
    try {
      const medias = [{ filename: 'a', contentType: 'a/b', data: new Uint8Array([1]) }];
      const assumptions = { 'multipart.mediaField': 'files' };
      const { data } = await other.clientWith({ assumptions }).conversations.reply(1, { medias });
      expect(data.messages).toHaveLength(1);
      await expect(other.client.conversations.reply(1, { medias })).rejects.toMatchObject({
        code: 'ERR_MISSING_CONTENT',
      });
    } finally {
      await other.close();
    }
  });
});

describe('replying', () => {
  it('goes out on the connection of the conversation', async () => {
    const { data } = await context.client.conversations.reply(1, { body: 'on my way' });
    expect(data.messages).toMatchObject([{ status: 'queued' }]);
    expect(data.raw).toMatchObject({ ticketId: 1, whatsappId: 1 });
    expect((await stored(1)).at(-1)).toMatchObject({
      id: data.messages[0]?.id,
      body: 'on my way',
      fromMe: true,
    });
  });

  it('takes files by stream', async () => {
    const data = Readable.from(['x'.repeat(70_000)]);
    await context.client.conversations.reply(1, {
      medias: [{ filename: 'a', contentType: 'text/plain', data }],
    });
    expect((await stored(1)).at(-1)?.media).toMatchObject({ size: 70_000 });
  });
});

describe('flows', () => {
  it.each<[string, Record<string, string>]>([
    ['by id', {}],
    ['by number', { 'flows.contactField': 'number', 'flows.contactIdentity': 'number' }],
  ])('start on the contact %s, with their variables', async (_name, assumptions) => {
    const contact = { id: 1, number: '5511987654321' };
    const client = context.clientWith({ assumptions });
    const { meta, data } = await client.flows.trigger({
      flowId: 1,
      whatsappId: 1,
      contact,
      variables: { coupon: 'X', nested: { a: [1] } },
    });
    expect(meta.status).toBe(202);
    expect(data.raw).toHaveProperty('requestId');
    const { runs } = await context.panel('/flow-runs');
    expect(runs).toMatchObject([
      { flowId: 1, contactId: 1, connectionId: 1, variables: { coupon: 'X', nested: { a: [1] } } },
    ]);
  });

  it('a connection that does not exist is a 404, whatever its code', async () => {
    const call = context.client.flows.trigger({ flowId: 1, whatsappId: 99, contact: { id: 1 } });
    await expect(call).rejects.toMatchObject({ name: 'ApiError', status: 404 });
  });
});

describe('a send that fails', () => {
  const medias = () => [{ filename: 'a', contentType: 'a/b', data: Readable.from(['x'.repeat(100_000)]) }];
  const sends: Array<[string, (client: Context['client']) => Promise<unknown>]> = [
    ['JSON', (client) => client.messages.send({ number: '5511987654321', body: 'once' })],
    ['a file', (client) => client.messages.send({ number: '5511987654321', medias: medias() })],
  ];
  const faults: Array<[string, Record<string, unknown>, Record<string, unknown>, number]> = [
    ['reset before the effect', { kind: 'reset-before' }, { reason: 'reset', sent: true }, 0],
    ['reset after the effect', { kind: 'reset-after' }, { reason: 'reset', sent: true }, 1],
    ['a body cut short', { kind: 'truncate' }, { sent: true }, 1],
    ['200 with a page', { kind: 'html' }, { reason: 'invalid_body', status: 200 }, 1],
    ['500 without code', { kind: 'status', status: 500, body: { error: 'x' } }, { kind: 'internal' }, 0],
    ['no answer', { kind: 'hang' }, { reason: 'timeout', sent: true }, 0],
  ];
  const cases = faults.flatMap(([what, ...rest]) =>
    sends.map(([which, send]) => [what, which, send, ...rest] as const),
  );

  it.each(cases)(
    '%s, %s: is ambiguous, and was asked for once',
    async (_what, _which, send, fault, expected, count) => {
      await context.fault({ method: 'POST', path: '/v1/messages/send', times: 1, ...fault });
      const client = context.clientWith({ deadlineMs: fault.kind === 'hang' ? 200 : 5000 });
      const error = await send(client).then(
        () => 'no error',
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject(expected);
      expect(isAmbiguous(error)).toBe(true);
      expect((await stored(1)).length - 2).toBe(count);
      expect(await context.requests()).toEqual(['POST /v1/messages/send']);
    },
  );
});
