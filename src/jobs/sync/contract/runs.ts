// Endpoints of syncs: what exists, what runs, what became of each row.
import { z } from 'zod';
import {
  Count,
  Cursor,
  endpoint,
  Name,
  NoteParams,
  PageLimit,
  Reason,
  Time,
  Unmask,
} from '../../../core/endpoint.ts';
import { SyncConfig } from '../config.ts';
import { OUTCOMES } from '../constants.ts';
import { LaneOrder } from './lane-order.ts';
import { Lines } from './lines.ts';
import { RunProgress, RunReport } from './run.ts';

/** Counts of one run. */
export const SyncRunSummary = z.object({
  run: z.string(),
  account: z.string(),
  sync: z.string(),
  /** `retry`: made of records that an earlier run kept. */
  kind: z.enum(['sync', 'retry']),
  /** Of a retry, and of a run over corrected rows: number of the run that read the source. Null: it read the source itself. */
  redoes: z.object({ what: z.enum(['retry', 'corrections']), seq: Count.nullable() }).nullable(),
  status: z.enum(['planning', 'syncing', 'finished', 'cancelled', 'failed']),
  startedAt: Time,
  /** Null while it runs. */
  finishedAt: Time.nullable(),
  calls: Count,
  read: Count,
  outcomes: z.partialRecord(z.enum(OUTCOMES), Count),
  cards: Count,
  pending: Count,
  error: z.string().nullable(),
});
export type SyncRunSummary = z.infer<typeof SyncRunSummary>;

/**
 * `waiting`: a run was started or is under way, and waits until a worker starts. `interrupted`: the last run has not
 * ended, and nothing works on it. `unknown`: the Temporal server is not running here, and the last run has not ended.
 */
const SYNC_STATES = ['idle', 'waiting', 'running', 'paused', 'interrupted', 'unknown'] as const;

/** A sync of the configuration, with its last run and its schedule. */
export const SyncEntry = z.object({
  sync: z.string(),
  account: z.string(),
  source: z.object({
    name: z.string(),
    type: z.string(),
    /** The file came from the console, and an upload may replace it. */
    uploaded: z.boolean(),
  }),
  mapping: z.string(),
  mode: z.string(),
  /** Priority of the calls of its next run. */
  lane: SyncConfig.shape.lane.unwrap(),
  state: z.enum(SYNC_STATES),
  last: SyncRunSummary.nullable(),
  schedule: z
    .object({
      cron: z.array(z.string()),
      timeZone: z.string(),
      /** Null: the Temporal server is not running here, or does not have the schedule yet. */
      paused: z.boolean().nullable(),
      next: Time.nullable(),
    })
    .nullable(),
});
export type SyncEntry = z.infer<typeof SyncEntry>;

/**
 * When the records of a run will have ended, in seconds from now, by the pace of the last ten minutes. The range is
 * that of the last three too.
 */
export const Eta = z.object({ seconds: Count, minSeconds: Count, maxSeconds: Count });
export type Eta = z.infer<typeof Eta>;

/** The active run of a sync, or its last one. */
export const SyncProgress = z.object({
  sync: z.string(),
  account: z.string(),
  /** Temporal's id of the execution; null when only the ledger knows the run. */
  execution: z.string().nullable(),
  state: z.enum(['waiting', 'running', 'paused', 'interrupted', 'unknown', 'ended']),
  /** Null: no worker answers yet, and the ledger does not know the run. */
  progress: RunProgress.nullable(),
  /** Why repeated calls fail; null when none does. */
  trouble: z.string().nullable(),
  eta: Eta.nullable(),
  startedAt: Time.nullable(),
  /** Null while it runs. */
  end: z
    .object({
      status: z.enum(['finished', 'cancelled', 'failed']),
      report: RunReport.nullable(),
      /** Type and message of the failure. */
      type: z.string().nullable(),
      message: z.string().nullable(),
    })
    .nullable(),
});
export type SyncProgress = z.infer<typeof SyncProgress>;

export const ROW_STATUSES = [...OUTCOMES, 'pending'] as const;

/** A field that differs: what the account has, or the other row of a conflict, and what this row says. */
const RowChange = z.object({ field: z.string(), was: z.unknown(), now: z.unknown() });

/** What is known about the call of a row whose outcome is unknown. */
const RowHints = z.object({
  /** `card`: a card was created. `stage`: the card was moved. `contact`: the contact was written. */
  effect: z.enum(['card', 'stage', 'contact']),
  /** Pipeline of the card, or stage that it was moved to. A number begins with #. */
  target: z.string().nullable(),
  /** The last time it was sent. */
  sentAt: Time.nullable(),
  /** How often it was sent since the last retry by a person. */
  sends: Count,
  /** The contact of this person, by its id in the service; null when Sluice knows none. */
  contact: Count.nullable(),
  /** When the service last showed the contact. */
  contactSeenAt: Time.nullable(),
  /** The person's card in the pipeline, as Sluice last stored it. */
  card: z
    .object({
      id: Count,
      /** Sluice stored it after the call, so it shows what happened. */
      since: z.boolean(),
      /** Of a move: whether the card is in the stage that it was moved to. */
      inTarget: z.boolean().nullable(),
    })
    .nullable(),
});

/** Outcome of one row. Personal data is masked unless `unmask` asks for it. */
export const SyncRow = z.object({
  /** Number of the row in the source; 0 is a person who left the source of a mirror. */
  row: Count,
  key: z.string().nullable(),
  status: z.enum(ROW_STATUSES),
  /** Field of the mapping or step of the sync where the row ended. */
  step: z.string().nullable(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  /** Of a phone number that was refused: the case of its reason. */
  params: NoteParams.optional(),
  /** Source column of a refused value. */
  column: z.string().nullable(),
  /** API calls tried for the record. */
  attempts: Count,
  created: z.boolean(),
  cardCreated: z.boolean(),
  endedAt: Time.nullable(),
  /** The record, while somebody may still need it. For a rejected row, the refused value under its field. */
  payload: z.record(z.string(), z.unknown()).nullable(),
  other: z.object({ row: Count, payload: z.record(z.string(), z.unknown()).nullable() }).nullable(),
  /**
   * Where a rejected row begins in the CSV file of its run: line of a text editor, and row of a spreadsheet. Only with
   * `lines`, and only while the file is the one that the run read.
   */
  place: z.object({ line: Count, sheetLine: Count }).nullable(),
  /** Only with `diff`, and only while the ledger keeps the record. */
  changes: z.array(RowChange).nullable(),
  /** Only of a row whose outcome is unknown. */
  hints: RowHints.nullable(),
  /** Tags that the row asks for and the account lacked. The person was written without them. */
  missingTags: z.array(z.string()),
});
export type SyncRow = z.infer<typeof SyncRow>;

const ListedWarning = z.object({
  step: z.string(),
  code: z.string(),
  reason: z.string(),
  /** The tag that the account lacks; null when the warning is about something else. */
  tag: z.string().nullable(),
  /** People who ask for the tag, and the first rows of the source that do, at most 5. */
  people: Count,
  firstRows: z.array(Count),
  /** Case of the reason. */
  params: NoteParams.optional(),
});

const Run = z.string().max(700);
const ChosenRows = z.array(z.int32().min(1)).min(1).max(10_000).readonly();
const Codes = z.array(z.string().max(200)).max(100).readonly().optional();

/** A run that has begun, or was joined. */
const Begun = z.object({
  /** Follow it with `GET /syncs/{sync}/progress`. */
  execution: z.string(),
  /** The sync was running already. */
  joined: z.boolean(),
  /** Why Sluice had paused the run, if this command resumed it. */
  resumed: z.string().nullable(),
  /** False: the run waits until a worker starts. */
  workers: z.boolean(),
});

export const SYNCS = {
  'GET /syncs': endpoint({
    role: 'viewer',
    summary: 'List syncs with their last run, their state and their next scheduled time.',
    input: z.strictObject({
      account: Name.optional().describe('Only syncs of this account.'),
      limit: PageLimit,
      after: Cursor,
    }),
    output: z.object({ syncs: z.array(SyncEntry), next: z.string().nullable() }),
  }),
  'GET /syncs/{sync}/runs': endpoint({
    role: 'viewer',
    summary: 'List the runs of a sync and its retries, newest first.',
    input: z.strictObject({ sync: Name, limit: PageLimit, before: Cursor }),
    output: z.object({ runs: z.array(SyncRunSummary), next: z.string().nullable() }),
  }),
  'GET /syncs/{sync}/runs/{run}': endpoint({
    role: 'viewer',
    summary: 'Show one run: its report with outcomes, problems, warnings and snapshots.',
    input: z.strictObject({ sync: Name, run: Run }),
    output: z.object({ summary: SyncRunSummary, report: RunReport }),
  }),
  'GET /syncs/{sync}/progress': endpoint({
    role: 'viewer',
    summary: 'Show the progress of the active run, or how the last run ended.',
    input: z.strictObject({
      sync: Name,
      execution: z.uuid().optional(),
      waitMs: z.int().min(0).max(10_000).default(0).describe('Answers earlier if the run ends.'),
    }),
    output: SyncProgress,
  }),
  'GET /syncs/{sync}/rows': endpoint({
    role: 'viewer',
    summary: 'List rows of a run in the order of the source.',
    input: z.strictObject({
      sync: Name,
      run: Run.optional().describe('Default: the last run and its retries.'),
      statuses: z.array(z.enum(ROW_STATUSES)).min(1).readonly().default(['rejected', 'failed', 'unknown']),
      codes: Codes,
      row: z.int32().min(0).optional(),
      diff: z.boolean().default(false).describe('Adds what would change for each record.'),
      lines: z
        .boolean()
        .default(false)
        .describe('Adds where rejected rows are in the CSV file. Sluice reads the file for it.'),
      limit: z.int().min(1).max(5000).default(100),
      after: z.string().max(8000).optional(),
      unmask: Unmask,
    }),
    output: z.object({
      /** Newest first. */
      runs: z.array(z.string()),
      status: z.string(),
      /** A later run has ended, so unchanged and merged rows are only counted. */
      pruned: z.boolean(),
      /** People without a change; only their number is kept. */
      same: Count,
      rows: z.array(SyncRow),
      /** Why rejected rows have no `place`; null if they have, or if `lines` was not asked for. */
      linesProblem: z.string().nullable(),
      next: z.string().nullable(),
    }),
    auditOutput: ['runs', 'rows.row'],
  }),
  'GET /syncs/{sync}/warnings': endpoint({
    role: 'viewer',
    summary: 'List all warnings of a run.',
    input: z.strictObject({ sync: Name, run: Run, limit: PageLimit, after: Cursor }),
    output: z.object({ warnings: z.array(ListedWarning), lines: Lines, next: z.string().nullable() }),
  }),
  'POST /syncs/{sync}/runs': endpoint({
    role: 'operator',
    summary: 'Start a sync, or join its active run. A run that Sluice paused tries again.',
    input: z.strictObject({ sync: Name, reason: Reason }),
    output: Begun,
  }),
  'POST /syncs/{sync}/retries': endpoint({
    role: 'operator',
    summary: 'Start a run of the records that failed in the last run, without reading the source.',
    input: z.strictObject({
      sync: Name,
      run: Run.optional().describe('Default: the last run.'),
      statuses: z
        .array(z.enum(['failed', 'unknown']))
        .min(1)
        .readonly()
        .default(['failed']),
      codes: Codes,
      rows: ChosenRows.optional().describe('Only records of these rows.'),
      reason: Reason,
    }),
    audit: ['run', 'statuses', 'codes', 'rows'],
    output: Begun,
  }),
  'POST /syncs/{sync}/resolve': endpoint({
    role: 'operator',
    summary: 'Record that the calls of rows whose outcome is unknown took effect.',
    input: z.strictObject({
      sync: Name,
      run: Run.optional().describe('Default: the last run and its retries.'),
      rows: ChosenRows.describe('Numbers of the rows. Rows that are not unknown do not change.'),
      reason: Reason,
    }),
    audit: ['run', 'rows'],
    output: z.object({
      /** Number of rows that were resolved. */
      resolved: Count,
    }),
    auditOutput: ['resolved'],
  }),
  'GET /syncs/{sync}/lanes': endpoint({
    role: 'viewer',
    summary:
      'Which other work of the account goes before, beside and after a sync, for each lane that it can have.',
    input: z.strictObject({ sync: Name }),
    output: z.object({ lanes: z.array(LaneOrder) }),
  }),
  'PUT /syncs/{sync}/lane': endpoint({
    role: 'operator',
    summary:
      'Set the lane of a sync in the configuration file. It counts from the next run on; a run under way keeps its own.',
    input: z.strictObject({ sync: Name, lane: SyncConfig.shape.lane.unwrap(), reason: Reason }),
    audit: ['lane'],
    output: z.object({
      /** The configuration file. */
      file: z.string(),
      /** The lane until now. */
      before: SyncConfig.shape.lane.unwrap(),
      /** False: the workers use it once they have loaded the configuration. */
      active: z.boolean(),
      /** The run under way, with the lane that it keeps until it ends. Null: none is. */
      running: z.object({ run: z.string(), lane: SyncConfig.shape.lane.unwrap() }).nullable(),
    }),
    auditOutput: ['before'],
  }),
  'POST /syncs/{sync}/pause': endpoint({
    role: 'operator',
    summary: 'Pause the active run. Answers when no call is in progress.',
    input: z.strictObject({ sync: Name, reason: Reason }),
    output: SyncProgress,
  }),
  'POST /syncs/{sync}/resume': endpoint({
    role: 'operator',
    summary: 'Resume a paused run.',
    input: z.strictObject({ sync: Name, reason: Reason }),
    output: SyncProgress,
  }),
  'POST /syncs/{sync}/cancel': endpoint({
    role: 'operator',
    summary: 'Cancel the active run. Completed work is kept.',
    input: z.strictObject({ sync: Name, reason: Reason }),
    output: SyncProgress,
  }),
} as const;
