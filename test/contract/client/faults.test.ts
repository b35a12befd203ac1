// The client under the sandbox's faults: what it says of a failed write is what the sandbox's state shows.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAmbiguous } from '../../../src/service/api-client/index.ts';
import { anAccount, type Context, openContext } from './context.ts';

let context: Context;
beforeEach(async () => {
  context = await openContext();
});
afterEach(() => context.close());

const create = ({ client }: Context) => client.cards.create({ contactId: 1, pipelineId: 1, stageId: 11 });

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  return error;
}

describe('a card creation that fails', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, number]>([
    ['reset before the effect', { kind: 'reset-before' }, { reason: 'reset', sent: true }, 0],
    ['reset after the effect', { kind: 'reset-after' }, { reason: 'reset', sent: true }, 1],
    ['a body cut short', { kind: 'truncate' }, { sent: true }, 1],
    ['200 with a page', { kind: 'html' }, { reason: 'invalid_body', status: 200 }, 1],
    ['500 without code', { kind: 'status', status: 500, body: { error: 'x' } }, { kind: 'internal' }, 0],
    ['502 with a page', { kind: 'status', status: 502, body: '<html>' }, { kind: 'internal' }, 0],
    ['no answer', { kind: 'hang' }, { reason: 'timeout', sent: true }, 0],
  ])('%s: is ambiguous, and was asked for once', async (_name, fault, expected, cards) => {
    await context.fault({ method: 'POST', path: '/v1/cards', times: 1, ...fault });
    const patient = {
      ...context,
      client: context.clientWith({ deadlineMs: fault.kind === 'hang' ? 100 : 5000 }),
    };
    const error = await failureOf(create(patient));
    expect(error).toMatchObject(expected);
    expect(isAmbiguous(error)).toBe(true);
    expect((await context.account()).cards ?? []).toHaveLength(cards);
    expect(await context.requests()).toEqual(['POST /v1/cards']);
  });

  it('a refusal is not ambiguous, and nothing was created', async () => {
    await context.fault({
      path: '/v1/cards',
      times: 1,
      kind: 'status',
      status: 429,
      body: { code: 'ERR_RATE_LIMITED', retryAfter: 3 },
    });
    const error = await failureOf(create(context));
    expect(error).toMatchObject({ code: 'ERR_RATE_LIMITED', retryAfterMs: 3000 });
    expect(isAmbiguous(error)).toBe(false);
    expect((await context.account()).cards ?? []).toHaveLength(0);
  });
});

describe('iterate', () => {
  const contacts = Array.from({ length: 130 }, (_, n) => ({
    id: n + 1,
    number: String(5_511_900_000_000 + n),
  }));

  it('yields every contact once while others are created', async () => {
    const crowd = await openContext(anAccount({ contacts }));
    try {
      const ids: number[] = [];
      for await (const { id } of crowd.client.contacts.iterate({ pageSize: 40 })) {
        ids.push(id);
        if (ids.length % 40 === 0) await crowd.client.contacts.upsert({ number: `55119800000${ids.length}` });
      }
      expect(new Set(ids).size).toBe(ids.length);
      for (const { id } of contacts) expect(ids).toContain(id);
    } finally {
      await crowd.close();
    }
  });

  it('loses no card when cards leave the filter while it is read', async () => {
    const cards = contacts.map(({ id }) => ({
      id,
      contactId: id,
      pipelineId: 1,
      stageId: 11,
      status: 'open',
    }));
    const crowd = await openContext(anAccount({ contacts, cards }));
    try {
      const ids: number[] = [];
      for await (const { id } of crowd.client.cards.iterate({ status: 'open', pageSize: 20 })) {
        ids.push(id);
        await crowd.client.cards.move(id, 13);
      }
      expect([...ids].toSorted((a, b) => a - b)).toEqual(contacts.map(({ id }) => id));
    } finally {
      await crowd.close();
    }
  });
});
