// Refusals that every member of a campaign may meet: that of the first member, and several in a row without a success
// between them.

import type { Queryable } from '../../../core/sql/database.ts';
import type { CampaignRow } from './campaigns.ts';
import { lockedMembers } from './members.ts';

/** This many refusals in a row with one code do not concern these people alone. */
const MOST_IN_ROW = 3;

export interface Suspicion {
  /** Whether the campaign must be paused. */
  readonly mustPause: boolean;
  /** Members that failed with this code since the last successful trigger. */
  readonly members: readonly number[];
  /** Whether the account has accepted a trigger, in this run or in another one. */
  readonly accepted: boolean;
}

/**
 * Evaluates one more refusal with this code.
 * @param campaign the locked campaign
 * @param assumed fingerprint of the assumptions; if an operator resumes the campaign under the same ones, its members
 *   fail
 */
export async function suspicionOf(
  tx: Queryable,
  { run_id: run, suspect }: Pick<CampaignRow, 'run_id' | 'suspect'>,
  code: string,
  assumed: string,
): Promise<Suspicion> {
  const [row] = await tx.query<{ triggered: boolean; accepted: boolean; members: number[] }>(
    `with last as (
       select max(ended_at) as at from campaign_members where run_id = $1 and state = 'triggered')
     select last.at is not null as triggered,
            last.at is not null or exists (
              select 1 from campaigns c
               where c.verified is not null
                 and c.account = (select account from campaigns where run_id = $1)) as accepted,
            coalesce((select array_agg(m.id::float8) from campaign_members m
              where m.run_id = $1 and m.state = 'failed' and m.code = $2 and m.ended_at > coalesce(last.at, '-infinity')), '{}') as members
       from last`,
    [run, code],
  );
  const { triggered = false, accepted = false, members = [] } = row ?? {};
  const isKnown = suspect?.code === code && suspect.assumed === assumed;
  const isFirst = !triggered && members.length === 0 && !isKnown;
  return { mustPause: isFirst || members.length + 1 >= MOST_IN_ROW, members, accepted };
}

/** The campaign is paused for this code, so all members with it wait again. */
export async function takeBackSuspects(
  tx: Queryable,
  run: string,
  {
    code,
    assumed,
    members,
  }: { readonly code: string; readonly assumed: string; readonly members: readonly number[] },
): Promise<void> {
  await tx.query(
    'update campaigns set suspect = jsonb_build_object($2::text, $3::text, $4::text, $5::text) where run_id = $1',
    [run, 'code', code, 'assumed', assumed],
  );
  await tx.query(
    `with chosen as (${lockedMembers("run_id = $1 and id = any($2) and state = 'failed'")})
     update campaign_members set state = 'waiting', code = null, reason = null, ended_at = null
      where id in (select id from chosen)`,
    [run, members],
  );
}
