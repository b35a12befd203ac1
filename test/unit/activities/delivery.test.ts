// Following messages that were sent, against the sandbox and its clock: what is told, and what it costs.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDeliveryActivities, createDeliveryLedgerActivities } from '../../../activities/delivery.ts';
import type { Deps } from '../../../activities/deps.ts';
import { createIntakeActivities } from '../../../activities/intake.ts';
import { MessagingClient } from '../../../src/api-client/client.ts';
import { createGate } from '../../../src/budget/gate.ts';
import { createBudget } from '../../../src/budget/slots.ts';
import { MessageStatusEvent } from '../../../src/contracts/conversation-events.ts';
import type { DeliveryEntry, DeliveryTurn } from '../../../src/contracts/delivery.ts';
import { LANES } from '../../../src/contracts/run.ts';
import type { Database } from '../../../src/ledger/database.ts';
import { followMessages, noteSeenStatuses } from '../../../src/ledger/deliveries.ts';
import { movesOn } from '../../../src/ledger/delivery-status.ts';
import { addEvents } from '../../../src/ledger/events.ts';
import { openIntakeRun } from '../../../src/ledger/intake-runs.ts';
import { putOutbox } from '../../../src/ledger/outbox.ts';
import { CHOICES } from '../../../src/sandbox/choices.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts';
import { account } from '../../support/house.ts';
import { emptyLedger, testLedger } from '../../support/ledger.ts';
import { panelOf } from '../../support/panel.ts';

const T0 = Date.parse('2026-11-20T10:00:00.000Z');
const SECOND = 1000;
const HOUR = 3_600_000;
const NEVER = 1e12;
const NOWHERE = '5511900000000';
const logger = new DefaultLogger('ERROR');
const RULES = [{ sink: 'bus' }];

let dir: string;
let sandbox: Sandbox;
let client: MessagingClient;
let db: Database;
let clock = T0;
const now = () => new Date(clock);
const progressMs = { ...CHOICES.progressMs };
const woken: string[] = [];
const logged: object[] = [];

beforeAll(async () => {
  db = await testLedger();
  dir = await mkdtemp(join(tmpdir(), 'sluice-delivery-'));
  const fixture = account({
    tokens: [{ value: 'svc_test_house', scopes: ['conversations:read', 'messages:read', 'messages:send'] }],
    connections: [
      { id: 1, name: 'main', channel: 'whatsapp', status: 'CONNECTED' },
      { id: 2, name: 'off', channel: 'whatsapp', status: 'DISCONNECTED' },
    ],
    numbersNotOnNetwork: [NOWHERE],
  });
  sandbox = await startSandbox({
    ...{ port: 0, dataDir: dir, fixture: { accounts: [fixture] }, rate: 0, now },
    choices: { progressMs },
  });
  client = new MessagingClient({ baseUrl: sandbox.baseUrl, token: 'svc_test_house', deadlineMs: 5000 });
});
afterAll(async () => {
  await client?.close();
  await sandbox?.close();
  await rm(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  await fresh();
  await panel().clearFaults();
});

async function fresh() {
  await emptyLedger(db);
  // A day on, so that no test meets the conversations of the one before at the same instants.
  clock += 24 * HOUR;
  Object.assign(progressMs, CHOICES.progressMs);
  woken.length = 0;
  logged.length = 0;
}

const panel = () => panelOf(sandbox.panelUrl);

function never(): never {
  throw new Error('not used here');
}

const deps = () =>
  ({
    db,
    budget: createBudget(db, () => ({ limit: 60_000, reply: 0, lead: 0, floor: 0 })),
    gate: createGate(new Map()),
    log: { info() {}, warn: (fields: object) => void logged.push(fields), error: console.error },
    account: (name: string) => ({
      ...{ name, tokens: [{ client, key: 'token', position: 1 }], tokenKey: 'token' },
      ...{ settleSeconds: 60, announce: RULES },
    }),
  }) as unknown as Deps;

const inActivity = <A, R>(work: (input: A) => Promise<R>, input: A, attempt = 1): Promise<R> =>
  new MockActivityEnvironment({ priority: { priorityKey: LANES.poll }, attempt }, { logger }).run(
    work,
    input,
  );

const wake = async (sinks: readonly string[]) => void woken.push(...sinks);
const ledger = () => createDeliveryLedgerActivities(deps(), { wake, now });
const next = (attempt = 1): Promise<DeliveryTurn> =>
  inActivity(ledger().nextDelivery, { account: 'acme' }, attempt);
const look = (run: string, attempt = 1) =>
  inActivity(createDeliveryActivities(deps(), { now }).checkDelivery, { account: 'acme', run }, attempt);

/** What the workflow does, while its clock stands at most at `until`; answers how many looks it took. */
async function watch(until = Number.POSITIVE_INFINITY): Promise<number> {
  for (let looks = 0; ; ) {
    const turn = await next();
    if (turn.look !== null) {
      await look(turn.look.run);
      looks++;
      continue;
    }
    if (turn.nextMs === null) {
      if (until < Number.POSITIVE_INFINITY) clock = Math.max(clock, until);
      return looks;
    }
    if (clock + turn.nextMs > until) {
      clock = until;
      return looks;
    }
    clock += turn.nextMs;
  }
}

let numbers = 0;
const newNumber = () => `14155${String(100_000 + ++numbers)}`;

interface Sent {
  readonly id: string;
  readonly conversation: number;
}

/** Sends, and notes it as the `message` action does. */
async function send(number = newNumber(), over: object = {}): Promise<Sent> {
  const { data } = await client.messages.send({ number, body: 'hello', whatsappId: 1, ...over });
  const [message] = data.messages;
  const conversation = data.ticketId as number;
  const { id, status, ack } = message as { id: string; status: string; ack: number };
  await followMessages(
    db,
    { account: 'acme', event: `event of ${id}`, conversation, messages: [{ id, status, ack }] },
    now(),
  );
  return { id, conversation };
}

/** Statuses that were told of a message, in the order of the outbox; repetitions under one event id once. */
async function told(id: string): Promise<string[]> {
  const rows = await db.query<{ event: unknown }>(
    `select event from outbox where event ->> 'subject' = $1 and type = 'message.status' order by seq`,
    [`id:${id}`],
  );
  const events = rows.map(({ event }) => MessageStatusEvent.parse(event));
  return [...new Set(events.map(({ data }) => data.message.status))];
}

async function entry(id: string): Promise<DeliveryEntry> {
  const [row] = await inActivity(ledger().listDeliveries, { ids: [id], limit: 1 });
  return row as DeliveryEntry;
}

const fault = (over: object) => panel().fault({ method: 'GET', path: '^/v1/', kind: 'status', ...over });

describe('a message that was sent', () => {
  it('is told as delivered and read, with the event that had it sent, for two calls', async () => {
    const { id, conversation } = await send();
    expect(await watch()).toBe(2);
    expect(await told(id)).toEqual(['delivered', 'read']);
    const [row] = await db.query<{ event: object; sink: string; stream: string }>(
      'select sink, stream, event from outbox order by seq limit 1',
    );
    expect(row).toMatchObject({ sink: 'bus', stream: `acme/${conversation}` });
    expect(row?.event).toMatchObject({
      id: `message.status/acme/${conversation}/id:${id}/delivered`,
      data: {
        conversationId: conversation,
        message: { key: `id:${id}`, id, status: 'delivered', previous: 'queued', ack: 3 },
        event: `event of ${id}`,
      },
    });
    expect(woken).toEqual(['bus', 'bus']);
    expect(await entry(id)).toMatchObject({ status: 'read', ack: 4, nextAt: null, endCode: null });
    expect(await next()).toEqual({ nextMs: null, look: null });
  });

  it('that fails is told so', async () => {
    const { id } = await send(NOWHERE);
    expect(await watch()).toBe(1);
    expect(await told(id)).toEqual(['failed']);
  });

  it('that failed at once is told without a call', async () => {
    const messages = [{ id: 'm1', status: 'failed', ack: 5 }];
    await followMessages(db, { account: 'acme', event: 'e', conversation: 7, messages }, now());
    expect(await watch()).toBe(0);
    expect(await told('m1')).toEqual(['failed']);
  });

  it('that nobody ever reads costs six calls in three days; its last status stands', async () => {
    progressMs.read = NEVER;
    const sentAt = clock;
    const { id } = await send();
    expect(await watch()).toBe(6);
    expect(await entry(id)).toMatchObject({ status: 'delivered', endCode: 'DEADLINE', nextAt: null });
    expect(clock - sentAt).toBe(72 * HOUR);
    expect(await told(id)).toEqual(['delivered']);
  });

  it('that never leaves costs eight calls', async () => {
    const { id } = await send(newNumber(), { whatsappId: 2 });
    expect(await watch()).toBe(8);
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: 'DEADLINE' });
    expect(await told(id)).toEqual([]);
  });

  it('that the service does not have yet is looked for until it had the time to show', async () => {
    const { id } = await send();
    const body = { error: 'x', code: 'ERR_MESSAGE_NOT_FOUND' };
    await fault({ path: '/status$', status: 404, body, times: 2 });
    expect(await watch()).toBe(3);
    expect(await entry(id)).toMatchObject({ status: 'read', endCode: null });
  });

  it('that the service does not have is given up', async () => {
    const messages = [{ id: 'gone', status: 'queued', ack: 0 }];
    await followMessages(db, { account: 'acme', event: 'e', conversation: 7, messages }, now());
    expect(await watch()).toBe(3);
    expect(await entry('gone')).toMatchObject({ status: 'queued', endCode: 'NOT_FOUND', nextAt: null });
  });

  it('without a conversation is followed, and told once a page has shown where it is', async () => {
    const { id, conversation } = await send();
    await db.query('update deliveries set conversation_id = null');
    await watch(clock + 10 * SECOND);
    expect(await entry(id)).toMatchObject({ status: 'delivered', conversation: null });
    expect(await told(id)).toEqual([]);
    await noteSeenStatuses(db, 'acme', conversation, [{ messageId: id, status: 'delivered', ack: 3 }], now());
    await watch();
    expect(await told(id)).toEqual(['delivered', 'read']);
  });

  it('whose watch was away for a week gets one last look', async () => {
    const { id } = await send();
    clock += 73 * HOUR;
    expect(await watch()).toBe(1);
    expect(await entry(id)).toMatchObject({ status: 'read' });
    const later = await send();
    clock += 7 * 24 * HOUR;
    expect(await watch()).toBe(0);
    expect(await entry(later.id)).toMatchObject({ status: 'queued', endCode: 'DEADLINE' });
  });

  it.each([
    ['another word than the text has', 'played', 9, 'played'],
    ['an ack that says read beside a status that does not', 'server_ack', 4, 'server_ack'],
  ])('%s is kept as it comes, and ends nothing', async (_case, status, ack, kept) => {
    const { id } = await send();
    await fault({ path: '/status$', status: 200, body: { requestId: 'r', status, ack }, times: 1 });
    await watch(clock + 6 * SECOND);
    expect(await entry(id)).toMatchObject({ status: kept, ack });
    expect((await entry(id)).nextAt).not.toBeNull();
    await watch();
    expect(await told(id)).toEqual([kept, 'read']);
  });
});

describe('a look that fails', () => {
  it('FAULTS 12: a refusal of the account says so, and leaves everything as it was', async () => {
    const { id } = await send();
    clock += 10 * SECOND;
    const turn = await next();
    for (const [status, code] of [
      [401, 'ERR_TOKEN_REVOKED'],
      [403, 'ERR_SCOPE_MISSING'],
      [404, undefined],
    ] as const) {
      await panel().clearFaults();
      await fault({ status, body: { error: 'x', ...(code && { code }) } });
      const failed = await look(turn.look?.run as string).catch((error: unknown) => error);
      expect(failed).toMatchObject({ nonRetryable: true, type: code ?? 'HTTP_404' });
    }
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: null });
    await panel().clearFaults();
    await watch();
    expect(await told(id)).toEqual(['delivered', 'read']);
  });

  it('FAULTS 5: a 500 is tried again, and after five attempts others get their turn', async () => {
    const { id } = await send();
    clock += 10 * SECOND;
    const { look: due } = await next();
    await fault({ status: 500, body: { error: 'oops' } });
    const failed = await look(due?.run as string, 4).catch((error: unknown) => error);
    expect(failed).toMatchObject({ nonRetryable: false, type: 'HTTP_500' });
    await look(due?.run as string, 5);
    expect(await next()).toMatchObject({ look: null, nextMs: 20 * SECOND });
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: null });
  });

  it.each([
    ['a page', { kind: 'html' }],
    ['an answer without a status', { kind: 'status', status: 200, body: { requestId: 'r', ack: 4 } }],
  ])('FAULTS 6: %s says nothing of the message', async (_case, over) => {
    const { id } = await send();
    clock += 10 * SECOND;
    const { look: due } = await next();
    await fault({ ...over, times: 1 });
    await look(due?.run as string, 5);
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: null });
    await watch();
    expect(await told(id)).toEqual(['read']);
  });

  it('a refusal of this message alone ends it with its code', async () => {
    const { id } = await send();
    await fault({ path: '/status$', status: 422, body: { error: 'x', code: 'ERR_OTHER' }, times: 1 });
    await watch();
    expect(await entry(id)).toMatchObject({ status: 'queued', endCode: 'ERR_OTHER' });
  });

  it('sinks that an attempt told and did not wake are woken by the next one', async () => {
    await next(2);
    expect(woken).toEqual(['bus']);
  });
});

describe('several messages of one conversation', () => {
  const paths = async (since: number) =>
    (await panel().requests(since)).map(({ path }) => path.replace(/[^/]+\/status$/, ':id/status'));
  const seqNow = async () => (await panel().requests(0)).at(-1)?.seq ?? 0;

  it('are looked at together, for one call', async () => {
    const number = newNumber();
    const sent = [await send(number), await send(number), await send(number)];
    const { conversation } = sent[0] as Sent;
    const since = await seqNow();
    expect(await watch()).toBe(2);
    expect(new Set(await paths(since))).toEqual(new Set([`/v1/conversations/${conversation}/messages`]));
    for (const { id } of sent) expect(await told(id)).toEqual(['delivered', 'read']);
  });

  it.each([
    [
      'its items show no status',
      (items: Record<string, unknown>[]) => items.map(({ status: _, ...item }) => item),
    ],
    ['they are not among the newest', () => []],
  ])('are asked for one by one when %s', async (_case, change) => {
    const number = newNumber();
    const sent = [await send(number), await send(number)];
    const { conversation } = sent[0] as Sent;
    clock += 61 * SECOND;
    const { data } = await client.conversations.messages(conversation, { pageSize: 200 });
    const messages = change(data.items.map(({ raw }) => ({ ...raw })));
    const body = { requestId: 'r', count: 900, hasMore: true, messages };
    await fault({ path: '/messages$', status: 200, body });
    const since = await seqNow();
    expect(await watch()).toBe(3);
    expect(await paths(since)).toEqual([
      `/v1/conversations/${conversation}/messages`,
      '/v1/messages/:id/status',
      '/v1/messages/:id/status',
    ]);
    for (const { id } of sent) expect(await told(id)).toEqual(['read']);
  });

  it('are asked for one by one when the conversation is gone', async () => {
    const number = newNumber();
    await send(number);
    const { id } = await send(number);
    await fault({ path: '/messages$', status: 404, body: { error: 'x', code: 'ERR_NO_TICKET_FOUND' } });
    await watch();
    expect(await told(id)).toEqual(['delivered', 'read']);
  });

  // A hundred such messages: 21, 110 and 200 calls.
  it.each([
    [1, 10],
    [4, 30],
    [20, 40],
  ])(
    '20 messages in %s conversations, one every half second, all read, cost at most %s calls',
    async (count, most) => {
      const those = Array.from({ length: count }, newNumber);
      let looks = 0;
      for (let n = 0; n < 20; n++) {
        await send(those[n % count]);
        looks += await watch(clock + 500);
      }
      looks += await watch();
      const left = await db.query(`select 1 from deliveries where status <> 'read'`);
      expect(left).toEqual([]);
      expect(looks).toBeLessThanOrEqual(most);
    },
  );
});

/** What the poller does with a page of one conversation. */
async function poll(conversation: number, page?: Awaited<ReturnType<typeof pageOf>>): Promise<void> {
  const items = page ?? (await pageOf(conversation));
  await db.transaction(async (tx) => {
    const seen = items.map(({ id: messageId, status, ack }) => ({ messageId, status, ack }));
    const events = await noteSeenStatuses(tx, 'acme', conversation, seen, now());
    for (const { id, status, ack } of items) {
      const key = `id:${id}`;
      const [known] = await tx.query<{ status: string }>(
        `select status from messages where account = 'acme' and conversation_id = $1 and key = $2 for update`,
        [conversation, key],
      );
      if (known === undefined) {
        await tx.query(
          `insert into messages (account, conversation_id, key, status) values ('acme', $1, $2, $3)`,
          [conversation, key, status],
        );
        continue;
      }
      if (!movesOn(known.status, status)) continue;
      await tx.query(
        `update messages set status = $3 where account = 'acme' and conversation_id = $1 and key = $2`,
        [conversation, key, status],
      );
      const event = {
        ...({ specversion: '1.0', type: 'message.status', datacontenttype: 'application/json' } as const),
        id: `message.status/acme/${conversation}/${key}/${status}`,
        source: `/sluice/accounts/acme/conversations/${conversation}`,
        time: now().toISOString(),
        partitionkey: `acme/${conversation}`,
        subject: key,
        data: {
          account: 'acme',
          conversationId: conversation,
          message: { key, id, status, previous: known.status, ack },
          event: events.get(id) ?? null,
        },
      };
      await putOutbox(tx, 'acme', RULES, [{ event, connection: null }]);
    }
  });
}

async function pageOf(conversation: number) {
  const { data } = await client.conversations.messages(conversation, { pageSize: 200 });
  return data.items.map(({ id, raw }) => ({
    ...{ id: id as string, status: raw['status'] as string, ack: raw['ack'] as number },
  }));
}

describe('beside a poller', () => {
  const step = fc.oneof(
    fc.record({ op: fc.constant('send' as const), fate: fc.nat(5) }),
    { weight: 3, arbitrary: fc.record({ op: fc.constant('poll' as const) }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('old page' as const), which: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('turn' as const) }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('look' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({ op: fc.constant('pass' as const), ms: fc.constantFrom(700, 2500, 30_000) }),
    },
  );

  it('whatever order it and the looks fall in, every message is told on to its end, forward, for at most eight calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        for (const table of ['deliveries', 'messages', 'outbox']) await db.query(`delete from ${table}`);
        const number = newNumber();
        const sent = [await send(number)];
        const { conversation } = sent[0] as Sent;
        const pages: Awaited<ReturnType<typeof pageOf>>[] = [];
        let run = '';
        for (const each of steps) {
          // Fate 0: over a connection that is down, so in a conversation of its own.
          if (each.op === 'send') sent.push(await send(number, { whatsappId: each.fate === 0 ? 2 : 1 }));
          else if (each.op === 'poll') {
            pages.push(await pageOf(conversation));
            await poll(conversation, pages.at(-1));
          }
          // Written down once more, or by another poller who read it then.
          else if (each.op === 'old page' && pages.length > 0)
            await poll(conversation, pages[each.which % pages.length]);
          else if (each.op === 'turn') run = (await next()).look?.run ?? run;
          else if (each.op === 'look' && run !== '') await look(run);
          else if (each.op === 'pass') clock += each.ms;
        }
        await watch();
        const order = ['queued', 'sent', 'server_ack', 'delivered', 'read'];
        for (const { id } of sent) {
          const row = await entry(id);
          expect(row.nextAt).toBeNull();
          const words = await told(id);
          expect(words).toEqual(words.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
          expect(words.at(-1) ?? 'queued').toBe(row.status);
          expect(row.status === 'read' || row.endCode === 'DEADLINE').toBe(true);
          const [{ checks } = { checks: 99 }] = await db.query<{ checks: number }>(
            'select checks from deliveries where message_id = $1',
            [id],
          );
          expect(checks).toBeLessThanOrEqual(8);
        }
      }),
      { numRuns: 10 },
    );
  }, 60_000);

  it('a poller that sees every change spares all looks but the first ones', async () => {
    const sent = await send();
    let looks = 0;
    for (let n = 0; n < 20; n++) {
      looks += await watch(clock + 2 * SECOND);
      await poll(sent.conversation);
    }
    looks += await watch();
    expect(looks).toBe(0);
    expect(await told(sent.id)).toContain('read');
  });
});

describe('an event that has sent messages', () => {
  async function close(id: string, wakeIt: (account: string) => Promise<void>) {
    return await createIntakeActivities(deps(), { wake: wakeIt }).closeEvent({ event: id });
  }

  async function event(id: string) {
    const run = await openIntakeRun(db, { account: 'acme', sync: '@route' });
    const request = {
      ...({ type: 'message', to: { conversation: 5 }, text: 'hi', saveOnTicket: true } as const),
    };
    await addEvents(db, run, [{ account: 'acme', route: 'route', id, subject: id, rank: null, request }]);
    await db.query(`update events set state = 'ended', outcome = 'done' where id = $1`, [id]);
  }

  it('has them followed when it is closed, and again until that is heard', async () => {
    await event('e1');
    const messages = [{ id: 'm1', status: 'queued', ack: 0 }];
    await followMessages(db, { account: 'acme', event: 'e1', conversation: 5, messages }, now());
    const heard: string[] = [];
    await expect(close('e1', () => Promise.reject(new Error('the engine is away')))).rejects.toThrow(/away/);
    await close('e1', async (name) => void heard.push(name));
    expect(heard).toEqual(['acme']);
    await noteSeenStatuses(db, 'acme', 5, [{ messageId: 'm1', status: 'read', ack: 4 }], now());
    await db.query('update deliveries set next_at = null');
    await close('e1', async (name) => void heard.push(name));
    expect(heard).toEqual(['acme']);
  });

  it('wakes nobody when it has sent none', async () => {
    await event('e2');
    await close('e2', never);
  });
});
