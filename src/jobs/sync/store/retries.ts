// Retries: runs over the stored payloads of earlier records instead of a source.

import { RECORD_PAYLOAD } from '../../../core/encryption/columns.ts';
import { decryptValue } from '../../../core/encryption/values.ts';
import { runIdSql } from '../../../core/ids.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { CrmRecord } from '../../../core/record.ts';
import type { Database, Queryable } from '../../../core/sql/database.ts';
import { LAST_RUN, type RetriedStatus, type RetryRequest } from '../contract/retry.ts';
import type { RunSpec } from '../contract/run.ts';

/** Thrown when a retry cannot start. Nothing was written. */
export class RetryRefusedError extends Error {
  override readonly name = 'RetryRefusedError';
  readonly why: 'nothing' | 'open' | 'noRun';
  constructor(why: RetryRefusedError['why'], message: string) {
    super(message);
    this.why = why;
  }
}

/** What a retry covers, stored as the run's cursor, so that it continues after a crash. */
interface RetryCursor {
  readonly runs: readonly string[];
  readonly codes: readonly string[] | null;
  readonly statuses: readonly RetriedStatus[];
  /** Missing in a retry of every row. */
  readonly rows?: readonly number[];
  /** Ledger id of the last record that was taken. */
  readonly after: number;
}

export interface RetriedRecord {
  readonly id: number;
  readonly row: number;
  readonly key: string;
  readonly status: RetriedStatus;
  readonly record: CrmRecord;
}

/**
 * A record counts only if no later run of the sync has handled the same person: an old payload must not overwrite a
 * newer one. A record that a later run left pending was not handled. Row 0 is a person who left the source; the next
 * run that reads the source checks that person again.
 */
const TAKEN = `
  from run_records r join runs u on u.id = r.run_id
 where r.run_id = any($1) and r.status = any($2) and ($3::text[] is null or r.code = any($3))
   and r.payload is not null and r.row_no > 0 and r.id > $4 and ($5::int[] is null or r.row_no = any($5))
   and not exists (
     select 1 from runs m join run_records n on n.run_id = m.id
      where m.account = u.account and m.sync = u.sync and m.seq > u.seq and n.key = r.key
        and n.status <> 'pending')`;

/**
 * Opens a retry run, or finds an open retry that was interrupted.
 * @returns the run's id
 * @throws RetryRefusedError
 */
export async function openRetry(db: Database, spec: RunSpec, request: RetryRequest): Promise<string> {
  return await db.transaction(async (tx) => {
    const { account, sync } = spec;
    const [open] = await tx.query<{ id: string; kind: string }>(
      'select id, kind from runs where account = $1 and sync = $2 and finished_at is null',
      [account, sync],
    );
    if (open?.kind === 'retry') return open.id;
    if (open !== undefined) {
      const way = `finish it with \`sluice sync run ${sync}\` first`;
      throw new RetryRefusedError('open', `the run ${open.id} is still open; ${way}`);
    }
    const runs = await runsToRetry(tx, account, sync, request.from);
    const { codes, statuses, rows } = request;
    const cursor: RetryCursor = { runs, codes, statuses, rows, after: 0 };
    const [any] = await tx.query(`select 1 ${TAKEN} limit 1`, paramsOf(cursor));
    if (any === undefined) {
      // The oldest run is the one that read the source.
      const who = `${runs.at(-1) ?? `"${sync}"`}${runs.length > 1 ? ' and its retries' : ''}`;
      throw new RetryRefusedError('nothing', `nothing to retry: ${who} has no such record`);
    }
    await tx.query(
      `insert into runs (id, account, sync, seq, spec, kind, cursor)
       select ${runIdSql('$1', '$2', 'seq')}, $1, $2, seq, $3, 'retry', $4
         from (select max(seq) + 1 as seq from runs where account = $1 and sync = $2) next
       on conflict do nothing`,
      [account, sync, toJson(spec), toJson(cursor)],
    );
    const [run] = await tx.query<{ id: string }>(
      `select id from runs where account = $1 and sync = $2 and finished_at is null and kind = 'retry'`,
      [account, sync],
    );
    if (run === undefined)
      throw new RetryRefusedError('open', `another run of "${sync}" started at the same moment`);
    return run.id;
  });
}

/**
 * The last run that read its source to the end replaces all earlier runs, even if it found nothing to do and stored
 * no record. Later retries belong to it, and what failed again in them counts.
 */
async function runsToRetry(
  tx: Queryable,
  account: string,
  sync: string,
  from: string,
): Promise<readonly string[]> {
  const { runs, last, chain } = await runsOf(tx, account, sync);
  if (from === LAST_RUN && runs.length > 0) return chain;
  if (chain.includes(from)) return [from];
  if (runs.some(({ id }) => id === from)) {
    const by =
      last < 0 ? 'the run did not read its source to the end' : `${runs[last]?.id} has read the source since`;
    throw new RetryRefusedError('nothing', `nothing to retry in ${from}: ${by}`);
  }
  const message =
    from === LAST_RUN ? `the sync "${sync}" has not run yet` : `the sync "${sync}" has no run ${from}`;
  throw new RetryRefusedError('noRun', message);
}

async function runsOf(db: Queryable, account: string, sync: string) {
  const runs = await db.query<{ id: string; kind: string; read: boolean }>(
    `select id, kind, kind = 'sync' and pages > 0 and cursor is null and spec -> 'partial' is null as read from runs
      where account = $1 and sync = $2 order by seq desc`,
    [account, sync],
  );
  const last = runs.findIndex(({ read }) => read);
  return { runs, last, chain: runs.slice(0, last + 1).map(({ id }) => id) };
}

/**
 * The newest run of a sync, finished or not. If it is a retry, also the runs before it down to the one that read the
 * source. Together they have the outcome of each row. Newest first; empty when the sync never ran.
 * @param newest a run to count as the newest, for the next page of a list that began with it
 */
export async function newestRuns(
  db: Queryable,
  account: string,
  sync: string,
  newest?: string,
): Promise<readonly string[]> {
  const { runs } = await runsOf(db, account, sync);
  const chain = newest === undefined ? runs : runs.slice(runs.findIndex(({ id }) => id === newest));
  const source = chain.findIndex(({ kind }) => kind !== 'retry');
  return chain.slice(0, source + 1).map(({ id }) => id);
}

export interface RetryPage {
  readonly account: string;
  readonly spec: RunSpec;
  readonly records: readonly RetriedRecord[];
}

/** The next records to retry, with the run's row locked; null when all have been taken. */
export async function nextRetryPage(tx: Queryable, runId: string, limit: number): Promise<RetryPage | null> {
  const [run] = await tx.query<{
    account: string;
    spec: RunSpec;
    status: string;
    cursor: RetryCursor | null;
  }>('select account, spec, status, cursor from runs where id = $1 for update', [runId]);
  if (run === undefined) throw new Error(`the ledger has no run ${runId}`);
  if (run.status !== 'planning' || run.cursor === null) return null;
  const rows = await tx.query<RetriedRecord & { run_id: string; event_id: string | null }>(
    `select r.id, r.run_id, r.row_no as row, r.key, r.event_id, r.status, r.payload as record ${TAKEN} order by r.id limit $6`,
    [...paramsOf(run.cursor), limit],
  );
  const records = rows.map(({ run_id, event_id, ...row }) => ({
    ...row,
    record: decryptValue(tx, RECORD_PAYLOAD, [run_id, row.key, event_id], row.record),
  }));
  return { account: run.account, spec: run.spec, records };
}

/** Advances a retry past a page. An empty page ends it. */
export async function advanceRetry(tx: Queryable, runId: string, taken: readonly RetriedRecord[]) {
  const last = taken.at(-1);
  if (last === undefined) {
    await tx.query(`update runs set cursor = null, status = 'syncing', source_progress = 1 where id = $1`, [
      runId,
    ]);
    return;
  }
  await tx.query(
    `update runs set cursor = jsonb_set(cursor, '{after}', to_jsonb($2::bigint)), rows_read = rows_read + $3
      where id = $1`,
    [runId, last.id, taken.length],
  );
}

/**
 * Gives effects with an unknown outcome their full number of sendings again. Sluice searches for each effect before
 * it sends anything.
 */
export async function renewIntents(
  tx: Queryable,
  account: string,
  subjects: { cards: readonly string[]; stages: readonly string[] },
): Promise<void> {
  await tx.query(
    `update intents set sends = 0, refused = 0 where account = $1 and state = 'unknown'
        and (kind = 'card' and subject = any($2) or kind = 'stage' and subject = any($3))`,
    [account, subjects.cards, subjects.stages],
  );
}

function paramsOf({ runs, statuses, codes, after, rows }: RetryCursor): readonly unknown[] {
  return [runs, statuses, codes, after, rows ?? null];
}
