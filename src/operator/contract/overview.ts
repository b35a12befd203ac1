// Endpoints of the overview: is all well, what goes on, what needs a person, and where the calls went.
import { z } from 'zod';
import {
  Count,
  Cursor,
  endpoint,
  Name,
  Note,
  NoteParams,
  PageLimit,
  Period,
  Seconds,
  Time,
  Unmask,
} from '../../core/endpoint.ts';
import { LANE_NAMES } from '../../core/lanes.ts';
import { Approval } from '../../jobs/campaigns/contract/approval.ts';
import { SyncConfig } from '../../jobs/sync/config.ts';
import { FAILURES } from './failures.ts';
import { Health } from './health.ts';

const Lane = z.enum(LANE_NAMES);
/** Number of calls by lane. A missing lane made none. */
const ByLane = z.partialRecord(Lane, Count);

/** Hash of a token; it identifies the token without its value. */
const TokenKey = z.string();

export const TokenGauge = z.object({
  account: z.string(),
  token: TokenKey,
  /** Position in the account's list of tokens, from 1. */
  position: z.int().positive(),
  /** Calls per minute, as the last answer stated it, or as configured. */
  limit: Count,
  /** Calls in the service's current window of a minute, ours and others'. */
  used: Count,
  windowEndsAt: Time.nullable(),
  /** Our calls in that window by lane. */
  lanes: ByLane,
  /** Calls in that window of other programs. */
  others: Count,
  /** The rest of `used`: our calls that are under way, and those of the last second. */
  underWay: Count,
  /** Estimated calls per minute of other programs. */
  foreign: z.number().nonnegative(),
  /** Answers with 429 in the last hour. */
  limited: Count,
  /** After a 429, nothing is sent before this time. */
  blockedUntil: Time.nullable(),
  /** Refusals that count against the token. Scope null: the token itself is refused. */
  marks: z.array(z.object({ scope: z.string().nullable(), code: z.string(), at: Time })),
});
export type TokenGauge = z.infer<typeof TokenGauge>;

/** Why work that could go on does not: no worker is alive, or the service does not answer. Null: it goes on. */
const WaitsFor = z.enum(['worker', 'service']).nullable();

export const WaitingWork = z.object({
  /** Null: the work makes no calls of the API (outbox). */
  lane: Lane.nullable(),
  kind: z.enum(['records', 'members', 'events', 'conversations', 'outbox']),
  /** Null: of several accounts (outbox). */
  account: z.string().nullable(),
  /** Name of the sync, campaign, route, poller or sink. */
  name: z.string(),
  count: Count,
  /** False: the number is an estimate, or there are more. */
  exact: z.boolean(),
  /** Since when the oldest waits, or the run is under way. Null: not known. */
  since: Time.nullable(),
  /**
   * Place in the line for the budget of its account, from 1: by lane, then by age. Work of one lane takes turns. Null: it is
   * paused or blocked, or makes no calls of the API.
   */
  place: z.int().positive().nullable(),
  /** At the pace of the last ten minutes. Null: nothing moves, or it is not known yet. */
  etaSeconds: Seconds.nullable(),
  waitsFor: WaitsFor,
});
export type WaitingWork = z.infer<typeof WaitingWork>;

export const RunningRun = z.object({
  run: z.string(),
  kind: z.enum(['sync', 'retry', 'campaign']),
  account: z.string(),
  name: z.string(),
  /** Of a sync: planning, syncing. Of a campaign: planning, planned, running. */
  state: z.string(),
  /** Priority of its calls, as the run began with it. */
  lane: Lane,
  startedAt: Time,
  /** Records that need calls or members that have ended, and all of these. Total null: not known yet. */
  done: Count,
  total: Count.nullable(),
  exact: z.boolean(),
  /** From 0 to 1. While a sync is planned: how much of its source was read. Null: not known. */
  progress: z.number().min(0).max(1).nullable(),
  calls: Count,
  callsPerMinute: z.number().nonnegative(),
  /** Of a campaign: its own forecast, with its waves and windows. */
  etaSeconds: Seconds.nullable(),
  /** What a campaign waits for: see `progress.waiting` of the campaign. */
  waiting: z.object({ until: Time, why: z.string() }).nullable(),
  paused: z.object({ by: z.string(), reason: z.string() }).nullable(),
  blocked: Note.nullable(),
  waitsFor: WaitsFor,
});
export type RunningRun = z.infer<typeof RunningRun>;

/** Work that was started and that no worker has begun, so it has no run yet. */
export const WaitingStart = z.object({
  /** `plan`: of a campaign. */
  kind: z.enum(['sync', 'plan', 'campaign']),
  account: z.string(),
  name: z.string(),
  since: Time,
});
export type WaitingStart = z.infer<typeof WaitingStart>;

const NEED_KINDS = [
  'unknown-records',
  'unknown-events',
  'unknown-members',
  'failed-members',
  'blocked-poller',
  'blocked-campaign',
  'blocked-events',
  'blocked-sync',
  'failing-batch',
  'refused-token',
  'dead-letters',
  'dead-outbox',
  'paused-campaign',
  'paused-poller',
  'paused-sync',
  'approval',
  'failed-run',
  'failed-campaign',
  'failed-records',
  'rejected-rows',
  'failed-events',
  'refused-events',
  'unread-conversations',
  'failing-calls',
  'service-away',
  'waiting-sink',
  'no-worker',
  'temporal-away',
  'kafka-away',
  'broken-configuration',
  'failing-notices',
] as const;

/** Needs that end when somebody has looked at them. Newer failures of the same kind show again. */
export const REVIEWABLE = [
  'failed-run',
  'failed-campaign',
  'failed-records',
  'rejected-rows',
  'failed-members',
  'failed-events',
  'refused-events',
  'unread-conversations',
] as const satisfies readonly (typeof NEED_KINDS)[number][];
export type Reviewable = (typeof REVIEWABLE)[number];

/** Something that waits for a person. */
export const Need = z.object({
  kind: z.enum(NEED_KINDS),
  /** `critical`: work stands still. `warning`: something may be lost or double. `info`: a decision is due. */
  severity: z.enum(['critical', 'warning', 'info']),
  /** Null: it concerns several accounts, as a sink does. */
  account: z.string().nullable(),
  /** Sync, campaign, poller, route, sink, or position of the token. */
  name: z.string(),
  run: z.string().nullable(),
  count: Count,
  /** Where nothing stores it, since when the process that answers sees it. */
  since: Time.nullable(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  /** Figures and names of the reason. */
  params: NoteParams.optional(),
  /** Of how many of them the code and reason are, where they are those of most. Null: not counted. */
  same: Count.nullable().optional(),
  /** Of work that fails: what it is, so that its page can be found. */
  work: z.enum(['sync', 'campaign', 'poller', 'route', 'sink', 'delivery', 'other']).optional(),
  /** Of a refused token: work that goes on with a token that works. Missing: nothing is known to wait for it. */
  blocks: z
    .array(
      z.object({
        kind: z.enum(['sync', 'campaign', 'poller', 'route']),
        name: z.string(),
        run: z.string().nullable(),
      }),
    )
    .optional(),
  /** Of a plan that waits for approval: why you may not approve it, and who may. Null: of everything else. */
  approval: Approval.nullable(),
  /** What can be done about it: routes of commands with the input that they need. The first is the usual one. */
  commands: z.array(z.object({ route: z.string(), input: z.record(z.string(), z.unknown()) })),
});
export type Need = z.infer<typeof Need>;

const CallMinute = z.object({
  /** Start of the minute, or of several. */
  at: Time,
  calls: ByLane,
  /** Those of `calls` with success. They, `limited` and `failed` add up to all calls. */
  succeeded: ByLane,
  /** Answered with 429. */
  limited: Count,
  /** Other calls without success. */
  failed: Count,
  /** Calls that the tokens allowed in this time. */
  limit: Count,
});
export type CallMinute = z.infer<typeof CallMinute>;

export const LoggedCall = z.object({
  id: Count,
  at: Time,
  account: z.string(),
  /** Position of the token in the account's list; null when it is not configured any more. */
  position: z.int().positive().nullable(),
  run: z.string(),
  lane: Lane,
  method: z.string(),
  /** Path template. */
  route: z.string(),
  /** Null: the answer was lost. */
  status: z.int().nullable(),
  /** Null: the call succeeded. */
  code: z.string().nullable(),
  requestId: z.string().nullable(),
  /** The person's number, masked unless the input asks for plain values. */
  person: z.string().nullable(),
  /** Null: the ledger knows them by no sync or event. */
  personId: z.string().nullable(),
  event: z.string().nullable(),
  conversation: z.int().nullable(),
  card: z.int().nullable(),
  /** Until the call went out, mostly the wait for a slot; then until the answer. */
  waitMs: Count,
  tookMs: Count,
});
export type LoggedCall = z.infer<typeof LoggedCall>;

/** `command`: calls of operators' own commands. `preview`: of previews of audiences. */
const JobKind = z.enum(['sync', 'campaign', 'poller', 'route', 'delivery', 'command', 'preview', 'other']);

export const Spending = z.object({
  account: z.string(),
  kind: JobKind,
  /** Of the sync, campaign, poller or route. Sluice's own work has a name in English. */
  name: z.string(),
  /** Null: of all runs of the job. */
  run: z.string().nullable(),
  calls: Count,
  lanes: ByLane,
  /** Of a sync in the configuration: the lane of its next run. Null: no sync, or not in the configuration. */
  nextLane: SyncConfig.shape.lane.unwrap().nullable(),
  /** From 0 to 1, of all calls of the period. */
  share: z.number().min(0).max(1),
  limited: Count,
  failed: Count,
  /** Milliseconds that a call waited for its slot, on average. */
  waitMs: z.number().nonnegative(),
});
export type Spending = z.infer<typeof Spending>;

export const OVERVIEW = {
  'GET /overview': endpoint({
    role: 'viewer',
    summary: 'Health, tokens, waiting work, running runs and what needs a person.',
    input: z.strictObject({ account: Name.optional() }),
    output: z.object({
      at: Time,
      health: Health,
      tokens: z.array(TokenGauge),
      waiting: z.array(WaitingWork),
      running: z.array(RunningRun),
      /** Only while no worker is alive. */
      starts: z.array(WaitingStart),
      /** The most severe first. */
      needs: z.array(Need),
      /** More needs exist than are listed. */
      more: z.boolean(),
      /** Since when every look of this process found nothing that needs a person. Null: something does. */
      calmSince: Time.nullable(),
    }),
  }),
  'POST /needs/review': endpoint({
    role: 'operator',
    summary: 'Says that failures up to a time were looked at. They leave the list; newer ones show again.',
    input: z.strictObject({
      kind: z.enum(REVIEWABLE),
      /** The run, or the name of the route. */
      subject: z.string().min(1).max(400),
      until: Time,
    }),
    output: z.object({}),
    audit: ['kind', 'subject', 'until'],
  }),
  'GET /calls/minutes': endpoint({
    role: 'viewer',
    summary:
      'Calls per minute against the limit, oldest first. Long periods come in steps of several minutes.',
    input: z.strictObject({
      account: Name.optional(),
      token: z.string().max(200).optional(),
      minutes: z.int().min(5).max(129_600).default(60),
    }),
    output: z.object({ stepMinutes: z.int().positive(), minutes: z.array(CallMinute) }),
  }),
  'GET /calls': endpoint({
    role: 'viewer',
    summary: 'The call log, newest first.',
    input: z.strictObject({
      ...Period,
      person: z
        .string()
        .regex(/^p\d{1,15}$/)
        .optional()
        .describe('Id of the person, as the search for people answers it.'),
      run: z.string().max(300).optional(),
      request: z.string().max(300).optional().describe('Request id of the service.'),
      event: z.string().max(300).optional(),
      outcome: z.enum(['ok', 'failed', 'limited', 'lost']).optional(),
      status: z.int().min(100).max(599).optional(),
      limit: PageLimit,
      before: Cursor,
      unmask: Unmask,
    }),
    output: z.object({ calls: z.array(LoggedCall), next: z.string().nullable() }),
    auditOutput: ['calls.id', 'calls.personId'],
  }),
  'GET /spending': endpoint({
    role: 'viewer',
    summary: 'Which syncs, campaigns, pollers and routes spent the calls of a period, the largest first.',
    input: z.strictObject({
      ...Period,
      by: z.enum(['job', 'run']).default('job'),
      limit: PageLimit,
    }),
    output: z.object({ since: Time, until: Time, calls: Count, items: z.array(Spending), more: z.boolean() }),
  }),
  ...FAILURES,
} as const;
