// Ledger side of a sync: open the run, read and compare the source page by page, hand out work, close.
// None of these calls the API.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { CrmRecord, RowProblem } from '../src/contracts/record.ts';
import { type PlannedRecord, type RunReport, type RunSpec, STEP_BITS } from '../src/contracts/run.ts';
import { SourceError, type SourceRow } from '../src/contracts/source.ts';
import { pick, readCatalog } from '../src/ledger/catalog.ts';
import type { Queryable } from '../src/ledger/database.ts';
import { clearSurvey, findPeople, missingTags } from '../src/ledger/people.ts';
import {
  addRowProblems,
  countTodo,
  findStaged,
  pendingRecords,
  type RowFinding,
  reviveForTags,
  type StagedRecord,
  settleSurvey,
  stageRecords,
} from '../src/ledger/records.ts';
import {
  addWarning,
  advanceRun,
  closeRun,
  getRun,
  lockRun,
  openRun,
  type RunRow,
} from '../src/ledger/runs.ts';
import type { Mapping } from '../src/mapping/index.ts';
import type { Deps } from './deps.ts';
import { mergeRecords, planSteps, refName } from './sync-diff.ts';

/** Rows in one transaction: some 0.5 s of work, and about 5 MB of payloads. */
const PAGE_ROWS = 2000;

export interface OpenedRun {
  readonly run: string;
  /** Fairness key of the engine: a hash of the account's token. */
  readonly tokenKey: string;
  readonly concurrency: number;
  /** The source has been read to its end already. */
  readonly planned: boolean;
  /** A sink is to be told when the run has ended. */
  readonly announce: boolean;
}

export interface PlanProgress {
  readonly read: number;
  readonly rejected: number;
  readonly merged: number;
  readonly share: number | null;
  readonly done: boolean;
}

export interface RunWork {
  readonly total: number;
  readonly lookups: number;
  readonly tags: number;
  readonly cards: number;
  /** Names of tags that people of the run wait for. */
  readonly missingTags: number;
}

export function createSyncPlanActivities(deps: Deps) {
  const { db } = deps;

  return {
    async openRun(input: { account: string; sync: string }): Promise<OpenedRun> {
      let spec: RunSpec;
      let tokenKey: string;
      try {
        spec = deps.spec(input.account, input.sync);
        tokenKey = deps.account(input.account).tokenKey;
      } catch (error) {
        throw ApplicationFailure.nonRetryable((error as Error).message, 'CONFIG');
      }
      const run = await openRun(db, spec);
      return {
        run: run.id,
        tokenKey,
        concurrency: run.spec.options.concurrency,
        planned: run.status !== 'planning',
        announce: run.spec.options.announce !== undefined,
      };
    },

    /** Reads, maps and compares one page of the source. The place in the source moves on with its effect, in one transaction. */
    async planPage(input: { run: string }): Promise<PlanProgress> {
      const seen = await getRun(db, input.run);
      const source = deps.openSource(seen.spec.source);
      const mapping = deps.compileMapping(seen.spec.mapping);
      try {
        const page = await source.read(seen.cursor, {
          limit: PAGE_ROWS,
          signal: Context.current().cancellationSignal,
        });
        const mapped = await mapRows(mapping, page.rows);
        return await db.transaction(async (tx) => {
          const run = await lockRun(tx, input.run);
          // A second attempt at the same page finds the run further on: the first one's work stands.
          if (JSON.stringify(run.cursor) !== JSON.stringify(seen.cursor) || run.status !== 'planning') {
            return progressOf(run, { share: null, done: run.status !== 'planning' });
          }
          const merged = await stage(tx, run, mapped.good);
          await addRowProblems(tx, run.id, mapped.findings);
          if (run.rows_read === 0) await warnOfMissingColumns(tx, run.id, mapping.columns, page.rows);
          const counts = { read: page.rows.length, rejected: mapped.rejectedRows, merged };
          await advanceRun(tx, run.id, { cursor: page.next, progress: page.progress, ...counts });
          return {
            read: run.rows_read + counts.read,
            rejected: run.rows_rejected + counts.rejected,
            merged: run.rows_merged + counts.merged,
            share: page.progress,
            done: page.next === null,
          };
        });
      } catch (error) {
        if (error instanceof SourceError)
          throw ApplicationFailure.nonRetryable(error.message, `SOURCE_${error.code.toUpperCase()}`);
        throw error;
      }
    },

    /** What the planned run still has to do. */
    async countWork(input: { run: string }): Promise<RunWork> {
      const run = await getRun(db, input.run);
      const work = await countTodo(db, input.run, {
        lookup: STEP_BITS.lookup,
        tags: STEP_BITS.setTags,
        cards: STEP_BITS.createCard | STEP_BITS.moveStage,
      });
      return { ...work, missingTags: (await missingTags(db, run)).length };
    },

    /** After the account's tags were read: records whose people wait for a tag that is there now get it. */
    async reviveTags(input: { run: string }): Promise<{ revived: number }> {
      return await db.transaction(async (tx) => {
        const run = await lockRun(tx, input.run);
        const catalog = (await readCatalog(tx, run.account, 'tags')) ?? [];
        const names = (await missingTags(tx, run)).filter((name) => pick(catalog, name) !== null);
        const bits = STEP_BITS.upsertContact | STEP_BITS.setTags;
        return { revived: names.length === 0 ? 0 : await reviveForTags(tx, run, names, bits) };
      });
    },

    /** After the account's contacts were read: who was found needs no look-up; who was not is new, if all were read. */
    async settleSurvey(input: { run: string; complete: boolean }): Promise<void> {
      await db.transaction(async (tx) => {
        const { id, account, spec } = await lockRun(tx, input.run);
        const bits = {
          lookup: STEP_BITS.lookup,
          readExtraInfo: spec.options.extraInfo === 'replace' ? 0 : STEP_BITS.readExtraInfo,
          onFound: spec.options.tags === 'replace' ? STEP_BITS.setTags : 0,
        };
        await settleSurvey(tx, { id, account }, bits, input.complete);
        await clearSurvey(tx, id);
      });
    },

    async nextRecords(input: {
      run: string;
      after: number;
      stopped: number;
      limit: number;
    }): Promise<PlannedRecord[]> {
      return await pendingRecords(db, input.run, input);
    },

    async warn(input: { run: string; step: string; code: string; reason: string }): Promise<void> {
      await addWarning(db, input.run, { ...input, subject: '' });
      deps.log.warn({ run: input.run, step: input.step, code: input.code }, input.reason);
    },

    async closeRun(input: {
      run: string;
      status: 'finished' | 'cancelled' | 'failed';
      stopped: number;
      error?: string;
    }): Promise<RunReport> {
      return await db.transaction((tx) => closeRun(tx, input.run, input));
    },
  };

  function progressOf(run: RunRow, at: { share: number | null; done: boolean }): PlanProgress {
    return { read: run.rows_read, rejected: run.rows_rejected, merged: run.rows_merged, ...at };
  }

  /** Stages a page's records; answers how many rows were merged into an earlier row of the same person. */
  async function stage(
    tx: Queryable,
    run: RunRow,
    good: readonly { row: number; record: CrmRecord }[],
  ): Promise<number> {
    const keys = [...new Set(good.map(({ record }) => record.key))];
    const staged = new Map<string, { row: number; record: CrmRecord }>();
    for (const [key, earlier] of await findStaged(tx, run.id, keys)) {
      staged.set(key, { row: earlier.row_no, record: earlier.payload as CrmRecord });
    }
    let merged = 0;
    for (const { row, record } of good) {
      const earlier = staged.get(record.key);
      if (earlier !== undefined) merged++;
      staged.set(
        record.key,
        earlier === undefined
          ? { row, record }
          : { row: earlier.row, record: mergeRecords(earlier.record, record) },
      );
    }
    const pipeline = run.spec.mapping.card?.pipeline;
    const people = await findPeople(tx, run.account, keys, pipeline === undefined ? '' : refName(pipeline));
    const rows: StagedRecord[] = [...staged].map(([key, { row, record }]) => ({
      key,
      row,
      record,
      todo: planSteps(record, people.get(key) ?? null, run.spec.options),
    }));
    await stageRecords(tx, run.id, rows);
    return merged;
  }
}

/** A column that no row has is a slip of the pen in the mapping far more often than an empty export. */
async function warnOfMissingColumns(
  tx: Queryable,
  runId: string,
  columns: readonly string[],
  rows: readonly SourceRow[],
): Promise<void> {
  const fold = (name: string) => name.normalize('NFC').trim().toLowerCase();
  const found = new Set(rows.flatMap(({ values }) => Object.keys(values ?? {}).map(fold)));
  if (found.size === 0) return;
  for (const column of columns) {
    const [head = column] = column.split('.');
    if (found.has(fold(column)) || found.has(fold(head))) continue;
    await addWarning(tx, runId, {
      step: 'mapping',
      subject: column,
      code: 'NO_SUCH_COLUMN',
      reason: `the mapping reads "${column}", which none of the first ${rows.length} rows has`,
    });
  }
}

async function mapRows(mapping: Mapping, rows: readonly SourceRow[]) {
  const good: { row: number; record: CrmRecord }[] = [];
  const findings: RowFinding[] = [];
  let rejectedRows = 0;
  for (const { row, values, problem } of rows) {
    // Awaiting a plain value costs a turn of the event loop; most mappings answer at once.
    const pending = values === null || problem !== undefined ? null : mapping.apply(values);
    const result = pending instanceof Promise ? await pending : pending;
    if (result?.ok === true) {
      good.push({ row, record: result.record });
      for (const warning of result.warnings) findings.push({ row, kind: 'warning', problem: warning });
      continue;
    }
    rejectedRows++;
    const problems = result === null ? [problem ?? UNREADABLE] : result.problems;
    for (const each of problems) findings.push({ row, kind: 'reject', problem: each });
  }
  return { good, findings, rejectedRows };
}

const UNREADABLE: RowProblem = {
  field: 'row',
  code: 'malformed_row',
  reason: 'the source could not read this row',
};
