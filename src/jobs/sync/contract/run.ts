// Input, progress and result of a sync run.
import { z } from 'zod';
import { SourceConfig } from '../../../connectors/sources/config.ts';
import { NoteParams } from '../../../core/endpoint.ts';
import { Pause } from '../../../core/pause.ts';
import { MappingConfig } from '../../../mapping/config.ts';
import type { EffectStep } from '../../events/contract/intake.ts';
import { SyncConfig } from '../config.ts';
import { type RecordOutcome, RUN_PHASES, type Step } from '../constants.ts';

/** Configuration of a run, frozen when it opens, so that edits of sluice.yaml do not change a run in progress. */
export const RunSpec = z.object({
  account: z.string(),
  sync: z.string(),
  options: SyncConfig,
  source: SourceConfig,
  mapping: MappingConfig,
  /** The source has only some rows, which were corrected: nobody counts as gone, and the run before stays the last. */
  partial: z.literal(true).optional(),
});
export type RunSpec = z.infer<typeof RunSpec>;

/** Whether the service shows what a step wrote. */
export type WriteCheck =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: string;
      /** Names fields and assumptions, never values. */
      readonly reason: string;
      /** The run must stop, whatever was verified before: the response is about another person. */
      readonly stop: boolean;
    };

/** Number of records per outcome, and of those for which the run created a card. */
export type EndCounts = Readonly<Partial<Record<RecordOutcome | 'cards', number>>>;

/** The counts of a batch. They are also its heartbeat details. */
export interface BatchCounts extends Required<EndCounts> {
  /** The last record that failed for now: failures in a row, and the reason. */
  readonly trouble: { readonly failures: number; readonly reason: string } | null;
}

/** Reach of a refusal: this record, this step of all records, or the whole run. */
export type RefusalScope = 'record' | 'step' | 'run';

/** Calls of a poller. */
export type PollStep = 'listConversations' | 'readMessages';

/** Calls of a campaign, except those of follow-up events. */
export type CampaignStep = 'readAudience' | 'findMember' | 'recheckMember' | 'triggerMember' | 'verifyMember';

/**
 * What in a response could not be read, or which inputs may have caused a refusal. It contains names only, no
 * personal data.
 */
export interface ShapeDetails {
  /** Assumptions whose override fixes it, as keys of `accounts.<name>.assumptions`; empty if none does. */
  readonly assumptions: readonly string[];
  /** Names of the fields found instead. */
  readonly seen: readonly string[];
}

/** Details of the failure that an API activity throws. The failure's `type` is the API's code. */
export interface RefusalDetails {
  readonly scope: RefusalScope;
  readonly step: Step | EffectStep | PollStep | CampaignStep | 'catalog';
  /** Steps that end together with a step that is refused for all records, as bits. */
  readonly stops?: number;
  /** Set if an assumption may be wrong. The message of the failure says the same in words. */
  readonly shape?: ShapeDetails;
}

/** A step that stopped for all records, or a configured value that the account does not know. */
export const RunWarning = z
  .object({
    step: z.string().meta({ description: 'Step of the run that the warning is about.' }),
    code: z.string().meta({ description: 'Code of the warning.' }),
    reason: z.string().meta({ description: 'What happened, in words.' }),
    people: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: 'Number of people whose records the warning is about, if it is about some.' }),
    firstRows: z
      .array(z.int().nonnegative())
      .readonly()
      .optional()
      .meta({ description: 'The first rows of the source that the warning is about, at most 5.' }),
  })
  .readonly();
export type RunWarning = z.infer<typeof RunWarning>;

const count = z.int().nonnegative();

/** How the run read the account: one call per person, or pages of a hundred; with the figures behind the choice. */
export const SnapshotChoice = z
  .object({
    of: z.enum(['contacts', 'cards']).meta({ description: 'What the run read.' }),
    single: count.meta({ description: 'Maximum number of calls that single lookups would have taken.' }),
    pages: count.meta({ description: 'Pages that the account has.' }),
    read: count.meta({ description: 'Pages that the run read.' }),
  })
  .readonly();
export type SnapshotChoice = z.infer<typeof SnapshotChoice>;

/** Once a run has finished: read = created + updated + unchanged + merged + rejected + failed + unknown. */
export const RunSummary = z
  .object({
    run: z.string().meta({ description: 'Id of the run.' }),
    read: count.meta({
      description: 'Rows that the source yielded, and records taken over from the previous run.',
    }),
    created: count.meta({ description: 'Contacts created.' }),
    updated: count.meta({ description: 'Records with a change.' }),
    unchanged: count.meta({ description: 'Records without a change.' }),
    merged: count.meta({ description: 'Rows merged into the row of the same person.' }),
    rejected: count.meta({ description: 'Rows that could not be mapped.' }),
    failed: count.meta({ description: 'Records that the service refused.' }),
    unknown: count.meta({ description: 'Records with an unknown outcome.' }),
    cards: count.meta({ description: 'Cards created.' }),
    calls: count.meta({ description: 'API calls made, with checks and repeated attempts.' }),
    seconds: z.number().nonnegative().meta({ description: 'Duration of the run, in seconds.' }),
    pending: count.meta({
      description: 'Records that have not ended; only a canceled or failed run has some.',
    }),
    carried: count.optional().meta({
      description:
        'Records that the previous run did not finish and this run took over. They are part of `read`. Incremental sources only.',
    }),
    vanished: count.optional().meta({
      description:
        'People who left the source, after Sluice applied `vanished` of the sync. Mirror syncs only.',
    }),
    vanishedFailed: count.optional().meta({
      description: 'People who left the source, if applying `vanished` failed. Mirror syncs only.',
    }),
    stoppedSteps: z.array(z.string()).readonly().meta({
      description:
        'Steps that the account refused for every record, for example `createCard`. Their work is not done.',
    }),
    warnings: z.array(RunWarning).readonly().meta({ description: 'Warnings of the run.' }),
    snapshots: z.array(SnapshotChoice).readonly().optional().meta({
      description: 'How the run read contacts and cards of the account: one call per person, or in pages.',
    }),
  })
  .readonly();
export type RunSummary = z.infer<typeof RunSummary>;

/** A problem of one row, without its values. */
export const RunProblem = z
  .object({
    row: count,
    outcome: z.enum(['rejected', 'failed', 'unknown']),
    /** Field of the mapping, or step of the sync. */
    where: z.string(),
    code: z.string(),
    reason: z.string(),
    /** Column or path of the source that contained the refused value. */
    column: z.string().optional(),
  })
  .readonly();
export type RunProblem = z.infer<typeof RunProblem>;

/** Number of rows with the same problem. Contains no value of a row. */
export const ProblemTotal = z
  .object({
    outcome: z.enum(['rejected', 'failed', 'unknown', 'warning']),
    /** Field of the mapping, or step of the sync. */
    where: z.string(),
    /** Column or path of the source that contained the values. */
    column: z.string().optional(),
    code: z.string(),
    rows: count,
    /** Reason of the first of these rows. */
    reason: z.string(),
    /** Figures of the reason, for its sentence in other languages. */
    params: NoteParams.optional(),
    /** True if other rows have other reasons with the same code. */
    varied: z.boolean(),
    /** Row number of the first of them. */
    first: count,
  })
  .readonly();
export type ProblemTotal = z.infer<typeof ProblemTotal>;

export const RunReport = z
  .object({
    ...RunSummary.unwrap().shape,
    /** The first few rows that were rejected, failed or are unknown. */
    problems: z.array(RunProblem).readonly(),
    /** All problems, counted by reason. `warning`: a value was left out, but the row was kept. */
    totals: z.array(ProblemTotal).readonly(),
  })
  .readonly();
export type RunReport = z.infer<typeof RunReport>;

/** Result of the query `progress`. */
export const RunProgress = z
  .object({
    run: z.string().nullable(),
    phase: z.enum(RUN_PHASES),
    paused: Pause.readonly().nullable(),
    /** Rows read so far, and their share of the source (0 to 1; null if unknown). */
    read: count,
    readShare: z.number().nullable(),
    /** Rows whose person is already represented by another row. */
    merged: count,
    /** Records that need calls, and how many of them have ended. */
    total: count,
    done: count,
    created: count,
    updated: count,
    failed: count,
    unknown: count,
    rejected: count,
    cards: count,
    stoppedSteps: z.array(z.string()).readonly(),
    /** Problems of rows, counted by reason; complete once the source has been read. */
    totals: z.array(ProblemTotal).readonly(),
    /** Why the first write of its kind fails, once it has failed repeatedly. */
    trouble: z.object({ failures: count, reason: z.string() }).readonly().nullable(),
  })
  .readonly();
export type RunProgress = z.infer<typeof RunProgress>;

/** Why a run must pause, as one of its batches reports it. */
export interface Halt {
  readonly code: string;
  readonly reason: string;
  /** Kinds of writes that the service shows differently than they were made, as bits. Resuming the run accepts them. */
  readonly kinds: number;
  /** How often the run had been resumed when the batch began. */
  readonly resumes: number;
}
