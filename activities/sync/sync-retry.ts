// The ledger side of a retry: opens its run, and stages the stored records as planning does with rows.
import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { CrmRecord } from '../../src/core/record.ts';
import type { Database } from '../../src/core/sql/database.ts';
import { findPeople, type KnownPerson } from '../../src/core/store/people.ts';
import { RETRY_REFUSED, type RetryRequest } from '../../src/jobs/sync/contract/retry.ts';
import type { RunSpec } from '../../src/jobs/sync/contract/run.ts';
import {
  advanceRetry,
  nextRetryPage,
  openRetry,
  type RetriedRecord,
  RetryRefusedError,
  renewIntents,
} from '../../src/jobs/sync/store/retries.ts';
import { getRun, openRun, type RunRow } from '../../src/jobs/sync/store/runs.ts';
import { type StagedRecord, stageRecords } from '../../src/jobs/sync/store/staged-records.ts';
import { pipelineName, planSteps } from '../records/record-diff.ts';

/** Records per transaction: about 0.5 s of work. */
const PAGE_RECORDS = 2000;

/**
 * Opens the next run of a sync or the requested retry, or finds the one that was interrupted. A retry's records are
 * staged when this returns.
 * @throws ApplicationFailure with a type of RETRY_REFUSED when there is nothing to retry, or when a retry is not
 *   possible
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
      // This answers the caller. It is not a worker error.
      category: ApplicationFailureCategory.BENIGN,
    });
  }
}

/**
 * Stages a retry's records page by page. Each page and its position are stored together, so an interrupted attempt
 * continues, and a staged retry is left alone.
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

/** Applies the mapping's current pipeline to the record, as for rows that are read now. */
function inPipeline(record: CrmRecord, { mapping }: RunSpec): CrmRecord {
  const { card, ...rest } = record;
  if (card === undefined || mapping.card === undefined) return rest;
  return { ...rest, card: { ...card, pipeline: mapping.card.pipeline } };
}

/** Subjects of the intents (see create-card.ts and move-stage.ts) with an unknown outcome. */
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
