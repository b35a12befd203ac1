// What the operator API needs from the process that serves it.
import type { Client } from '@temporalio/client';
import type { LiveConfig } from '../../config/live-config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { CsvSource } from '../../connectors/sources/config.ts';
import type { Fingerprint } from '../../core/source.ts';
import type { Database } from '../../core/sql/database.ts';
import type { CampaignCommandInput, CampaignCommandResult } from '../../jobs/campaigns/contract/batches.ts';
import type { CountedDraft } from '../../jobs/campaigns/contract/campaign-drafts.ts';
import type { Acceptance, Route as IngressRoute } from '../../jobs/events/ingress/intake.ts';
import type { SyncConfig } from '../../jobs/sync/config.ts';
import type { SyncDefinition } from '../../jobs/sync/contract/definitions.ts';
import type { ColumnChanges, MappingPreview, RecognizedFile } from '../../jobs/sync/contract/first-sync.ts';
import type { PlanProblem } from '../../jobs/sync/contract/plan.ts';
import type { DryRun } from '../../jobs/sync/contract/plans.ts';
import type { RunSpec } from '../../jobs/sync/contract/run.ts';
import type { MappingConfig } from '../../mapping/config.ts';
import type { AccountLists } from '../contract/accounts.ts';
import type { Endpoints, Output, Parsed, Route } from '../contract/index.ts';
import type { AssumptionState, DoctorReport } from '../contract/settings.ts';
import type { Caller } from './caller.ts';
import type { Exchange } from './exchange.ts';
import type { ExpensiveRequests } from './expensive.ts';

export interface OperatorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface OperatorDeps {
  readonly db: Database;
  /**
   * The configuration as it is loaded now.
   * @throws ConfigError, ConfigFileError for a command that reads the ledger without a valid configuration
   */
  config(): LoadedConfig;
  /** What `config` reads from. Null: the configuration is broken, or is never loaded again. */
  readonly live: LiveConfig | null;
  /**
   * A client of Temporal. A command that serves itself starts the embedded server and workers here, so call it only
   * for what needs a workflow.
   * @throws OperatorError (unavailable)
   */
  temporal(): Promise<Client>;
  /** The client if a Temporal server runs already; null if not. For signals that a later start makes up for. */
  runningTemporal(): Promise<Client | null>;
  /** Task queue of the workers. */
  readonly workQueue: string;
  /** Clock of campaigns, in milliseconds since 1970. */
  now(): Promise<number>;
  /** The URL of the console that this process serves; null while it serves none. */
  consoleUrl(): string | null;
  readonly log: OperatorLog;
  readonly tools: OperatorTools;
}

/** What the overview needs of it. */
export type OverviewDeps = Pick<
  OperatorDeps,
  'db' | 'config' | 'live' | 'runningTemporal' | 'now' | 'consoleUrl' | 'log'
>;

/** What only a composition root can make, because it needs more than the operator API may import. */
export interface OperatorTools {
  /** Applies a command to a campaign's run in the ledger, without its workflow. */
  campaignCommand(input: CampaignCommandInput & { withoutWorkflow: true }): Promise<CampaignCommandResult>;
  /** Reads the lists of an account from the service, within its budget. */
  readAccount(account: string): Promise<AccountLists>;
  /** Reads the newest messages of a conversation from the service, within the account's budget. */
  readMessages(
    account: string,
    conversation: number,
    limit: number,
  ): Promise<Output<'POST /conversations/{account}/{conversation}/messages'>>;
  /** Runs the doctor on these accounts. */
  examine(accounts: readonly string[]): Promise<Omit<DoctorReport, 'at'>>;
  /** The routes of the configuration, compiled. */
  routes(): Promise<readonly IngressRoute[]>;
  /**
   * Accepts events as the ingress does. The caller closes it.
   * @throws OperatorError (unavailable) without a Temporal server
   */
  openAcceptance(): Promise<Acceptance>;
  /** Limits requests that take seconds of a processor. */
  readonly expensive: ExpensiveRequests;
  readonly dryRuns: DryRuns;
  readonly firstSync: FirstSync;
  readonly corrections: Corrections;
  readonly campaignFile: CampaignFile;
  readonly syncFile: SyncFile;
  readonly setSyncLane: SetSyncLane;
  readonly campaignDraft: CampaignDraft;
  /** Copies the embedded ledger into a new folder. */
  backUpLedger(): Promise<{ readonly folder: string; readonly takenAt: string }>;
  /**
   * Sends a test notice to this channel, or to all of them.
   * @throws OperatorError (not found)
   */
  testNotices(channel: string | undefined): Promise<Output<'POST /notices/test'>>;
  /** The assumptions of every account. */
  assumptions(): AssumptionState[];
  /**
   * Overwrites the events of these conversations and streams in the files of JSONL sinks.
   * @returns the number of events by sink; null for a file that is not on this machine
   */
  eraseFromSinkFiles(
    account: string,
    events: { readonly conversations: readonly number[]; readonly streams: readonly string[] },
  ): Promise<readonly { readonly sink: string; readonly events: number | null }[]>;
  /** Deletes uploaded exports and the results of dry runs that this process keeps: they may name anybody. */
  forgetExports(): Promise<void>;
}

/** What a dry run plans, and what it keeps. */
export interface DryRunRequest {
  readonly spec: RunSpec;
  /** Folder of the configuration. */
  readonly baseDir: string;
  /** People of each kind of change to show in full. */
  readonly samples: number;
  readonly callsPerMinute: number;
  /** Whether to keep every problem of a row. */
  readonly listed: boolean;
}

/** Dry runs of this process. They need the mapping and the sources. */
export interface DryRuns {
  /**
   * @returns the id of the dry run
   * @throws OperatorError (conflict) while another one is active
   */
  start(request: DryRunRequest): string;
  /** Null when there is none, or when it was deleted. */
  get(id: string): KeptDryRun | null;
  /** Ends the active dry run, and deletes all results. */
  forgetAll(): Promise<void>;
}

/** A dry run. Its values are personal data. */
export interface KeptDryRun {
  read(): DryRun;
  /** What it reads, as a run of this id would. */
  readonly file: { readonly id: string; readonly spec: RunSpec; readonly source_file: Fingerprint | null };
  problems(from: number, limit: number): Promise<readonly PlanProblem[]>;
  /** Resolves when it has ended, or after this time. */
  endWithin(ms: number): Promise<void>;
  cancel(): Promise<void>;
}

export interface UploadedFile {
  readonly id: string;
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly expiresAt: string;
}

/** Campaigns as they are written in sluice.yaml. */
export interface CampaignFile {
  /** `yaml`: null when the file has no campaign of this name. */
  read(campaign: string): Promise<{ file: string; yaml: string | null; hash: string }>;
  /**
   * @throws OperatorError (invalid) naming every problem; (conflict) when the file has changed since it was read;
   * (forbidden) when it takes the second person away, or has a schedule and the writer may not start campaigns
   */
  write(edit: {
    readonly campaign: string;
    readonly yaml: string;
    /** Refuse to replace a campaign. */
    readonly isNew: boolean;
    /** Whether the writer may start campaigns, which a schedule does. */
    readonly mayStart: boolean;
    /** Of the file as it was read. */
    readonly hash: string;
  }): Promise<Output<'PUT /campaigns/{campaign}/source'>>;
  /** @throws as `write`; OperatorError (conflict) when the campaign has a schedule; (not found) */
  remove(edit: { readonly campaign: string; readonly hash: string }): Promise<WrittenCampaign>;
}

interface WrittenCampaign {
  readonly file: string;
  readonly hash: string;
  /** The workers of this process use it now. */
  readonly active: boolean;
}

/** Syncs as they are written in sluice.yaml. */
export interface SyncFile {
  read(sync: string): Promise<Pick<SyncDefinition, 'file' | 'yaml' | 'mapping' | 'hash'>>;
  /**
   * @throws OperatorError (invalid) naming every problem; (conflict) when the sync has changed since it was read;
   * (forbidden) when its schedule would start something else, and the writer may not start syncs
   */
  write(edit: {
    readonly sync: string;
    readonly yaml: string;
    /** Null: the mapping stays as it is. */
    readonly mapping: string | null;
    /** Of sync and mapping as they were read. */
    readonly hash: string;
    /** Whether the writer may start syncs, which a schedule does. */
    readonly mayStart: boolean;
  }): Promise<Output<'PUT /syncs/{sync}/definition'>>;
  /** What a deletion takes out of the file, and the uploaded file that it renames. */
  removalOf(sync: string): {
    readonly entries: readonly { readonly section: string; readonly name: string }[];
    readonly export: string | null;
  };
  /** @throws as `write`; OperatorError (conflict) while the sync has a schedule; (not found) */
  remove(edit: {
    readonly sync: string;
    readonly hash: string;
  }): Promise<Output<'DELETE /syncs/{sync}/definition'>>;
  /** Names that a new sync cannot have. */
  names(): Promise<Output<'GET /sync-names'>['taken']>;
}

/**
 * Sets the lane of a sync in sluice.yaml. Runs that have begun keep theirs.
 * @returns the lane before, and whether the workers of this process use the new one now
 * @throws OperatorError (conflict) SYNC_ELSEWHERE, SYNC_SHARED, or when the file was changed meanwhile
 */
export type SetSyncLane = (
  sync: string,
  lane: SyncConfig['lane'],
) => Promise<{ readonly file: string; readonly before: SyncConfig['lane']; readonly active: boolean }>;

/** Campaigns that are being written. */
export interface CampaignDraft {
  /**
   * A newer count of the same person replaces the one that is under way, unless one of them is for a test send.
   * @throws OperatorError (conflict) REPLACED; (tooMany) when others count
   */
  count(draft: {
    readonly campaign: string;
    readonly config: Readonly<Record<string, unknown>>;
    /** Identity of who asks. */
    readonly by: string;
    /** @default false */
    readonly isForTest?: boolean;
  }): Promise<CountedDraft>;
}

/** The file of a sync that another export replaces. */
export interface ReplacedExport {
  /** With an absolute path. */
  readonly source: CsvSource;
  /** Mappings of all syncs that read the file. */
  readonly mappings: readonly MappingConfig[];
}

/** Exports that operators upload, and syncs that are made of them. Values are in clear. */
export interface FirstSync {
  /** @throws OperatorError (invalid) when the file is no table */
  add(
    name: string,
    bytes: Uint8Array,
  ): Promise<{ readonly id: string; readonly expiresAt: string; readonly recognized: RecognizedFile }>;
  /** @throws OperatorError (notFound) */
  find(id: string): UploadedFile;
  /** @throws OperatorError (invalid) when the file is no table in this encoding */
  recognize(id: string, encoding: string): Promise<RecognizedFile>;
  preview(
    id: string,
    how: { readonly mapping: MappingConfig; readonly encoding: string },
    by: string,
  ): Promise<MappingPreview & { readonly names: unknown }>;
  /** As `preview`, of a file that was uploaded and is a source now. */
  previewSource(
    source: CsvSource,
    mapping: MappingConfig,
    by: string,
  ): Promise<MappingPreview & { readonly names: unknown }>;
  /**
   * Adds the file to the configuration as a source.
   * @param name of the source, and of mapping and sync
   * @param made a mapping and a sync that reads the source; null: the source alone
   * @throws OperatorError (conflict) for a name that exists, or when the file was changed meanwhile
   */
  write(
    id: string,
    name: string,
    made: {
      readonly account: string;
      readonly mapping: MappingConfig;
      readonly encoding: string;
    } | null,
  ): Promise<{ readonly file: string; readonly export: string; readonly active: boolean }>;
  /** The columns of a file that is a source; empty when it cannot be read. */
  columns(source: CsvSource): Promise<readonly string[]>;
  /** @throws OperatorError (invalid) when the upload is no table with a header */
  compare(id: string, target: ReplacedExport): Promise<ColumnChanges>;
  /** @throws OperatorError (invalid) COLUMNS_MISSING; (conflict) NOT_UPLOADED */
  replace(
    id: string,
    target: ReplacedExport,
  ): Promise<{
    readonly export: string;
    readonly kept: string | null;
    readonly columns: ColumnChanges;
    readonly active: boolean;
  }>;
  remove(id: string): Promise<void>;
  /** Deletes all uploads. */
  forgetAll(): Promise<void>;
}

/** Rejected rows that somebody corrects. Values are in clear. */
export interface Corrections {
  /**
   * Finds rows in the file of a run.
   * @param at.rows ascending
   * @param at.seen the file of the run; null: the file as it is now
   * @throws OperatorError (invalid) SOURCE_CHANGED when the file is another one by now
   */
  locate(
    source: CsvSource,
    at: { readonly rows: readonly number[]; readonly seen: Fingerprint | null; readonly by: string },
  ): Promise<{
    readonly header: readonly string[];
    readonly delimiter: string;
    readonly rows: readonly {
      readonly row: number;
      /** Of a text editor, and of a spreadsheet. */
      readonly line: number;
      readonly sheetLine: number;
      readonly values: Readonly<Record<string, unknown>> | null;
    }[];
  }>;
  /**
   * Keeps an upload as the file of a run over its rows only, in the folder `data`.
   * @returns the file's name, and its number of rows
   * @throws OperatorError (invalid) when columns that the mapping uses are missing, or a row cannot be read
   */
  keep(
    upload: string,
    sync: string,
    mapping: MappingConfig,
  ): Promise<{ readonly file: string; readonly rows: number }>;
}

/** Null: nobody has logged in. */
type CallerOf<R extends Route> = Endpoints[R]['role'] extends 'anyone' ? Caller | null : Caller;

/** Handlers of the routes of one table. `exchange` is missing on the Unix socket and inside a command. */
export type Handlers<R extends Route> = {
  readonly [K in R]: (input: Parsed<K>, caller: CallerOf<K>, exchange?: Exchange) => Promise<Output<K>>;
};
