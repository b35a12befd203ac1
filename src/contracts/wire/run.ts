// What a run is asked to do, how far it is, and what came of it.
import { z } from 'zod';
import { MappingConfig, SourceConfig, SyncConfig } from '../config/config.ts';
import type { EffectStep } from './intake.ts';

/** Lanes: the smaller number is served first. */
export const LANES = { reply: 1, lead: 2, poll: 3, campaign: 4, backfill: 5 } as const;

/** Everything that a run needs to know, frozen when it opens: later edits of sluice.yaml do not change a run half way. */
export const RunSpec = z.object({
  account: z.string(),
  sync: z.string(),
  options: SyncConfig,
  source: SourceConfig,
  mapping: MappingConfig,
});
export type RunSpec = z.infer<typeof RunSpec>;

/** `merged`: another row already represents the person of the row. */
export const OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'merged',
  'rejected',
  'failed',
  'unknown',
] as const;
export type Outcome = (typeof OUTCOMES)[number];
/** What can become of a row that has a record of its own. */
export type RecordOutcome = Exclude<Outcome, 'merged' | 'rejected'>;

/**
 * The steps of one record in the order in which they run, each one API call. A record carries the set
 * of steps still to do as bits; every step answers with the set that is left.
 */
export const STEP_BITS = {
  /** Is the person on the service already, under either form of a Brazilian number? */
  lookup: 1,
  /** Read the extra info that others wrote, so that the whole-list write keeps it. */
  readExtraInfo: 2,
  upsertContact: 4,
  setTags: 8,
  /** Has the contact a card in the pipeline already? */
  findCard: 16,
  createCard: 32,
  /** The answer to a card creation was lost: look whether the card is there. */
  readBackCard: 64,
  moveStage: 128,
  /** The answer to a move was lost: look where the card stands. */
  readBackStage: 256,
} as const;
export type Step = keyof typeof STEP_BITS;

/** Whether the service shows what a step wrote. */
export type WriteCheck =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: string;
      /** Names fields and assumptions, never values. */
      readonly reason: string;
      /** The run must not go on, whatever was verified before: the answer is about somebody else. */
      readonly stop: boolean;
    };

/** How many records ended with each outcome, and for how many of them the run created a card. */
export type EndCounts = Readonly<Partial<Record<RecordOutcome | 'cards', number>>>;

/** How far a refusal reaches: this record, this step for all records, or the whole run. */
export type RefusalScope = 'record' | 'step' | 'run';

/** What polling asks of the service. */
export type PollStep = 'listConversations' | 'readMessages';

/** What campaigns ask of the service, beside the effects that follow a trigger. */
export type CampaignStep = 'readAudience' | 'findMember' | 'recheckMember' | 'triggerMember' | 'verifyMember';

/** What in an answer could not be read, or which inputs a refusal may come from: names only, nothing personal. */
export interface ShapeDetails {
  /** Assumptions whose override mends it, as keys of `accounts.<name>.assumptions`; empty: none does. */
  readonly assumptions: readonly string[];
  /** Names of the fields found in that place. */
  readonly seen: readonly string[];
}

/** Details of the failure that an API activity throws; `type` of the failure is the API's code. */
export interface RefusalDetails {
  readonly scope: RefusalScope;
  readonly step: Step | EffectStep | PollStep | CampaignStep | 'catalog';
  /** Steps that end with a step which all records are refused, as bits. */
  readonly stops?: number;
  /** When an assumption may be at fault. The message of the failure says the same in words. */
  readonly shape?: ShapeDetails;
}

/** A step that stopped for all records, or a value of the config that the account does not know. */
export const RunWarning = z.object({ step: z.string(), code: z.string(), reason: z.string() }).readonly();
export type RunWarning = z.infer<typeof RunWarning>;

const count = z.int().nonnegative();

/** How the account was asked about people: one by one, or by snapshots of a hundred; with the figures of the choice. */
export const SnapshotChoice = z
  .object({
    of: z.enum(['contacts', 'cards']),
    /** Calls that asking one by one takes at most. */
    single: count,
    /** Pages that the account has. */
    pages: count,
    /** Pages that were read. */
    read: count,
  })
  .readonly();
export type SnapshotChoice = z.infer<typeof SnapshotChoice>;

/** Counts add up once a run has finished: read = created + updated + unchanged + merged + rejected + failed + unknown. */
export const RunSummary = z
  .object({
    run: z.string().meta({ description: 'Id of the run.' }),
    /** Rows read from the source, and records taken over from the run before (`carried`). */
    read: count.meta({
      description: 'Rows that the source yielded, and records taken over from the previous run.',
    }),
    created: count.meta({ description: 'Contacts created.' }),
    updated: count.meta({ description: 'Records with a change.' }),
    unchanged: count.meta({ description: 'Records without a change.' }),
    /** Rows whose person another row already represents. */
    merged: count.meta({ description: 'Rows merged into the row of the same person.' }),
    rejected: count.meta({ description: 'Rows that could not be mapped.' }),
    failed: count.meta({ description: 'Records that the service refused.' }),
    unknown: count.meta({ description: 'Records with an unknown outcome.' }),
    /** Cards created in this run. */
    cards: count.meta({ description: 'Cards created.' }),
    /** API calls made in this run, read-backs and repeated attempts included. */
    calls: count.meta({ description: 'API calls made, with checks and repeated attempts.' }),
    seconds: z.number().nonnegative(),
    /** Records left undone: only a cancelled run has any. */
    pending: count.meta({
      description: 'Records that have not ended; only a canceled or failed run has some.',
    }),
    /** Records that the run before left undone, taken over; part of `read`. Incremental sources only. */
    carried: count.optional(),
    /** People who left the source and were acted on, and those with whom that failed. Mirrors only. */
    vanished: count.optional(),
    vanishedFailed: count.optional(),
    /** Steps that the account refused for every record, for example `createCard`: their work is not done. */
    stoppedSteps: z.array(z.string()).readonly(),
    warnings: z.array(RunWarning).readonly(),
    snapshots: z.array(SnapshotChoice).readonly().optional(),
  })
  .readonly();
export type RunSummary = z.infer<typeof RunSummary>;

export interface RunReport extends RunSummary {
  /** The first few rows that were rejected, failed or are unknown; `sluice sync rows` shows all. */
  readonly problems: readonly RunProblem[];
  /** All of them, counted by reason; `warning`: something was left out of a row that was kept. */
  readonly totals: readonly ProblemTotal[];
}

/** What is wrong with one row, without its values. */
export const RunProblem = z
  .object({
    row: count,
    outcome: z.enum(['rejected', 'failed', 'unknown']),
    /** Field of the mapping, or step of the sync. */
    where: z.string(),
    code: z.string(),
    reason: z.string(),
    /** Column or path of the source that a refused value came from. */
    column: z.string().optional(),
  })
  .readonly();
export type RunProblem = z.infer<typeof RunProblem>;

/** How many rows have a problem in common. Holds no value of a row. */
export const ProblemTotal = z
  .object({
    outcome: z.enum(['rejected', 'failed', 'unknown', 'warning']),
    /** Field of the mapping, or step of the sync. */
    where: z.string(),
    /** Column or path of the source that the values came from. */
    column: z.string().optional(),
    code: z.string(),
    rows: count,
    /** What is wrong with the first of them. */
    reason: z.string(),
    /** Other rows have other reasons under the same code. */
    varied: z.boolean(),
    /** Number of the first of them. */
    first: count,
  })
  .readonly();
export type ProblemTotal = z.infer<typeof ProblemTotal>;

export type RunPhase = 'opening' | 'planning' | 'preparing' | 'syncing' | 'closing' | 'ended';

/** Answer of the `progress` query. */
export interface RunProgress {
  readonly run: string | null;
  readonly phase: RunPhase;
  /** `code`: what the service refused, when Sluice itself paused the run. */
  readonly paused: { readonly by: string; readonly reason: string; readonly code?: string } | null;
  /** Rows read so far, and the share of the source behind them (0..1, null when unknown). */
  readonly read: number;
  readonly readShare: number | null;
  /** Rows whose person another row already represents. */
  readonly merged: number;
  /** Records that need calls, and how many of them have ended. */
  readonly total: number;
  readonly done: number;
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
  readonly unknown: number;
  readonly rejected: number;
  readonly cards: number;
  readonly stoppedSteps: readonly string[];
  /** Problems of rows, counted by reason, once the source has been read. */
  readonly totals: readonly ProblemTotal[];
  /** Why the first write of its kind does not get through, when it has failed repeatedly. */
  readonly trouble: { readonly failures: number; readonly reason: string } | null;
}

/** Why a run must pause, as one of its batches reports it. */
export interface Halt {
  readonly code: string;
  readonly reason: string;
  /** Kinds of writes that the service does not show as they were made, as bits. Whoever resumes the run accepts them. */
  readonly kinds: number;
}
