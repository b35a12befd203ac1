// Evaluates the staged records of a run: who is created, updated and moved, and which fields are written. Reads only
// the ledger.

import type { CrmRecord } from '../../../src/core/record.ts';
import type { Queryable } from '../../../src/core/sql/database.ts';
import { findPeople, type KnownPerson, missingTags } from '../../../src/core/store/people.ts';
import { STEP_BITS } from '../../../src/jobs/sync/constants.ts';
import type { PlanAction, PlanChange, PlanReport, PlanSample } from '../../../src/jobs/sync/contract/plan.ts';
import type { RunRow } from '../../../src/jobs/sync/store/runs.ts';
import { stagedRecords } from '../../../src/jobs/sync/store/staged-records.ts';
import { contactChange } from '../../records/contact-change.ts';
import { hashRecord, pipelineName, planNewcomer } from '../../records/record-diff.ts';
import { stepsOf, Tally } from './plan-calls.ts';
import type { Newcomers } from './plan-newcomers.ts';
import { addWaiting, type TagCounts } from './plan-tags.ts';

const BATCH = 2000;

export interface Outlook {
  readonly create: number;
  readonly update: number;
  readonly move: number;
  readonly vanished: number;
  readonly fields: {
    readonly update: Readonly<Record<string, number>>;
    readonly create: Readonly<Record<string, number>>;
  };
  readonly tags: PlanReport['tags'];
  readonly calls: PlanReport['calls'];
  readonly samples: readonly PlanSample[];
}

/**
 * @param newcomers people that the ledger does not know; they are not staged
 * @param tags has counted the newcomers
 * @param samples how many records of each action to show in full, with personal data
 */
export async function outlookOf(
  tx: Queryable,
  run: RunRow,
  { newcomers, tags }: { readonly newcomers: Newcomers; readonly tags: TagCounts },
  samples: number,
): Promise<Outlook> {
  const { options } = run.spec;
  const pipeline = pipelineName(run.spec);
  const tally = new Tally();
  const actions = new Map<PlanAction | 'vanished', number>();
  const fields = { update: new Map<string, number>(), create: new Map<string, number>() };
  const shown: PlanSample[] = [];
  for (let after = 0; ; ) {
    const records = await stagedRecords(tx, run.id, { after, limit: BATCH });
    const people = await findPeople(
      tx,
      run.account,
      records.map(({ key }) => key),
      pipeline,
    );
    for (const { row_no: row, key, todo, payload } of records) {
      const person = people.get(key) ?? null;
      const action = actionOf(todo, person);
      const counted = row === 0 ? 'vanished' : action;
      add(actions, counted);
      const changes = changesOf(payload, person, todo, run, row === 0);
      const setsTags = (todo & STEP_BITS.setTags) !== 0;
      if (row > 0) tags.add(setsTags ? payload.tags : (person?.tags_missing ?? []), 1, [row]);
      if (row > 0)
        for (const { field } of changes) add(person === null ? fields.create : fields[kindOf(action)], field);
      if (row === 0) tally.countVanished(todo, payload, person, run);
      else tally.count(todo, payload, person, run);
      const alike = shown.filter((sample) => sample.action === action && (sample.row === 0) === (row === 0));
      // Records are in the order in which they were staged, so an earlier row may come later.
      const earlier = samples > 0 && alike.some((sample) => sample.row > row);
      if (alike.length < samples || earlier) shown.push({ row, key, action, steps: stepsOf(todo), changes });
    }
    const last = records.at(-1);
    if (last === undefined || records.length < BATCH) break;
    after = last.id;
  }
  for (const { record, todo, people } of newcomers.shapes()) {
    add(actions, 'create', people);
    for (const { field } of changesOf(record, null, todo, run, false)) add(fields.create, field, people);
    tally.count(todo, record, null, run, people);
  }
  for (const { row, record } of newcomers.samples()) {
    const todo = planNewcomer(record, options);
    const changes = changesOf(record, null, todo, run, false);
    shown.push({ row, key: record.key, action: 'create', steps: stepsOf(todo), changes });
  }
  await addWaiting(tx, run, tags);
  const steps = tally.lines(options.mode, (await missingTags(tx, run)).length);
  const sum = (of: 'min' | 'ifNew' | 'max') => steps.reduce((total, line) => total + line[of], 0);
  return {
    create: actions.get('create') ?? 0,
    update: actions.get('update') ?? 0,
    move: actions.get('move') ?? 0,
    vanished: actions.get('vanished') ?? 0,
    fields: { update: Object.fromEntries(fields.update), create: Object.fromEntries(fields.create) },
    tags: tags.report(),
    calls: { min: sum('min'), ifNew: sum('ifNew'), max: sum('max'), steps },
    samples: firstOfEach(shown, samples),
  };
}

/** The first of each action, ordered by row. People who left the source come last. */
function firstOfEach(shown: readonly PlanSample[], samples: number): PlanSample[] {
  const ordered = shown.toSorted((a, b) => (a.row || Infinity) - (b.row || Infinity));
  const counts = new Map<string, number>();
  return ordered.filter(({ row, action }) => {
    const kind = `${row === 0} ${action}`;
    add(counts, kind);
    return (counts.get(kind) ?? 0) <= samples;
  });
}

function add<K>(counts: Map<K, number>, key: K, times = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}

function actionOf(todo: number, person: KnownPerson | null): PlanAction {
  if (person?.remote_id == null) return 'create';
  if ((todo & ~(STEP_BITS.moveStage | STEP_BITS.readBackStage)) === 0) return 'move';
  return 'update';
}

const kindOf = (action: PlanAction) => (action === 'create' ? 'create' : 'update');

/** Fields that would be written, each with the hash of its last sent value if the ledger has one. */
function changesOf(
  record: CrmRecord,
  person: KnownPerson | null,
  todo: number,
  run: RunRow,
  vanished: boolean,
): PlanChange[] {
  const { options } = run.spec;
  const changes: PlanChange[] = [];
  const isNew = person?.remote_id == null;
  const sent = person?.sent ?? {};
  const hashes = hashRecord(record, options);
  if (!vanished && (isNew || hashes.contact !== person.hash_contact)) {
    const { write, clear } = contactChange(record.contact, sent, null, options, isNew);
    for (const [field, now] of Object.entries(write)) changes.push({ field, was: markOf(sent, field), now });
    for (const field of clear) changes.push({ field, was: markOf(sent, field), now: null });
  }
  if (record.extraInfo.length > 0 && hashes.extra !== person?.hash_extra)
    changes.push({ field: 'extraInfo', was: person?.hash_extra ?? null, now: record.extraInfo });
  if ((todo & STEP_BITS.setTags) !== 0 && (record.tags.length > 0 || !isNew))
    changes.push({ field: 'tags', was: person?.hash_tags ?? null, now: record.tags });
  if ((todo & STEP_BITS.createCard) !== 0) changes.push({ field: 'card', was: null, now: record.card });
  if ((todo & STEP_BITS.moveStage) !== 0)
    changes.push({ field: 'stage', was: person?.card?.stage ?? null, now: record.card?.stage });
  return changes;
}

function markOf(sent: Readonly<Record<string, string>>, field: string): string | null {
  return sent[field] ?? null;
}
