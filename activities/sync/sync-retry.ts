// Ledger side of a retry: opens its run, and stages the kept records as the planning does with rows.
import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { CrmRecord } from '../../src/contracts/wire/record.ts';
import { RETRY_REFUSED, type RetryRequest } from '../../src/contracts/wire/retry.ts';
import type { RunSpec } from '../../src/contracts/wire/run.ts';
import type { Database } from '../../src/ledger/database.ts';
import { findPeople, type KnownPerson } from '../../src/ledger/sync/people.ts';
import { type StagedRecord, stageRecords } from '../../src/ledger/sync/records.ts';
import {
  advanceRetry,
  nextRetryPage,
  openRetry,
  type RetriedRecord,
  RetryRefusedError,
  renewIntents,
} from '../../src/ledger/sync/retries.ts';
import { getRun, openRun, type RunRow } from '../../src/ledger/sync/runs.ts';
import { pipelineName, planSteps } from './sync-diff.ts';

/** Records in one transaction: some 0.5 s of work. */
const PAGE_RECORDS = 2000;

/**
 * Opens the next run of a sync, the retry that is asked for, or finds the one that was cut off. A retry's records are
 * staged when this returns.
 * @throws ApplicationFailure with a type of RETRY_REFUSED when there is nothing to retry, or no way to do it
 */
export async function openRunOrRetry(
  db: Database,
  spec: RunSpec,
  retry: RetryRequest | undefined,
): Promise<RunRow> {
  const run = retry === undefined ? await openRun(db, spec) : await openRetryRun(db, spec, retry);
  if (run.kind !== 'retry' || run.status !== 'planning') return run;
  await stageAgain(db, run.id);
  return await getRun(db, run.id);
}

async function openRetryRun(db: Database, spec: RunSpec, request: RetryRequest): Promise<RunRow> {
  try {
    return await getRun(db, await openRetry(db, spec, request));
  } catch (error) {
    if (!(error instanceof RetryRefusedError)) throw error;
    throw ApplicationFailure.create({
      message: error.message,
      type: RETRY_REFUSED[error.why],
      nonRetryable: true,
      // An answer to who asked, and no trouble of the worker.
      category: ApplicationFailureCategory.BENIGN,
    });
  }
}

/**
 * Stages the records that a retry takes up, page by page; the place moves on with its effect, so an attempt that
 * was cut off goes on, and a retry that is staged already is left alone.
 */
async function stageAgain(db: Database, runId: string, pageRecords = PAGE_RECORDS): Promise<void> {
  for (let more = true; more; ) {
    more = await db.transaction(async (tx) => {
      const page = await nextRetryPage(tx, runId, pageRecords);
      if (page === null) return false;
      const { account, spec, records } = page;
      const again = records.map((each) => ({ ...each, record: inPipeline(each.record, spec) }));
      const pipeline = pipelineName(spec);
      const people = await findPeople(
        tx,
        account,
        again.map(({ key }) => key),
        pipeline,
      );
      const known = (key: string) => people.get(key) ?? null;
      const staged: StagedRecord[] = again.map(({ key, row, record }) => ({
        key,
        row,
        record,
        todo: planSteps(record, known(key), spec.options, spec.sync),
      }));
      await stageRecords(tx, runId, staged);
      await renewIntents(tx, account, subjectsOf(again, known, pipeline));
      await advanceRetry(tx, runId, records);
      return records.length > 0;
    });
  }
}

/** The mapping says in which pipeline cards are: its word now counts, as for rows that are read now. */
function inPipeline(record: CrmRecord, { mapping }: RunSpec): CrmRecord {
  const { card, ...rest } = record;
  if (card === undefined || mapping.card === undefined) return rest;
  return { ...rest, card: { ...card, pipeline: mapping.card.pipeline } };
}

/** Names of the effects (see cards.ts) whose outcome was left unknown. */
function subjectsOf(
  records: readonly RetriedRecord[],
  known: (key: string) => KnownPerson | null,
  pipeline: string,
): { cards: string[]; stages: string[] } {
  const people = records.flatMap(({ key, status }) => (status === 'unknown' ? [known(key)] : []));
  return {
    cards: people.flatMap((person) => (person === null ? [] : [`${person.id}/${pipeline}`])),
    stages: people.flatMap((person) => (person?.card == null ? [] : [String(person.card.id)])),
  };
}
