// The call log: calls and their minutes are written together, and each is deleted after its own time.
import { describe, expect, it } from 'vitest';
import { getRun } from '../../../../src/jobs/sync/store/runs.ts';
import { type AgedCall, forgetCalls, forgetMinutes, logCalls } from '../../../../src/operator/store/calls.ts';
import { freshAccount, type OpenDatabase, runWith } from '../../core/sql/support.ts';

export function callOf(over: Partial<AgedCall> = {}): AgedCall {
  return {
    age_ms: 0,
    account: 'acme',
    token: 't',
    run_id: 'acme/leads/1',
    lane: 5,
    method: 'POST',
    route: '/v1/cards',
    status: 200,
    code: null,
    request_id: 'r',
    person_key: null,
    event_id: null,
    conversation_id: null,
    card_id: null,
    wait_ms: 10,
    took_ms: 20,
    ...over,
  };
}

export function callsSuite(database: OpenDatabase): void {
  describe('the call log', () => {
    const minutesOf = async (token: string) =>
      await database().query(
        `select lane, run_id, calls, limited, failed, wait_ms, call_limit from call_minutes
          where token = $1 order by minute, lane, run_id`,
        [token],
      );

    it('adds calls to their run, and to one row for each minute, lane and run, with the limit of the token', async () => {
      const db = database();
      const { run } = await runWith(db, []);
      const token = freshAccount();
      await db.query('insert into slots (token, call_limit) values ($1, 77)', [token]);
      const call = (over: Partial<AgedCall>) => callOf({ token, run_id: run.id, ...over });
      await logCalls(
        db,
        [
          call({ status: 429, code: 'ERR_RATE_LIMITED' }),
          call({ status: 500, code: 'HTTP_500', lane: 2 }),
          call({ status: null, code: 'TRANSPORT_RESET' }),
          call({ status: 200, code: 'UNEXPECTED_SHAPE' }),
          call({}),
          call({ age_ms: 120_000 }),
        ],
        new Map([[run.id, 6]]),
      );
      const row = { run_id: run.id, limited: 0, failed: 0, call_limit: 77 };
      expect(await minutesOf(token)).toEqual([
        { ...row, lane: 5, calls: 1, wait_ms: 10 },
        { ...row, lane: 2, calls: 1, failed: 1, wait_ms: 10 },
        { ...row, lane: 5, calls: 4, limited: 1, failed: 2, wait_ms: 40 },
      ]);
      expect(await getRun(db, run.id)).toMatchObject({ calls: 6 });
      const ages = await db.query(
        'select round(extract(epoch from now() - at))::int as s from calls where token = $1 order by at',
        [token],
      );
      expect(ages).toEqual([{ s: 120 }, ...Array.from({ length: 5 }, () => ({ s: 0 }))]);
    });

    it('counts calls written by many at once completely, in whatever order they come', async () => {
      const db = database();
      const { run } = await runWith(db, []);
      const token = freshAccount();
      const lanes = [1, 2, 3, 4, 5];
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          logCalls(
            db,
            (n % 2 ? lanes : lanes.toReversed()).map((lane) =>
              callOf({ token, run_id: run.id, lane, age_ms: lane }),
            ),
            new Map([[run.id, 5]]),
          ),
        ),
      );
      const [sum] = await db.query('select sum(calls)::int as n from call_minutes where token = $1', [token]);
      expect(sum).toEqual({ n: 100 });
      expect(await getRun(db, run.id)).toMatchObject({ calls: 100 });
    });

    it('stores hostile texts as they are', async () => {
      const db = database();
      const token = freshAccount();
      const request_id = `"'\\<script>=HYPERLINK("x")\n{},$1 é 😀`;
      await logCalls(db, [callOf({ token, request_id })], new Map());
      expect(await db.query('select request_id from calls where token = $1', [token])).toEqual([
        { request_id },
      ]);
    });

    it('a call whose run is gone is in the log all the same', async () => {
      const db = database();
      const token = freshAccount();
      await logCalls(db, [callOf({ token, run_id: 'gone/leads/9' })], new Map([['gone/leads/9', 1]]));
      expect(await minutesOf(token)).toMatchObject([{ run_id: 'gone/leads/9', calls: 1, call_limit: null }]);
    });

    it('deletes calls after their days and minutes after theirs, a bounded number at a time', async () => {
      const db = database();
      await forgetCalls(db, 0, 100_000);
      await forgetMinutes(db, 0, 100_000);
      const token = freshAccount();
      const day = 86_400_000;
      const ages = [0, 13, 15, 16, 17, 89, 91].map((days) => days * day + 60_000);
      await logCalls(
        db,
        ages.map((age_ms) => callOf({ token, age_ms })),
        new Map(),
      );
      const forget = async () => (await forgetCalls(db, 14, 2)) + (await forgetMinutes(db, 90, 2));
      expect([await forget(), await forget(), await forget(), await forget()]).toEqual([3, 2, 1, 0]);
      const left = async (table: string) =>
        (
          await db.query<{ n: number }>(`select count(*)::int as n from ${table} where token = $1`, [token])
        )[0];
      expect([await left('calls'), await left('call_minutes')]).toEqual([{ n: 2 }, { n: 6 }]);
    });
  });
}
