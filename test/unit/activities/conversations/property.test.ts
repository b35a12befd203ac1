// Whatever arrives while a poller polls, reads and is killed: each message is published once, in order, and none is missed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import type { ConversationEvent } from '../../../../src/jobs/conversations/contract/events.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/server.ts';
import { panelOf } from '../../../support/panel.ts';
import { emptyLedger, testLedger } from '../../../support/postgres/ledger.ts';
import { propertyRuns } from '../../../support/runner/property-runs.ts';
import { type Cut, type Hand, Killed, openHand } from './support.ts';

/** A longer search: `POLLING_RUNS=5000 npx vitest run test/unit/activities/conversations/property.test.ts`. */
const RUNS = Number(process.env['POLLING_RUNS'] ?? propertyRuns(150));
const PEOPLE = 9;
const START = Date.parse('2026-11-20T10:00:00.000Z');

interface Message {
  readonly id: string;
  readonly body: string;
  readonly fromMe: boolean;
  readonly at: string;
}
interface Chat {
  readonly id: number;
  readonly connectionId: number;
  readonly status: string;
  readonly messages: readonly Message[];
}

type Command =
  | { readonly do: 'inbound'; readonly person: number; readonly body: string }
  | { readonly do: 'reply' | 'vanish'; readonly chat: number }
  | { readonly do: 'change'; readonly chat: number; readonly status: string }
  | { readonly do: 'tick'; readonly ms: number }
  | { readonly do: 'page' | 'history'; readonly cut: Cut }
  | { readonly do: 'read'; readonly chat: number; readonly cut: Cut };

const cut = fc.constantFrom<Cut>('none', 'none', 'none', 'lost', 'after');
const nth = fc.nat({ max: 40 });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('inbound' as const),
      person: fc.nat({ max: PEOPLE - 1 }),
      body: fc.constantFrom('ok', 'ok', 'hi', 'done'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reply' as const), chat: nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('vanish' as const), chat: nth }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      chat: nth,
      status: fc.constantFrom('open', 'pending', 'closed'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('tick' as const), ms: fc.constantFrom(1, 1, 700, 2500, 20_000) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('page' as const, 'history' as const), cut }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('read' as const), chat: nth, cut }) },
);

const scenario = fc.record({
  before: fc.array(command, { maxLength: 25 }),
  commands: fc.array(command, { minLength: 10, maxLength: 60 }),
  since: fc.constantFrom<'all' | 'now' | 'middle'>('all', 'now', 'middle'),
  pageSize: fc.integer({ min: 1, max: 40 }),
  messagePageSize: fc.constantFrom(1, 2, 3, 5, 200),
  withIds: fc.boolean(),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

let db: Database;
let dir: string;
let sandbox: Sandbox;
let pool: Pool;
let ms = START;
let runs = 0;

beforeAll(async () => {
  db = await testLedger();
  dir = await mkdtemp(join(tmpdir(), 'sluice-polling-'));
  const accounts = Array.from({ length: RUNS + 5 }, (_, n) => ({
    id: `a${n}`,
    tokens: [{ value: `svc_test_${n}` }],
    connections: [
      { id: 2 * n + 1, name: 'main', channel: 'whatsapp' },
      { id: 2 * n + 2, name: 'other', channel: 'whatsapp' },
    ],
  }));
  sandbox = await startSandbox({
    port: 0,
    dataDir: dir,
    fixture: { accounts },
    rate: 0,
    now: () => new Date(ms),
  });
  pool = new Pool(new URL(sandbox.baseUrl).origin, { connections: 4 });
});
afterAll(async () => {
  await pool.close();
  await sandbox.close();
  await rm(dir, { recursive: true, force: true });
});

/** One account of the service, as the world changes it. */
function world(n: number) {
  const panel = panelOf(sandbox.panelUrl);
  const id = `a${n}`;
  const [main, other] = [2 * n + 1, 2 * n + 2];
  const chats = async () => {
    const { conversations } = (await panel.account(id)) as unknown as { conversations: Chat[] };
    return conversations;
  };
  const some = async (nth: number) => {
    const mine = (await chats()).filter(({ connectionId }) => connectionId === main);
    return mine[nth % mine.length];
  };
  const inbound = async (person: number, body: string) => {
    const number = `55119876500${String(person).padStart(2, '0')}`;
    await pool
      .request({
        method: 'POST',
        path: `/panel/accounts/${id}/inbound`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ number, body, connectionId: main }),
      })
      .then(({ body: answer }) => answer.dump());
  };
  const patch = (chat: number, over: object) => panel.patch({ conversations: [{ id: chat, ...over }] }, id);
  return {
    id,
    main,
    other,
    chats,
    async command(command: Command, hand: Hand): Promise<void> {
      if (command.do === 'tick') ms += command.ms;
      if (command.do === 'inbound') await inbound(command.person, command.body);
      if (command.do === 'reply' || command.do === 'change' || command.do === 'vanish') {
        const chat = await some(command.chat);
        if (chat === undefined) return;
        if (command.do === 'reply') await hand.client.conversations.reply(chat.id, { body: 'ok' });
        if (command.do === 'change') await patch(chat.id, { status: command.status });
        if (command.do === 'vanish') await patch(chat.id, { connectionId: other });
      }
      try {
        if (command.do === 'page') await hand.page(command.cut);
        if (command.do === 'history') await hand.history(command.cut);
        if (command.do === 'read') {
          const todo = await hand.todo();
          if (todo.length === 0) return;
          ms += 1;
          await hand.read(todo[command.chat % todo.length] as number, command.cut);
        }
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
    },
  };
}

const isMessage = (event: ConversationEvent) =>
  event.type === 'message.received' || event.type === 'message.sent';

async function play(scene: Scenario): Promise<void> {
  const n = runs++;
  ms = START + n * 86_400_000;
  const place = world(n);
  await emptyLedger(db);
  const open = (since: Date | null | 'now') =>
    openHand({
      db,
      since,
      account: place.id,
      settleSeconds: 0,
      client: {
        baseUrl: sandbox.baseUrl,
        token: `svc_test_${n}`,
        dispatcher: pool,
        ...(scene.withIds ? {} : { assumptions: { 'message.idField': 'nothingSuch' } }),
      },
      config: { pageSize: scene.pageSize, connection: place.main },
      polling: { messagePageSize: scene.messagePageSize, keep: 2 * scene.messagePageSize + 3 },
    });
  const writer = await open(null);
  await db.query('delete from pollers');
  const half = scene.before.length >> 1;
  let middle = ms;
  for (const [i, step] of scene.before.entries()) {
    if (i === half) middle = ms;
    if (!['page', 'history', 'read'].includes(step.do)) await place.command(step, writer);
  }
  const from = { all: null, now: 'now' as const, middle: new Date(middle) }[scene.since];
  const hand = await open(from);
  for (const step of scene.commands) await place.command(step, hand);
  ms += 1;
  await hand.settle(() => {
    ms += 1;
  });

  const since = ((await hand.poller())['since'] as Date | null)?.getTime() ?? null;
  expect(await hand.gaps()).toEqual([]);
  const published = await hand.published();
  expect(new Set(published.map(({ id }) => id)).size, 'an event was published twice').toBe(published.length);
  for (const chat of await place.chats()) {
    const events = published.filter(({ partitionkey }) => partitionkey === `${place.id}/${chat.id}`);
    const due = chat.messages.filter(({ at }) => since === null || Date.parse(at) >= since);
    const got = events.filter(isMessage).map((event) => {
      const { id, body, fromMe, at } = (event.data as { message: Message }).message;
      return scene.withIds ? id : `${at} ${fromMe} ${body}`;
    });
    const wanted = due.map(({ id, body, fromMe, at }) => (scene.withIds ? id : `${at} ${fromMe} ${body}`));
    if (chat.connectionId === place.main) {
      // Without ids, what happened in one instant has no order that could be published.
      if (scene.withIds) expect(got, `chat ${chat.id}`).toEqual(wanted);
      else {
        expect([...got].sort(), `chat ${chat.id}`).toEqual([...wanted].sort());
        const times = got.map((text) => (text as string).slice(0, 24));
        expect(times).toEqual([...times].sort());
      }
      const last = events.findLast(({ type }) => type.startsWith('conversation.'));
      const status = (last?.data as { conversation: { status: string } } | undefined)?.conversation.status;
      // What was there before the beginning, and did not change, is not published.
      if (since === null ? wanted.length > 0 : last !== undefined) expect(status).toBe(chat.status);
    } else {
      // It left the list, perhaps before anything of it was seen.
      const inOrder = wanted.filter((id) => got.includes(id));
      if (scene.withIds) expect(got).toEqual(inOrder);
    }
    const first = events.findIndex(isMessage);
    const opened = events.findIndex(({ type }) => type === 'conversation.opened');
    if (since === null && events.length > 0) expect(opened).toBe(0);
    expect(opened === -1 || first === -1 || opened < first || events[0]?.type !== 'conversation.opened').toBe(
      true,
    );
  }
  await hand.close();
  await writer.close();
}

describe('with any messages, in any order, with any number of worker crashes', () => {
  it('each message is published once, in order, and none is missed', async () => {
    await fc.assert(fc.asyncProperty(scenario, play), { numRuns: RUNS, endOnFailure: true });
  });
});
