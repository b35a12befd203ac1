// Facts for a campaign plan about its audience and the account, counted in the ledger.

import { MEMBER_VARIABLES } from '../../../core/encryption/columns.ts';
import { decryptValue } from '../../../core/encryption/values.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { MemberState } from '../constants.ts';
import type { SampledMember } from '../contract/campaign-members.ts';

export interface StateCount {
  readonly state: MemberState;
  readonly code: string | null;
  readonly members: number;
}

export async function countMembers(db: Queryable, run: string): Promise<StateCount[]> {
  return await db.query(
    `select state, code, count(*)::int as members from campaign_members where run_id = $1
      group by state, code order by state, code`,
    [run],
  );
}

/** Members to trigger whose send windows use the same zones. */
export interface ZoneCount {
  /** Joined by commas. */
  readonly zones: string;
  readonly members: number;
  /** Members whose contact id is not known. */
  readonly unnamed: number;
  /** Members without a card. */
  readonly cardless: number;
}

/** Most members first. */
export async function countZones(db: Queryable, run: string): Promise<ZoneCount[]> {
  return await db.query(
    `select zones, count(*)::int as members,
            (count(*) filter (where contact_id is null))::int as unnamed,
            (count(*) filter (where card_id is null))::int as cardless
       from campaign_members where run_id = $1 and state = 'waiting'
      group by zones order by members desc, zones`,
    [run],
  );
}

export interface PollerGlance {
  readonly poller: string;
  readonly paused: boolean;
  readonly block_code: string | null;
  readonly block_reason: string | null;
  /** The service shows something in a different form than assumed. */
  readonly is_shape: boolean;
  readonly polled_at: Date | null;
}

/** Pollers of the account that were ever started. */
export async function glanceAtPollers(db: Queryable, account: string): Promise<PollerGlance[]> {
  return await db.query(
    `select poller, paused_at is not null as paused, block_code, block_reason, block_shape is not null as is_shape, polled_at
       from pollers where account = $1 order by poller`,
    [account],
  );
}

/** Names of syncs and other campaigns that are under way and spend the account's calls. */
export async function underWayBeside(
  db: Queryable,
  account: string,
  run: string,
): Promise<{ syncs: string[]; campaigns: string[] }> {
  const syncs = await db.query<{ sync: string }>(
    `select sync from runs where account = $1 and finished_at is null and kind in ('sync', 'retry') order by sync`,
    [account],
  );
  const campaigns = await db.query<{ campaign: string }>(
    `select distinct campaign from campaigns where account = $1 and state = 'running' and run_id <> $2 order by campaign`,
    [account, run],
  );
  return {
    syncs: syncs.map(({ sync }) => sync),
    campaigns: campaigns.map(({ campaign }) => campaign),
  };
}

/** The first members to trigger, with the variables that the flow would get. This is personal data. */
export async function sampleMembers(db: Queryable, run: string, limit: number): Promise<SampledMember[]> {
  const rows = await db.query<SampledMember & { key: string | null }>(
    `select id::float8 as member, key, number, coalesce(variables, '{}') as variables from campaign_members
      where run_id = $1 and state = 'waiting' order by place, id limit $2`,
    [run, limit],
  );
  return rows.map(({ key, ...row }) => ({
    ...row,
    variables: decryptValue(db, MEMBER_VARIABLES, [run, key], row.variables),
  }));
}
