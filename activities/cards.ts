// Steps of a record that concern its card: find it, create it exactly once, move it when its stage changed.

import { isAmbiguous, TransportError } from '../src/api-client/errors.ts';
import type { Card } from '../src/api-client/schemas/card.ts';
import { STEP_BITS, type StepInput, type StepResult } from '../src/contracts/run.ts';
import { type CatalogPipeline, pick, readCatalog } from '../src/ledger/catalog.ts';
import { type IntentRow, openIntent, setIntent, takeIntent } from '../src/ledger/intents.ts';
import { noteCard, noteStage } from '../src/ledger/people.ts';
import { endRecord, settleStep } from '../src/ledger/records.ts';
import { addWarning } from '../src/ledger/runs.ts';
import { callApi, FIRST_LOOK_MS } from './api-call.ts';
import { remoteId } from './contacts.ts';
import type { Deps } from './deps.ts';
import { refusal } from './failures.ts';
import { fail, runStep, type StepContext } from './record-step.ts';
import { refName } from './sync-diff.ts';

/** Clocks of the two sides may differ by so much. */
const CLOCK_SKEW_MS = 5 * 60_000;
/** A write whose answer gets lost so often in a row is set aside for a person to look at. */
const MAX_SENDS = 3;
/** So many failed looks, and the outcome counts as unknown: with backoff some ten minutes. */
const MAX_LOOKS = 12;

export function createCardActivities(deps: Deps) {
  const { db } = deps;

  return {
    /** GET /v1/cards?contactId=&pipelineId=: a card that people or an earlier program made is adopted. */
    async findCard(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'findCard', input, async (c) => {
        const { pipeline } = await place(c);
        const found = await cardsOf(c, pipeline.id);
        const card = found.find((each) => each.status === 'open') ?? newest(found);
        const intent = await openIntent(db, cardIntent(c));
        return await db.transaction(async (tx) => {
          if (card !== undefined) {
            await adopt(tx, c, card, true);
            await setIntent(tx, intent.id, 'done');
            return await settleStep(tx, c.row.id, { clear: STEP_BITS.findCard | STEP_BITS.createCard });
          }
          // An intent of an earlier run whose time to show up is over: it had no effect.
          if (settled(c, intent)) await setIntent(tx, intent.id, 'open');
          return await settleStep(tx, c.row.id, { clear: STEP_BITS.findCard });
        });
      });
    },

    /** POST /v1/cards. Not idempotent: an intent goes before it, a lost answer leads to reading back. */
    async createCard(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'createCard', input, async (c) => {
        const wanted = c.record.card;
        if (wanted === undefined) throw new Error('the record asks for no card');
        const { pipeline, stage } = await place(c);
        if (wanted.stage !== undefined && stage === null) return await unknownStage(c, pipeline);
        const intent = await openIntent(db, cardIntent(c));
        if (intent.state !== 'open') return await lookBack(c, 'createCard', 'readBackCard');
        try {
          const answer = await callApi(
            deps,
            c.account,
            c.run,
            (client, options) =>
              client.cards.create(
                {
                  contactId: remoteId(c),
                  pipelineId: pipeline.id,
                  ...(stage === null ? {} : { stageId: stage.id }),
                  ...(wanted.sourceId === undefined ? {} : { sourceId: wanted.sourceId }),
                  ...(wanted.title === undefined ? {} : { title: wanted.title }),
                  ...(wanted.expectedCloseDate === undefined
                    ? {}
                    : { expectedCloseDate: wanted.expectedCloseDate }),
                  ...(Object.keys(wanted.customFields).length === 0
                    ? {}
                    : { customFields: wanted.customFields }),
                },
                options,
              ),
            () => takeIntent(db, intent.id),
          );
          if (answer === null) return await lookBack(c, 'createCard', 'readBackCard');
          for (const name of answer.ignoredCustomFields) {
            await addWarning(db, c.run, {
              step: 'createCard',
              subject: name,
              code: 'IGNORED_CUSTOM_FIELD',
              reason: `the service ignored the custom field "${name}": it does not exist in this pipeline, or a value does not fit its type`,
            });
          }
          return await db.transaction(async (tx) => {
            await adopt(tx, c, answer.card, false);
            await setIntent(tx, intent.id, 'done');
            const done = await settleStep(tx, c.row.id, {
              clear: STEP_BITS.createCard,
              touched: true,
              cardCreated: true,
            });
            return { ...done, cardCreated: true };
          });
        } catch (error) {
          return await afterWrite(c, intent, error, 'createCard', 'readBackCard');
        }
      });
    },

    /** Looks for the card of a creation whose answer was lost: adopts it, or allows one more try once it would show. */
    async readBackCard(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'readBackCard', input, async (c) => {
        const { pipeline } = await place(c);
        const intent = await openIntent(db, cardIntent(c));
        const since = intent.sent_at === null ? null : new Date(intent.sent_at.getTime() - CLOCK_SKEW_MS);
        return await readBack(c, intent, 'createCard', 'readBackCard', async () => {
          const card = newest(await cardsOf(c, pipeline.id, since));
          if (card === undefined) return null;
          return async (tx) => {
            await adopt(tx, c, card, false);
            const bits = STEP_BITS.readBackCard | STEP_BITS.createCard;
            const done = await settleStep(tx, c.row.id, { clear: bits, touched: true, cardCreated: true });
            return { ...done, cardCreated: true };
          };
        });
      });
    },

    /** PATCH /v1/cards/{cardId}/stage. Runs the stage's automations, so a lost answer is read back as well. */
    async moveStage(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'moveStage', input, async (c) => {
        const { pipeline, stage } = await place(c);
        if (stage === null) return await unknownStage(c, pipeline);
        const intent = await openIntent(db, stageIntent(c));
        if (intent.state !== 'open') return await lookBack(c, 'moveStage', 'readBackStage');
        try {
          const card = await callApi(
            deps,
            c.account,
            c.run,
            (client, options) => client.cards.move(ownCard(c).remote_id, stage.id, options),
            () => takeIntent(db, intent.id),
          );
          if (card === null) return await lookBack(c, 'moveStage', 'readBackStage');
          return await moved(c, intent, stage.id);
        } catch (error) {
          return await afterWrite(c, intent, error, 'moveStage', 'readBackStage');
        }
      });
    },

    /** GET /v1/cards/{cardId}: did the move arrive? */
    async readBackStage(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'readBackStage', input, async (c) => {
        const { stage } = await place(c);
        const intent = await openIntent(db, stageIntent(c));
        return await readBack(c, intent, 'moveStage', 'readBackStage', async () => {
          const card = await callApi(deps, c.account, c.run, (client, options) =>
            client.cards.get(ownCard(c).remote_id, options),
          );
          if (stage === null || card?.stage?.id !== stage.id) return null;
          return async () => await moved(c, intent, stage.id);
        });
      });
    },
  };

  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
  type Write = 'createCard' | 'moveStage';
  type Look = 'readBackCard' | 'readBackStage';

  async function cardsOf(c: StepContext, pipelineId: number, since: Date | null = null): Promise<Card[]> {
    const list = await callApi(deps, c.account, c.run, (client, options) =>
      client.cards.list(
        {
          contactId: remoteId(c),
          pipelineId,
          pageSize: 100,
          ...(since === null ? {} : { createdAtAfter: since }),
        },
        options,
      ),
    );
    return list?.items ?? [];
  }

  async function adopt(tx: Tx, c: StepContext, card: Card, existing: boolean): Promise<void> {
    const wanted = c.record.card;
    await noteCard(tx, c.spec.account, (c.person as { id: number }).id, {
      pipeline: refName(wanted?.pipeline ?? ''),
      remoteId: card.id,
      remoteStageId: card.stage?.id ?? null,
      // People's placement of a card that was there before is kept until the source's stage changes.
      stage: wanted?.stage === undefined ? null : refName(wanted.stage),
      adopted: existing,
    });
  }

  async function moved(c: StepContext, intent: IntentRow, stageId: number): Promise<StepResult> {
    return await db.transaction(async (tx) => {
      await noteStage(tx, ownCard(c).id, refName(c.record.card?.stage ?? ''), stageId);
      await setIntent(tx, intent.id, 'done');
      return await settleStep(tx, c.row.id, {
        clear: STEP_BITS.moveStage | STEP_BITS.readBackStage,
        touched: true,
      });
    });
  }

  /** After a failed write: certain to have had no effect → open again; otherwise look before anything else. */
  async function afterWrite(
    c: StepContext,
    intent: IntentRow,
    error: unknown,
    write: Write,
    look: Look,
  ): Promise<StepResult> {
    if (isAmbiguous(error)) {
      deps.log.warn({ run: c.run, record: c.row.id, step: write }, 'the answer was lost; reading back');
      return await lookBack(c, write, look);
    }
    // A throttled attempt never took the intent; a certain refusal had no effect.
    if (!(error instanceof Error) || error.name !== 'ApplicationFailure')
      await setIntent(db, intent.id, 'open');
    throw error;
  }

  async function lookBack(c: StepContext, write: Write, look: Look): Promise<StepResult> {
    const next = await settleStep(db, c.row.id, { clear: STEP_BITS[write], add: STEP_BITS[look] });
    return { ...next, waitMs: FIRST_LOOK_MS };
  }

  function settled(c: StepContext, intent: IntentRow): boolean {
    return (
      (intent.state === 'sent' || intent.state === 'unknown') && (intent.age ?? 0) > c.account.settleSeconds
    );
  }

  /**
   * Looks for the effect of a write. Found: taken as done. Not found, and it may still show up: look again
   * later. Not found for good: one more try. Can't look: unknown, for the operator.
   */
  async function readBack(
    c: StepContext,
    intent: IntentRow,
    write: Write,
    look: Look,
    find: () => Promise<((tx: Tx) => Promise<StepResult>) | null>,
  ): Promise<StepResult> {
    const give = async (code: string, reason: string): Promise<StepResult> => {
      await setIntent(db, intent.id, 'unknown', code);
      await endRecord(db, c.row.id, { status: 'unknown', step: write, code, reason });
      return { todo: 0, ended: 'unknown' };
    };
    // Whether the effect would have shown is judged by the time before the look, not after it.
    const late = settled(c, intent);
    let found: Awaited<ReturnType<typeof find>>;
    try {
      found = await find();
    } catch (error) {
      if (isLost(error) && c.row.attempts + 1 >= MAX_LOOKS) {
        return await give(
          'READ_BACK_FAILED',
          `${write}: the answer was lost and reading back failed ${MAX_LOOKS} times`,
        );
      }
      throw error;
    }
    if (found !== null) {
      const write = found;
      return await db.transaction(async (tx) => {
        await setIntent(tx, intent.id, 'done');
        return await write(tx);
      });
    }
    if (!late) {
      const remaining = Math.max(0, c.account.settleSeconds - (intent.age ?? 0)) * 1000;
      return { todo: c.row.todo, waitMs: remaining + FIRST_LOOK_MS };
    }
    if (intent.sends >= MAX_SENDS) {
      return await give(
        'ANSWERS_LOST',
        `${write}: ${intent.sends} answers were lost and none of the calls had an effect so far`,
      );
    }
    return await db.transaction(async (tx) => {
      await setIntent(tx, intent.id, 'open');
      return await settleStep(tx, c.row.id, { clear: STEP_BITS[look], add: STEP_BITS[write] });
    });
  }

  function isLost(error: unknown): boolean {
    return error instanceof TransportError || isAmbiguous(error);
  }

  /** The pipeline and stage of the record's card, as the account knows them. */
  async function place(
    c: StepContext,
  ): Promise<{ pipeline: CatalogPipeline; stage: { id: number; name: string } | null }> {
    const wanted = c.record.card;
    const pipeline = pick((await readCatalog(db, c.spec.account, 'pipelines')) ?? [], wanted?.pipeline ?? '');
    if (pipeline === null) {
      throw refusal('ERR_PIPELINE_NOT_FOUND', 'the pipeline of the mapping is not in the account', {
        scope: 'step',
        step: 'createCard',
      });
    }
    return { pipeline, stage: wanted?.stage === undefined ? null : pick(pipeline.stages, wanted.stage) };
  }

  async function unknownStage(c: StepContext, pipeline: CatalogPipeline): Promise<StepResult> {
    const known = pipeline.stages.map((stage) => `"${stage.name}"`).join(', ');
    const reason = `the pipeline "${pipeline.name}" has no stage ${JSON.stringify(c.record.card?.stage)}; it has ${known}`;
    return await fail(deps, 'createCard', { run: c.run, record: c.row.id }, 'UNKNOWN_STAGE', reason);
  }

  function cardIntent(c: StepContext) {
    const pipeline = refName(c.record.card?.pipeline ?? '');
    return {
      account: c.spec.account,
      kind: 'card' as const,
      subject: `${c.person?.id}/${pipeline}`,
      run: c.run,
    };
  }

  function stageIntent(c: StepContext) {
    return { account: c.spec.account, kind: 'stage' as const, subject: String(ownCard(c).id), run: c.run };
  }
}

function ownCard(c: StepContext) {
  const card = c.person?.card;
  if (card == null) throw new Error('the step needs a card that the ledger knows');
  return card;
}

function newest(cards: readonly Card[]): Card | undefined {
  return [...cards].sort((a, b) => b.id - a.id)[0];
}
