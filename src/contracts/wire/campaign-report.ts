// Results of a campaign run, as operators see them.

import type { CampaignConfig } from '../config/config-campaigns.ts';
import type { CampaignName, CampaignPause, CampaignRunName, CampaignState, PlanNote } from './campaign.ts';

/**
 * Once a run has finished: audience = excluded + holdout + triggered + skipped + failed + unknown + cancelled (the
 * sums of the tables by code). `replied`, `delivered` and `read` count only what a poller saw.
 */
export interface CampaignFigures {
  readonly audience: number;
  readonly eligible: number;
  /** Set only while the audience is being read. */
  readonly found: number;
  readonly holdout: number;
  readonly excluded: Readonly<Record<string, number>>;
  readonly waiting: number;
  readonly sending: number;
  readonly triggered: number;
  readonly delivered: number;
  readonly read: number;
  readonly replied: number;
  readonly optedOut: number;
  readonly moved: number;
  readonly tagged: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
  readonly unknown: number;
  readonly cancelled: number;
}

export interface WaveResult extends CampaignFigures {
  readonly wave: number;
  readonly kind: 'canary' | 'wave' | 'retry';
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly judgedAt: string | null;
  /** Stop rules that it broke. */
  readonly broken: readonly PlanNote[];
}

export interface CampaignReport extends CampaignName, CampaignRunName {
  /** Time zone of the account. */
  readonly timeZone: string;
  readonly state: CampaignState;
  readonly paused: CampaignPause | null;
  /** Why the run triggers nobody although it is not paused. It continues by itself once the cause is fixed. */
  readonly blocked: PlanNote | null;
  /** What verified the first trigger; null if nobody has been triggered yet. */
  readonly verified: FirstVerified | null;
  readonly plannedAt: string;
  readonly plannedBy: string;
  readonly approvedBy: string | null;
  readonly approval: CampaignConfig['approval'];
  /** Hash of the configuration that the plan was made from (digestOfSpec); shows whether it has changed. */
  readonly digest: string;
  /** What prevents the start of the plan. */
  readonly problems: readonly PlanNote[];
  /** Why the plan failed. */
  readonly reason: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly calls: number;
  /** True if a poller reads the account's conversations; without one, replies are not seen. */
  readonly pollerSees: boolean;
  readonly total: CampaignFigures;
  readonly waves: readonly WaveResult[];
}

/**
 * How the first trigger of a run was verified: by its response, by a newer conversation, by an operator, or not at all.
 */
export interface FirstVerified {
  readonly how: 'answer' | 'conversation' | 'operator' | 'none';
  /** Ledger id of the member. */
  readonly member: number;
  readonly reason: string;
}
