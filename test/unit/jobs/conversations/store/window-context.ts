// What tests of the 24-hour window share: conversations, pollers, gaps and messages as the ledger has them.
import { beforeAll, beforeEach, expect } from 'vitest';
import type { Database } from '../../../../../src/core/sql/database.ts';
import { type WindowQuestion, windowOf } from '../../../../../src/jobs/conversations/store/window.ts';
import { emptyLedger, testLedger } from '../../../../support/postgres/ledger.ts';

export const NOW = new Date('2026-11-20T12:00:00.000Z');
export const KEY = '5511987654321';
export const HOUR = 3600;
export const DAY = 24 * HOUR;
/** So many seconds ago. */
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);
export const OPEN_UNTIL = (inbound: number) => ({ state: 'open', until: ago(inbound - DAY + 60) });
export const CLOSED_SINCE = (inbound: number) => ({ state: 'closed', since: ago(inbound - DAY + 60) });
export const NEVER = { state: 'closed', since: null };
export const NO_RULE = { state: 'open', until: null };
export const unknown = (why: RegExp, unread = false) => ({
  state: 'unknown',
  why: expect.stringMatching(why),
  unread,
});

export interface Talk {
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
export interface Poll {
  readonly name?: string;
  readonly complete?: number | null;
  readonly since?: number | null;
  readonly history?: boolean;
}
export interface Gap {
  readonly code?: string;
  readonly conversation?: number;
  readonly poller?: string;
  readonly before?: number | null;
  readonly last?: number;
  /** Something is there that could not be read. */
  readonly assumed?: string;
}
export interface Message {
  readonly staged?: boolean;
  readonly fromMe: boolean | null;
  readonly at: number | null;
}
export interface World {
  readonly talks?: readonly Talk[];
  readonly polls?: readonly Poll[];
  readonly gaps?: readonly Gap[];
  readonly messages?: readonly Message[];
  readonly scopes?: Readonly<Record<string, number | 'all'>>;
}

/** Call it once, at the top of a test file. `db` answers once the tests run; each test begins with an empty ledger. */
export function windowContext() {
  let db: Database;
  beforeAll(async () => {
    db = await testLedger();
  });
  beforeEach(() => emptyLedger(db));

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

  return { db: () => db, build, ask };
}
