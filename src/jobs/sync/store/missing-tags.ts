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
  await addTagWarning(db, runId, tag);
  await db.query(
    'insert into missing_tags (run_id, tag, row_no) values ($1, $2, $3) on conflict do nothing',
    [runId, tag, row],
  );
}

export function missingTagReason(tag: string): string {
  return `the account has no tag "${tag}": create it in the service, or map the value to another tag`;
}

/**
 * Warns of tags that people wait for who had nothing else to do: no step of theirs asked for the tag in this run.
 * @param exists tells whether the account has a tag, as it was last read
 */
export async function addTagsWaitedFor(
  db: Queryable,
  run: { readonly id: string; readonly account: string },
  exists: (name: string) => boolean,
): Promise<void> {
  const waiting = await db.query<{ tag: string }>(
    `select distinct jsonb_array_elements_text(p.tags_missing) as tag
       from people p join run_records r on r.run_id = $1 and r.key = p.key
      where p.account = $2 and p.tags_missing <> '[]' and r.status = 'unchanged' and r.row_no > 0`,
    [run.id, run.account],
  );
  const tags = waiting.map(({ tag }) => tag).filter((tag) => !exists(tag));
  if (tags.length === 0) return;
  for (const tag of tags) await addTagWarning(db, run.id, tag);
  await db.query(
    `insert into missing_tags (run_id, tag, row_no)
     select $1, tag, r.row_no
       from people p join run_records r on r.run_id = $1 and r.key = p.key,
            lateral jsonb_array_elements_text(p.tags_missing) as tag
      where p.account = $2 and p.tags_missing <> '[]' and r.status = 'unchanged' and r.row_no > 0 and tag = any($3)
     on conflict do nothing`,
    [run.id, run.account, tags],
  );
}

async function addTagWarning(db: Queryable, runId: string, tag: string): Promise<void> {
  await addWarning(db, runId, {
    step: 'setTags',
    subject: tag,
    code: UNKNOWN_TAG,
    reason: missingTagReason(tag),
  });
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
