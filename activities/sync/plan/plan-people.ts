// The people of a page: merges each person's rows, with those of earlier pages, into one record, or rejects them
// together.
import type { CrmRecord } from '../../../src/core/record.ts';
import type { Queryable } from '../../../src/core/sql/database.ts';
import { findPeople } from '../../../src/core/store/people.ts';
import { addMerged, type MergedRow, takeBackMerged } from '../../../src/jobs/sync/store/merged-rows.ts';
import { findCarried } from '../../../src/jobs/sync/store/plan/carried.ts';
import { findClaims, type StoredClaims, saveClaims } from '../../../src/jobs/sync/store/plan/claims.ts';
import {
  type ChunkRef,
  type PlanMemory,
  pageOf,
  readChunks,
} from '../../../src/jobs/sync/store/plan/pages.ts';
import { BARRED, REFUSED, STAGED } from '../../../src/jobs/sync/store/plan/seen-keys.ts';
import { addIdentities, type IdentifiedRow } from '../../../src/jobs/sync/store/row-identities.ts';
import {
  addRowProblems,
  CONFLICT,
  dropWarnings,
  type RowFinding,
} from '../../../src/jobs/sync/store/row-problems.ts';
import type { RunRow } from '../../../src/jobs/sync/store/runs.ts';
import { dropStaged, findStaged, stageRecords } from '../../../src/jobs/sync/store/staged-records.ts';
import { pipelineName, planSteps } from '../../records/record-diff.ts';
import { type Claims, claimsOf } from './plan-conflict.ts';
import { CHUNK, type MappedRow, unpack } from './plan-page.ts';
import {
  type Earlier,
  type Refusal,
  type RowRecord,
  refuseEarlier,
  refuseRow,
  type United,
  type UniteRules,
  unite,
} from './plan-unite.ts';

export interface Group {
  readonly key: string;
  /** Index of the first row in the page. */
  readonly index: number;
  readonly rows: MappedRow[];
  /** Where an earlier page has the person; undefined when none has. */
  readonly earlier: number | undefined;
}

/** A person with all rows so far. */
export interface Person {
  readonly group: Group;
  readonly earlier: Earlier | null;
  readonly record: CrmRecord;
}

export const isPacked = (earlier: number | undefined): boolean => earlier !== undefined && earlier >= 0;

export function groupByPerson(good: readonly MappedRow[], memory: PlanMemory): Group[] {
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

interface RefusedPerson {
  readonly group: Group;
  readonly earlier: Earlier | null;
  readonly refusal: Refusal;
}

export interface UnitedGroups {
  readonly people: readonly Person[];
  /** People whose rows are rejected from this page on. */
  readonly refused: readonly RefusedPerson[];
  /** How many more rows are merged and rejected. */
  readonly merged: number;
  readonly rejected: number;
}

export async function uniteGroups(
  tx: Queryable,
  run: RunRow,
  groups: readonly Group[],
  rules: UniteRules,
): Promise<UnitedGroups> {
  const stored = await findClaims(
    tx,
    run.id,
    groups.flatMap(({ key, earlier }) => (earlier === undefined ? [] : [key])),
  );
  const earlierPeople = await findEarlier(tx, run.id, groups, stored);
  const people: Person[] = [];
  const refused: RefusedPerson[] = [];
  const findings: RowFinding[] = [];
  const merged: MergedRow[] = [];
  const identities: IdentifiedRow[] = [];
  const claims = new Map<string, StoredClaims>();
  let rejected = 0;
  for (const group of groups) {
    const { key } = group;
    const rows = group.rows.map((row) => ({ row: row.row, record: recordOf(row) }));
    const refusal = stored.get(key);
    if (group.earlier === REFUSED && refusal?.against != null) {
      const { against } = refusal;
      findings.push(...rows.flatMap((row) => refuseRow(row, { claims: refusal.claims, against }, rules)));
      identities.push(...rows.map(identityOf));
      rejected += rows.length;
      continue;
    }
    const earlier = earlierPeople.get(key) ?? null;
    const result = unite(rows, earlier, rules);
    findings.push(...result.findings);
    if (result.refusal !== null) {
      refused.push({ group, earlier, refusal: result.refusal });
      claims.set(key, result.refusal);
      identities.push(...rows.map(identityOf));
      rejected += rows.length;
      continue;
    }
    const record = result.record as CrmRecord;
    const base = earlier?.row ?? (rows[0]?.row as number);
    const into = earlier?.carried === true ? null : base;
    merged.push(...result.merged.map((row) => ({ row, key, into })));
    identities.push(...rows.filter(({ row }) => result.merged.includes(row)).map(identityOf));
    people.push({ group, earlier, record });
    if (mustBeKept(result, earlier, base)) claims.set(key, { claims: result.claims, against: null });
  }
  await saveClaims(tx, run.id, claims);
  const takenBack = await takeBack(tx, run, refused, rules);
  await addMerged(tx, run.id, merged);
  await addIdentities(tx, run, [...identities, ...takenBack.identities]);
  await addRowProblems(tx, run.id, [...takenBack.findings, ...findings]);
  return {
    people,
    refused,
    merged: merged.length - takenBack.merged,
    rejected: rejected + takenBack.rows,
  };
}

/** Whether the next page cannot derive the claims from the record alone. */
function mustBeKept({ claims, record }: United, earlier: Earlier | null, row: number): boolean {
  if (earlier?.carried === true || record === null) return true;
  return JSON.stringify(claims) !== JSON.stringify(claimsOf(row, record.contact));
}

/** Rejects the rows of earlier pages whose number is now refused. */
async function takeBack(
  tx: Queryable,
  run: RunRow,
  refused: readonly RefusedPerson[],
  rules: UniteRules,
): Promise<{ rows: number; merged: number; findings: RowFinding[]; identities: IdentifiedRow[] }> {
  const known = refused.filter(({ earlier }) => earlier !== null);
  const keys = known.map(({ group }) => group.key);
  const mergedRows = await takeBackMerged(tx, run.id, keys);
  await dropStaged(tx, run.id, keys);
  await restoreCarried(
    tx,
    run,
    known.filter(({ earlier }) => earlier?.carried === true).map(({ group }) => group.key),
  );
  const findings: RowFinding[] = [];
  const identities: IdentifiedRow[] = [];
  let [rows, merged] = [0, 0];
  for (const { group, earlier, refusal } of known) {
    const others = mergedRows.get(group.key) ?? [];
    const all = earlier === null || earlier.carried ? others : [earlier.row, ...others];
    findings.push(...all.flatMap((row) => refuseEarlier(row, refusal, rules)));
    if (earlier !== null && !earlier.carried)
      identities.push(claimedBy(earlier.row, group.key, refusal.claims));
    rows += all.length;
    merged += others.length;
  }
  await dropWarnings(tx, run.id, [...new Set(findings.map(({ row }) => row))], CONFLICT);
  return { rows, merged, findings, identities };
}

function identityOf({ row, record: { contact } }: RowRecord): IdentifiedRow {
  return { row, name: contact.name ?? null, email: contact.email ?? null, number: contact.number };
}

/** A row of an earlier page whose own record later rows have changed: only its claims are certainly its own. */
function claimedBy(row: number, key: string, { name, email }: Claims): IdentifiedRow {
  const own = (claim: Claims[keyof Claims]) => (claim?.row === row ? claim.value : null);
  return { row, name: own(name), email: own(email), number: key };
}

/** Restores what the previous run left undone. It is not a row of this source. */
async function restoreCarried(tx: Queryable, run: RunRow, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const carried = await findCarried(tx, run, keys);
  const people = await findPeople(tx, run.account, keys, pipelineName(run.spec));
  const staged = carried.map(({ key, row, record }) => ({
    key,
    row,
    record,
    todo: planSteps(record, people.get(key) ?? null, run.spec.options, run.sync),
  }));
  await stageRecords(tx, run.id, staged, { carried: true });
}

/** What earlier pages know about these people, from run_records and from packed pages. */
async function findEarlier(
  tx: Queryable,
  runId: string,
  groups: readonly Group[],
  stored: ReadonlyMap<string, StoredClaims>,
): Promise<Map<string, Earlier>> {
  const found = new Map<string, Earlier>();
  const add = (key: string, row: number, record: CrmRecord, carried: boolean) => {
    const claims = stored.get(key)?.claims ?? (carried ? {} : claimsOf(row, record.contact));
    found.set(key, { row, record, claims, carried });
  };
  const keys = groups.filter(({ earlier }) => earlier === STAGED).map(({ key }) => key);
  if (keys.length > 0) {
    for (const [key, { row_no, payload, carried }] of await findStaged(tx, runId, keys))
      add(key, row_no, payload, carried);
  }
  const chunks = new Map<string, ChunkRef>();
  const wanted: { key: string; id: string; index: number }[] = [];
  for (const { key, earlier } of groups) {
    if (earlier === undefined || earlier < 0) continue;
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
    add(key, entry[0], entry[1], false);
  }
  return found;
}

export function recordOf(row: MappedRow): CrmRecord {
  return JSON.parse(row.json) as CrmRecord;
}
