// The statements that Sluice runs for every call, record, event, member, message and outgoing event, with the little
// work that is under way at any time.

import type { Database, Queryable } from '../../src/core/sql/database.ts';
import { getIntent, takeIntent } from '../../src/core/store/intents.ts';
import { findPeople } from '../../src/core/store/people.ts';
import { readMember, takeMembers, takeRight } from '../../src/jobs/campaigns/store/member-checks.ts';
import {
  findConversations,
  getConversation,
  saveListings,
} from '../../src/jobs/conversations/store/conversations.ts';
import { addKnown, knownMessages, pruneMessages } from '../../src/jobs/conversations/store/messages.ts';
import { pollOutlook } from '../../src/jobs/conversations/store/pollers.ts';
import { windowFacts } from '../../src/jobs/conversations/store/window-facts.ts';
import { dueChecks } from '../../src/jobs/events/store/delivery-checks.ts';
import { endEvent } from '../../src/jobs/events/store/event-end.ts';
import {
  addEvents,
  claimEvent,
  getEvent,
  markAccepted,
  nextInQueue,
} from '../../src/jobs/events/store/events.ts';
import { dueEvents, nextDueMs as nextOutgoingMs } from '../../src/jobs/outbox/store/due.ts';
import { putEvents } from '../../src/jobs/outbox/store/outbox.ts';
import { nextDueMs, renewDue, takeDue } from '../../src/jobs/sync/store/due-records.ts';
import { settleStep } from '../../src/jobs/sync/store/records.ts';
import { logCalls } from '../../src/operator/store/calls.ts';
import { takeSlots } from '../../src/service/budget/statements.ts';

const ACCOUNT = 'acme';
const RUN = 'acme/deals/1';
const CAMPAIGN = 'acme/+spring/1';
const ROUTE_RUN = 'acme/@orders/1';
const TOKEN = 'now';
const KEYS = Array.from({ length: 100 }, (_, n) => String(5_531_000_000_001 + n));
const PLAN = { limit: 120, reply: 0, lead: 0, floor: 0 };

/** The work that is under way: the same in a new ledger and in an old one. */
export async function addWork(db: Database): Promise<void> {
  const statements = [
    `insert into runs (id, account, sync, seq, kind, status, spec) values
       ('${RUN}', '${ACCOUNT}', 'deals', 1, 'sync', 'syncing', '{}'), ('${ROUTE_RUN}', '${ACCOUNT}', '@orders', 1, 'intake', 'syncing', '{}'),
       ('${CAMPAIGN}', '${ACCOUNT}', '+spring', 1, 'campaign', 'syncing', '{}'), ('${ACCOUNT}/~inbox/1', '${ACCOUNT}', '~inbox', 1, 'poll', 'syncing', '{}')`,
    `insert into people (account, key, remote_id, name) select '${ACCOUNT}', (5531000000000 + n)::text, 900000000 + n, 'Bea' from generate_series(1, 2000) n`,
    `insert into intents (account, kind, subject, run_id, state, sends, sent_at)
     select '${ACCOUNT}', 'card', 'now' || n || '/Sales', '${RUN}', 'done', 1, now() from generate_series(1, 2000) n`,
    `insert into run_records (run_id, key, row_no, todo, payload) select '${RUN}', (5531000000000 + n)::text, n, 4, '{}' from generate_series(1, 2000) n`,
    `insert into events (id, account, route, run_id, action, subject, rank, state, accepted_at)
     select 'now-' || n, '${ACCOUNT}', 'orders', '${ROUTE_RUN}', 'lead', 's' || n % 100, n, 'accepted', now() from generate_series(1, 200) n`,
    `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by) values ('${CAMPAIGN}', '${ACCOUNT}', 'spring', '', 'running', now(), 'ana')`,
    `insert into campaign_waves (run_id, wave, kind, size, started_at) values ('${CAMPAIGN}', 1, 'wave', 2000, now())`,
    `insert into campaign_members (run_id, key, number, part, state, wave, place, zones)
     select '${CAMPAIGN}', (5531000000000 + n)::text, (5531000000000 + n)::text, 0, 'waiting', 1, n, 'America/Sao_Paulo' from generate_series(1, 2000) n`,
    `insert into pollers (account, poller, run_id, complete_at, polled_at) values ('${ACCOUNT}', 'inbox', '${ACCOUNT}/~inbox/1', now(), now())`,
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, todo_at)
     select '${ACCOUNT}', 800000000 + n, 'inbox', 2, 'waba', (5531000000000 + n)::text, now(), 'f', '{"state": {"status": "open"}}', case when n % 5 = 0 then now() end
       from generate_series(1, 500) n`,
    `insert into messages (account, conversation_id, key, at, from_me, status)
     select '${ACCOUNT}', 800000001 + n % 10, 'id:now' || n, now(), false, 'read' from generate_series(1, 3000) n`,
    `insert into deliveries (account, message_id, event_id, conversation_id, status, sent_at, next_at, deadline)
     select '${ACCOUNT}', 'now' || n, 'now-' || n, 800000000 + n, 'sent', now(), now(), now() + interval '1 day' from generate_series(1, 100) n`,
    `insert into outbox (sink, stream, account, event_id, type, event) select 'crm', 's' || n % 20, '${ACCOUNT}', n::text, 't', '{}' from generate_series(1, 200) n`,
    `insert into slots (token, call_limit) values ('${TOKEN}', 120)`,
    'analyze',
  ];
  for (const sql of statements) await db.query(sql);
}

export interface HotCall {
  readonly name: string;
  /** @param n number of the repetition */
  run(tx: Queryable, n: number): Promise<unknown>;
}

/** What the calls need to know of the work. */
export async function hotPath(db: Database): Promise<readonly HotCall[]> {
  const ids = async (sql: string) => (await db.query<{ id: number }>(sql)).map(({ id }) => id);
  const records = await ids(`select id from run_records where run_id = '${RUN}' order by id`);
  const members = await ids(`select id from campaign_members where run_id = '${CAMPAIGN}' order by id`);
  const [event] = await db.query<{ seq: number; account: string; subject: string }>(
    "select seq, account, subject from events where id = 'now-1'",
  );
  const question = {
    account: ACCOUNT,
    run: CAMPAIGN,
    since: new Date(Date.now() - 30 * 86_400_000),
    campaigns: ['winback'],
    windowAfter: new Date(Date.now() - 86_400_000),
  };
  const run = { id: RUN, account: ACCOUNT, pipeline: 'Sales' };
  const at = new Date();
  const lease = { holder: 'bench', until: new Date(Date.now() + 60_000) };
  const listing = (id: number) => ({
    listing: {
      state: {
        id,
        status: 'open',
        channel: 'waba',
        connection: { id: 2, name: 'main' },
        updatedAt: at.toISOString(),
      } as never,
      lastMessage: 'hash',
      mayBeServed: false,
      fingerprint: 'g',
      personKey: KEYS[0] as string,
    },
    todo: true,
    published: false,
  });
  const conversations = Array.from({ length: 50 }, (_, n) => 800_000_001 + n);
  return [
    {
      name: 'take a slot',
      run: (tx) => takeSlots(tx, { tokens: [TOKEN], plans: [PLAN], wanted: new Map([[5, 4]]), scopes: null }),
    },
    {
      name: 'take an intent',
      run: (tx, n) => takeIntent(tx, { account: ACCOUNT, kind: 'card', subject: `new${n}/Sales`, run: RUN }),
    },
    {
      name: 'read an intent',
      run: (tx, n) => getIntent(tx, { account: ACCOUNT, kind: 'card', subject: `now${n + 1}/Sales` }),
    },
    {
      name: 'lease 50 due records',
      run: (tx) => takeDue(tx, run, { holder: 'bench1', seconds: 60, limit: 50 }),
    },
    { name: 'renew the leases of 50 records', run: (tx) => renewDue(tx, 'bench1', records.slice(0, 50), 60) },
    { name: 'when the next record is due', run: (tx) => nextDueMs(tx, RUN, 'bench1') },
    {
      name: 'settle a step of a record',
      run: (tx, n) => settleStep(tx, { id: records[n] as number, holder: null }, { clear: 4, touched: true }),
    },
    { name: 'find 100 people', run: (tx) => findPeople(tx, ACCOUNT, KEYS, 'Sales') },
    {
      name: 'lease 20 due members',
      run: (tx) => takeMembers(tx, question, { zones: ['America/Sao_Paulo'], limit: 20, at }, lease),
    },
    {
      name: 'check a member and take the right to trigger',
      async run(tx, n) {
        const checked = await readMember(tx, question, members[n] as number);
        await takeRight(tx, question, checked, { campaign: 'spring', at });
      },
    },
    {
      name: 'store 20 events',
      async run(tx, n) {
        const drafts = Array.from({ length: 20 }, (_, i) => ({
          account: ACCOUNT,
          route: 'orders',
          id: `new-${n}-${i}`,
          subject: `t${i}`,
          rank: null,
          request: { type: 'lead' } as never,
        }));
        await addEvents(tx, ROUTE_RUN, drafts);
        await markAccepted(
          tx,
          drafts.map(({ id }) => id),
        );
      },
    },
    { name: 'claim an event', run: (tx, n) => claimEvent(tx, `now-${1 + (n % 200)}`, 'w') },
    {
      name: 'end an event, and find the next one',
      async run(tx, n) {
        const id = `now-${1 + (n % 200)}`;
        await getEvent(tx, id);
        await endEvent(tx, id, { outcome: 'done' });
        await nextInQueue(tx, event as { seq: number; account: string; subject: string });
      },
    },
    { name: 'messages to check next', run: (tx) => dueChecks(tx, ACCOUNT, at, 10) },
    {
      name: 'put 20 events into the outbox',
      run: (tx, n) =>
        putEvents(
          tx,
          ACCOUNT,
          Array.from({ length: 20 }, (_, i) => ({
            sink: 'crm',
            event: { id: `${n}-${i}`, type: 't', partitionkey: `s${i}` } as never,
          })),
        ),
    },
    {
      name: 'due events of the outbox',
      async run(tx) {
        await dueEvents(tx, 'crm', at, { events: 100, size: 1_000_000 });
        await nextOutgoingMs(tx, 'crm', at, false);
      },
    },
    {
      name: 'store a page of 50 conversations',
      async run(tx) {
        await findConversations(tx, ACCOUNT, conversations);
        await saveListings(tx, { account: ACCOUNT, poller: 'inbox' }, conversations.map(listing));
      },
    },
    {
      name: 'conversations to read next',
      run: (tx) => pollOutlook(tx, { account: ACCOUNT, poller: 'inbox', limit: 10, old: false }),
    },
    {
      name: 'import 20 messages',
      async run(tx, n) {
        const id = 800_000_001 + (n % 10);
        const keys = Array.from({ length: 20 }, (_, i) => `id:new${n}-${i}`);
        await getConversation(tx, ACCOUNT, id, 'for update');
        await knownMessages(tx, ACCOUNT, id, keys);
        const messages = keys.map((key) => ({
          key,
          id: key,
          body: null,
          fromMe: false,
          at: at.toISOString(),
          status: null,
          raw: {},
        }));
        await addKnown(tx, ACCOUNT, id, messages);
        await pruneMessages(tx, ACCOUNT, id, 300);
      },
    },
    {
      name: 'facts about a 24-hour window',
      run: (tx, n) =>
        windowFacts(tx, ACCOUNT, { key: KEYS[n % KEYS.length] as string }, question.windowAfter),
    },
    {
      name: 'write 250 calls to the log',
      run: (tx, n) =>
        logCalls(
          tx,
          Array.from({ length: 250 }, (_, i) => ({
            age_ms: i,
            account: ACCOUNT,
            token: TOKEN,
            run_id: RUN,
            lane: 5,
            method: 'POST',
            route: '/v1/cards',
            status: 200,
            code: null,
            request_id: `${n}-${i}`,
            person_key: KEYS[i % KEYS.length] as string,
            event_id: null,
            conversation_id: null,
            card_id: null,
            wait_ms: 900,
            took_ms: 80,
          })),
          new Map([[RUN, 250]]),
        ),
    },
  ];
}
