// What the card steps share: the calls about a card, its pipeline and stage, and its part in writes that must not
// happen twice.
import { type CatalogPipeline, pick } from '../../src/core/store/catalog.ts';
import { type NewIntent } from '../../src/core/store/intents.ts';
import type { CardRow } from '../../src/core/store/people.ts';
import { STEP_BITS, type Step } from '../../src/jobs/sync/constants.ts';
import { endRecord, settleStep } from '../../src/jobs/sync/store/records.ts';
import type { Card } from '../../src/service/api-client/schemas/card.ts';
import { callApi } from '../shared/api-call.ts';
import type { Deps } from '../shared/deps.ts';
import { refusal } from '../shared/failures.ts';
import type { Subject } from '../shared/write-once.ts';
import { refName } from './record-diff.ts';
import { fail, type StepContext, type StepResult, stopStep } from './record-step.ts';

/** An intent of a record. Its run is known. */
export type MarkedIntent = Omit<NewIntent, 'run'>;

export interface Place {
  readonly pipeline: CatalogPipeline;
  readonly stage: CatalogPipeline['stages'][number] | null;
}

/** The pipeline and stage of the record's card, as the account has them. */
export async function place(deps: Deps, c: StepContext): Promise<Place> {
  const wanted = c.record.card;
  const pipeline = pick(await c.lists.pipelines(deps.db), wanted?.pipeline ?? '');
  if (pipeline === null) {
    const code = 'ERR_PIPELINE_NOT_FOUND';
    const reason = 'the account does not have the pipeline that the mapping names';
    await stopStep(deps, c.run, 'createCard', code, reason);
    throw refusal(code, reason, { scope: 'step', step: 'createCard' });
  }
  return { pipeline, stage: wanted?.stage === undefined ? null : pick(pipeline.stages, wanted.stage) };
}

export async function unknownStage(
  deps: Deps,
  c: StepContext,
  pipeline: CatalogPipeline,
): Promise<StepResult> {
  const known = pipeline.stages.map((stage) => `"${stage.name}"`).join(', ');
  const reason = `the pipeline "${pipeline.name}" has no stage ${JSON.stringify(c.record.card?.stage)}; it has ${known}`;
  return await fail(deps, 'createCard', c, 'UNKNOWN_STAGE', reason);
}

export function wantedStage(c: StepContext): string | null {
  return c.record.card?.stage === undefined ? null : refName(c.record.card.stage);
}

export function ownCard(c: StepContext): CardRow {
  const card = c.person?.card;
  if (card == null) throw new Error('the step needs a card that the ledger knows');
  return card;
}

/** GET /v1/cards/{cardId}. */
export async function readCard(deps: Deps, c: StepContext, id: number): Promise<Card | null> {
  return await callApi(deps, c.account, c.run, 'cards:read', (client, options) =>
    client.cards.get(id, options),
  );
}

/** The step that makes a write, and the one that reads it back. */
export interface WriteSteps {
  readonly write: Step;
  readonly readBack: Step;
}

/**
 * A write that must not happen twice, as steps of the record.
 * @param onLost steps, as bits, that run before the read-back
 */
export function subjectOf(
  { db }: Deps,
  c: StepContext,
  step: Step,
  { write, readBack }: WriteSteps,
  intent: MarkedIntent,
  onLost = 0,
): Subject<StepResult> {
  const [calling, reading] = [STEP_BITS[write], STEP_BITS[readBack]];
  const { id, todo, attempts } = c.row;
  return {
    account: c.account,
    intent: { ...intent, run: c.run },
    step,
    where: { run: c.run, record: id, step },
    failures: attempts,
    stopsForAll: true,
    // The record is marked as sent. That time distinguishes a contact that this call creates from an older one.
    record: c.row,
    done: () => settleStep(db, c.row, { clear: calling | reading }),
    async callNext(tx, waitMs) {
      const next = await settleStep(tx, c.row, { clear: reading, add: calling });
      return waitMs === 0 ? next : { ...next, waitMs };
    },
    async readBackNext(tx, waitMs) {
      if ((todo & calling) === 0) return { todo, waitMs };
      return { ...(await settleStep(tx, c.row, { clear: calling, add: reading | onLost })), waitMs };
    },
    async unknown(tx, code, reason) {
      return await endRecord(tx, c.row, { status: 'unknown', step: write, code, reason });
    },
  };
}
