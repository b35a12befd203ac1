// Tags that rows of a run ask for and the account lacks: a warning per tag, and the rows of each.
import type { Queryable } from '../../../core/sql/database.ts';
import { UNKNOWN_TAG } from '../constants.ts';
import { addWarning } from './run-warnings.ts';

/** Rows that are named of each tag. */
const ROWS = 5;

/** How many people ask for a tag, and the first rows of the source that do. */
export interface AskedFor {
  readonly people: number;
  readonly firstRows: readonly number[];
}

export async function addMissingTag(db: Queryable, runId: string, tag: string, row: number): Promise<void> {
  await addWarning(db, runId, {
    step: 'setTags',
    subject: tag,
    code: UNKNOWN_TAG,
    reason: missingTagReason(tag),
  });
  await db.query(
    'insert into missing_tags (run_id, tag, row_no) values ($1, $2, $3) on conflict do nothing',
    [runId, tag, row],
  );
}

export function missingTagReason(tag: string): string {
  return `the account has no tag "${tag}": create it in the service, or map the value to another tag`;
}

/** People who ask for at least one tag that the account lacks. */
export async function countMissingTags(db: Queryable, runId: string): Promise<AskedFor> {
  const [row] = await db.query<AskedFor>(
    `select count(*)::int as people, coalesce(to_json((array_agg(row_no order by row_no))[1:$2::int]), '[]') as "firstRows"
       from (select distinct row_no from missing_tags where run_id = $1) m`,
    [runId, ROWS],
  );
  return row as AskedFor;
}

/** Of each tag of these that the account lacks. */
export async function askedFor(
  db: Queryable,
  runId: string,
  tags: readonly string[],
): Promise<Map<string, AskedFor>> {
  if (tags.length === 0) return new Map();
  const rows = await db.query<AskedFor & { tag: string }>(
    `select tag, count(*)::int as people, to_json((array_agg(row_no order by row_no))[1:$3::int]) as "firstRows"
       from missing_tags where run_id = $1 and tag = any($2) group by tag`,
    [runId, tags, ROWS],
  );
  return new Map(rows.map(({ tag, people, firstRows }) => [tag, { people, firstRows }]));
}

/** The tags that each of these rows asks for and the account lacked in one of the runs. */
export async function missingTagsOf(
  db: Queryable,
  runs: readonly string[],
  rows: readonly number[],
): Promise<Map<number, string[]>> {
  if (rows.length === 0) return new Map();
  const found = await db.query<{ row: number; tags: string[] }>(
    `select row_no as "row", json_agg(distinct tag order by tag) as tags
       from missing_tags where run_id = any($1) and row_no = any($2) group by row_no`,
    [runs, rows],
  );
  return new Map(found.map(({ row, tags }) => [row, tags]));
}
