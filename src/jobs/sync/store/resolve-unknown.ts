// Records whose outcome is unknown and of which a person knows that their call took effect.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Database, Queryable } from '../../../core/sql/database.ts';
import { runNotes } from '../../../core/sql/notes.ts';
import { pick, readCatalog } from '../../../core/store/catalog.ts';
import { endIntent } from '../../../core/store/intents.ts';
import { stageNote } from '../../../core/store/people.ts';
import { STEP_BITS } from '../constants.ts';
import { lockRun, type RunCounts, type RunRow } from './runs.ts';
import { findUnknownEffects, type UnknownEffect } from './unknown-effects.ts';

/** Thrown while a run of the sync is open. Nothing was written. */
export class RunOpenError extends Error {
  override readonly name = 'RunOpenError';
  readonly run: string;
  constructor(run: string) {
    super(`the run ${run} is open`);
    this.run = run;
  }
}

const DONE_STEPS = {
  createCard: STEP_BITS.findCard | STEP_BITS.createCard | STEP_BITS.readBackCard,
  moveStage: STEP_BITS.moveStage | STEP_BITS.readBackStage,
} as const;

/**
 * Records that the calls of these rows took effect, so that nobody repeats them. Their records end as done.
 * @param runs the runs of a list of rows
 * @param rows numbers in the source
 * @returns the number of rows that were resolved; rows that are not unknown do not change
 * @throws RunOpenError
 */
export async function resolveUnknown(
  db: Database,
  { account, sync }: { readonly account: string; readonly sync: string },
  runs: readonly string[],
  rows: readonly number[],
): Promise<number> {
  return await db.transaction(async (tx) => {
    await withoutOpenRun(tx, account, sync);
    const locked = new Map<string, LockedRun>();
    for (const id of runs.toSorted()) locked.set(id, await lockRun(tx, id));
    // Row 0 is everybody who left the source. The next run checks each of them.
    const effects = await findUnknownEffects(
      tx,
      runs,
      rows.filter((row) => row > 0),
    );
    for (const effect of effects) {
      await settleEffect(tx, effect);
      await settleRecord(tx, locked.get(effect.run_id) as LockedRun, effect);
    }
    return new Set(effects.map(({ key }) => key)).size;
  });
}

/**
 * Keeps runs of the sync from opening until the transaction ends: it takes the place that the index `runs_open` has
 * for one run, and gives it back. A run that opens meanwhile waits, and then plans with what was resolved.
 */
async function withoutOpenRun(tx: Queryable, account: string, sync: string): Promise<void> {
  const id = `${account}/${sync}/resolve`;
  const taken = await tx.query(
    `insert into runs (id, account, sync, seq, spec) values ($1, $2, $3, -1, '{}') on conflict do nothing returning 1`,
    [id, account, sync],
  );
  if (taken.length === 0) {
    const [open] = await tx.query<{ id: string }>(
      'select id from runs where account = $1 and sync = $2 and finished_at is null',
      [account, sync],
    );
    throw new RunOpenError(open?.id ?? `of ${sync}`);
  }
  await tx.query('delete from runs where id = $1', [id]);
}

/** The counts change with each record. */
type LockedRun = Omit<RunRow, 'counts'> & { counts: RunCounts | null };

/** Ends the intent, so that nobody sends again. A card that has moved also gets its stage, or the next run moves it. */
async function settleEffect(tx: Queryable, effect: UnknownEffect): Promise<void> {
  const { intent, card, step, payload } = effect;
  if (intent?.state !== 'unknown') return;
  if (step === 'createCard') await endIntent(tx, intent.id, 'done');
  if (step !== 'moveStage' || card === null) return;
  const wanted = payload?.card?.stage;
  // All syncs and routes share the intent of a card's stage. The last call may have been for another stage.
  if (wanted === undefined || !(await isTarget(tx, effect, wanted))) return;
  await endIntent(tx, intent.id, 'done');
  const name = typeof wanted === 'number' ? `#${wanted}` : wanted;
  // What was stored after the call shows where the card is now: somebody has moved it on.
  const stage = card.since ? card.remote_stage_id : Number(intent.mark);
  await runNotes(tx, 'select 1', [], [stageNote(card.id, name, stage)]);
}

/** Whether the last call moved the card to the stage that the record wants. */
async function isTarget(
  tx: Queryable,
  { account, pipeline, intent }: UnknownEffect,
  stage: string | number,
): Promise<boolean> {
  const pipelines = (await readCatalog(tx, account, 'pipelines')) ?? [];
  const found = pick(pipelines, refOf(pipeline ?? ''));
  const target = found === null ? null : pick(found.stages, stage);
  return target !== null && String(target.id) === intent?.mark;
}

const refOf = (stored: string) => (/^#\d+$/.test(stored) ? Number(stored.slice(1)) : stored);

/**
 * Ends the record as done. Its payload goes, unless a source that never returns its row left it other work. Once a
 * later run has ended, the counts of a run stand in its row, and it has no records of what is done.
 */
async function settleRecord(tx: Queryable, run: LockedRun, { id, step, todo }: UnknownEffect): Promise<void> {
  const rest = todo & ~(step === 'createCard' || step === 'moveStage' ? DONE_STEPS[step] : 0);
  const { source } = run.spec;
  const keeps = rest !== 0 && 'incremental' in source && source.incremental !== undefined;
  const [row] = await tx.query<{ status: 'created' | 'updated' }>(
    `update run_records
        set status = case when created then 'created' else 'updated' end, touched = true,
            card_created = card_created or $2, todo = $3, step = null, code = null, reason = null,
            payload = case when $4 then payload end, ended_at = clock_timestamp()
      where id = $1 and status = 'unknown' returning status`,
    [id, step === 'createCard', rest, keeps],
  );
  if (row === undefined || run.counts === null) return;
  const { [row.status]: done, unknown, cards } = run.counts;
  const change = {
    [row.status]: done + 1,
    unknown: unknown - 1,
    cards: cards + (step === 'createCard' ? 1 : 0),
  };
  run.counts = { ...run.counts, ...change };
  await tx.query('update runs set counts = $2 where id = $1', [run.id, toJson(run.counts)]);
  await tx.query('delete from run_records where id = $1', [id]);
}
