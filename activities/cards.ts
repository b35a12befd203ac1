// Steps of a record that concern its card: find it, create it exactly once, move it when its stage changed.
import type { Card } from '../src/api-client/schemas/card.ts';
import { STEP_BITS, type StepInput, type StepResult } from '../src/contracts/run.ts';
import { type CatalogPipeline, pick, readCatalog } from '../src/ledger/catalog.ts';
import type { Queryable } from '../src/ledger/database.ts';
import { endIntent, getIntent, type IntentKey, openIntent, reopenIntent } from '../src/ledger/intents.ts';
import { type CardRow, noteCard, noteStage } from '../src/ledger/people.ts';
import { settleStep } from '../src/ledger/records.ts';
import { addWarning } from '../src/ledger/runs.ts';
import { callApi } from './api-call.ts';
import { remoteId } from './contacts.ts';
import type { Deps } from './deps.ts';
import { isRefusal, refusal, refusalCode, refusalScope } from './failures.ts';
import { contactFirst, noteFolded, personOf, settleOvertaken, tagBit, withPerson } from './folded-card.ts';
import { fail, runStep, type StepContext, stopStep } from './record-step.ts';
import { canFold, refName } from './sync-diff.ts';
import { CARD_CREATION, isSettled, readBack, STAGE_MOVE, writeOnce } from './uncertain-write.ts';
import { wholeList } from './whole-list.ts';

/** Clocks of the two sides may differ by so much. */
const CLOCK_SKEW_MS = 5 * 60_000;

export function createCardActivities(deps: Deps) {
  const { db } = deps;

  return {
    /** GET /v1/cards?contactId=&pipelineId=: a card that people or an earlier program made is adopted. */
    async findCard(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'findCard', input, async (c) => {
        const { pipeline } = await place(c);
        const found = await cardsOf(c, pipeline.id);
        const card = found.find((each) => each.status === 'open') ?? newest(found);
        const intent = await openIntent(db, { ...cardIntent(c), run: c.run });
        return await db.transaction(async (tx) => {
          if (card !== undefined) {
            await adopt(tx, c, card, true);
            await endIntent(tx, intent.id, 'done');
            return await settleStep(tx, c.row.id, { clear: STEP_BITS.findCard | STEP_BITS.createCard });
          }
          // An intent of an earlier run whose time to show up is over: it had no effect.
          if (isSettled(c, intent)) await reopenIntent(tx, intent.id, intent.sends);
          return await settleStep(tx, c.row.id, { clear: STEP_BITS.findCard });
        });
      });
    },

    /**
     * POST /v1/cards. Not idempotent: an intent goes before it, a lost answer leads to reading back. A person whom the
     * service does not have is made by the same call, out of number and name.
     */
    async createCard(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'createCard', input, async (found) => {
        const c = found.person?.remote_id == null ? await withPerson(db, found) : found;
        const folds = c.person?.remote_id == null;
        // The contact went away meanwhile, and the card's call can't carry all there is to say.
        if (folds && !canFold(c.record, c.spec.options)) return await contactFirst(db, c);
        const overtaken = folds ? null : await settleOvertaken(db, c);
        if (overtaken !== null) return overtaken;
        const wanted = c.record.card;
        if (wanted === undefined) throw new Error('the record asks for no card');
        // Another sync of the account was faster with this person's card in the same pipeline.
        if (c.person?.card != null) return await settleStep(db, c.row.id, { clear: STEP_BITS.createCard });
        const { pipeline, stage } = await place(c);
        if (wanted.stage !== undefined && stage === null)
          return folds ? await contactFirst(db, c) : await unknownStage(c, pipeline);
        const body = {
          ...(folds ? personOf(c) : { contactId: remoteId(c) }),
          pipelineId: pipeline.id,
          ...(stage === null ? {} : { stageId: stage.id }),
          ...(wanted.sourceId === undefined ? {} : { sourceId: wanted.sourceId }),
          ...(wanted.title === undefined ? {} : { title: wanted.title }),
          ...(wanted.expectedCloseDate === undefined ? {} : { expectedCloseDate: wanted.expectedCloseDate }),
          ...(Object.keys(wanted.customFields).length === 0 ? {} : { customFields: wanted.customFields }),
        };
        const done = writeOnce(
          deps,
          c,
          cardIntent(c),
          CARD_CREATION,
          (client, options) => client.cards.create(body, options),
          async (tx, answer) => {
            await warnOfIgnored(tx, c, answer.ignoredCustomFields);
            return await created(tx, c, answer.card, folds);
          },
          // The card is looked for through its contact: the upsert tells which one that is.
          folds ? STEP_BITS.upsertContact | tagBit(c) : 0,
        );
        // A card that is refused takes no contact with it: that one is made, and then the refusal stands.
        return await done.catch((error) => {
          if (folds && isRefusal(error) && refusalScope(refusalCode(error), 'createCard') === 'record')
            return contactFirst(db, c);
          throw error;
        });
      });
    },

    /** Looks for the card of a creation whose answer was lost. */
    async readBackCard(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'readBackCard', input, async (c) => {
        const intent = await getIntent(db, cardIntent(c));
        return await readBack(deps, c, intent, CARD_CREATION, async () => {
          const { pipeline } = await place(c);
          const since = new Date((intent?.sent_at ?? new Date()).getTime() - CLOCK_SKEW_MS);
          const card = newest(await cardsOf(c, pipeline.id, since));
          return card === undefined ? null : (tx) => created(tx, c, card);
        });
      });
    },

    /** PATCH /v1/cards/{cardId}/stage. Runs the stage's automations, so a lost answer is read back as well. */
    async moveStage(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'moveStage', input, async (c) => {
        const { pipeline, stage } = await place(c);
        if (stage === null) return await unknownStage(c, pipeline);
        const { remote_id: cardId } = ownCard(c);
        return await writeOnce(
          deps,
          c,
          stageIntent(c),
          STAGE_MOVE,
          (client, options) => client.cards.move(cardId, stage.id, options),
          (tx) => moved(tx, c, stage.id),
        );
      });
    },

    /** GET /v1/cards/{cardId}: did the move arrive? */
    async readBackStage(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'readBackStage', input, async (c) => {
        const intent = await getIntent(db, stageIntent(c));
        return await readBack(deps, c, intent, STAGE_MOVE, async () => {
          const { stage } = await place(c);
          const card = await callApi(deps, c.account, c.run, 'cards:read', (client, options) =>
            client.cards.get(ownCard(c).remote_id, options),
          );
          // Neither where it was nor where it should be: somebody moved it since, and their choice stands.
          const now = card?.stage?.id ?? null;
          const arrived = now === stage?.id || now !== ownCard(c).remote_stage_id;
          return stage === null || !arrived ? null : (tx) => moved(tx, c, now);
        });
      });
    },
  };

  async function cardsOf(
    c: StepContext,
    pipelineId: number,
    since: Date | null = null,
  ): Promise<readonly Card[]> {
    const query = { contactId: remoteId(c), pipelineId, pageSize: 100 };
    const list = await callApi(deps, c.account, c.run, 'cards:read', (client, options) =>
      client.cards.list(since === null ? query : { ...query, createdAtAfter: since }, options),
    );
    return wholeList({ method: 'GET', path: '/v1/cards' }, list);
  }

  async function created(tx: Queryable, c: StepContext, card: Card, folded = false): Promise<StepResult> {
    await adopt(tx, c, card, false);
    const contact = folded ? await noteFolded(tx, c, card) : {};
    const clear = STEP_BITS.createCard | STEP_BITS.readBackCard;
    const done = await settleStep(tx, c.row.id, { clear, touched: true, cardCreated: true, ...contact });
    return { ...done, cardCreated: true };
  }

  async function moved(tx: Queryable, c: StepContext, stageId: number | null): Promise<StepResult> {
    await noteStage(tx, ownCard(c).id, wantedStage(c) ?? '', stageId);
    return await settleStep(tx, c.row.id, {
      clear: STEP_BITS.moveStage | STEP_BITS.readBackStage,
      touched: true,
    });
  }

  async function adopt(tx: Queryable, c: StepContext, card: Card, existing: boolean): Promise<void> {
    if (c.person === null) throw new Error('a card needs a contact that was upserted before');
    await noteCard(tx, c.spec.account, c.person.id, {
      pipeline: refName(c.record.card?.pipeline ?? ''),
      remoteId: card.id,
      remoteStageId: card.stage?.id ?? null,
      // Where people put a card that was there before, it stays until the source's stage changes.
      stage: wantedStage(c),
      adopted: existing,
    });
  }

  async function warnOfIgnored(tx: Queryable, c: StepContext, names: readonly string[]): Promise<void> {
    for (const name of names) {
      await addWarning(tx, c.run, {
        step: 'createCard',
        subject: name,
        code: 'IGNORED_CUSTOM_FIELD',
        reason: `the service ignored the custom field "${name}": it is not of this pipeline, or a value does not fit its type`,
      });
    }
  }

  /** The pipeline and stage of the record's card, as the account knows them. */
  async function place(
    c: StepContext,
  ): Promise<{ pipeline: CatalogPipeline; stage: CatalogPipeline['stages'][number] | null }> {
    const wanted = c.record.card;
    const pipeline = pick((await readCatalog(db, c.spec.account, 'pipelines')) ?? [], wanted?.pipeline ?? '');
    if (pipeline === null) {
      const code = 'ERR_PIPELINE_NOT_FOUND';
      const reason = 'the pipeline of the mapping is not in the account';
      await stopStep(deps, c.run, 'createCard', code, reason);
      throw refusal(code, reason, { scope: 'step', step: 'createCard' });
    }
    return { pipeline, stage: wanted?.stage === undefined ? null : pick(pipeline.stages, wanted.stage) };
  }

  async function unknownStage(c: StepContext, pipeline: CatalogPipeline): Promise<StepResult> {
    const known = pipeline.stages.map((stage) => `"${stage.name}"`).join(', ');
    const reason = `the pipeline "${pipeline.name}" has no stage ${JSON.stringify(c.record.card?.stage)}; it has ${known}`;
    return await fail(deps, 'createCard', { run: c.run, record: c.row.id }, 'UNKNOWN_STAGE', reason);
  }
}

function wantedStage(c: StepContext): string | null {
  return c.record.card?.stage === undefined ? null : refName(c.record.card.stage);
}

function cardIntent(c: StepContext): IntentKey {
  const pipeline = refName(c.record.card?.pipeline ?? '');
  return { account: c.spec.account, kind: 'card', subject: `${c.person?.id}/${pipeline}` };
}

function stageIntent(c: StepContext): IntentKey {
  return { account: c.spec.account, kind: 'stage', subject: String(ownCard(c).id) };
}

function ownCard(c: StepContext): CardRow {
  const card = c.person?.card;
  if (card == null) throw new Error('the step needs a card that the ledger knows');
  return card;
}

function newest(cards: readonly Card[]): Card | undefined {
  return [...cards].sort((a, b) => b.id - a.id)[0];
}
