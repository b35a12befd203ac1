// Stages a page: merges the rows of one person into one record, compares each record with what was sent, and puts
// people with something to do into run_records. The others stay in the packed page, in case a later row adds to them.
// Rows of one number that contradict each other are rejected, whichever pages they are on.
import type { Queryable } from '../../../src/core/sql/database.ts';
import { findPeople } from '../../../src/core/store/people.ts';
import { findDiffering, type PlanMemory, placeOf } from '../../../src/jobs/sync/store/plan/pages.ts';
import { REFUSED, STAGED } from '../../../src/jobs/sync/store/plan/seen-keys.ts';
import type { RunRow } from '../../../src/jobs/sync/store/runs.ts';
import { type StagedRecord, stageRecords } from '../../../src/jobs/sync/store/staged-records.ts';
import { planSteps, refName } from '../../records/record-diff.ts';
import { type Newcomer, type Newcomers, stepsOfShape } from './plan-newcomers.ts';
import type { MappedRow } from './plan-page.ts';
import { groupByPerson, isPacked, type Person, recordOf, uniteGroups } from './plan-people.ts';
import type { UniteRules } from './plan-unite.ts';

/** How a page changes the counts of its run. A refused number subtracts what earlier pages counted. */
export interface StagedPage {
  /** Rows whose person another row already represents. */
  readonly merged: number;
  /** Rows whose number was refused. */
  readonly refused: number;
  /**
   * Change in the number of people with nothing to do, who are not in run_records. A later row may give them
   * something.
   */
  readonly same: number;
  /** People that this page brought, and those whose record moved. */
  readonly places: ReadonlyMap<string, number>;
}

export interface StageOptions {
  readonly rules: UniteRules;
  /** Counts people that the ledger does not know instead of staging them; null when they are staged. */
  readonly newcomers: Newcomers | null;
}

export async function stagePage(
  tx: Queryable,
  run: RunRow,
  memory: PlanMemory,
  good: readonly MappedRow[],
  { rules, newcomers }: StageOptions,
): Promise<StagedPage> {
  const page = run.pages + 1;
  const groups = groupByPerson(good, memory);
  const card = run.spec.mapping.card;
  const pipeline = card === undefined ? null : refName(card.pipeline);
  const places = new Map<string, number>();
  let same = 0;

  // A person with one row needs no merging: the ledger finds those who changed.
  const single = groups.filter(({ rows, earlier }) => rows.length === 1 && earlier === undefined);
  const firsts = single.map(({ rows }) => rows[0] as MappedRow);
  const differing = await findDiffering(tx, run.account, pipeline, firsts);
  const open: Person[] = [];
  const staged: StagedRecord[] = [];
  for (const [n, group] of single.entries()) {
    const { key, index } = group;
    const first = firsts[n] as MappedRow;
    if (differing.changed.has(n)) open.push({ group, earlier: null, record: recordOf(first) });
    else if (differing.unknown.has(n) && newcomers === null) {
      places.set(key, STAGED);
      staged.push({ key, row: first.row, record: first.json, todo: stepsOfShape(first.shape) });
    } else {
      places.set(key, placeOf(page, index));
      if (differing.unknown.has(n)) newcomers?.add(first);
      else same++;
    }
  }

  const repeated = groups.filter(({ rows, earlier }) => rows.length > 1 || earlier !== undefined);
  const united = await uniteGroups(tx, run, repeated, rules);
  open.push(...united.people);

  const people = await findPeople(
    tx,
    run.account,
    [...open, ...united.refused].map(({ group }) => group.key),
    pipeline ?? '',
  );
  // A packed person was counted as a newcomer or as a person with nothing to do.
  const uncount = ({ group, earlier }: { group: { key: string }; earlier: Newcomer | null }) => {
    if (newcomers !== null && earlier !== null && !people.has(group.key))
      newcomers.remove(earlier, run.spec.options);
    else same--;
  };
  for (const each of united.refused) {
    if (isPacked(each.group.earlier)) uncount(each);
    places.set(each.group.key, REFUSED);
  }
  for (const { group, earlier, record } of open) {
    const person = people.get(group.key) ?? null;
    const todo = planSteps(record, person, run.spec.options, run.sync);
    const kept = isPacked(group.earlier);
    const first = group.rows[0] as MappedRow;
    // A packed page stores the first row unchanged, so that row must be all that is known about the person.
    const packed = kept ? JSON.stringify(earlier?.record) : group.earlier === undefined ? first.json : null;
    const counted = person === null ? newcomers : null;
    // Steps may be revived for people who wait for a tag, so their records must be staged.
    const settled = todo === 0 && (person?.tags_missing ?? []).length === 0;
    if ((settled || counted !== null) && packed === JSON.stringify(record)) {
      if (kept) continue;
      places.set(group.key, placeOf(page, group.index));
      if (counted === null) same++;
      else counted.add(first);
      continue;
    }
    if (kept) uncount({ group, earlier });
    places.set(group.key, STAGED);
    staged.push({ key: group.key, row: earlier?.row ?? first.row, record, todo });
  }
  await stageRecords(
    tx,
    run.id,
    staged.sort((a, b) => a.row - b.row),
    { fresh: groups.every(({ earlier }) => earlier === undefined) },
  );
  return { merged: united.merged, refused: united.rejected, same, places };
}
