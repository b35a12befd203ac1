// A conversation's history: keys of items without an id, and pages that are read while messages arrive.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessagingClientOptions } from '../../../../src/service/api-client/index.ts';
import { propertyRuns } from '../../../support/runner/property-runs.ts';
import { formServer, reply } from './form-server.ts';
import { answer } from './raw-server.ts';
import { setup } from './setup.ts';

type Item = Record<string, unknown>;
const AT = '2026-11-20T10:00:00.000Z';

async function read(messages: unknown[], over: Partial<MessagingClientOptions> = {}) {
  const { client } = await setup([answer(200, { count: messages.length, hasMore: false, messages })], over);
  return (await client.conversations.messages(7)).data;
}

describe('without an id, a key', () => {
  const keys = async (...items: Item[]) => (await read(items)).items.map(({ key }) => key);
  const item = { body: 'ok', fromMe: true, createdAt: AT };

  it('stays when the delivery code moves on, and does not depend on the order of fields', async () => {
    const [a] = await keys({ ...item, ack: 1 });
    const [b] = await keys({ ack: 3, createdAt: AT, fromMe: true, body: 'ok' });
    expect(a).toMatch(/^hash:/);
    expect(a).toBe(b);
  });

  it.each<[string, Item]>([
    ['text', { ...item, body: 'ok!' }],
    ['direction', { ...item, fromMe: false }],
    ['time', { ...item, createdAt: '2026-11-20T10:00:00.001Z' }],
  ])('changes with the %s', async (_name, other) => {
    const [a, b] = await keys(item, other);
    expect(a).not.toBe(b);
  });

  it('falls back on the whole item when it shows no time', async () => {
    const bare = { body: 'ok', fromMe: true };
    const timed = { ...item, id: 'timed' };
    const [, a, b, c] = await keys(
      timed,
      { ...bare, x: { p: 1, q: 2 } },
      { ...bare, x: { q: 2, p: 2 } },
      { ...bare, x: 1 },
    );
    expect(new Set([a, b, c]).size).toBe(3);
    expect((await keys(timed, { fromMe: true, x: { q: 2, p: 1 }, body: 'ok' }))[1]).toBe(a);
  });

  it('distinguishes look-alikes of one instant by counting back from the newest', async () => {
    const [older, newer, other] = await keys(item, item, { ...item, body: 'z' });
    expect(older).toBe(`${newer}#2`);
    expect(other).not.toBe(newer);
  });
});

/** Serves `list`, oldest first, as the API text says: page 1 newest, items chronological. */
async function historyServer(list: Item[], afterPage: () => void = () => {}) {
  const calls: string[] = [];
  const server = await formServer((req, res) => {
    const query = new URL(req.url ?? '', 'http://x').searchParams;
    const page = Number(query.get('pageNumber') ?? 1);
    const size = Math.min(200, Number(query.get('pageSize') ?? 100));
    calls.push(`${page}x${size}`);
    const end = Math.max(0, list.length - (page - 1) * size);
    const messages = list.slice(Math.max(0, end - size), end);
    reply(res, 200, { count: list.length, hasMore: end > size, messages });
    afterPage();
  });
  return { ...server, calls };
}

const history = (length: number): Item[] =>
  Array.from({ length }, (_, n) => ({ id: `m${n}`, body: `${n}`, fromMe: n % 2 === 0, createdAt: AT }));

async function collect(messages: AsyncIterable<{ id: string | null; body: string | null }>) {
  const ids: string[] = [];
  for await (const { id, body } of messages) ids.push(id ?? `body ${body}`);
  return ids;
}

describe('iterateMessages', () => {
  it('reads from the newest back to the oldest, in pages of 200', async () => {
    const { client, calls } = await historyServer(history(450));
    const ids = await collect(client.conversations.iterateMessages(7));
    expect(ids).toEqual(
      history(450)
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(calls[0]).toBe('1x200');
    expect(calls.length).toBeLessThanOrEqual(4);
  });

  it('what arrives while it reads comes at the end', async () => {
    const list = history(250);
    let first = true;
    const { client } = await historyServer(list, () => {
      const late = { body: 'x', fromMe: false, createdAt: AT };
      if (first) list.push({ ...late, id: 'new1' }, { ...late, id: 'new2' });
      first = false;
    });
    const ids = await collect(client.conversations.iterateMessages(7));
    expect(ids).toEqual([
      ...history(250)
        .map(({ id }) => id)
        .toReversed(),
      'new2',
      'new1',
    ]);
  });

  it.each([true, false])(
    'loses and doubles nothing, whatever arrives or is removed (ids: %s)',
    async (withIds) => {
      const step = fc.record({
        arrive: fc.integer({ min: 0, max: 90 }),
        remove: fc.array(fc.nat(), { maxLength: 30 }),
      });
      let list: Item[] = [];
      let mutate: () => void = () => {};
      const { client } = await historyServer(list, () => mutate());
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 300 }),
          fc.integer({ min: 1, max: 60 }),
          fc.array(step, { maxLength: 6 }),
          async (length, pageSize, steps) => {
            let next = 0;
            const make = (): Item => {
              const time = new Date(Date.UTC(2026, 10, 20) + next).toISOString();
              next += 1;
              return {
                ...(withIds ? { id: `m${next}` } : {}),
                body: `${next}`,
                fromMe: false,
                createdAt: time,
                ack: 0,
              };
            };
            list.splice(0, list.length, ...Array.from({ length }, make));
            const stayed = new Set(list.map(({ body }) => body as string));
            const pending = [...steps];
            mutate = () => {
              const now = pending.shift();
              for (const item of list) item.ack = (item.ack as number) + 1;
              for (const at of now?.remove ?? []) {
                const [gone] = list.splice(at % Math.max(1, list.length), 1);
                if (gone !== undefined) stayed.delete(gone.body as string);
              }
              list.push(...Array.from({ length: now?.arrive ?? 0 }, make));
            };
            const bodies: string[] = [];
            for await (const { body } of client.conversations.iterateMessages(7, { pageSize })) {
              bodies.push(body ?? '');
            }
            expect(new Set(bodies).size).toBe(bodies.length);
            const found = new Set(bodies);
            expect([...stayed].filter((body) => !found.has(body))).toEqual([]);
          },
        ),
        { numRuns: propertyRuns(60) },
      );
      list = [];
    },
  );

  it('breaking off spends no further call', async () => {
    const { client, calls } = await historyServer(history(1000));
    for await (const { id } of client.conversations.iterateMessages(7, { pageSize: 50 })) {
      if (id === 'm990') break;
    }
    expect(calls).toEqual(['1x50']);
  });
});

describe('conversations.iterate', () => {
  it('reads one that jumps to the front while it is still unread', async () => {
    const ids = Array.from({ length: 250 }, (_, n) => n + 1);
    const contact = { id: 1, name: 'B', number: '1' };
    const connection = { id: 1, name: 'm', channel: 'waba', status: 'CONNECTED' };
    let first = true;
    const { client } = await formServer((req, res) => {
      const query = new URL(req.url ?? '', 'http://x').searchParams;
      const size = Number(query.get('pageSize'));
      const start = (Number(query.get('pageNumber')) - 1) * size;
      const conversations = ids.slice(start, start + size).map((id) => ({
        id,
        status: 'open',
        channel: 'waba',
        chatbot: false,
        contact,
        connection,
        createdAt: AT,
        updatedAt: AT,
      }));
      reply(res, 200, { count: ids.length, hasMore: start + size < ids.length, conversations });
      if (first) ids.unshift(...ids.splice(200, 1));
      first = false;
    });
    const seen: number[] = [];
    for await (const { id } of client.conversations.iterate({ status: 'open' })) seen.push(id);
    expect(new Set(seen).size).toBe(250);
    expect(seen).toHaveLength(250);
  });
});
