// The board's real-time events: who watches an account sees each card that is created or moved there.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Context, openContext } from './context.ts';

const AT = '2026-03-01T12:00:00.000Z';
let context: Context;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  context = await openContext({ now: () => new Date(AT) });
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await context.close();
});

interface Seen {
  readonly event: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
  readonly data: any;
}

/** Resolves once the watch has begun; `next` waits for the next event. */
async function watch(account: string): Promise<() => Promise<Seen>> {
  const answer = await fetch(`${context.baseUrl.replace(/wapi$/, 'panel')}/accounts/${account}/events`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  stops.push(() => reader.cancel());
  let buffer = '';
  const block = async (): Promise<string> => {
    while (!buffer.includes('\n\n')) {
      const { value, done } = await reader.read();
      if (done) throw new Error('the stream ended');
      buffer += value;
    }
    const end = buffer.indexOf('\n\n');
    const text = buffer.slice(0, end);
    buffer = buffer.slice(end + 2);
    return text;
  };
  expect(await block()).toBe(': watching');
  return async () => {
    const text = await block();
    return {
      event: /^event: (.*)$/m.exec(text)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null'),
    };
  };
}

it('creating and moving a card emits one event each, in order, to the watchers of that account alone', async () => {
  const [mine, again, theirs] = [await watch('acme'), await watch('acme'), await watch('other')];
  const { card } = (
    await context.call('POST', '/v1/cards', { body: { contactId: 1, pipelineId: 1, stageId: 11 } })
  ).json;
  await context.call('PATCH', `/v1/cards/${card.id}/stage`, { body: { stageId: 404 } });
  await context.call('PATCH', `/v1/cards/${card.id}/stage`, { body: { stageId: 13 } });
  await context.call('PATCH', '/v1/cards/9/stage', { body: { stageId: 91 }, token: 'svc_test_other' });
  const common = { at: AT, accountId: 'acme', cardId: card.id, pipelineId: 1 };
  const created = { type: 'created', ...common, stageId: 11, fromStageId: null, status: 'open' };
  const moved = { type: 'moved', ...common, stageId: 13, fromStageId: 11, status: 'won' };
  for (const next of [mine, again]) {
    expect(await next()).toEqual({ event: 'created', data: created });
    expect(await next()).toEqual({ event: 'moved', data: moved });
  }
  expect((await theirs()).data).toMatchObject({ accountId: 'other', cardId: 9 });
});

it('a card of a webhook is seen too, and one whose answer was cut off', async () => {
  await context.panel('PATCH', '/accounts/acme', {
    webhooks: [{ hash: 'h', action: 'create_opportunity', pipelineId: 1, fieldMapping: { phone: 'phone' } }],
  });
  const next = await watch('acme');
  await context.call('POST', '/hooks/h', { token: null, body: { phone: '5511987654321' } });
  expect((await next()).data).toMatchObject({ type: 'created', stageId: null });
  await context.panel('POST', '/faults', { kind: 'reset-after', times: 1 });
  await context.call('POST', '/v1/cards', { body: { contactId: 1, pipelineId: 1 } }).catch(() => undefined);
  expect((await next()).event).toBe('created');
});

it('a watcher that left is no burden, an unknown account 404', async () => {
  await watch('acme');
  await stops.pop()?.();
  expect((await context.call('POST', '/v1/cards', { body: { contactId: 1, pipelineId: 1 } })).status).toBe(
    201,
  );
  expect((await context.panel('GET', '/accounts/nobody/events')).status).toBe(404);
});
