// What a run of a campaign has come to, as operators see it.

import type { CampaignConfig } from '../config/config-campaigns.ts';
import type { CampaignName, CampaignRunName, CampaignState, PlanNote } from './campaign.ts';

/**
 * Once a run has finished: audience = excluded + holdout + triggered + skipped + failed + unknown + cancelled (the sums of the
 * tables by code). `replied`, `delivered`, `read` as far as a poller saw it.
 */
export interface CampaignFigures {
  readonly audience: number;
  readonly eligible: number;
  /** Only while the audience is read. */
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
  /** The stop rules that it broke. */
  readonly broken: readonly PlanNote[];
}

export interface CampaignReport extends CampaignName, CampaignRunName {
  /** Of the account. */
  readonly timeZone: string;
  readonly state: CampaignState;
  readonly paused: { readonly by: string; readonly reason: string } | null;
  /** Why it triggers nobody although nobody holds it: it goes on by itself once that is mended. */
  readonly blocked: PlanNote | null;
  /** What showed that its first trigger did what it should; null: nobody was triggered yet. */
  readonly verified: FirstVerified | null;
  readonly plannedAt: string;
  readonly plannedBy: string;
  readonly approvedBy: string | null;
  readonly approval: CampaignConfig['approval'];
  /** Tells whether a configuration is the one that it was planned by (digestOfSpec). */
  readonly digest: string;
  /** What keeps the plan from being started. */
  readonly problems: readonly PlanNote[];
  /** Why it could not be planned. */
  readonly reason: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly calls: number;
  /** A poller of the account reads its conversations: without one nobody knows who replied. */
  readonly pollerSees: boolean;
  readonly total: CampaignFigures;
  readonly waves: readonly WaveResult[];
}

/** How the first trigger of a run was verified: by its answer, by a conversation that it touched, by a person, or not at all. */
export interface FirstVerified {
  readonly how: 'answer' | 'conversation' | 'operator' | 'none';
  /** Ledger id. */
  readonly member: number;
  readonly reason: string;
}
