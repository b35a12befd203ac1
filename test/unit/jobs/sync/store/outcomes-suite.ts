// Outcomes of rows, read in pages; and retries made of what the ledger kept.
import { describe, expect, it } from 'vitest';
import { LAST_RUN } from '../../../../../src/jobs/sync/contract/retry.ts';
import {
  type OutcomeFilter,
  type OutcomePosition,
  pageOutcomes,
  ROW_STATUSES,
} from '../../../../../src/jobs/sync/store/outcomes.ts';
import { endRecord, settleStep } from '../../../../../src/jobs/sync/store/records.ts';
import {
  advanceRetry,
  newestRuns,
  nextRetryPage,
  openRetry,
  RetryRefusedError,
  renewIntents,
} from '../../../../../src/jobs/sync/store/retries.ts';
import { addRowProblems, listProblems } from '../../../../../src/jobs/sync/store/row-problems.ts';
import { closeRun } from '../../../../../src/jobs/sync/store/run-end.ts';
import { advanceRun, getRun, openRun } from '../../../../../src/jobs/sync/store/runs.ts';
import { stageRecords } from '../../../../../src/jobs/sync/store/staged-records.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import {
  freshAccount,
  type OpenDatabase,
  phone,
  recordOf,
  runWith,
  specOf,
} from '../../../core/sql/support.ts';

const ALL: OutcomeFilter = { statuses: ROW_STATUSES, codes: null, row: null };
const PAGE = { progress: 1, rejected: 0, merged: 0 } as const;
const FINISHED = { status: 'finished', stopped: 0 } as const;
const refused = { status: 'failed', step: 'upsertContact', reason: 'r' } as const;

export function outcomesSuite(database: OpenDatabase): void {
  const read = async (runId: string, filter: Partial<OutcomeFilter> = {}, pageRows = 500) => {
    const rows = [];
    for (let from: OutcomePosition | null = null; ; ) {
      const page = await pageOutcomes(database(), [runId], { ...ALL, ...filter }, { limit: pageRows, from });
      rows.push(...page.rows);
      if (page.next === null) return rows;
      from = page.next;
    }
  };

  describe('pageOutcomes', () => {
    const build = async () => {
      // Rows 1..9: 3 and 6 rejected (6 for two reasons), the others records.
      const { run } = await runWith(database(), []);
      const rows = [1, 2, 4, 5, 7, 8, 9];
      const staged = rows.map((row) => ({
        key: phone(row),
        row,
        record: recordOf(phone(row)),
        todo: row === 9 ? 0 : 4,
      }));
      await stageRecords(database(), run.id, staged);
      const ids = await database().query<{ id: number; row: number }>(
        'select id, row_no as row from run_records where run_id = $1',
        [run.id],
      );
      const idOf = (row: number) => ids.find((each) => each.row === row)?.id as number;
      const end = (row: number, code: string) =>
        endRecord(database(), unleased(idOf(row)), { ...refused, code });
      await end(1, 'A');
      await end(5, 'B');
      await settleStep(database(), unleased(idOf(2)), { clear: 4, created: true, touched: true });
      await settleStep(database(), unleased(idOf(4)), { clear: 4, touched: true });
      await endRecord(database(), unleased(idOf(7)), { ...refused, status: 'unknown', code: 'A' });
      const reject = (row: number, field: string, code: string) => ({
        row,
        kind: 'reject' as const,
        problem: { field, code, reason: 'no', value: `v${row}`, column: 'Celular' },
      });
      await addRowProblems(database(), run.id, [
        reject(3, 'contact.number', 'A'),
        reject(6, 'contact.number', 'x'),
        reject(6, 'contact.email', 'y'),
        { ...reject(2, 'contact.email', 'left_out'), kind: 'warning' as const },
      ]);
      return run.id;
    };

    it('returns all rows of all kinds once and in the order of the source, for any page size', async () => {
      const runId = await build();
      const whole = await read(runId);
      expect(whole.map(({ row, status }) => `${row} ${status}`)).toEqual([
        '1 failed',
        '2 created',
        '3 rejected',
        '4 updated',
        '5 failed',
        '6 rejected',
        '6 rejected',
        '7 unknown',
        '8 pending',
        '9 unchanged',
      ]);
      for (const pageRows of [1, 2, 3, 100]) expect(await read(runId, {}, pageRows)).toEqual(whole);
    });

    it.each<[string, Partial<OutcomeFilter>, number[]]>([
      ['one status', { statuses: ['failed'] }, [1, 5]],
      ['a code, in records and rejected rows alike', { codes: ['A'] }, [1, 3, 7]],
      ['two codes', { codes: ['B', 'y'] }, [5, 6]],
      ['one row', { row: 6 }, [6, 6]],
      ['a row that nobody has', { row: 77 }, []],
      ['a code that is no code', { codes: ["' or true --"] }, []],
      ['no status', { statuses: [] }, []],
    ])('filters by %s', async (_, filter, rows) => {
      expect((await read(await build(), filter, 1)).map(({ row }) => row)).toEqual(rows);
    });

    it('returns for each row where it ended, why, and what is stored', async () => {
      const runId = await build();
      const [failed] = await read(runId, { row: 1 });
      expect(failed).toMatchObject({
        column: null,
        key: phone(1),
        step: 'upsertContact',
        code: 'A',
        attempts: 1,
        created: false,
        payload: { contact: { number: phone(1) } },
      });
      const [rejected] = await read(runId, { row: 3 });
      expect(rejected).toMatchObject({
        key: null,
        step: 'contact.number',
        code: 'A',
        column: 'Celular',
        payload: { 'contact.number': 'v3' },
      });
      const listed = await listProblems(database(), runId, 10, ['rejected']);
      expect(listed[0]).toEqual({
        row: 3,
        outcome: 'rejected',
        where: 'contact.number',
        code: 'A',
        reason: 'no',
        column: 'Celular',
      });
    });
  });

  describe('a retry', () => {
    const request = { from: LAST_RUN, codes: null, statuses: ['failed'] } as const;
    type Fate = 'ok' | 'pending' | `${'failed' | 'unknown'} ${string}`;

    /** Runs a sync (or the open retry) to its end with one fate a person, by number. */
    const finish = async (account: string, runId: string, fates: Readonly<Record<number, Fate>>) => {
      const db = database();
      for (const [n, fate] of Object.entries(fates)) {
        const key = phone(Number(n));
        const [row] = await db.query<{ id: number }>(
          'select id from run_records where run_id = $1 and key = $2',
          [runId, key],
        );
        const id = row?.id as number;
        const [status, code] = fate.split(' ');
        if (fate === 'ok') await settleStep(db, unleased(id), { clear: 4, touched: true });
        else if (fate !== 'pending')
          await endRecord(db, unleased(id), {
            ...refused,
            status: status as 'failed' | 'unknown',
            code: code as string,
          });
      }
      await closeRun(db, runId, FINISHED);
      return account;
    };
    const sync = async (account: string, fates: Readonly<Record<number, Fate>>) => {
      const run = await openRun(database(), specOf(account));
      const staged = Object.keys(fates).map((n) => ({
        key: phone(Number(n)),
        row: Number(n) + 1,
        record: recordOf(phone(Number(n)), { tags: [run.id] }),
        todo: 4,
      }));
      await stageRecords(database(), run.id, staged);
      await advanceRun(database(), run.id, { ...PAGE, cursor: null, read: staged.length });
      return await finish(account, run.id, fates);
    };
    const take = async (runId: string, limit = 100) => {
      const taken: { key: string; row: number; from: string | undefined }[] = [];
      for (;;) {
        const page = await nextRetryPage(database(), runId, limit);
        if (page === null) return taken;
        const staged = page.records.map(({ key, row, record }) => ({ key, row, record, todo: 4 }));
        await stageRecords(database(), runId, staged);
        await advanceRetry(database(), runId, page.records);
        taken.push(...page.records.map(({ key, row, record }) => ({ key, row, from: record.tags[0] })));
      }
    };
    const retry = async (account: string, over: object = {}) =>
      await openRetry(database(), specOf(account), { ...request, ...over });
    const keys = (taken: readonly { key: string }[]) => taken.map(({ key }) => key);

    it('takes the failed records with their rows and payloads, page by page, and then is planned', async () => {
      const account = await sync(freshAccount(), { 1: 'failed A', 2: 'ok', 3: 'failed B', 4: 'unknown A' });
      const id = await retry(account);
      expect(id).toBe(`${account}/leads/2`);
      expect(await take(id, 1)).toEqual([
        { key: phone(1), row: 2, from: `${account}/leads/1` },
        { key: phone(3), row: 4, from: `${account}/leads/1` },
      ]);
      expect(await getRun(database(), id)).toMatchObject({
        status: 'syncing',
        kind: 'retry',
        rows_read: 2,
        cursor: null,
      });
    });

    it.each([
      [{ codes: ['A'] }, [1]],
      [{ codes: ['A'], statuses: ['failed', 'unknown'] }, [1, 4]],
      [{ statuses: ['unknown'] }, [4]],
      // Rows are numbered from 2 here.
      [{ statuses: ['failed', 'unknown'], rows: [2, 5] }, [1, 4]],
      [{ rows: [5, 4] }, [3]],
    ])('takes only what was asked for: %j', async (over, expected) => {
      const account = await sync(freshAccount(), { 1: 'failed A', 2: 'ok', 3: 'failed B', 4: 'unknown A' });
      expect(keys(await take(await retry(account, over)))).toEqual(expected.map(phone));
    });

    it('that was interrupted continues where it stopped, and takes nothing twice', async () => {
      const account = await sync(freshAccount(), { 1: 'failed A', 2: 'failed A', 3: 'failed A' });
      const id = await retry(account);
      const page = await nextRetryPage(database(), id, 2);
      await advanceRetry(database(), id, page?.records ?? []);
      expect(await retry(account, { codes: ['other'] })).toBe(id);
      expect(keys(await take(id))).toEqual([phone(3)]);
    });

    it('called by twenty processes at once opens one run', async () => {
      const account = await sync(freshAccount(), { 1: 'failed A' });
      const opened = await Promise.allSettled(Array.from({ length: 20 }, () => retry(account)));
      const ids = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(new Set(ids)).toEqual(new Set([`${account}/leads/2`]));
    });

    it('after a retry takes what failed again and what that retry did not cover', async () => {
      const account = await sync(freshAccount(), { 1: 'failed A', 2: 'failed A', 3: 'failed B' });
      const second = await retry(account, { codes: ['A'] });
      await take(second);
      await finish(account, second, { 1: 'ok', 2: 'failed A' });
      expect(keys(await take(await retry(account)))).toEqual([phone(3), phone(2)]);
    });

    it('hides no finding of the previous run: rows that it did not cover are listed beside its own', async () => {
      const account = await sync(freshAccount(), {
        1: 'failed A',
        2: 'failed A',
        3: 'failed B',
        4: 'unknown A',
      });
      const second = await retry(account, { codes: ['A'] });
      await take(second);
      await finish(account, second, { 1: 'ok', 2: 'failed C' });
      const runs = await newestRuns(database(), account, 'leads');
      expect(runs).toEqual([second, `${account}/leads/1`]);
      const filter = { statuses: ['failed', 'unknown'], codes: null, row: null } as const;
      const { rows } = await pageOutcomes(database(), runs, filter, { limit: 100, from: null });
      expect(rows.map(({ row, code }) => [row, code])).toEqual([
        [3, 'C'],
        [4, 'B'],
        [5, 'A'],
      ]);
    });

    it('never takes a payload that a later run has replaced, even if that run stored no record of it', async () => {
      const account = await sync(freshAccount(), { 1: 'failed A', 2: 'failed A', 3: 'failed A' });
      await sync(account, { 1: 'ok', 2: 'failed A' });
      const overtaken = retry(account, { from: `${account}/leads/1` });
      await expect(overtaken).rejects.toMatchObject({
        why: 'nothing',
        message: expect.stringContaining(`${account}/leads/2 has read the source since`) as string,
      });
      expect(await take(await retry(account))).toEqual([
        { key: phone(2), row: 3, from: `${account}/leads/2` },
      ]);
    });

    it('takes its records despite a later run that did not reach the end of its source', async () => {
      const account = await sync(freshAccount(), { 1: 'failed A' });
      for (const cursor of [null, { offset: 1 }]) {
        const broken = await openRun(database(), specOf(account));
        if (cursor !== null) await advanceRun(database(), broken.id, { ...PAGE, cursor, read: 1 });
        await closeRun(database(), broken.id, { status: 'failed', stopped: 0, error: 'source gone' });
      }
      expect(keys(await take(await retry(account)))).toEqual([phone(1)]);
    });

    it('leaves people alone who left the source', async () => {
      const account = await sync(freshAccount(), { 1: 'failed A' });
      await database().query(`update run_records set row_no = 0 where run_id = $1`, [`${account}/leads/1`]);
      await expect(retry(account)).rejects.toMatchObject({ why: 'nothing' });
    });

    it('takes what a canceled retry left undone', async () => {
      const account = await sync(freshAccount(), { 1: 'failed A', 2: 'failed A' });
      const second = await retry(account);
      await take(second);
      await finish(account, second, { 1: 'ok', 2: 'pending' });
      expect(keys(await take(await retry(account)))).toEqual([phone(2)]);
    });

    it.each([
      ['nothing', async () => await sync(freshAccount(), { 1: 'ok' })],
      ['noRun', async () => freshAccount()],
      [
        'open',
        async () => {
          const account = await sync(freshAccount(), { 1: 'failed A' });
          await openRun(database(), specOf(account));
          return account;
        },
      ],
    ] as const)('is refused (%s) and leaves the ledger as it was', async (why, prepare) => {
      const account = await prepare();
      const before = await database().query('select id from runs where account = $1', [account]);
      const error = await retry(account).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RetryRefusedError);
      expect(error).toMatchObject({ why });
      expect(await database().query('select id from runs where account = $1', [account])).toEqual(before);
    });

    it('of a run of another sync is refused', async () => {
      const account = await sync(freshAccount(), { 1: 'failed A' });
      const other = openRetry(database(), specOf(account, 'deals'), {
        ...request,
        from: `${account}/leads/1`,
      });
      await expect(other).rejects.toMatchObject({ why: 'noRun' });
    });

    it('renews the sendings of unknown effects only, and of the people named', async () => {
      const account = freshAccount();
      const insert = (kind: string, subject: string, state: string) =>
        database().query(
          'insert into intents (account, kind, subject, run_id, state, sends) values ($1, $2, $3, $4, $5, 3)',
          [account, kind, subject, 'r', state],
        );
      await insert('card', '1/Sales', 'unknown');
      await insert('card', '2/Sales', 'unknown');
      await insert('card', '3/Sales', 'sent');
      await insert('stage', '9', 'unknown');
      await insert('stage', '1/Sales', 'unknown');
      await renewIntents(database(), account, { cards: ['1/Sales', '3/Sales'], stages: ['9'] });
      const renewed = await database().query<{ kind: string; subject: string }>(
        'select kind, subject from intents where account = $1 and sends = 0 order by kind',
        [account],
      );
      expect(renewed).toEqual([
        { kind: 'card', subject: '1/Sales' },
        { kind: 'stage', subject: '9' },
      ]);
    });
  });
}
