// What polling writes down of conversations is what the window is judged by: from the service to the answer.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type WindowQuestion, windowOf } from '../../../../../src/jobs/conversations/store/window.ts';
import { openHand } from '../../conversations/support.ts';
import { type EffectContext, openEffectContext } from './support.ts';

const HOUR_MS = 3_600_000;
const WABA = 2;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
const PEOPLE = ['5511971000001', '5511971000002', '5511971000003', '5511971000004'];

let context: EffectContext;
let hand: Awaited<ReturnType<typeof openHand>>;
beforeAll(async () => {
  const talk = (id: number, connectionId: number, hours: number, more: object = {}) => ({
    id,
    contactId: id,
    connectionId,
    status: 'open',
    chatbot: true,
    updatedAt: ago(hours),
    messages: [{ id: `m${id}`, body: 'hi', fromMe: false, at: ago(hours) }],
    ...more,
  });
  const sent = { id: 'ours', body: 'hello', fromMe: true, at: ago(1) };
  context = await openEffectContext({
    contacts: PEOPLE.map((number, n) => ({ id: n + 1, number, name: `P${n}` })),
    conversations: [
      talk(1, WABA, 1),
      talk(2, WABA, 48, {
        updatedAt: ago(1),
        messages: [{ id: 'm2', body: 'hi', fromMe: false, at: ago(48) }, sent],
      }),
      talk(3, 1, 48),
    ],
  });
  const client = { baseUrl: context.sandbox.baseUrl, token: 'svc_test_token' };
  hand = await openHand({ db: context.db, client });
  await hand.settle();
});
afterAll(async () => {
  await hand.client.close();
  await context.close();
});

const ask = (to: WindowQuestion['to'], connection?: number | string) =>
  windowOf(context.db, { account: 'acme', to, connection, scopeOf: () => 'all', now: new Date() });

it.each([
  ['who wrote an hour ago', 1, 'open'],
  ['who wrote two days ago, and got an answer since', 2, 'closed'],
  ['on whatsapp', 3, 'open'],
  ['that nobody has', 99, 'unknown'],
])('a conversation %s', async (_, conversation, state) => {
  expect(await ask({ conversation })).toMatchObject({ state });
});

it.each([
  ['by id', PEOPLE[0], WABA, 'open'],
  ['by name', PEOPLE[0], 'official', 'open'],
  ['by name, two days later', PEOPLE[1], 'official', 'closed'],
  ['on another channel', PEOPLE[2], 'main', 'open'],
  ['who never wrote', PEOPLE[3], 'official', 'closed'],
  ['on whatever the service chooses', PEOPLE[1], undefined, 'unknown'],
])('a person %s', async (_, key = '', connection, state) => {
  expect(await ask({ key }, connection)).toMatchObject({ state });
});

it('a message from the contact opens it with the next poll', async () => {
  await fetch(`${context.sandbox.panelUrl}/accounts/acme/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ number: PEOPLE[1], body: 'hi again', connectionId: WABA }),
  });
  expect(await ask({ conversation: 2 })).toMatchObject({ state: 'closed' });
  await hand.page();
  expect(await ask({ conversation: 2 })).toMatchObject({
    state: 'unknown',
    why: expect.stringMatching(/still have to be read/),
  });
  await hand.settle();
  expect(await ask({ conversation: 2 })).toMatchObject({ state: 'open' });
});
