// kill -9 in every phase of an event: nothing is lost, nothing is done twice, and only what no reading can show is unknown.

import { afterAll, expect, it } from 'vitest';
import { createEventActivities, createLedgerActivities } from '../../../activities/index.ts';
import { eventQueue } from '../../../src/core/ids.ts';
import type { EventDraft } from '../../../src/jobs/events/contract/intake.ts';
import { account } from '../../support/environment.ts';
import { acceptanceOf, draft, lead, leadRoute } from '../../support/intake-context.ts';
import { type KillContext, openKillContext, untilDead } from '../../support/kill/kill-context.ts';
import { effects } from '../../support/panel.ts';
import { until } from '../../support/until.ts';

/** What an event does, where its worker dies, and what becomes of it. Each has its effect once, except for the last column. */
const DEATHS = [
  ['lead', 'after it was begun', 'done', 1],
  ['lead', 'after the call of its contact', 'done', 1],
  ['lead', 'before the intent', 'done', 1],
  ['lead', 'after the right', 'done', 1],
  ['lead', 'after the call', 'done', 1],
  ['lead', 'before the outcome', 'done', 1],
  ['message', 'after the right', 'done', 1],
  ['message', 'after the call', 'done', 1],
  ['flow', 'before the intent', 'done', 1],
  ['flow', 'after the right', 'unknown', 0],
  ['flow', 'after the call', 'unknown', 1],
  ['flow', 'before the outcome', 'unknown', 1],
] as const;

const route = leadRoute('kill');
const numberOf = (n: number) => `1415555${String(2000 + n)}`;

let context: KillContext | undefined;
afterAll(async () => await context?.close());

function eventOf(n: number, kind: 'lead' | 'message' | 'flow'): EventDraft {
  if (kind === 'lead')
    return lead(route, `event ${n}`, n, { card: { pipeline: 'Sales', stage: 'New', customFields: {} } });
  const person = { number: numberOf(n), key: numberOf(n) };
  const request =
    kind === 'message'
      ? { type: kind, to: person, text: `to person ${n}`, saveOnTicket: true }
      : { type: kind, ...person, flow: 1, connection: 1, variables: {} };
  return draft(route, `event ${n}`, `person/${person.key}`, request);
}

it('FAULTS 16: workers die in every phase of an event → another worker ends each, once; a flow may be unknown', async () => {
  const people = DEATHS.map((_, n) => ({ id: n + 1, number: numberOf(n), name: `Person ${n}` }));
  context = await openKillContext({
    account: account({
      tokens: [
        {
          value: 'svc_test_token',
          scopes: [
            'contacts:write',
            'cards:write',
            'connections:read',
            'flows:trigger',
            'messages:send',
          ].concat('messages:read', 'conversations:read'),
        },
      ],
      connections: [{ id: 1, name: 'main', channel: 'whatsapp', status: 'CONNECTED', isDefault: true }],
      flows: [{ id: 1, name: 'reactivate', active: true, published: true, nodes: 3 }],
      contacts: people.filter((_, n) => DEATHS[n]?.[0] !== 'lead'),
    }),
  });
  const { db, deps, panel, temporal, work, spawn } = context;
  const workQueue = await context.workflows();
  const taskQueue = eventQueue(workQueue);
  await work(workQueue, createLedgerActivities(deps));
  const acceptance = acceptanceOf({ db, workQueue }, temporal.client);
  const ended = async (count: number) =>
    await until(`${count} events have ended`, async () => {
      const rows = await db.query("select 1 from events where state = 'ended'");
      return rows.length === count;
    });
  // The lists of the account are read first: whoever dies with them would keep the others waiting for half a minute.
  const stop = await work(taskQueue, createEventActivities(deps));
  await acceptance.accept(route, [eventOf(DEATHS.length, 'lead')]);
  await ended(1);
  await stop();

  const drafts = DEATHS.map(([kind], n) => eventOf(n, kind));
  const points = Object.fromEntries(DEATHS.map(([, point], n) => [drafts[n]?.id as string, point]));
  const children = await spawn(DEATHS.length, { work: 'event', taskQueue, points });
  await acceptance.accept(route, drafts);
  await untilDead(children);
  // A flow that may have run is given up after a minute, in which its call could still be under way.
  await db.query(
    "update intents set sent_at = sent_at - interval '1 minute' where kind = 'event-flow' and state = 'sent'",
  );
  // Another worker goes on with what they left.
  await work(taskQueue, createEventActivities(deps));
  await ended(DEATHS.length + 1);

  const rows = await db.query<{ id: string; outcome: string; code: string | null }>(
    'select id, outcome, code from events',
  );
  const ran = await context.flowRuns();
  const { contacts, cards, conversations } = (await panel.account()) as Awaited<
    ReturnType<typeof panel.account>
  > & { conversations: { messages: { body: string }[] }[] };
  const texts = conversations.flatMap(({ messages }) => messages.map(({ body }) => body));
  const seen = DEATHS.map(([kind, point], n) => {
    const { outcome, code } = rows.find(({ id }) => id === drafts[n]?.id) ?? {};
    const contact = contacts.filter(({ number }) => number === numberOf(n));
    const times = {
      lead: () => cards.filter(({ contactId }) => contactId === contact[0]?.id).length,
      message: () => texts.filter((text) => text === `to person ${n}`).length,
      flow: () => ran.get(n + 1) ?? 0,
    };
    return { kind, point, outcome, code, contacts: contact.length, times: times[kind]() };
  });
  expect(seen).toEqual(
    DEATHS.map(([kind, point, outcome, times]) => {
      const code = outcome === 'unknown' ? 'FLOW_AMBIGUOUS' : null;
      return { kind, point, outcome, code, contacts: 1, times };
    }),
  );
  // Nor was anything asked for twice that the service happened to merge.
  const requests = await panel.requests();
  const count = (kind: string) => DEATHS.filter(([each]) => each === kind).length;
  expect(effects(requests, 'POST', /cards$/)).toHaveLength(count('lead') + 1);
  expect(effects(requests, 'POST', /messages\/send$/)).toHaveLength(count('message'));
}, 120_000);
