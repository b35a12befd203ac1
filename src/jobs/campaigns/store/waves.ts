// Waves of a running campaign: their members, when each began and ended, and their outcomes.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { PlanNote } from '../contract/plan.ts';
import type { WaveResult } from '../contract/report.ts';
import type { WaveTally } from '../rules/waves.ts';

export interface WaveRow {
  readonly wave: number;
  readonly kind: WaveResult['kind'];
  /** Members that it took, including those that moved on to a later wave. */
  readonly size: number;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly judged_at: Date | null;
}

/** A member's state in its wave when it left for a later one. */
export type MovedOn = 'humanService' | 'failed' | 'unknown';

/** The wave under way; null between two waves. */
export async function openWave(tx: Queryable, run: string): Promise<WaveRow | null> {
  const [row] = await tx.query<WaveRow>(
    `select wave, kind, size, started_at, ended_at, judged_at from campaign_waves
      where run_id = $1 and ended_at is null order by wave limit 1`,
    [run],
  );
  return row ?? null;
}

export interface WavesSoFar {
  /** Number of the last wave; 0 when there was none. */
  readonly last: number;
  /** Number of waves without retries, and when the last of them began. */
  readonly regular: number;
  readonly regular_began: Date | null;
  /** When the last wave that is still to be evaluated ended. */
  readonly unjudged_ended: Date | null;
}

export async function wavesSoFar(tx: Queryable, run: string): Promise<WavesSoFar> {
  const [row] = await tx.query<WavesSoFar>(
    `select coalesce(max(wave), 0)::int as last,
            (count(*) filter (where kind <> 'retry'))::int as regular,
            max(started_at) filter (where kind <> 'retry') as regular_began,
            max(ended_at) filter (where judged_at is null) as unjudged_ended
       from campaign_waves where run_id = $1`,
    [run],
  );
  return row as WavesSoFar;
}

/** Waves that ended by then and were not evaluated. */
export async function wavesToJudge(tx: Queryable, run: string, endedBy: Date): Promise<number[]> {
  const rows = await tx.query<{ wave: number }>(
    `select wave from campaign_waves where run_id = $1 and judged_at is null and ended_at <= $2 order by wave`,
    [run, endedBy],
  );
  return rows.map(({ wave }) => wave);
}

/** Members of a wave by outcome. Those that moved on to a later wave count with their state at that time. */
export type WaveOutcomes = Omit<WaveTally, 'tried'>;

export async function waveOutcomes(tx: Queryable, run: string, wave: number): Promise<WaveOutcomes> {
  const [row] = await tx.query<WaveOutcomes>(
    `select m.triggered, m.failed + coalesce((w.moved_on ->> 'failed')::int, 0) as failed,
            m.unknown + coalesce((w.moved_on ->> 'unknown')::int, 0) as unknown,
            m.human + coalesce((w.moved_on ->> 'humanService')::int, 0) as "humanService",
            m."optedOut", m.replied
       from campaign_waves w, (
         select (count(*) filter (where state = 'triggered'))::int as triggered,
                (count(*) filter (where state = 'failed'))::int as failed,
                (count(*) filter (where state = 'unknown'))::int as unknown,
                (count(*) filter (where state = 'skipped' and code = 'HUMAN_SERVICE'))::int as human,
                (count(*) filter (where state in ('triggered', 'unknown') and opted_out_at is not null))::int as "optedOut",
                (count(*) filter (where state in ('triggered', 'unknown') and replied_at is not null))::int as replied
           from campaign_members where run_id = $1 and wave = $2) m
      where w.run_id = $1 and w.wave = $2`,
    [run, wave],
  );
  if (row === undefined) throw new Error(`the run ${run} has no wave ${wave}`);
  return row;
}

export async function judgeWave(
  tx: Queryable,
  run: string,
  wave: number,
  broken: readonly PlanNote[],
  at: Date,
): Promise<void> {
  await tx.query(
    `update campaign_waves set judged_at = coalesce(judged_at, $4), broken = $3 where run_id = $1 and wave = $2`,
    [run, wave, toJson(broken), at],
  );
}

export async function endWave(tx: Queryable, run: string, wave: number, at: Date): Promise<void> {
  await tx.query(
    'update campaign_waves set ended_at = $3 where run_id = $1 and wave = $2 and ended_at is null',
    [run, wave, at],
  );
}

/** All waves are over, and no rule evaluates them any more. */
export async function endWaves(tx: Queryable, run: string, at: Date): Promise<void> {
  await tx.query(
    `update campaign_waves set ended_at = coalesce(ended_at, $2), judged_at = coalesce(judged_at, $2)
      where run_id = $1 and (ended_at is null or judged_at is null)`,
    [run, at],
  );
}

/** A wave begins with its first trigger, not when its members were chosen. */
export async function beginWave(tx: Queryable, run: string, wave: number, at: Date): Promise<void> {
  await tx.query('update campaign_waves set started_at = $3 where run_id = $1 and wave = $2', [
    run,
    wave,
    at,
  ]);
}

/** Waiting members without a wave: those in the plan's order, and those that come again. */
export interface Unassigned {
  readonly regular: number;
  /** Members that an operator wants to retry as soon as possible. */
  readonly atOnce: number;
  /** For members whose conversation a person served: when the first and the last may be tried again. */
  readonly first: Date | null;
  readonly last: Date | null;
}

/** Members that come again have lost their place. */
export async function unassigned(tx: Queryable, run: string): Promise<Unassigned> {
  const [row] = await tx.query<Unassigned>(
    `select (count(*) filter (where place is not null))::int as regular,
            (count(*) filter (where place is null and not_before is null))::int as "atOnce",
            min(not_before) filter (where place is null) as first, max(not_before) filter (where place is null) as last
       from campaign_members where run_id = $1 and state = 'waiting' and wave is null`,
    [run],
  );
  return row as Unassigned;
}

/**
 * Makes the next wave from the plan's order, or from members that may be tried again now.
 * @returns its size; 0 when none was made
 */
export async function makeWave(
  tx: Queryable,
  run: string,
  {
    wave,
    kind,
    size,
  }: { readonly wave: number; readonly kind: WaveRow['kind']; readonly size: number | null },
  at: Date,
): Promise<number> {
  const chosen =
    kind === 'retry'
      ? 'place is null and coalesce(not_before <= $3, true) order by id'
      : 'place is not null and $3::timestamptz is not null order by place';
  const [made] = await tx.query<{ size: number }>(
    `with taken as (
       update campaign_members set wave = $2 where id in (
         select id from campaign_members where run_id = $1 and state = 'waiting' and wave is null and ${chosen} limit $4)
       returning 1)
     insert into campaign_waves (run_id, wave, kind, size, started_at)
     select $1, $2, $5, count(*)::int, $3 from taken having count(*) > 0 returning size`,
    [run, wave, at, size, kind],
  );
  return made?.size ?? 0;
}

/**
 * Takes members out of their waves, so that they come again in a later one. `failed` and `unknown` members become
 * waiting.
 * @param where condition over campaign_members, with parameters from $4 on
 * @returns the number of members
 */
export async function moveOn(
  tx: Queryable,
  run: string,
  as: MovedOn,
  where: string,
  params: readonly unknown[],
): Promise<number> {
  const from = as === 'humanService' ? 'waiting' : as;
  const [row] = await tx.query<{ members: number }>(
    `with chosen as (
       select id, wave from campaign_members where run_id = $1 and state = $2 and (${where}) order by id for update
     ), moved as (
       update campaign_members m set wave = null, place = null, state = 'waiting', ended_at = null,
              code = null, reason = null, rechecked_at = null, attempts = 0, failing_since = null, holder = null, due_at = null,
              ticket_id = null,
              replied_at = null, delivered_at = null, read_at = null, opted_out_at = null,
              not_before = case when $3 = 'humanService' then m.not_before end
         from chosen where m.id = chosen.id returning chosen.wave
     ), waves as (
       update campaign_waves w
          set moved_on = w.moved_on || jsonb_build_object($3::text, coalesce((w.moved_on ->> $3)::int, 0) + n)
         from (select wave, count(*)::int as n from moved where wave is not null group by wave) left_it
        where w.run_id = $1 and w.wave = left_it.wave
     )
     select count(*)::int as members from moved`,
    [run, from, as, ...params],
  );
  return row?.members ?? 0;
}
