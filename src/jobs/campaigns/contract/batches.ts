// Campaigns as workflows, activities and operators see them. Times are ISO 8601 in UTC; names that end in `Ms` are
// milliseconds since 1970.
import { z } from 'zod';
import { SourceConfig } from '../../../connectors/sources/config.ts';
import { Pause } from '../../../core/pause.ts';
import { CampaignConfig, OptOutConfig } from '../config.ts';
import { MEMBER_STATES, type MemberState } from '../constants.ts';
import { PlanNote } from './plan.ts';

/** Everything that configures a campaign, frozen when it is planned. An edit of sluice.yaml voids the plan. */
export const CampaignSpec = z.object({
  account: z.string(),
  campaign: z.string(),
  config: CampaignConfig,
  /** Sources of the audience, by name. */
  sources: z.record(z.string(), SourceConfig),
  /** Time zone of the account. */
  timeZone: z.string(),
  optOut: OptOutConfig,
});
export type CampaignSpec = z.infer<typeof CampaignSpec>;

export interface CampaignName {
  readonly account: string;
  readonly campaign: string;
}

/** A run of a campaign: its id is `{account}/+{campaign}/{number}`. */
export interface CampaignRunName {
  readonly run: string;
}

/**
 * - `planning`: the audience is being read; `planned`: it is frozen, and the run waits for its start (and approval)
 * - `running`: in progress, paused or not; `finished`; `cancelled`; `failed`: the plan could not be made; `void`: a
 *   newer plan has replaced it
 */
export const CAMPAIGN_STATES = [
  'planning',
  'planned',
  'running',
  'finished',
  'cancelled',
  'failed',
  'void',
] as const;
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

// ---- planning

export interface CampaignPlanInput extends CampaignName {
  /** Who makes the plan. */
  readonly by: string;
}

/** Result of `openCampaignPlan`. */
export interface CampaignPlanning extends CampaignRunName {
  readonly tokenKey: string;
  readonly callsPerMinute: number;
  /** Lists of the account to read first. */
  readonly lists: readonly CampaignList[];
  /** How each part of the audience is read, in the order of the parts. */
  readonly parts: readonly ('api' | 'ledger')[];
}
export type CampaignList = 'tags' | 'pipelines' | 'lostReasons' | 'connections';

/** `part` is the index in the configuration's list `audience`, from 0. */
export interface AudiencePageInput extends CampaignRunName {
  readonly part: number;
}

/** Result of reading one page of a part of the audience. */
export interface AudiencePage {
  readonly done: boolean;
  /** Rows found in this part so far. */
  readonly found: number;
}

/** Result of the query `campaignPlanProgress`. */
export interface CampaignPlanProgress {
  readonly phase: 'opening' | 'reading' | 'deciding' | 'ended';
  /** Index of the part that is being read, from 0, and the number of parts. */
  readonly part: number;
  readonly parts: number;
  /** Rows found in this part so far. */
  readonly found: number;
}

// ---- running

export interface CampaignInput extends CampaignName, CampaignRunName {
  /** Who started it and why; recorded in the audit trail. */
  readonly by: string;
  readonly reason?: string;
}

/** Result of `openCampaign`. */
export interface OpenedCampaign {
  readonly tokenKey: string;
  readonly callsPerMinute: number;
  readonly paused: Pause | null;
  /** Follow-up events of this run's triggers without a workflow (state `received`), to be handed over again. */
  readonly after: readonly string[];
}

/** Steps of a member; each is one API call. */
export type MemberStep = 'findMember' | 'recheckMember' | 'triggerMember' | 'verifyMember';

/** Result of the workflow of a run. */
export interface CampaignResult extends CampaignRunName {
  readonly state: 'finished' | 'cancelled';
}

/** What a running campaign does next, as the ledger decides. */
export type NextAction = NextFacts &
  (
    | { readonly do: 'triggerBatch' }
    | {
        readonly do: 'waitUntil';
        readonly untilMs: number;
        /** `replies`: Sluice can't read what the campaign relies on; `blocked` says why. */
        readonly why: 'start' | 'window' | 'retry' | 'settle' | 'every' | 'replies';
        readonly blocked?: PlanNote;
      }
    /** A stop rule was broken, or the run is paused. The run waits for an operator. */
    | { readonly do: 'pause'; readonly code: string; readonly reason: string }
    /** Every member has its outcome. */
    | { readonly do: 'finish' }
  );

interface NextFacts {
  /** The open wave, or the last one; null before the first. */
  readonly wave: number | null;
  /** Maximum number of triggers per minute; null if only the budget limits them. */
  readonly pacePerMinute: number | null;
  readonly callsPerMinute: number;
  readonly counts: CampaignCounts;
}

export const CampaignCounts = z.record(z.enum(MEMBER_STATES), z.int().nonnegative());
export type CampaignCounts = Readonly<z.infer<typeof CampaignCounts>>;

export interface TriggerBatchInput extends CampaignRunName {
  /**
   * Triggers one member at a time until a trigger is accepted and verified, so that a refusal of the account costs
   * one call.
   */
  readonly alone: boolean;
  /** Maximum number of triggers per minute; null if only the budget limits them. */
  readonly pacePerMinute: number | null;
  /** How often the run has been resumed. A halt that the batch reports carries it. */
  readonly resumes: number;
}

/** Result of a batch of triggers. */
export interface TriggerBatchResult {
  /** Members that reached an outcome. */
  readonly members: number;
  /** Members were tried, but none made progress, so another batch should wait. */
  readonly stalled: boolean;
  /** A trigger was accepted, and also verified if it was the first one of the run. */
  readonly proved: boolean;
  /**
   * Why the account refuses every member, which an operator must resolve; null if it does not, or was already signaled.
   */
  readonly refusal: PlanNote | null;
  /** Ids of follow-up events of the triggers; the workflow of events takes them over. */
  readonly after: readonly string[];
}

/** Details of a batch's heartbeat. They contain no personal data. */
export interface TriggerBatchProgress {
  /** Members by their state, since the batch began. */
  readonly ended: Readonly<Partial<Record<MemberState, number>>>;
  /** Why members fail, and the number of failures since the last response; null if they do not. */
  readonly trouble: { readonly failures: number; readonly reason: string } | null;
}

/** `reason` is stored with the run and cut at 500 characters. */
const actor = { by: z.string().min(1).max(200), reason: z.string() };

/** Command on a run. The audit trail records each one with who ran it and why. */
export const CampaignCommand = z.discriminatedUnion('action', [
  z.object({ ...actor, action: z.enum(['approve', 'resume', 'cancel', 'skipWave']) }),
  /** `code`: see {@link Pause}. */
  z.object({ ...actor, action: z.literal('pause'), code: z.string().max(100).optional() }),
  z.object({ ...actor, action: z.literal('rate'), callsPerMinute: z.int().min(1).max(100_000).nullable() }),
  /** Retries failed members in a wave of their own; null selects every code. */
  z.object({
    ...actor,
    action: z.literal('retry'),
    codes: z.array(z.string().max(100)).min(1).max(100).readonly().nullable(),
  }),
  /** Records whether the flow ran for members whose outcome is unknown. `again` triggers it again if it did not. */
  z.object({
    ...actor,
    action: z.literal('resolve'),
    members: z.array(z.int().positive()).min(1).max(10_000).readonly().nullable(),
    as: z.enum(['triggered', 'notTriggered']),
    again: z.boolean(),
  }),
]);
export type CampaignCommand = z.infer<typeof CampaignCommand>;

export interface CampaignCommandInput extends CampaignRunName {
  readonly command: CampaignCommand;
  /** Identifies the command; a repeated command with the same id has no effect. */
  readonly id: string;
  /** No workflow would continue the run, so a command that reopens a finished run is refused. */
  readonly withoutWorkflow?: boolean;
}

export interface CampaignCommandResult {
  /** Number of members that the command changed. */
  readonly members: number;
  /** Follow-up events of triggers that an operator resolved; the workflow of events takes them over. */
  readonly after?: readonly string[];
}

export const CAMPAIGN_PHASES = ['opening', 'running', 'waiting', 'closing', 'ended'] as const;
export type CampaignPhase = (typeof CAMPAIGN_PHASES)[number];

/** Result of the query `campaignProgress`. */
export const CampaignProgress = z.object({
  run: z.string(),
  phase: z.enum(CAMPAIGN_PHASES),
  paused: Pause.nullable(),
  wave: z.number().nullable(),
  /** Set while the run waits. */
  waiting: z.object({ until: z.string(), why: z.string(), blocked: PlanNote.optional() }).nullable(),
  /** Number of batches of triggers in progress. */
  batches: z.number(),
  pacePerMinute: z.number().nullable(),
  counts: CampaignCounts.nullable(),
});
export type CampaignProgress = Readonly<z.infer<typeof CampaignProgress>>;
