// Stages a page: rows of one person become one record, each record is compared with what was sent, and who has
// something to do goes into run_records. Who has nothing to do stays in the packed page, in case a later row adds to it.
import type { CrmRecord } from '../src/contracts/record.ts';
import type { Queryable } from '../src/ledger/database.ts';
import { findPeople } from '../src/ledger/people.ts';
import {
  type ChunkRef,
  findDiffering,
  type PlanMemory,
  pageOf,
  placeOf,
  readChunks,
} from '../src/ledger/plan-pages.ts';
import { findStaged, type StagedRecord, stageRecords } from '../src/ledger/records.ts';
import type { RunRow } from '../src/ledger/runs.ts';
import { BARRED, STAGED } from '../src/ledger/seen-keys.ts';
import { CHUNK, type MappedRow, unpack } from './plan-page.ts';
import { mergeRecords, planSteps, refName } from './sync-diff.ts';

export interface StagedPage {
  /** Rows that were merged into an earlier row of the same person. */
  readonly merged: number;
  /** People who have nothing to do and are not in run_records: more, or fewer when a later row gave them something. */
  readonly same: number;
  /** People this page brought, and those whose record is somewhere else now. */
  readonly places: ReadonlyMap<string, number>;
}

interface Group {
  readonly key: string;
  /** Place of the first row in the page. */
  readonly index: number;
  readonly rows: MappedRow[];
  /** Where an earlier page has the person; undefined: nowhere. */
  readonly earlier: number | undefined;
}

interface Earlier {
  readonly row: number;
  readonly record: CrmRecord;
}

export async function stagePage(
  tx: Queryable,
  run: RunRow,
  memory: PlanMemory,
  good: readonly MappedRow[],
): Promise<StagedPage> {
  const page = run.pages + 1;
  const groups = groupByPerson(good, memory);
  const card = run.spec.mapping.card;
  const pipeline = card === undefined ? null : refName(card.pipeline);
  const places = new Map<string, number>();
  let same = 0;

  // A person who comes once needs no merging: the ledger itself tells who has changed.
  const single = groups.filter(({ rows, earlier }) => rows.length === 1 && earlier === undefined);
  const differing = new Set(
    await findDiffering(
      tx,
      run.account,
      pipeline,
      single.map(({ rows }) => rows[0] as MappedRow),
    ),
  );
  const open: { group: Group; earlier: Earlier | null; record: CrmRecord }[] = [];
  for (const [n, group] of single.entries()) {
    if (differing.has(n)) open.push({ group, earlier: null, record: recordOf(group.rows[0] as MappedRow) });
    else {
      places.set(group.key, placeOf(page, group.index));
      same++;
    }
  }

  const repeated = groups.filter(({ rows, earlier }) => rows.length > 1 || earlier !== undefined);
  const earlierRecords = await findEarlier(tx, run.id, repeated);
  for (const group of repeated) {
    const earlier = earlierRecords.get(group.key) ?? null;
    const record = group.rows
      .map(recordOf)
      .reduce(
        (sum: CrmRecord | null, next) => (sum === null ? next : mergeRecords(sum, next)),
        earlier?.record ?? null,
      );
    open.push({ group, earlier, record: record as CrmRecord });
  }

  const people = await findPeople(
    tx,
    run.account,
    open.map(({ group }) => group.key),
    pipeline ?? '',
  );
  const staged: StagedRecord[] = [];
  for (const { group, earlier, record } of open) {
    const person = people.get(group.key) ?? null;
    const todo = planSteps(record, person, run.spec.options, run.sync);
    const kept = group.earlier !== undefined && group.earlier !== STAGED;
    const first = group.rows[0] as MappedRow;
    // What lies in a packed page is the first row as it was: it must be all there is to know of the person.
    const packed = kept ? JSON.stringify(earlier?.record) : group.earlier === undefined ? first.json : null;
    if (todo === 0 && waitsForNoTag(person) && packed === JSON.stringify(record)) {
      if (kept) continue;
      places.set(group.key, placeOf(page, group.index));
      same++;
      continue;
    }
    if (kept) same--;
    places.set(group.key, STAGED);
    staged.push({ key: group.key, row: earlier?.row ?? first.row, record, todo });
  }
  await stageRecords(
    tx,
    run.id,
    staged.sort((a, b) => a.row - b.row),
  );
  const fresh = groups.filter(({ earlier }) => earlier === undefined).length;
  return { merged: good.length - fresh, same, places };
}

/** Steps may be revived for people who wait for a tag: their records must be at hand. */
function waitsForNoTag(person: object | null): boolean {
  const { tags_missing: missing = [] } = (person ?? {}) as { tags_missing?: readonly string[] };
  return missing.length === 0;
}

function groupByPerson(good: readonly MappedRow[], memory: PlanMemory): Group[] {
  const groups = new Map<string, Group>();
  for (const [index, row] of good.entries()) {
    const group = groups.get(row.key);
    if (group !== undefined) {
      group.rows.push(row);
      continue;
    }
    const place = memory.seen.get(row.key);
    groups.set(row.key, { key: row.key, index, rows: [row], earlier: place === BARRED ? undefined : place });
  }
  return [...groups.values()];
}

/** The records of earlier pages, from run_records and from packed pages. */
async function findEarlier(
  tx: Queryable,
  runId: string,
  groups: readonly Group[],
): Promise<Map<string, Earlier>> {
  const found = new Map<string, Earlier>();
  const keys = groups.filter(({ earlier }) => earlier === STAGED).map(({ key }) => key);
  if (keys.length > 0) {
    for (const [key, { row_no, payload }] of await findStaged(tx, runId, keys))
      found.set(key, { row: row_no, record: payload });
  }
  const chunks = new Map<string, ChunkRef>();
  const wanted: { key: string; id: string; index: number }[] = [];
  for (const { key, earlier } of groups) {
    if (earlier === undefined || earlier === STAGED) continue;
    const { page, index } = pageOf(earlier);
    const chunk = Math.floor(index / CHUNK);
    const id = `${page}/${chunk}`;
    chunks.set(id, { page, chunk });
    wanted.push({ key, id, index: index % CHUNK });
  }
  const read = new Map(
    (await readChunks(tx, runId, [...chunks.values()])).map(({ page, chunk, bytes }) => [
      `${page}/${chunk}`,
      unpack(bytes),
    ]),
  );
  for (const { key, id, index } of wanted) {
    const entry = read.get(id)?.[index];
    if (entry?.[1].key !== key)
      throw new Error(`run ${runId}: page/chunk ${id} has another record at ${index}`);
    found.set(key, { row: entry[0], record: entry[1] });
  }
  return found;
}

function recordOf(row: MappedRow): CrmRecord {
  return JSON.parse(row.json) as CrmRecord;
}
