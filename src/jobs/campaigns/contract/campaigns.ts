// Endpoints of campaigns: what is configured, their runs, plans and results, and the commands on them.
import { z } from 'zod';
import { Count, Cursor, endpoint, Name, Reason, Time } from '../../../core/endpoint.ts';
import { CampaignConfig } from '../config.ts';
import { Approval, Approvers } from './approval.ts';
import { CAMPAIGN_PHASES, CAMPAIGN_STATES, CampaignProgress } from './batches.ts';
import { CAMPAIGN_SOURCES } from './campaign-sources.ts';
import { CampaignPlan, PlanNote } from './plan.ts';
import { CampaignReport } from './report.ts';

/** For what is read: a campaign's newest run, or the run with this id. */
const Campaign = Name.describe('Name of a campaign (its newest run), or id of a run');
/** For commands: the service finds the run that the command applies to. */
const Target = Name.describe('Name of a campaign, or id of a run');

/** A campaign of the configuration. */
export const ListedCampaign = z.object({
  campaign: z.string(),
  account: z.string(),
  /** Time zone of the account. */
  timeZone: z.string(),
  flow: z.union([z.number(), z.string()]),
  approval: CampaignReport.shape.approval,
  start: z.string().nullable(),
  end: z.string().nullable(),
  schedule: z
    .object({
      cron: z.array(z.string()),
      timeZone: z.string(),
      /** Null: Temporal does not run, or it does not have the schedule. */
      nextAt: Time.nullable(),
      paused: z.boolean(),
    })
    .nullable(),
  /** Without its waves; null before the first plan. */
  newest: CampaignReport.nullable(),
  /** The newest run is a plan, and the configuration has changed since. */
  isStale: z.boolean(),
});
export type ListedCampaign = z.infer<typeof ListedCampaign>;

/** How planning a campaign is getting on. */
export const CampaignPlanning = z.object({
  /** Null until the plan is opened. */
  run: z.string().nullable(),
  /** `lost`: the ledger has a plan that is being made, and no workflow makes it. */
  state: z.enum(['planning', 'planned', 'lost']),
  phase: z.enum(['opening', 'reading', 'deciding', 'ended']),
  /** Index of the part of the audience that is being read, from 0, and the number of parts. */
  part: Count,
  parts: Count,
  /** Rows found in this part so far. */
  found: Count,
  /** Why calls are repeated; null if they are not. */
  trouble: z.string().nullable(),
});
export type CampaignPlanning = z.infer<typeof CampaignPlanning>;

/** What a run does now. */
export const CampaignNow = z.object({
  run: z.string(),
  timeZone: z.string(),
  state: z.enum(CAMPAIGN_STATES),
  /** The run has ended, and so has its workflow. */
  isOver: z.boolean(),
  /** From the workflow, with what active batches have reported since. Null: no workflow runs it. */
  progress: CampaignProgress.nullable(),
  phase: z.enum(CAMPAIGN_PHASES).nullable(),
  /** Why it triggers nobody until an operator acts; a pause by a person does not count. */
  block: PlanNote.nullable(),
  /** Why calls are repeated; null if they are not. */
  trouble: z.string().nullable(),
  /** Why the workflow ended although the run has not. */
  failure: PlanNote.nullable(),
  done: Count,
  total: Count,
  /** Triggers in the last 5 minutes, per minute. */
  pacePerMinute: z.number(),
  /** Forecast time of the last trigger at the pace of the plan; null when it cannot be known. */
  etaAt: Time.nullable(),
});
export type CampaignNow = z.infer<typeof CampaignNow>;

const Point = z.object({ at: Time, left: z.number() });
export type BurnPoint = z.infer<typeof Point>;

/** Members that wait for their trigger, over time. */
export const BurnDown = z.object({
  run: z.string(),
  timeZone: z.string(),
  total: Count,
  startedAt: Time.nullable(),
  /** What remained, as members reached their outcomes. Empty before the start. */
  done: z.array(Point),
  /** The plan's forecast from the start of the run, if the campaign gets all calls. */
  fast: z.array(Point),
  /** The same forecast at half the pace. Between the two, the run is within its plan. */
  slow: z.array(Point),
});
export type BurnDown = z.infer<typeof BurnDown>;

export const ReplyHours = z.object({
  timeZone: z.string(),
  /** Null: all runs of the campaign whose members the ledger still has. */
  run: z.string().nullable(),
  replies: Count,
  /** `weekday`: 1 is Monday. `hour`: 0 to 23, in the account's time zone. Cells without a reply are left out. */
  cells: z.array(z.object({ weekday: z.int(), hour: z.int(), replies: Count })),
});
export type ReplyHours = z.infer<typeof ReplyHours>;

export const CampaignAuditEntry = z.object({
  seq: Count,
  at: z.string(),
  by: z.string(),
  action: z.string(),
  reason: z.string(),
  details: z.record(z.string(), z.unknown()).readonly(),
});
export type CampaignAuditEntry = Readonly<z.infer<typeof CampaignAuditEntry>>;

/** Result of a command: the run that it was applied to, and the number of members that it changed. */
const Commanded = z.object({
  account: z.string(),
  campaign: z.string(),
  run: z.string(),
  members: Count,
});

const command = { campaign: Target, reason: Reason };

const { flow, connection, holdout, windows, waves, stop, cap, recheck, conversationWindow, approval } =
  CampaignConfig.shape;

/** The rules of a run, as its plan froze them; of a campaign without a run, as configured. No personal data. */
const CampaignRules = z.object({
  run: z.string().nullable(),
  account: z.string(),
  campaign: z.string(),
  flow,
  connection,
  /** Names of the variables of the flow. */
  variables: z.array(z.string()),
  /** Where each part of the audience comes from. */
  audience: z.array(z.string()),
  /** The same parts with their filters, as the configuration names them. Filters that may be about a person are left out. */
  parts: z.array(
    z.object({ from: z.string(), filters: z.array(z.object({ name: z.string(), value: z.string() })) }),
  ),
  exclude: z.object({
    tags: z.array(z.string()),
    campaigns: z.array(z.string()),
    contactedWithin: z.string().nullable(),
    /** Whether phone numbers are excluded. */
    numbers: z.boolean(),
    openConversation: z.boolean(),
    humanService: z.boolean(),
  }),
  holdout,
  windows,
  waves,
  stop,
  cap,
  recheck,
  conversationWindow,
  approval,
  /** Triggers per minute that an operator set; 0: no limit of its own; null: as configured. */
  pace: z.number().nullable(),
});
export type CampaignRules = z.infer<typeof CampaignRules>;

/** What differs between two plans of a campaign. */
export const CampaignChanges = z.object({
  run: z.string(),
  /** Null: no earlier run was approved. */
  before: z
    .object({
      run: z.string(),
      approvedBy: z.string().nullable(),
      approvedAt: Time.nullable(),
      eligible: Count.nullable(),
    })
    .nullable(),
  eligible: Count.nullable(),
  /** `path` as in the configuration, for example `audience[0].tags`. Null: it was or is not set. */
  changes: z.array(
    z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
  ),
});
export type CampaignChanges = z.infer<typeof CampaignChanges>;

export const CAMPAIGNS = {
  'GET /campaigns': endpoint({
    role: 'viewer',
    summary: 'List the campaigns of the configuration, with their newest run and their next scheduled start.',
    input: z.strictObject({ account: Name.optional() }),
    output: z.object({ campaigns: z.array(ListedCampaign) }),
  }),
  'GET /campaign-runs': endpoint({
    role: 'viewer',
    summary: 'List runs of campaigns, newest first, without their waves.',
    input: z.strictObject({
      campaign: Name.optional(),
      account: Name.optional().describe('Only entries of this account.'),
      limit: z.int().min(1).max(200).default(20),
      before: Cursor,
    }),
    output: z.object({ runs: z.array(CampaignReport), next: z.string().nullable() }),
  }),
  'GET /campaigns/{campaign}/report': endpoint({
    role: 'viewer',
    summary: 'Show a run with its results in total and by wave.',
    input: z.strictObject({ campaign: Campaign }),
    output: CampaignReport,
  }),
  'GET /campaigns/{campaign}/progress': endpoint({
    role: 'viewer',
    summary: 'Show what a run does now: phase, wave, what it waits for, pace and end time.',
    input: z.strictObject({ campaign: Campaign }),
    output: CampaignNow,
  }),
  'GET /campaigns/{campaign}/plan': endpoint({
    role: 'viewer',
    summary: 'Show the plan of a run: audience, exclusions, calls, waves, days, problems and warnings.',
    input: z.strictObject({ campaign: Campaign }),
    output: z.object({ plan: CampaignPlan.nullable() }),
  }),
  'GET /campaigns/{campaign}/rules': endpoint({
    role: 'viewer',
    summary: 'Show windows, waves, stop rules and limits of a run, or of a campaign that has none.',
    input: z.strictObject({ campaign: Campaign }),
    output: CampaignRules,
  }),
  'GET /campaigns/{campaign}/changes': endpoint({
    role: 'editor',
    summary:
      'Compare the configuration and the size of a run with the run of the campaign that was approved before it, or was started if it needs no approval.',
    input: z.strictObject({ campaign: Campaign }),
    output: CampaignChanges,
  }),
  'GET /campaigns/{campaign}/approval': endpoint({
    role: 'viewer',
    summary: 'Show whether you may approve the plan of a run, why not, and which users may.',
    input: z.strictObject({ campaign: Campaign }),
    output: Approval.extend({ run: z.string() }),
  }),
  'GET /campaign-approvers': endpoint({
    role: 'editor',
    summary: 'List the users who may approve now what you plan.',
    input: z.strictObject({}),
    output: Approvers,
  }),
  'GET /campaigns/{campaign}/burn-down': endpoint({
    role: 'viewer',
    summary: 'Show the members that remain over time, beside the forecast of the plan.',
    input: z.strictObject({ campaign: Campaign }),
    output: BurnDown,
  }),
  'GET /campaigns/{campaign}/replies': endpoint({
    role: 'viewer',
    summary: 'Count replies by weekday and hour: of all runs of a campaign, or of one run.',
    input: z.strictObject({ campaign: Name.describe('Name of a campaign (all its runs), or id of a run') }),
    output: ReplyHours,
  }),
  'GET /campaigns/{campaign}/audit': endpoint({
    role: 'viewer',
    summary: 'Show who did what to a run, newest first.',
    input: z.strictObject({
      campaign: Campaign,
      limit: z.int().min(1).max(1000).default(100),
      before: z.int().positive().optional(),
    }),
    output: z.object({
      run: z.string(),
      timeZone: z.string(),
      entries: z.array(CampaignAuditEntry),
      next: Count.nullable(),
    }),
  }),
  ...CAMPAIGN_SOURCES,
  'POST /campaigns/{campaign}/plan': endpoint({
    role: 'operator',
    summary: 'Plan a campaign: read and freeze its audience. Joins the planning that is in progress.',
    input: z.strictObject({ campaign: Name, reason: Reason }),
    output: z.object({ account: z.string(), campaign: z.string(), workflowId: z.string() }),
  }),
  'GET /campaigns/{campaign}/planning': endpoint({
    role: 'viewer',
    summary: 'Show how far planning is. Fails with the reason if the campaign could not be planned.',
    input: z.strictObject({ campaign: Name }),
    output: CampaignPlanning,
  }),
  'POST /campaigns/{campaign}/approve': endpoint({
    role: 'approver',
    summary: 'Approve the plan of a run that somebody else has made. Refused when a newer plan waits.',
    input: z.strictObject({
      ...command,
      /** Id of the run whose plan was read. */
      run: Name,
    }),
    output: z.object({
      account: z.string(),
      campaign: z.string(),
      run: z.string(),
      approvedBy: z.string(),
    }),
    audit: ['run'],
  }),
  'POST /campaigns/{campaign}/start': endpoint({
    role: 'operator',
    summary: 'Start the newest plan of a campaign, or join its active run.',
    input: z.strictObject(command),
    output: z.object({
      account: z.string(),
      campaign: z.string(),
      run: z.string(),
      /** The run was in progress already. */
      joined: z.boolean(),
    }),
  }),
  'POST /campaigns/{campaign}/pause': endpoint({
    role: 'operator',
    summary: 'Pause a run. Answers when no trigger is in progress.',
    input: z.strictObject(command),
    output: Commanded,
  }),
  'POST /campaigns/{campaign}/resume': endpoint({
    role: 'operator',
    summary: 'Resume a paused run.',
    input: z.strictObject(command),
    output: Commanded,
  }),
  'POST /campaigns/{campaign}/cancel': endpoint({
    role: 'operator',
    summary: 'Cancel a run or a plan. Completed triggers are kept.',
    input: z.strictObject(command),
    output: Commanded,
  }),
  'POST /campaigns/{campaign}/rate': endpoint({
    role: 'operator',
    summary: 'Set the maximum number of triggers per minute; null leaves only the limit of the budget.',
    input: z.strictObject({ ...command, callsPerMinute: z.int().min(1).max(100_000).nullable() }),
    audit: ['callsPerMinute'],
    /** `before`: the limit until now; null if there was none of its own. */
    output: Commanded.extend({ before: z.number().nullable() }),
    auditOutput: ['before'],
  }),
  'POST /campaigns/{campaign}/skip-wave': endpoint({
    role: 'operator',
    summary: 'Skip the rest of the current wave, or between two waves the next wave.',
    input: z.strictObject(command),
    output: Commanded,
  }),
  'POST /campaigns/{campaign}/retry': endpoint({
    role: 'operator',
    summary: 'Retry failed members in a wave of their own.',
    input: z.strictObject({
      ...command,
      /** Only members that failed with one of these codes; null: all. */
      codes: z.array(z.string().max(100)).min(1).max(100).readonly().nullable().default(null),
    }),
    audit: ['codes'],
    output: Commanded,
  }),
  'POST /campaigns/{campaign}/resolve': endpoint({
    role: 'operator',
    summary: 'Record what happened to members whose outcome is unknown.',
    input: z.strictObject({
      ...command,
      /** Ids of members; null: all whose outcome is unknown. */
      members: z.array(z.int().positive()).min(1).max(10_000).readonly().nullable(),
      as: z.enum(['triggered', 'notTriggered']),
      /** Trigger them again; only with `notTriggered`. */
      again: z.boolean().default(false),
    }),
    audit: ['members', 'as', 'again'],
    output: Commanded,
  }),
} as const;
