// Applies a snapshot of the account: people who were found get the steps of an existing contact, and the others are
// new.

import type { Queryable } from '../../src/core/sql/database.ts';
import { accountLists } from '../../src/core/store/catalog.ts';
import { findPeople } from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { type SnapshotChoice } from '../../src/jobs/sync/contract/run.ts';
import { getRecord } from '../../src/jobs/sync/store/record-rows.ts';
import { stepIsStopped } from '../../src/jobs/sync/store/run-warnings.ts';
import { getRun, lockRun, noteSnapshot, type RunRow } from '../../src/jobs/sync/store/runs.ts';
import {
  clearSnapshot,
  countBlind,
  foundRecords,
  settleCards,
  settleMissing,
} from '../../src/jobs/sync/store/snapshots.ts';
import { ruleOf } from '../records/contact-change.ts';
import { pipelineName } from '../records/record-diff.ts';
import { CARD_STEPS, runContext, stepContext } from '../records/record-step.ts';
import { settleSeen } from '../records/seen-contact.ts';
import type { Deps } from '../shared/deps.ts';

/** Records per transaction. */
const BATCH = 200;
/** Transactions per activity. */
const BATCHES = 50;

/** The settlement activities. They use only the ledger. */
export function createSettlementActivities(deps: Deps) {
  const { db } = deps;
  return {
    /**
     * Applies the snapshot of the account's contacts. People who were found get the steps of an existing contact. If
     * all contacts were read, the others are new. Returns `after` when there is more to settle.
     */
    async settleSnapshot(input: {
      run: string;
      complete: boolean;
      after?: number;
      choice?: SnapshotChoice;
    }): Promise<{ after: number | null; finds: number; pending?: number }> {
      const run = await getRun(db, input.run);
      const common = runContext(deps, run, accountLists(run.account));
      let after = input.after ?? 0;
      for (let batch = 0; batch < BATCHES; batch++) {
        const found = await foundRecords(db, run, { after, limit: BATCH });
        await db.transaction(async (tx) => {
          const keys = found.map(({ key }) => key);
          const people = await findPeople(tx, run.account, keys, pipelineName(run.spec));
          for (const each of found) {
            const row = await getRecord(tx, run.id, each.id);
            if (row.status !== 'pending') continue;
            const person = people.get(each.key) ?? null;
            await settleSeen(tx, stepContext(common, { row, person }), STEP_BITS.lookup);
          }
        });
        after = found.at(-1)?.id ?? after;
        if (found.length < BATCH) return { after: null, ...(await endSnapshot(run, input)) };
      }
      return { after, finds: 0 };
    },

    /** Applies the snapshot of the pipeline's cards. */
    async settleCards(input: {
      run: string;
      complete: boolean;
      choice: SnapshotChoice;
    }): Promise<{ pending: number }> {
      const { id, account, spec } = await getRun(db, input.run);
      const pipeline = pipelineName(spec);
      await db.transaction(async (tx) => {
        const { facts } = await lockRun(tx, id);
        const bits = { find: STEP_BITS.findCard, create: STEP_BITS.createCard };
        await settleCards(tx, { id, account, pipeline }, bits, input.complete);
        await clearSnapshot(tx, id);
        await noteOnce(tx, id, facts, input.choice);
      });
      return await countUnknown(db, { id, account });
    },
  };

  async function endSnapshot(
    run: RunRow,
    input: { readonly complete: boolean; readonly choice?: SnapshotChoice },
  ): Promise<{ finds: number; pending: number }> {
    const { options } = run.spec;
    await db.transaction(async (tx) => {
      const { facts } = await lockRun(tx, run.id);
      if (input.complete) {
        const cards =
          run.spec.mapping.card !== undefined && options.mode !== 'update' && !options.validateNumber;
        const combines = cards && !(await stepIsStopped(tx, run.id, CARD_STEPS));
        await settleMissing(tx, run, {
          lookup: STEP_BITS.lookup,
          drop: options.mode === 'update' ? ~STEP_BITS.lookup & 0x7fffffff : 0,
          combine: combines
            ? {
                card: STEP_BITS.createCard,
                clear: STEP_BITS.upsertContact | STEP_BITS.setTags,
                rejects: (['email', 'document', 'disableBot'] as const).filter(
                  (field) => ruleOf(field, options).write !== 'never',
                ),
              }
            : null,
        });
      }
      await clearSnapshot(tx, run.id);
      await noteOnce(tx, run.id, facts, input.choice);
    });
    return await countUnknown(db, run);
  }
}

/** How many of a run's pending records depend on what the service has. See {@link countBlind}. */
export async function countUnknown(db: Queryable, run: { readonly id: string; readonly account: string }) {
  return await countBlind(db, run, {
    lookup: STEP_BITS.lookup,
    upsert: STEP_BITS.upsertContact,
    finds: STEP_BITS.findCard,
  });
}

/** Adds the line once: a second attempt, after a lost answer, must not add it again. */
async function noteOnce(
  tx: Queryable,
  runId: string,
  facts: readonly SnapshotChoice[],
  choice: SnapshotChoice | undefined,
): Promise<void> {
  if (choice !== undefined && !facts.some((fact) => fact.of === choice.of))
    await noteSnapshot(tx, runId, choice);
}
