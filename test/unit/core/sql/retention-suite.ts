// Retention: each kind of data is deleted after its time and not before, in small steps, by one process at a time.
import { describe, expect, it } from 'vitest';
import { Config } from '../../../../src/config/schema/config.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { runPass } from '../../../../src/protect/retention/pass.ts';
import { retentionOf } from '../../../../src/protect/retention/report.ts';
import { claimKind, endPass } from '../../../../src/protect/retention/states.ts';
import { freshAccount, type OpenDatabase } from './support.ts';

const DEFAULTS = Config.parse({ version: 1, accounts: {} });

async function pass(db: Database, over: Partial<typeof DEFAULTS.retention> = {}) {
  const failures: [string, unknown][] = [];
  const rests: number[] = [];
  await runPass({
    db,
    config: { ...DEFAULTS, retention: { ...DEFAULTS.retention, ...over } },
    signal: new AbortController().signal,
    rest: async (ms) => void rests.push(ms),
    failed: (kind, error) => void failures.push([kind, error]),
    everyMs: 0,
  });
  expect(failures).toEqual([]);
  return rests;
}

const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

/** Finished runs of a sync that ended `days` ago each, with a failed record and a problem. */
async function runsOf(db: Database, account: string, days: readonly number[]): Promise<void> {
  for (const [n, age] of days.entries()) {
    const id = `${account}/leads/${n + 1}`;
    await db.query(
      `insert into runs (id, account, sync, seq, status, spec, started_at, finished_at, counts)
       values ($1, $2, 'leads', $3, 'finished', '{}', $4, $4, '{}')`,
      [id, account, n + 1, ago(age)],
    );
    await db.query(
      "insert into run_records (run_id, key, row_no, todo, status) values ($1, 'k', 1, 0, 'failed')",
      [id],
    );
    await db.query(
      "insert into row_problems (run_id, row_no, kind, field, code, reason) values ($1, 1, 'reject', 'f', 'c', 'r')",
      [id],
    );
  }
  // The last run has not been taken over by a later one.
  await db.query('update runs set counts = null where account = $1 and seq = $2', [account, days.length]);
}

const seqs = async (db: Database, table: string, account: string) =>
  (
    await db.query<{ seq: number }>(
      `select r.seq from ${table} t join runs r on r.id = ${table === 'runs' ? 't.id' : 't.run_id'} where r.account = $1 order by 1`,
      [account],
    )
  ).map(({ seq }) => seq);

/** A conversation that changed `days` ago, with 50 messages, one each day before. */
async function conversationOf(db: Database, account: string, days: number, over = ''): Promise<void> {
  await db.query(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, seen)
     values ($1, 1, 'main', 1, 'waba', 'k', $2, '', '{}', '{"newest": null, "listed": null, "pruned": null}')`,
    [account, ago(days)],
  );
  await db.query(
    `insert into messages (account, conversation_id, key, at, from_me)
     select $1, 1, 'id:' || n, $2::timestamptz - make_interval(days => 50 - n), false from generate_series(1, 50) n`,
    [account, ago(days)],
  );
  if (over !== '') await db.query(`update conversations set ${over} where account = $1`, [account]);
}

const messagesOf = async (db: Database, account: string) =>
  (await db.query('select 1 from messages where account = $1', [account])).length;

export function retentionSuite(database: OpenDatabase): void {
  describe('retention', () => {
    it('deletes rows of runs before the runs, and keeps the last run whole', async () => {
      const account = freshAccount();
      await runsOf(database(), account, [400, 366, 200, 91, 89, 95]);
      await pass(database());
      expect(await seqs(database(), 'runs', account)).toEqual([3, 4, 5, 6]);
      expect(await seqs(database(), 'run_records', account)).toEqual([5, 6]);
      expect(await seqs(database(), 'row_problems', account)).toEqual([5, 6]);
    });

    it('keeps a run that no later run has taken over yet', async () => {
      const account = freshAccount();
      await runsOf(database(), account, [500, 400]);
      await database().query('update runs set counts = null where account = $1', [account]);
      await pass(database());
      expect(await seqs(database(), 'run_records', account)).toEqual([1, 2]);
    });

    it('deletes messages of quiet conversations, all but the newest, and notes up to when', async () => {
      const db = database();
      const [quiet, recent, unread, reading] = [181, 179, 181, 181].map(freshAccount) as [
        string,
        string,
        string,
        string,
      ];
      await db.query('delete from retention');
      await conversationOf(db, quiet, 181);
      await conversationOf(db, recent, 179);
      await conversationOf(db, unread, 181, 'todo_at = now()');
      await conversationOf(db, reading, 181, "reading = '{}'");
      await pass(db);
      const left = await Promise.all([quiet, recent, unread, reading].map((each) => messagesOf(db, each)));
      expect(left).toEqual([20, 50, 50, 50]);
      const [row] = await db.query<{ pruned: string; newest: string | null }>(
        "select seen ->> 'pruned' as pruned, seen ->> 'newest' as newest from conversations where account = $1",
        [quiet],
      );
      // The 30th of 50 messages, one a day.
      expect(Math.abs(Date.parse(row?.pruned ?? '') - ago(181 + 20).getTime())).toBeLessThan(60_000);
      expect(row?.newest).toBeNull();
    });

    it('handles a conversation again after its next change', async () => {
      const db = database();
      const account = freshAccount();
      await db.query('delete from retention');
      await conversationOf(db, account, 300);
      await pass(db);
      await db.query(
        `insert into messages (account, conversation_id, key, at, from_me)
         select $1, 1, 'new:' || n, $2::timestamptz, false from generate_series(1, 30) n`,
        [account, ago(182)],
      );
      await pass(db);
      expect(await messagesOf(db, account)).toBe(50);
      await db.query('update conversations set updated_at = $2 where account = $1', [account, ago(181)]);
      await pass(db);
      // All 30 have one time: they stay or go together.
      expect(await messagesOf(db, account)).toBe(30);
    });

    it('deletes dead events after their time, and never waiting ones', async () => {
      const db = database();
      const sink = freshAccount();
      await db.query(
        `insert into outbox (sink, stream, account, event_id, type, event, state, created_at, tried_at)
         values ($1, 's', 'a', 'old', 't', '{}', 'dead', $2, $2), ($1, 's', 'a', 'recent', 't', '{}', 'dead', $2, $3),
                ($1, 's', 'a', 'waiting', 't', '{}', 'waiting', $2, $2)`,
        [sink, ago(366), ago(364)],
      );
      await pass(db);
      expect(
        await db.query('select event_id as id from outbox where sink = $1 order by seq', [sink]),
      ).toEqual([{ id: 'recent' }, { id: 'waiting' }]);
    });

    it('deletes old entries of both audit logs', async () => {
      const db = database();
      const action = freshAccount();
      for (const days of [1200, 1096, 1094, 1])
        await db.query(
          "insert into operator_audit (at, action, target, outcome) values ($1, $2, 't', 'ok')",
          [ago(days), action],
        );
      await db.query(
        `insert into campaign_audit (run_id, id, at, by, action, reason) values ($1, '1', $2, 'b', 'pause', ''), ($1, '2', $3, 'b', 'pause', '')`,
        [action, ago(1096), ago(1094)],
      );
      await pass(db);
      expect(await db.query('select 1 from operator_audit where action = $1', [action])).toHaveLength(2);
      expect(await db.query('select id from campaign_audit where run_id = $1', [action])).toEqual([
        { id: '2' },
      ]);
    });

    it('works in steps with rests, and reports what it deleted', async () => {
      const db = database();
      await pass(db);
      await db.query(
        `insert into call_minutes (minute, token, lane, run_id, account, calls, limited, failed, wait_ms)
         select now() - interval '91 days' - make_interval(mins => n), 't', 5, 'r', 'a', 1, 0, 0, 0 from generate_series(1, 2000) n`,
      );
      const rests = await pass(db);
      expect(rests.length).toBeGreaterThanOrEqual(3);
      const minutes = (await retentionOf(db, DEFAULTS)).find(({ kind }) => kind === 'minutes');
      expect(minutes).toMatchObject({
        setting: 'retention.minutes',
        keeps: '90d',
        active: false,
        deleted: 2000,
        error: null,
      });
      expect(minutes?.deletedEver).toBeGreaterThanOrEqual(2000);
      expect(minutes?.tables[0]?.bytes).toBeGreaterThan(0);
    });

    it('lets one process delete a kind at a time, and continues for one that died', async () => {
      const db = database();
      await pass(db);
      const claim = (by: string, everyMs = 0) => claimKind(db, { kind: 'calls', by }, everyMs);
      expect(await claim('a')).toBeDefined();
      expect(await claim('b')).toBeUndefined();
      await db.query("update retention set claimed_until = now() - interval '1 second' where kind = 'calls'");
      expect(await claim('b')).toBeDefined();
      // The first one is back: its end changes nothing.
      await endPass(db, { kind: 'calls', by: 'a' }, null);
      expect(await claim('c')).toBeUndefined();
      await endPass(db, { kind: 'calls', by: 'b' }, null);
      expect(await claim('c', 3_600_000)).toBeUndefined();
      expect(await claim('c')).toBeDefined();
      await endPass(db, { kind: 'calls', by: 'c' }, '57014');
      expect(await claim('d', 3_600_000)).toBeDefined();
      await endPass(db, { kind: 'calls', by: 'd' }, null);
    });

    it('continues with the other kinds when one fails, and shows the error', async () => {
      const db = database();
      await db.query('delete from retention');
      const broken: Database = {
        ...db,
        query: (sql, params) =>
          db.query(/from calls/.test(sql) ? 'select 1 / 0' : sql, /from calls/.test(sql) ? [] : params),
      };
      const failed: string[] = [];
      await runPass({
        db: broken,
        config: DEFAULTS,
        signal: new AbortController().signal,
        rest: async () => undefined,
        failed: (kind) => void failed.push(kind),
      });
      expect(failed).toEqual(['calls']);
      const kinds = await retentionOf(db, DEFAULTS);
      expect(kinds.filter(({ error }) => error !== null).map(({ kind, error }) => [kind, error])).toEqual([
        ['calls', '22012'],
      ]);
      expect(kinds.filter(({ endedAt }) => endedAt === null).map(({ kind }) => kind)).toEqual(['calls']);
    });
  });
}
