// Whose turn it is in a running campaign: members by state, by the zones that their windows go by, and one after the other.
import {
  type CampaignCounts,
  MEMBER_STATES,
  type MemberCode,
  type MemberState,
} from '../../contracts/wire/campaign.ts';
import type { Queryable } from '../database.ts';
import { lockedMembers } from './campaign-members.ts';

/** Members of the run by state: one pass over them, some 60 ms for 100,000. */
export async function countMembers(tx: Queryable, run: string): Promise<CampaignCounts> {
  const rows = await tx.query<{ state: MemberState; n: number }>(
    'select state, count(*)::int as n from campaign_members where run_id = $1 group by state',
    [run],
  );
  const counts = Object.fromEntries(MEMBER_STATES.map((state) => [state, 0])) as Record<MemberState, number>;
  for (const { state, n } of rows) counts[state] = n;
  return counts;
}

/** Waiting members of a wave that share their zones. */
export interface ZoneGroup {
  /** Joined by a comma, as the members have them. */
  readonly zones: string;
  readonly due: number;
  /** When the first of those is due that a batch has in hand, or that wait after a failure. */
  readonly deferred: Date | null;
  /** Of those whom a person served, when the first and the last may come again. */
  readonly first: Date | null;
  readonly last: Date | null;
}

export async function waitingByZones(
  tx: Queryable,
  run: string,
  wave: number,
  at: Date,
): Promise<ZoneGroup[]> {
  return await tx.query<ZoneGroup>(
    `select zones, (count(*) filter (where coalesce(not_before <= $3, true) and coalesce(due_at <= $3, true)))::int as due,
            min(due_at) filter (where coalesce(not_before <= $3, true) and due_at > $3) as deferred,
            min(not_before) filter (where not_before > $3) as first,
            max(not_before) filter (where not_before > $3) as last
       from campaign_members where run_id = $1 and wave = $2 and state = 'waiting' group by zones`,
    [run, wave, at],
  );
}

/** Has anybody in the wave been triggered, or tried? */
export async function hasBegun(tx: Queryable, run: string, wave: number): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from campaign_members
      where run_id = $1 and wave = $2 and state in ('sending', 'triggered', 'failed', 'unknown') limit 1`,
    [run, wave],
  );
  return rows.length > 0;
}

/** Which of the waiting members: all; those of a wave; of them those with these zones. */
export interface Waiting {
  readonly wave?: number;
  readonly zones?: readonly string[];
}

/** Leaves out waiting members for good. @returns how many they were */
export async function skipMembers(
  tx: Queryable,
  run: string,
  { wave, zones }: Waiting,
  code: MemberCode,
  at: Date,
): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `with chosen as (
       ${lockedMembers(`run_id = $1 and state = 'waiting' and ($2::int is null or wave = $2) and ($3::text[] is null or zones = any($3))`)}
     ), ended as (
       update campaign_members set state = 'skipped', code = $4, reason = null, ended_at = $5
        where id in (select id from chosen) returning 1)
     select count(*)::int as n from ended`,
    [run, wave ?? null, zones ?? null, code, at],
  );
  return row?.n ?? 0;
}

/** Waiting members that name a wave which has ended come again. @returns how many they were */
export async function freeStranded(tx: Queryable, run: string): Promise<number> {
  const rows = await tx.query(
    `with chosen as (
       ${lockedMembers(`run_id = $1 and state = 'waiting' and wave in (select wave from campaign_waves where run_id = $1 and ended_at is not null)`)}
     )
     update campaign_members set wave = null, place = null where id in (select id from chosen) returning 1`,
    [run],
  );
  return rows.length;
}
