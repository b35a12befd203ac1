// Mirrors: finds who has left the source, once, after its last page. Decision 13 says when Sluice changes nobody.
import type { CrmRecord } from '../../../src/core/record.ts';
import type { Queryable } from '../../../src/core/sql/database.ts';
import { findPeople, type KnownPerson } from '../../../src/core/store/people.ts';
import { STEP_BITS } from '../../../src/jobs/sync/constants.ts';
import { countMembers, dropMembers, listMembers } from '../../../src/jobs/sync/store/members.ts';
import type { PlanMemory } from '../../../src/jobs/sync/store/plan/pages.ts';
import { addWarning } from '../../../src/jobs/sync/store/run-warnings.ts';
import { type RunRow } from '../../../src/jobs/sync/store/runs.ts';
import { type StagedRecord, stageRecords } from '../../../src/jobs/sync/store/staged-records.ts';
import { pipelineName, refName } from '../../records/record-diff.ts';

/** This few people may always leave at once: half of a short list does not indicate a broken export. */
const FEW = 10;
const BATCH = 2000;

/**
 * Stages the work on people who left the source, as records with row 0.
 * @param read everything that the run read
 */
export async function stageVanished(
  tx: Queryable,
  run: RunRow,
  memory: PlanMemory,
  read: { good: number; unreadable: number },
): Promise<void> {
  const gone: string[] = [];
  for await (const keys of listMembers(tx, run))
    for (const key of keys) if (!memory.seen.has(key)) gone.push(key);
  if (gone.length === 0) return;
  const leave = (code: string, why: string) =>
    addWarning(tx, run.id, {
      step: 'mirror',
      subject: '',
      code,
      reason: `${gone.length === 1 ? '1 person is' : `${gone.length} people are`} no longer in the source; Sluice did nothing about them: ${why}`,
    });
  if (read.good === 0) return await leave('MIRROR_EMPTY', 'the source has no usable row');
  if (read.unreadable > 0) {
    const rows = `${read.unreadable === 1 ? '1 row' : `${read.unreadable} rows`} could not be read and may be theirs; correct them in the source`;
    return await leave('MIRROR_UNREADABLE', rows);
  }
  const before = await countMembers(tx, run, run.seq);
  if (gone.length > FEW && gone.length * 2 > before) {
    const why = `they are more than half of ${before}, so Sluice assumes a broken export; if the source is right, run the sync with the mode upsert, or shrink the source in steps`;
    return await leave('MIRROR_TOO_MANY', why);
  }
  for (let from = 0; from < gone.length; from += BATCH)
    await stageBatch(tx, run, gone.slice(from, from + BATCH));
}

async function stageBatch(tx: Queryable, run: RunRow, keys: readonly string[]): Promise<void> {
  const { vanished } = run.spec.options;
  const pipeline = run.spec.mapping.card?.pipeline;
  const people = await findPeople(tx, run.account, keys, pipelineName(run.spec));
  const staged: StagedRecord[] = [];
  const settled: string[] = [];
  for (const key of keys) {
    const person = people.get(key);
    const record: CrmRecord = { key, contact: { number: key }, extraInfo: [], tags: [] };
    const todo = person === undefined ? 0 : stepsOf(person, vanished);
    if (typeof vanished === 'object' && pipeline !== undefined)
      record.card = { pipeline, stage: vanished.moveTo, customFields: {} };
    if (todo === 0) settled.push(key);
    else staged.push({ key, row: 0, record, todo });
  }
  await stageRecords(tx, run.id, staged);
  // A dry run locks no rows.
  if (run.kind !== 'plan') await dropMembers(tx, run, settled);
}

function stepsOf(person: KnownPerson, vanished: RunRow['spec']['options']['vanished']): number {
  if (person.remote_id === null || vanished === 'ignore') return 0;
  if (vanished === 'remove-tags')
    return person.tags_added.length > 0 ? STEP_BITS.upsertContact | STEP_BITS.setTags : 0;
  return person.card !== null && person.card.stage !== refName(vanished.moveTo) ? STEP_BITS.moveStage : 0;
}
