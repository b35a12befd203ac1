// What the parts of a turn share: the run as it is locked, and what everybody may have to wait for.
import type { Calendar } from '../../src/campaigns/calendar.ts';
import type { CampaignTurn } from '../../src/contracts/campaign.ts';
import { durationMs } from '../../src/contracts/config-base.ts';
import { countMembers, lostMembers } from '../../src/ledger/campaign-turn.ts';
import type { CampaignRow } from '../../src/ledger/campaigns.ts';
import type { Queryable } from '../../src/ledger/database.ts';

type Without<T> = T extends unknown ? Omit<T, 'wave' | 'pacePerMinute' | 'callsPerMinute' | 'counts'> : never;
/** The turn itself, without the figures beside it. */
export type Next = Without<CampaignTurn>;
export type Wait = Extract<Next, { do: 'wait' }>;
export type Trigger = Extract<Next, { do: 'trigger' }>;

/**
 * Whoever had the right to trigger is gone after so long: its flight is over within 60 s, and the next attempt of the same
 * call has settled the member by then.
 */
export const LOST_SECONDS = 90;
const LOOK_AGAIN_MS = 30_000;
/** Settling a lost member is no trigger: no window holds it. */
const SETTLE_LOST_MS = 3_600_000;

export interface TurnContext {
  readonly tx: Queryable;
  readonly run: CampaignRow;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly stamped: boolean;
  readonly calendar: Calendar;
}

/** Members whose right to trigger somebody took and was not heard of again. Null: there are none. */
export async function settleLost(
  { tx, run, now }: TurnContext,
  limit: number,
): Promise<Trigger | Wait | null> {
  if ((await countMembers(tx, run.run_id)).sending === 0) return null;
  const members = await lostMembers(tx, run.run_id, { seconds: LOST_SECONDS, limit });
  if (members.length > 0) return { do: 'trigger', members, closesMs: now + SETTLE_LOST_MS };
  return { do: 'wait', untilMs: now + LOOK_AGAIN_MS, why: 'retry' };
}

/**
 * When members come again whom a person served: those that may do so within a quarter of the delay come together, or
 * each of them would be a wave. Null: there are none.
 */
export function againMs({ run, now }: TurnContext, first: Date | null, last: Date | null): number | null {
  if (first === null || last === null) return null;
  const { humanService, end } = run.spec.config;
  const together = durationMs(humanService.retryAfter ?? '0s') / 4;
  const at = Math.min(first.getTime() + together, last.getTime());
  const tooLate = end !== undefined && at >= Date.parse(end);
  return Math.max(now, tooLate ? first.getTime() : at);
}

export function soonest(waits: readonly Wait[]): Wait {
  return waits.reduce((one, other) => (other.untilMs < one.untilMs ? other : one));
}
