// Results of a campaign run, as operators see them. They contain no personal data.
import { z } from 'zod';
import { Pause } from '../../../core/pause.ts';
import { CampaignConfig } from '../config.ts';
import { CAMPAIGN_STATES } from './batches.ts';
import { CodeCounts, PlanNote } from './plan.ts';

/** ISO 8601 in UTC. */
const time = z.string();

/**
 * Once a run has finished: audience = excluded + holdout + triggered + skipped + failed + unknown + cancelled (the
 * sums of the tables by code). `replied`, `delivered` and `read` count only what a poller saw.
 */
export const CampaignFigures = z.object({
  audience: z.number(),
  eligible: z.number(),
  /** Set only while the audience is being read. */
  found: z.number(),
  holdout: z.number(),
  excluded: CodeCounts,
  waiting: z.number(),
  sending: z.number(),
  triggered: z.number(),
  delivered: z.number(),
  read: z.number(),
  replied: z.number(),
  optedOut: z.number(),
  moved: z.number(),
  tagged: z.number(),
  skipped: CodeCounts,
  failed: CodeCounts,
  unknown: z.number(),
  cancelled: z.number(),
});
export type CampaignFigures = Readonly<z.infer<typeof CampaignFigures>>;

export const WaveResult = CampaignFigures.extend({
  wave: z.number(),
  kind: z.enum(['canary', 'wave', 'retry']),
  startedAt: time,
  endedAt: time.nullable(),
  judgedAt: time.nullable(),
  /** False: fewer members were tried than `stop.atLeast`, so no stop rule counts. */
  isEvaluated: z.boolean(),
  /** Stop rules that it broke. */
  broken: z.array(PlanNote.readonly()).readonly(),
});
export type WaveResult = Readonly<z.infer<typeof WaveResult>>;

/**
 * How the first trigger of a run was verified: by its response, by a newer conversation, by an operator, or not at all.
 */
export const FirstVerified = z.object({
  how: z.enum(['answer', 'conversation', 'operator', 'none']),
  /** Ledger id of the member. */
  member: z.number(),
  reason: z.string(),
});
export type FirstVerified = Readonly<z.infer<typeof FirstVerified>>;

export const CampaignReport = z.object({
  account: z.string(),
  campaign: z.string(),
  run: z.string(),
  /** Time zone of the account. */
  timeZone: z.string(),
  state: z.enum(CAMPAIGN_STATES),
  paused: Pause.readonly().nullable(),
  /** Why the run triggers nobody although it is not paused. It continues by itself once the cause is fixed. */
  blocked: PlanNote.readonly().nullable(),
  /** What verified the first trigger; null if nobody has been triggered yet. */
  verified: FirstVerified.readonly().nullable(),
  plannedAt: time,
  plannedBy: z.string(),
  approvedBy: z.string().nullable(),
  startedBy: z.string().nullable(),
  approval: CampaignConfig.shape.approval,
  /** Hash of the configuration that the plan was made from (digestOfSpec); shows whether it has changed. */
  digest: z.string(),
  /** What prevents the start of the plan. */
  problems: z.array(PlanNote.readonly()).readonly(),
  /** Why the plan failed. */
  reason: z.string().nullable(),
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  calls: z.number(),
  /** True if a poller reads the account's conversations; without one, replies are not seen. */
  pollerSees: z.boolean(),
  /** Unless `known`, `delivered` and `read` are unknown, not 0: nothing was reported of those who were triggered. */
  deliveries: z.enum(['known', 'not-reported', 'no-poller']),
  /** Unless `known`, that nobody replied or opted out is not known: no poller reads conversations. */
  replies: z.enum(['known', 'no-poller']),
  total: CampaignFigures.readonly(),
  waves: z.array(WaveResult.readonly()).readonly(),
});
export type CampaignReport = Readonly<z.infer<typeof CampaignReport>>;
