// The records of a run: one row a person, with the steps still to do and what came of them.
import type { CrmRecord, RowProblem } from '../contracts/record.ts';
import type { Outcome, PlannedRecord, RunProblem } from '../contracts/run.ts';
import { toJson } from '../contracts/stored-json.ts';
import type { Queryable } from './database.ts';

export interface StagedRecord {
  readonly key: string;
  /** Row in which the person came first. */
  readonly row: number;
  readonly record: CrmRecord;
  readonly todo: number;
}

/** Records of earlier pages of the same run, by key. */
export async function findStaged(tx: Queryable, runId: string, keys: readonly string[]) {
  const rows = await tx.query<{ key: string; row_no: number; payload: CrmRecord }>(
    'select key, row_no, payload from run_records where run_id = $1 and key = any($2)',
    [runId, keys],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

export async function stageRecords(
  tx: Queryable,
  runId: string,
  staged: readonly StagedRecord[],
  { carried = false } = {},
): Promise<void> {
  if (staged.length === 0) return;
  await tx.query(
    `insert into run_records (run_id, key, row_no, payload, todo, status, carried)
     select $1, key, row, record::jsonb, todo, case when todo = 0 then 'unchanged' else 'pending' end, $6
       from unnest($2::text[], $3::int[], $4::text[], $5::int[]) as s(key, row, record, todo)
     on conflict (run_id, key, (coalesce(event_id, ''))) do update
        set payload = excluded.payload, todo = excluded.todo, status = excluded.status`,
    [
      runId,
      staged.map(({ key }) => key),
      staged.map(({ row }) => row),
      staged.map(({ record }) => toJson(record)),
      staged.map(({ todo }) => todo),
      carried,
    ],
  );
}

/**
 * The record of an event, in the run of its route: there may be several about one person.
 * @returns its id
 */
export async function stageEventRecord(
  tx: Queryable,
  event: { id: string; run_id: string },
  record: CrmRecord,
  todo: number,
): Promise<number> {
  const [row] = await tx.query<{ id: number }>(
    `insert into run_records (run_id, key, row_no, payload, todo, status, event_id)
     values ($1, $2, 1, $3, $4, case when $4 = 0 then 'unchanged' else 'pending' end, $5) returning id`,
    [event.run_id, record.key, toJson(record), todo, event.id],
  );
  const { id } = row as { id: number };
  await tx.query('update events set record_id = $2 where id = $1', [event.id, id]);
  return id;
}

/** What came of it is kept with the event. */
export async function dropEventRecord(tx: Queryable, id: number): Promise<void> {
  await tx.query('update events set record_id = null where record_id = $1', [id]);
  await tx.query('delete from run_records where id = $1', [id]);
}

/** Why a row was rejected, or what was left out of a row that was kept. */
export interface RowFinding {
  readonly row: number;
  readonly kind: 'reject' | 'warning';
  readonly problem: RowProblem;
}

export async function addRowProblems(
  tx: Queryable,
  runId: string,
  findings: readonly RowFinding[],
): Promise<void> {
  if (findings.length === 0) return;
  await tx.query(
    `insert into row_problems (run_id, row_no, kind, field, code, reason, value)
     select $1, r.row, r.kind, r.field, r.code, r.reason, r.value
       from jsonb_to_recordset($2::jsonb) as r(row int, kind text, field text, code text, reason text, value text)
     on conflict do nothing`,
    [runId, toJson(findings.map(({ row, kind, problem }) => ({ row, kind, ...problem })))],
  );
}

/** Rows that were rejected, failed or are unknown, in the order of the source. */
export async function listProblems(
  db: Queryable,
  runId: string,
  limit: number,
  outcomes: readonly RunProblem['outcome'][] = ['rejected', 'failed', 'unknown'],
): Promise<RunProblem[]> {
  return await db.query(
    `select row_no as row, outcome, place as "where", code, reason from
       (select row_no, 'rejected' as outcome, field as place, code, reason
          from row_problems where run_id = $1 and kind = 'reject'
        union all
        select row_no, status, step, code, reason from run_records where run_id = $1 and status in ('failed', 'unknown')) p
      where outcome = any($3) order by row_no, place limit $2`,
    [runId, limit, outcomes],
  );
}

/** How often each bit of `todo` stands among the pending records of a run. */
export async function countTodo(
  db: Queryable,
  runId: string,
  bits: { lookup: number; tags: number; cards: number },
): Promise<{ total: number; lookups: number; tags: number; cards: number }> {
  const [row] = await db.query<{ total: number; lookups: number; tags: number; cards: number }>(
    `select count(*)::int as total, count(*) filter (where todo & $2::int <> 0)::int as lookups,
            count(*) filter (where todo & $3::int <> 0)::int as tags,
            count(*) filter (where todo & $4::int <> 0)::int as cards
       from run_records where run_id = $1 and status = 'pending'`,
    [runId, bits.lookup, bits.tags, bits.cards],
  );
  return row ?? { total: 0, lookups: 0, tags: 0, cards: 0 };
}

/**
 * Gives steps to the records whose people wait for one of these tags; a record that had nothing to do is
 * pending again.
 * @returns how many
 */
export async function reviveForTags(
  tx: Queryable,
  run: { id: string; account: string },
  names: readonly string[],
  bits: number,
): Promise<number> {
  const rows = await tx.query(
    `update run_records r set todo = r.todo | $4::int, status = 'pending'
       from people p
      where r.run_id = $1 and r.status in ('pending', 'unchanged') and p.account = $2 and p.key = r.key
        and p.tags_missing <> '[]' and p.tags_missing ?| $3::text[]
      returning r.id`,
    [run.id, run.account, names, bits],
  );
  return rows.length;
}

/** Pending records after `after` that have a step outside `stopped`, in the order of the source. */
export async function pendingRecords(
  db: Queryable,
  runId: string,
  page: { after: number; stopped: number; limit: number },
): Promise<PlannedRecord[]> {
  return await db.query<PlannedRecord>(
    `select id, todo from run_records
      where run_id = $1 and status = 'pending' and id > $2 and (todo & ~($3::int)) <> 0
      order by id limit $4`,
    [runId, page.after, page.stopped, page.limit],
  );
}

/** Pending records with their payloads, by id. */
export async function stagedRecords(
  db: Queryable,
  runId: string,
  page: { after: number; limit: number },
): Promise<Pick<RecordRow & { payload: CrmRecord }, 'id' | 'row_no' | 'key' | 'todo' | 'payload'>[]> {
  return await db.query(
    `select id, row_no, key, todo, payload from run_records
      where run_id = $1 and status = 'pending' and id > $2 order by id limit $3`,
    [runId, page.after, page.limit],
  );
}

/** What a step needs to know of its record. */
export interface RecordRow {
  readonly id: number;
  readonly run_id: string;
  readonly key: string;
  /** Number of the row in the source; 0 for a person who left it. */
  readonly row_no: number;
  readonly payload: CrmRecord | null;
  readonly todo: number;
  readonly status: 'pending' | Outcome;
  /** Where and why it failed, or became unknown. */
  readonly step: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly sent_at: Date | null;
  /** Tag ids the contact is to have, names among them that Sluice put there, and names the account lacks. */
  readonly tag_ids: { readonly ids: number[]; readonly added: string[]; readonly missing: string[] } | null;
}

export async function getRecord(db: Queryable, runId: string, id: number): Promise<RecordRow> {
  const [row] = await db.query<RecordRow>('select * from run_records where run_id = $1 and id = $2', [
    runId,
    id,
  ]);
  if (row === undefined) throw new Error(`run ${runId} has no record ${id}`);
  return row;
}

/** Notes that the first write for a record is about to go out; the earliest time stands. */
export async function markSent(db: Queryable, id: number): Promise<void> {
  await db.query('update run_records set sent_at = coalesce(sent_at, clock_timestamp()) where id = $1', [id]);
}

/** Keeps the tag list that the upsert's answer led to, for the step that writes it. */
export async function rememberTagIds(tx: Queryable, id: number, tags: NonNullable<RecordRow['tag_ids']>) {
  await tx.query('update run_records set tag_ids = $2 where id = $1', [id, toJson(tags)]);
}

/**
 * Writes down a step's result: steps cleared and steps added. The record ends as created or updated
 * when nothing is left to do. A record that has ended stays as it is: an attempt that outlived its timeout
 * is answered with that end.
 */
export async function settleStep(
  tx: Queryable,
  id: number,
  change: { clear: number; add?: number; created?: boolean; touched?: boolean; cardCreated?: boolean },
): Promise<{ todo: number; ended?: Outcome }> {
  // Computed from the locked row itself: a subquery would read it as it was before a concurrent step's commit.
  const todo = '((todo & ~($2::int)) | $3::int)';
  const [row] = await tx.query<{ todo: number; status: 'pending' | Outcome }>(
    `update run_records
        set todo = ${todo}, created = created or $4, touched = touched or $5, card_created = card_created or $6,
            attempts = 0, tries = tries + 1,
            ended_at = case when ${todo} <> 0 then null else clock_timestamp() end,
            status = case when ${todo} <> 0 then 'pending'
                          when created or $4 then 'created'
                          when touched or $5 then 'updated' else 'unchanged' end
      where id = $1 and status = 'pending' returning todo, status`,
    [
      id,
      change.clear,
      change.add ?? 0,
      change.created ?? false,
      change.touched ?? false,
      change.cardCreated ?? false,
    ],
  );
  const settled = row ?? (await endedRecord(tx, id));
  return settled.status === 'pending'
    ? { todo: settled.todo }
    : { todo: settled.todo, ended: settled.status };
}

async function endedRecord(
  tx: Queryable,
  id: number,
): Promise<{ todo: number; status: 'pending' | Outcome }> {
  const [row] = await tx.query<{ todo: number; status: Outcome }>(
    'select todo, status from run_records where id = $1',
    [id],
  );
  if (row === undefined) throw new Error(`the ledger has no record ${id}`);
  return row;
}

/** Ends a record as failed or unknown, with the step and the code. */
export async function endRecord(
  db: Queryable,
  id: number,
  end: { status: 'failed' | 'unknown'; step: string; code: string; reason: string },
): Promise<void> {
  await db.query(
    `update run_records set status = $2, step = $3, code = $4, reason = $5, tries = tries + 1, ended_at = clock_timestamp()
      where id = $1 and status = 'pending'`,
    [id, end.status, end.step, end.code, end.reason],
  );
}

/** Counts one more internal error of the service at this record; answers the count. */
export async function countAttempt(db: Queryable, id: number): Promise<number> {
  const [row] = await db.query<{ attempts: number }>(
    'update run_records set attempts = attempts + 1, tries = tries + 1 where id = $1 returning attempts',
    [id],
  );
  return row?.attempts ?? 1;
}
