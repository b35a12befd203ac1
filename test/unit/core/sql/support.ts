// Builders for tests of the ledger. Each test works in an account of its own, so that one database serves them all.
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { toJson } from '../../../../src/core/json/stored-json.ts';
import type { CrmRecord } from '../../../../src/core/record.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import type { NewIntent } from '../../../../src/core/store/intents.ts';
import { RunSpec } from '../../../../src/jobs/sync/contract/run.ts';
import { openRun, type RunRow } from '../../../../src/jobs/sync/store/runs.ts';
import { type StagedRecord, stageRecords } from '../../../../src/jobs/sync/store/staged-records.ts';

/** Answers the database of the file's database; filled in `beforeAll`. */
export type OpenDatabase = () => Database;

export const freshAccount = () => `acme-${randomBytes(6).toString('hex')}`;

export function specOf(account: string, sync = 'leads'): RunSpec {
  return RunSpec.parse({
    account,
    sync,
    options: { account, source: 'leads', mapping: 'leads' },
    source: { type: 'csv', path: './leads.csv' },
    mapping: { contact: { number: 'phone' } },
  });
}

export function recordOf(key: string, over: Partial<CrmRecord> = {}): CrmRecord {
  return { key, contact: { number: key }, extraInfo: [], tags: [], ...over };
}

export const phone = (n: number) => `1555${String(n).padStart(7, '0')}`;

export interface OpenedRun {
  readonly account: string;
  readonly run: RunRow;
  /** Ledger ids of the staged records, in their order. */
  readonly ids: readonly number[];
}

/** A run with one record an entry of `todos`. */
export async function runWith(
  db: Database,
  todos: readonly number[],
  over: Partial<CrmRecord> = {},
): Promise<OpenedRun> {
  const account = freshAccount();
  const run = await openRun(db, specOf(account));
  const staged: StagedRecord[] = todos.map((todo, n) => ({
    key: phone(n),
    row: n + 1,
    record: recordOf(phone(n), over),
    todo,
  }));
  await stageRecords(db, run.id, staged);
  const rows = await db.query<{ id: number }>('select id from run_records where run_id = $1 order by id', [
    run.id,
  ]);
  return { account, run, ids: rows.map(({ id }) => id) };
}

/** An intent whose call may be under way. @returns its ledger id */
export async function sentIntent(
  db: Database,
  { account, kind, subject, mark, trace }: NewIntent,
): Promise<number> {
  const [row] = await db.query<{ id: number }>(
    `insert into intents (account, kind, subject, run_id, mark, trace, state, sends, sent_at)
     values ($1, $2, $3, 'r', $4, $5, 'sent', 1, now()) returning id`,
    [account, kind, subject, mark ?? null, trace === undefined ? null : toJson(trace)],
  );
  return (row as { id: number }).id;
}

/** The error of `work`, with all that a log could show of it. */
export async function failureOf(work: Promise<unknown>): Promise<{ error: unknown; shown: string }> {
  const error = await work.then(
    () => {
      throw new Error('it did not fail');
    },
    (reason: unknown) => reason,
  );
  return { error, shown: inspect(error, { depth: 9, showHidden: true }) };
}
