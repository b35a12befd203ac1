// A campaign as its workflows, its activities and its operators see it. Times in ISO 8601, UTC, but where a name ends in
// `Ms`: milliseconds since 1970.
import { z } from 'zod';
import { CampaignConfig, OptOutConfig } from '../config/config-campaigns.ts';
import { SourceConfig } from '../config/config-sources.ts';

/** All that a campaign goes by, frozen when it is planned: an edit of sluice.yaml voids the plan. */
export const CampaignSpec = z.object({
  account: z.string(),
  campaign: z.string(),
  config: CampaignConfig,
  /** The sources that it reads, by name. */
  sources: z.record(z.string(), SourceConfig),
  /** Of the account. */
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
 * - `planning` the audience is being read; `planned` it is frozen, and waits for its start (and approval)
 * - `running`, also while paused; `finished`, `cancelled`, `failed` (it could not be planned); `void`: a newer plan replaced it
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

/**
 * How a member stands; those before `waiting` are decided when the audience is frozen, those behind `sending` are final
 * (an operator may take up `failed` again, and settle `unknown`):
 * - `found` while the audience is read; `excluded`; `holdout`
 * - `waiting` for its wave, or in it for its turn; `sending`: the right to trigger its flow is taken
 * - `triggered`; `skipped` (its turn came, and a rule said no); `failed` (refused); `unknown`; `cancelled`
 */
export const MEMBER_STATES = [
  'found',
  'excluded',
  'holdout',
  'waiting',
  'sending',
  'triggered',
  'skipped',
  'failed',
  'unknown',
  'cancelled',
] as const;
export type MemberState = (typeof MEMBER_STATES)[number];

/** Codes of `excluded` (decided with the audience) and of `skipped` (decided at the member's turn). */
export const MEMBER_CODES = [
  'NUMBER_INVALID',
  'VARIABLE_MISSING',
  'OPTED_OUT',
  'EXCLUDED_TAG',
  'EXCLUDED_NUMBER',
  'EXCLUDED_CAMPAIGN',
  'CONTACTED_LATELY',
  'OPEN_CONVERSATION',
  'HUMAN_SERVICE',
  'REPLIES_UNREAD',
  'NO_COMMON_WINDOW',
  'FREQUENCY_CAP',
  'WINDOW_CLOSED',
  'WINDOW_UNKNOWN',
  'CONTACT_GONE',
  'WAVE_SKIPPED',
  'CAMPAIGN_ENDED',
] as const;
export type MemberCode = (typeof MEMBER_CODES)[number];

// ---- planning

export interface CampaignPlanInput extends CampaignName {
  /** Who plans it. */
  readonly by: string;
}

/** Answer of `openCampaignPlan`. */
export interface CampaignPlanning extends CampaignRunName {
  readonly tokenKey: string;
  readonly callsPerMinute: number;
  /** Lists of the account to read first. */
  readonly lists: readonly CampaignList[];
  /** How each part of the audience is read, in order. */
  readonly parts: readonly ('api' | 'ledger')[];
}
export type CampaignList = 'tags' | 'pipelines' | 'lostReasons' | 'connections';

/** `part`: place in the configuration's list `audience`, from 0. */
export interface AudiencePageInput extends CampaignRunName {
  readonly part: number;
}

/** Answer of one page of a part of the audience. */
export interface AudiencePage {
  readonly done: boolean;
  /** Rows found in this part so far. */
  readonly found: number;
}

/** Answer of the query `campaignPlanProgress`. */
export interface CampaignPlanProgress {
  readonly phase: 'opening' | 'reading' | 'deciding' | 'ended';
  /** Part of the audience that is read, from 0, of so many. */
  readonly part: number;
  readonly parts: number;
  /** Rows found in that part so far. */
  readonly found: number;
}

export interface PlannedWave {
  readonly wave: number;
  readonly kind: 'canary' | 'wave';
  readonly size: number;
  /** First and last trigger. */
  readonly startsAt: string;
  readonly endsAt: string;
}

/** What of a plan falls on one day, by the account's clock. */
export interface PlannedDay {
  /** 2026-11-23 */
  readonly day: string;
  readonly members: number;
  /** First and last trigger of the day. */
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Why a plan can not be carried out, or something to know about it. */
export interface PlanNote {
  readonly code: string;
  readonly reason: string;
}

/** What `sluice campaign plan` shows; nothing personal. */
export interface CampaignPlan extends CampaignName, CampaignRunName {
  readonly plannedAt: string;
  readonly plannedBy: string;
  /** Rows found, people among them, and rows that added no person. */
  readonly found: number;
  readonly audience: number;
  readonly merged: number;
  readonly parts: readonly { readonly from: string; readonly found: number }[];
  readonly excluded: Readonly<Record<string, number>>;
  readonly holdout: number;
  /** Members that will be triggered if nothing comes between. */
  readonly eligible: number;
  /** Members by the time zones that their windows go by; several zones: open in all of them. */
  readonly zones: readonly { readonly zones: readonly string[]; readonly members: number }[];
  readonly calls: {
    /** Spent on the plan. */
    readonly planning: number;
    readonly triggers: number;
    readonly rechecks: number;
    /** Looking contacts up whose id is not known. */
    readonly lookups: number;
    /** Moving cards and setting tags, at most. */
    readonly after: number;
  };
  /** Triggers a minute that the forecast goes by. */
  readonly pacePerMinute: number;
  /** Calls a minute that the account's tokens allow now. */
  readonly callsPerMinute: number;
  readonly waves: readonly PlannedWave[];
  /** Waves beyond those listed. */
  readonly moreWaves: number;
  readonly timeZone: string;
  /** Days on which anybody is triggered. */
  readonly days: readonly PlannedDay[];
  readonly moreDays: number;
  /** Last trigger, as far as it can be foreseen; null: never, see problems. */
  readonly finishAt: string | null;
  /** Any of these, and the plan can not be started. */
  readonly problems: readonly PlanNote[];
  readonly warnings: readonly PlanNote[];
  readonly approval: CampaignConfig['approval'];
}

// ---- running

export interface CampaignInput extends CampaignName, CampaignRunName {
  /** Who started it, and why: kept in its audit. */
  readonly by: string;
  readonly reason?: string;
}

/** Answer of `openCampaign`. */
export interface OpenedCampaign {
  readonly tokenKey: string;
  readonly callsPerMinute: number;
  /** Who holds it already, and why. */
  readonly paused: { readonly by: string; readonly reason: string } | null;
  /** Events that follow triggers of this run and no workflow was started for (state `received`): handed over again. */
  readonly after: readonly string[];
}

/** One call of the API each. */
export type MemberStep = 'findMember' | 'recheckMember' | 'triggerMember' | 'verifyMember';

/** What the workflow of a run answers. */
export interface CampaignResult extends CampaignRunName {
  readonly state: 'finished' | 'cancelled';
}

/** What a running campaign does next, as the ledger has it. */
export type NextAction = NextFacts &
  (
    | { readonly do: 'triggerBatch' }
    | {
        readonly do: 'waitUntil';
        readonly untilMs: number;
        /** `replies`: what the campaign relies on is not being read; `blocked` says why. */
        readonly why: 'start' | 'window' | 'retry' | 'settle' | 'every' | 'replies';
        readonly blocked?: PlanNote;
      }
    /** A wave has broken a stop rule, or somebody has paused it: somebody has to act. */
    | { readonly do: 'pause'; readonly code: string; readonly reason: string }
    /** Every member has its outcome. */
    | { readonly do: 'finish' }
  );

interface NextFacts {
  /** The wave under way, or the last one; null before the first. */
  readonly wave: number | null;
  /** Maximum number of triggers a minute; null: what the budget leaves. */
  readonly pacePerMinute: number | null;
  readonly callsPerMinute: number;
  readonly counts: CampaignCounts;
}

export type CampaignCounts = Readonly<Record<MemberState, number>>;

export interface TriggerBatchInput extends CampaignRunName {
  /** One member after the other, until a trigger was accepted and verified: what the account refuses costs one call. */
  readonly alone: boolean;
  /** Maximum number of triggers a minute; null: what the budget leaves. */
  readonly pacePerMinute: number | null;
}

/** What a batch of triggers came to. */
export interface TriggerBatchResult {
  /** Members that got on. */
  readonly members: number;
  /** Nobody got on, though somebody was tried: it is of no use to go on at once. */
  readonly stalled: boolean;
  /** A trigger was accepted, and verified where it was the first one of the run. */
  readonly proved: boolean;
  /** Why the account refuses every member: somebody has to act; null: it does not, or the workflow has the signal. */
  readonly refusal: string | null;
  /** Events that follow the triggers, by id: handed to the workflow of events. */
  readonly after: readonly string[];
}

/** Details of a batch's heartbeat; nothing personal. */
export interface TriggerBatchProgress {
  /** Members by what came of them since the batch began. */
  readonly ended: Readonly<Partial<Record<MemberState, number>>>;
  /** Why members do not get on, and the number of failures since the last answer; null: they do. */
  readonly trouble: { readonly failures: number; readonly reason: string } | null;
}

/** `reason` is kept with the run, cut at 500 characters. */
const actor = { by: z.string().min(1).max(200), reason: z.string() };

/** What an operator does to a run; each is kept in its audit with who and why. */
export const CampaignCommand = z.discriminatedUnion('action', [
  z.object({ ...actor, action: z.enum(['approve', 'pause', 'resume', 'cancel', 'skipWave']) }),
  z.object({ ...actor, action: z.literal('rate'), callsPerMinute: z.int().min(1).max(100_000).nullable() }),
  /** Members that failed are tried again, in a wave of their own; null: whatever the code. */
  z.object({
    ...actor,
    action: z.literal('retry'),
    codes: z.array(z.string().max(100)).min(1).max(100).readonly().nullable(),
  }),
  /** The flow did run, or it did not; `again`: then it is triggered once more. */
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
  /** Names the command: done twice, it is one. */
  readonly id: string;
  /** No workflow would go on with the run: a command that opens a finished one is refused. */
  readonly withoutWorkflow?: boolean;
}

/** The same without a workflow of the run. */
export interface CampaignOperatorCommandInput extends CampaignCommandInput, CampaignName {}

export interface CampaignCommandResult {
  /** Members that it concerned. */
  readonly members: number;
  /** Events that follow triggers which an operator has found out about: handed to the workflow of events. */
  readonly after?: readonly string[];
}

export type CampaignPhase = 'opening' | 'running' | 'waiting' | 'closing' | 'ended';

/** Answer of the query `campaignProgress`. */
export interface CampaignProgress extends CampaignRunName {
  readonly phase: CampaignPhase;
  readonly paused: { readonly by: string; readonly reason: string } | null;
  readonly wave: number | null;
  /** Set while it waits. */
  readonly waiting: { readonly until: string; readonly why: string; readonly blocked?: PlanNote } | null;
  /** Batches of triggers under way. */
  readonly batches: number;
  readonly pacePerMinute: number | null;
  readonly counts: CampaignCounts | null;
}

// ---- results

export interface CampaignListInput extends Partial<CampaignName> {
  readonly limit: number;
}

export interface CampaignAuditEntry {
  readonly at: string;
  readonly by: string;
  readonly action: string;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>>;
}
