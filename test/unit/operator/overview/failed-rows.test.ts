// Rows and requests that a person has corrected count as made good, in their number, and nothing else does.
import { beforeEach, describe, expect, it } from 'vitest';
import { readFailures } from '../../../../src/operator/store/failures.ts';
import { saveRefusals } from '../../../../src/operator/store/refusals.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';

const DAY_MS = 86_400_000;
const period = {
  account: null,
  since: new Date(Date.now() - DAY_MS).toISOString(),
  until: new Date(Date.now() + DAY_MS).toISOString(),
};

onBothLedgers((db) => {
  beforeEach(() => emptyLedger(db));

  /** @param rows number of rejected rows by code, numbered from `first` */
  async function run(seq: number, spec: object, read: number, rows: Record<string, number>, first = 1) {
    const id = `acme/leads/${seq}`;
    const codes = Object.entries(rows).flatMap(([code, n]) => Array.from({ length: n }, () => code));
    await db.query(
      `insert into runs (id, account, sync, seq, kind, status, spec, rows_read, rows_rejected, started_at, finished_at)
       values ($1, 'acme', 'leads', $2, 'sync', 'finished', $3, $4, $5, now() - interval '1 hour', now() - interval '1 hour')`,
      [id, seq, JSON.stringify(spec), read, codes.length],
    );
    for (const [at, code] of codes.entries())
      await db.query(
        `insert into row_problems (run_id, row_no, kind, field, code, reason) values ($1, $2, 'reject', 'f', $3, 'r')`,
        [id, first + at, code],
      );
  }
  const file = (path: string) => ({ source: { type: 'csv', path } });
  const corrected = (path: string) => ({ ...file(path), partial: true });
  async function found() {
    const { failures, repaired } = await readFailures(db, period, 100, { signup: 'acme' });
    return [
      Object.fromEntries(failures.map(({ run: of, code, count }) => [`${of?.slice(11)} ${code}`, count])),
      repaired,
    ];
  }

  it('of 23 rows of which 12 were corrected in a file of their own, 11 stand', async () => {
    await run(1, file('w1.csv'), 570, { BAD: 14, REQUIRED: 9 });
    await run(2, corrected('fix.csv'), 23, { BAD: 5, REQUIRED: 6 });
    expect(await found()).toEqual([{ '2 BAD': 5, '2 REQUIRED': 6 }, 12]);
  });

  it('rows that were handed in twice count once', async () => {
    await run(1, file('w1.csv'), 570, { BAD: 23 });
    await run(2, corrected('fix.csv'), 23, { BAD: 11 });
    await run(3, corrected('fix2.csv'), 11, { BAD: 3 });
    expect(await found()).toEqual([{ '3 BAD': 3 }, 20]);
  });

  it('rows that nobody has handed in again stand', async () => {
    await run(1, file('w1.csv'), 570, { BAD: 23 });
    await run(2, corrected('fix.csv'), 5, { BAD: 1 });
    expect(await found()).toEqual([{ '1 BAD': 18, '2 BAD': 1 }, 4]);
  });

  it('the file of another week makes none of them good, and hides none', async () => {
    await run(1, file('w1.csv'), 570, { BAD: 3 });
    await run(2, file('w2.csv'), 578, { BAD: 1 }, 2);
    expect(await found()).toEqual([{ '1 BAD': 3, '2 BAD': 1 }, 0]);
  });

  it('the same source, read again, shows which rows were corrected in it', async () => {
    await run(1, file('w1.csv'), 570, { BAD: 3 });
    await run(2, corrected('fix.csv'), 3, { BAD: 3 });
    await run(3, file('w1.csv'), 570, { BAD: 1 }, 2);
    expect(await found()).toEqual([{ '3 BAD': 1 }, 2]);
  });

  it('a row with two problems is one that was made good', async () => {
    await run(1, file('w1.csv'), 10, { BAD: 1 });
    await db.query(
      `insert into row_problems (run_id, row_no, kind, field, code, reason) values ('acme/leads/1', 1, 'reject', 'g', 'REQUIRED', 'r')`,
    );
    await run(2, corrected('fix.csv'), 1, {});
    expect(await found()).toEqual([{}, 1]);
  });

  describe('a refused request', () => {
    const request = (id: string, how: string | null) =>
      db.query(
        `insert into refused_requests (id, account, route, code, reason, bytes, content, settled_how)
         values ($1, 'acme', 'signup', 'MAPPING', 'r', 1, '', $2)`,
        [id, how],
      );

    it('is made good when it was accepted, and gone when it was discarded', async () => {
      await request('a', null);
      await request('b', 'replayed');
      await request('c', 'discarded');
      expect(await found()).toEqual([{ 'undefined MAPPING': 1 }, 1]);
    });

    it('without content counts with the account of its route, and not if it is for no route', async () => {
      const refused = (route: string) => ({
        via: 'http' as const,
        route,
        code: 'SIGNATURE',
        status: 401,
        count: 7,
      });
      await saveRefusals(db, [refused('signup'), refused('-')], []);
      const { failures } = await readFailures(db, { ...period, account: 'acme' }, 100, { signup: 'acme' });
      expect(failures).toMatchObject([{ kind: 'refusal', name: 'signup', account: 'acme', count: 7 }]);
    });
  });

  it('a run that failed names its cause', async () => {
    await db.query(
      `insert into runs (id, account, sync, seq, kind, status, spec, error, started_at, finished_at)
       values ('acme/leads/1', 'acme', 'leads', 1, 'sync', 'failed', '{}', 'SOURCE_NOT_FOUND: there is no file', now(), now())`,
    );
    expect((await readFailures(db, period, 100)).failures).toMatchObject([
      { kind: 'run', name: 'leads', code: 'SOURCE_NOT_FOUND', reason: 'there is no file' },
    ]);
  });
});
