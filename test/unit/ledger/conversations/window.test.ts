// What is said of the 24-hour window, and when nothing is: a wrong "closed" keeps a message back, a wrong "open" loses it.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type WindowQuestion, windowOf } from '../../../../src/ledger/conversations/window.ts';
import type { Database } from '../../../../src/ledger/database.ts';
import { emptyLedger, testLedger } from '../../../support/postgres/ledger.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const KEY = '5511987654321';
const HOUR = 3600;
const DAY = 24 * HOUR;
/** So many seconds ago. */
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);
const OPEN_UNTIL = (inbound: number) => ({ state: 'open', until: ago(inbound - DAY + 60) });
const CLOSED_SINCE = (inbound: number) => ({ state: 'closed', since: ago(inbound - DAY + 60) });
const NEVER = { state: 'closed', since: null };
const NO_RULE = { state: 'open', until: null };
const unknown = (why: RegExp, unread = false) => ({
  state: 'unknown',
  why: expect.stringMatching(why),
  unread,
});

let db: Database;
beforeAll(async () => {
  db = await testLedger();
});
beforeEach(() => emptyLedger(db));

interface Talk {
  readonly id?: number;
  readonly poller?: string;
  readonly connection?: number;
  readonly channel?: string;
  readonly name?: string;
  readonly key?: string;
  readonly account?: string;
  readonly status?: string;
  /** Seconds ago. */
  readonly updated?: number;
  readonly inbound?: number | null;
  readonly todo?: boolean;
  readonly reading?: boolean;
}
interface Poll {
  readonly name?: string;
  readonly complete?: number | null;
  readonly since?: number | null;
  readonly history?: boolean;
}
interface Gap {
  readonly code?: string;
  readonly conversation?: number;
  readonly poller?: string;
  readonly before?: number | null;
  readonly last?: number;
  /** Something is there that could not be read. */
  readonly assumed?: string;
}
interface Message {
  readonly staged?: boolean;
  readonly fromMe: boolean | null;
  readonly at: number | null;
}
interface World {
  readonly talks?: readonly Talk[];
  readonly polls?: readonly Poll[];
  readonly gaps?: readonly Gap[];
  readonly messages?: readonly Message[];
  readonly scopes?: Readonly<Record<string, number | 'all'>>;
}

async function build({ talks = [{}], polls = [{}], gaps = [], messages = [] }: World): Promise<void> {
  for (const { name = 'main', complete = 20, since = 5 * DAY, history = false } of polls)
    await db.query(
      'insert into pollers (account, poller, run_id, complete_at, since, history) values ($1, $2, $3, $4, $5, $6)',
      [
        'acme',
        name,
        'r',
        complete === null ? null : ago(complete),
        since === null ? null : ago(since),
        history ? '{}' : null,
      ],
    );
  for (const [index, talk] of talks.entries()) {
    const { id = index + 1, connection = 2, channel = 'waba', inbound = 2 * DAY } = talk;
    const { name = `line ${connection}`, status = 'open' } = talk;
    await db.query(
      `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, inbound_at,
         covered_at, todo_at, reading) values ($1, $2, $3, $4, $5, $6, $7, '', $8, $9, $7, $10, $11)`,
      [
        talk.account ?? 'acme',
        id,
        talk.poller ?? 'main',
        connection,
        channel,
        talk.key ?? KEY,
        ago(talk.updated ?? HOUR),
        JSON.stringify({
          state: { id, status, connection: { id: connection, name, channel } },
          lastMessage: null,
        }),
        inbound === null ? null : ago(inbound),
        talk.todo ? ago(5) : null,
        talk.reading ? '{}' : null,
      ],
    );
  }
  for (const {
    code = 'LIST_GAP',
    conversation = 0,
    poller = 'main',
    before = HOUR,
    last = HOUR,
    assumed = null,
  } of gaps)
    await db.query(
      `insert into poll_gaps (account, poller, conversation_id, code, reason, before, last_at, assumed)
       values ('acme', $1, $2, $5, 'r', $3, $4, $6)`,
      [poller, conversation, before === null ? null : ago(before), ago(last), code, assumed],
    );
  for (const [index, { fromMe, at, staged = false }] of messages.entries())
    await db.query(
      `insert into messages (account, conversation_id, key, at, from_me, item) values ('acme', 1, $1, $2, $3, $4)`,
      [`k${index}`, at === null ? null : ago(at), fromMe, staged ? '{}' : null],
    );
}

const ask = (over: Partial<WindowQuestion> = {}, { scopes = { main: 'all' } }: World = {}) =>
  windowOf(db, {
    account: 'acme',
    to: { conversation: 1 },
    now: NOW,
    scopeOf: (poller) => scopes[poller] ?? null,
    ...over,
  });

describe('a conversation', () => {
  const cases: [string, World, object][] = [
    ['in which the contact wrote an hour ago', { talks: [{ inbound: HOUR }] }, OPEN_UNTIL(HOUR)],
    ['61 s before its end', { talks: [{ inbound: DAY - 61 }] }, OPEN_UNTIL(DAY - 61)],
    [
      '60 s before its end: what is sent now may come too late',
      { talks: [{ inbound: DAY - 60 }] },
      CLOSED_SINCE(DAY - 60),
    ],
    ['24 hours after', { talks: [{ inbound: DAY }] }, CLOSED_SINCE(DAY)],
    ['two days after', {}, CLOSED_SINCE(2 * DAY)],
    ['whose message lies ahead by a minute, as clocks do', { talks: [{ inbound: -60 }] }, OPEN_UNTIL(-60)],
    ['whose message lies in the next year', { talks: [{ inbound: -365 * DAY }] }, unknown(/future/)],
    ['of another channel', { talks: [{ channel: 'whatsapp' }] }, NO_RULE],
    [
      'of another channel, with nobody looking',
      { talks: [{ channel: 'instagram', inbound: null }], polls: [] },
      NO_RULE,
    ],
    ['that was never seen', { talks: [] }, unknown(/imported/)],
    ['that only another account has', { talks: [{ account: 'other', inbound: HOUR }] }, unknown(/imported/)],
    // Open is proved by one message, however old the knowledge.
    ['open, and the poller gone', { talks: [{ inbound: HOUR }], polls: [] }, OPEN_UNTIL(HOUR)],
    ['open, with messages still to be read', { talks: [{ inbound: HOUR, todo: true }] }, OPEN_UNTIL(HOUR)],
    ['open, with a gap', { talks: [{ inbound: HOUR }], gaps: [{}, { conversation: 1 }] }, OPEN_UNTIL(HOUR)],
    // Closed is not.
    ['and the last poll 300 s ago', { polls: [{ complete: 300 }] }, CLOSED_SINCE(2 * DAY)],
    ['and the last poll 301 s ago', { polls: [{ complete: 301 }] }, unknown(/5 minutes/)],
    ['and no poll complete yet', { polls: [{ complete: null }] }, unknown(/5 minutes/)],
    ['and no poller', { polls: [] }, unknown(/no poller/)],
    ['and the poller not configured any more', { scopes: {} }, unknown(/no poller/)],
    ['and the poller of this connection', { scopes: { main: 2 } }, CLOSED_SINCE(2 * DAY)],
    ['and the poller now of another connection', { scopes: { main: 3 } }, unknown(/no poller/)],
    [
      'and another poller that looks elsewhere',
      { polls: [{ complete: 301 }, { name: 'two' }], scopes: { main: 2, two: 3 } },
      unknown(/5 minutes/),
    ],
    [
      'and the poller under a new name',
      { polls: [{ name: 'new' }], scopes: { new: 'all' } },
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'and the poller under a new name since an hour',
      { polls: [{ name: 'new', since: HOUR }], scopes: { new: 'all' } },
      unknown(/no poller/),
    ],
    ['and messages to be read', { talks: [{ todo: true }] }, unknown(/to be read/)],
    ['and older pages to be read', { talks: [{ reading: true }] }, unknown(/to be read/)],
    ['and a gap in the list an hour ago', { gaps: [{}] }, unknown(/gap/)],
    ['and a gap in the list whose end is not known', { gaps: [{ before: null }] }, unknown(/gap/)],
    ['and a gap in the list of yesterday', { gaps: [{ before: DAY + 1 }] }, CLOSED_SINCE(2 * DAY)],
    ['and a gap of another poller', { gaps: [{ poller: 'two' }] }, CLOSED_SINCE(2 * DAY)],
    ['and a gap in it', { gaps: [{ conversation: 1 }] }, unknown(/missing/)],
    ['and a gap in another one', { gaps: [{ conversation: 2 }] }, CLOSED_SINCE(2 * DAY)],
    [
      'and a message without a known author',
      { messages: [{ fromMe: null, at: HOUR }] },
      unknown(/its author/),
    ],
    ['and a message of nobody knows when', { messages: [{ fromMe: false, at: null }] }, unknown(/its time/)],
    [
      'and a message of nobody knows anything',
      { messages: [{ fromMe: null, at: null }] },
      unknown(/its time/),
    ],
    ['and such a message of last week', { messages: [{ fromMe: null, at: 7 * DAY }] }, CLOSED_SINCE(2 * DAY)],
    [
      'and messages of our own',
      {
        messages: [
          { fromMe: true, at: HOUR },
          { fromMe: true, at: null },
        ],
      },
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'and messages that another reading has left behind',
      { messages: [{ fromMe: null, at: null, staged: true }] },
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'and a message that could not be read a week ago',
      { gaps: [{ conversation: 1, assumed: 'others', before: 8 * DAY, last: 7 * DAY }] },
      unknown(/may be missing/, true),
    ],
    [
      'and a gap of another conversation',
      { gaps: [{ conversation: 7, assumed: 'others' }] },
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'and behind many of our own one of the contact',
      {
        messages: [
          { fromMe: false, at: HOUR },
          { fromMe: true, at: 10 },
        ],
      },
      OPEN_UNTIL(HOUR),
    ],
    // A contact who never wrote.
    ['without any message of the contact', { talks: [{ inbound: null }] }, NEVER],
    [
      'without one, as far as five hours back',
      { talks: [{ inbound: null }], polls: [{ since: 5 * HOUR }] },
      unknown(/24 hours/),
    ],
    ['without one, where all was read', { talks: [{ inbound: null }], polls: [{ since: null }] }, NEVER],
    [
      'without one, and history still to be read',
      { talks: [{ inbound: null }], polls: [{ history: true }] },
      unknown(/24 hours/),
    ],
    [
      'without one, and quiet for longer',
      { talks: [{ inbound: null, updated: DAY }], polls: [{ since: HOUR, history: true }] },
      NEVER,
    ],
    [
      'with one, as far as five hours back',
      { polls: [{ since: 5 * HOUR, history: true }] },
      CLOSED_SINCE(2 * DAY),
    ],
  ];
  it.each(cases)('%s', async (_, world, expected) => {
    await build(world);
    expect(await ask({}, world)).toEqual(expected);
  });
});

describe('a person', () => {
  const waba = (over: Talk = {}): Talk => over;
  const stranger = { key: '5511900000000' };
  const cases: [string, World, WindowQuestion['connection'], object][] = [
    ['on a connection by id', { talks: [waba({ inbound: HOUR })] }, 2, OPEN_UNTIL(HOUR)],
    ['on a connection by name', { talks: [waba({ inbound: HOUR })] }, 'line 2', OPEN_UNTIL(HOUR)],
    ['on the only one there is', { talks: [waba({ inbound: HOUR })] }, undefined, OPEN_UNTIL(HOUR)],
    [
      'who wrote on another connection',
      { talks: [{}, { inbound: HOUR, connection: 3 }] },
      2,
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'on one that the ledger has not seen',
      { talks: [waba({ inbound: HOUR })] },
      9,
      unknown(/no conversation/),
    ],
    [
      'on a name that the ledger has not seen',
      { talks: [waba({ inbound: HOUR })] },
      'line',
      unknown(/no conversation/),
    ],
    ['on one of another channel', { talks: [{ channel: 'whatsapp' }] }, 2, NO_RULE],
    ['in an account without conversations', { talks: [] }, undefined, unknown(/no conversation/)],
    [
      'who has two conversations',
      { talks: [{ inbound: 3 * DAY, status: 'closed' }, { inbound: HOUR }] },
      2,
      OPEN_UNTIL(HOUR),
    ],
    [
      'who wrote in one that is closed now',
      { talks: [{ inbound: HOUR, status: 'closed' }, {}] },
      2,
      unknown(/may start another/),
    ],
    [
      'who wrote in neither',
      { talks: [{ inbound: 3 * DAY, status: 'closed' }, {}] },
      2,
      CLOSED_SINCE(2 * DAY),
    ],
    ['with one of them to be read', { talks: [{ todo: true }, {}] }, 2, unknown(/to be read/)],
    ['with a gap in one of them', { talks: [{}, {}], gaps: [{ conversation: 2 }] }, 2, unknown(/missing/)],
    [
      'who may have conversations that were not imported',
      { polls: [{ since: HOUR }] },
      2,
      unknown(/24 hours/),
    ],
    ['who has none', { talks: [stranger] }, 2, NEVER],
    ['who has none, as far as 24 hours back', { talks: [stranger], polls: [{ since: DAY }] }, 2, NEVER],
    [
      'who has none, as far as five hours back',
      { talks: [stranger], polls: [{ since: 5 * HOUR }] },
      2,
      unknown(/24 hours/),
    ],
    ['who has none, where all was read', { talks: [stranger], polls: [{ since: null }] }, 2, NEVER],
    [
      'who has none, and history still to be read',
      { talks: [stranger], polls: [{ since: null, history: true }] },
      2,
      unknown(/24 hours/),
    ],
    ['who has none, and a gap', { talks: [stranger], gaps: [{}] }, 2, unknown(/gap/)],
    [
      'who has none, and nobody checks',
      { talks: [stranger], polls: [{ complete: 301 }] },
      2,
      unknown(/5 minutes/),
    ],
    [
      'who has none, and the poller looks elsewhere',
      { talks: [stranger], scopes: { main: 3 } },
      2,
      unknown(/no poller/),
    ],
    ['who has none on that connection', { talks: [{ connection: 3, inbound: HOUR }, stranger] }, 2, NEVER],
    // Where the service chooses the connection.
    [
      'where one of two is whatsapp',
      { talks: [waba(), { ...stranger, connection: 3, channel: 'whatsapp' }] },
      undefined,
      unknown(/not all/),
    ],
    [
      'where one of two sends nothing',
      { talks: [waba(), { ...stranger, connection: 3, channel: 'facebook' }] },
      undefined,
      CLOSED_SINCE(2 * DAY),
    ],
    ['where the poller has one of them only', { scopes: { main: 2 } }, undefined, unknown(/no poller/)],
    [
      'open on both',
      { talks: [{ inbound: HOUR }, { inbound: 2 * HOUR, connection: 3 }] },
      undefined,
      OPEN_UNTIL(2 * HOUR),
    ],
    ['open on one', { talks: [{ inbound: HOUR }, { connection: 3 }] }, undefined, unknown(/chooses/)],
    [
      'open on one, nothing on the other',
      { talks: [{ inbound: HOUR }, { ...stranger, connection: 3 }] },
      undefined,
      unknown(/chooses/),
    ],
    [
      'closed on both',
      { talks: [{}, { inbound: 3 * DAY, connection: 3 }] },
      undefined,
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'closed on one, never on the other',
      { talks: [{}, { ...stranger, connection: 3 }] },
      undefined,
      CLOSED_SINCE(2 * DAY),
    ],
  ];
  it.each(cases)('%s', async (_, world, connection, expected) => {
    await build(world);
    expect(await ask({ to: { key: KEY }, connection }, world)).toEqual(expected);
  });

  it('is read in one statement, even with many connections whose names change', async () => {
    const talks = Array.from({ length: 30 }, (_, n) => ({ ...stranger, connection: n + 1, updated: n }));
    await build({ talks: [...talks, { ...stranger, connection: 5, name: 'renamed', updated: 0 }] });
    const statements: string[] = [];
    const counting = {
      query: (sql: string, params?: readonly unknown[]) => {
        statements.push(sql);
        return db.query(sql, params) as never;
      },
    };
    const about = (connection: string) =>
      windowOf(counting, { account: 'acme', to: { key: KEY }, connection, scopeOf: () => 'all', now: NOW });
    expect(await about('renamed')).toEqual(NEVER);
    expect(await about('line 5')).toEqual(unknown(/no conversation/));
    expect(await about('line 30')).toEqual(NEVER);
    expect(statements).toHaveLength(3);
  });
});
