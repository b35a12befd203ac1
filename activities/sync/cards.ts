// The card steps of a record: find the card, create it exactly once, and move it when its stage changed.

import type { RecordCard } from '../../src/core/record.ts';
import type { Queryable } from '../../src/core/sql/database.ts';
import type { Note } from '../../src/core/sql/notes.ts';
import { type CatalogPipeline, pick } from '../../src/core/store/catalog.ts';
import {
  doneNote,
  endIntent,
  getIntent,
  type IntentKey,
  type NewIntent,
  openAgain,
  reopenIntent,
  settleIntent,
} from '../../src/core/store/intents.ts';
import { type CardRow, cardNote, stageNote } from '../../src/core/store/people.ts';
import { STEP_BITS, type Step } from '../../src/jobs/sync/constants.ts';
import { endRecord, settleStep } from '../../src/jobs/sync/store/records.ts';
import { addWarning } from '../../src/jobs/sync/store/run-warnings.ts';
import type { Card } from '../../src/service/api-client/schemas/card.ts';
import { callApi, FLIGHT_SECONDS } from '../shared/api-call.ts';
import type { Deps } from '../shared/deps.ts';
import { refusal } from '../shared/failures.ts';
import { CLOCK_SKEW_MS, isSettled, readBack, type Seen } from '../shared/read-back.ts';
import { isRefusal, refusalScope } from '../shared/refusal-scope.ts';
import { type AskedFor, wholeList } from '../shared/whole-list.ts';
import { type Subject, type Write, writeOnce } from '../shared/write-once.ts';
import {
  combinedContact,
  contactFirst,
  personOf,
  settleOvertaken,
  tagBit,
  withPerson,
} from './combined-create.ts';
import { remoteId } from './contacts.ts';
import { fail, type StepContext, type StepResult, stopStep } from './record-step.ts';
import { canCombine, refName } from './sync-diff.ts';
import {
  cardDifferences,
  confirmed,
  type Difference,
  failOther,
  isSamePerson,
  noteDifferences,
} from './verify-write.ts';

/** An intent of a record. Its run is known. */
type MarkedIntent = Omit<NewIntent, 'run'>;

const CARD_CREATION = { write: 'createCard', readBack: 'readBackCard' } as const;
const STAGE_MOVE = { write: 'moveStage', readBack: 'readBackStage' } as const;

export function createCardSteps(deps: Deps) {
  const { db } = deps;

  return {
    /** GET /v1/cards?contactId=&pipelineId=. Adopts a card that people or an earlier program created. */
    async findCard(c: StepContext): Promise<StepResult> {
      const { pipeline } = await place(c);
      const intent = await getIntent(db, cardIntent(c));
      const found = await cardsOf(c, pipeline.id);
      const card = found.find((each) => each.status === 'open') ?? newest(found);
      return await db.transaction(async (tx) => {
        if (card !== undefined) {
          await settleIntent(tx, { ...cardIntent(c), run: c.run });
          const clear = STEP_BITS.findCard | STEP_BITS.createCard;
          return await settleStep(tx, c.row, { clear }, noteOf(c, card, true));
        }
        // An earlier run's intent whose settle time has passed had no effect.
        if (intent !== null && isSettled(c.account, intent)) await reopenIntent(tx, intent.id, intent.sends);
        return await settleStep(tx, c.row, { clear: STEP_BITS.findCard });
      });
    },

    /**
     * POST /v1/cards. Not idempotent: an intent comes before the call, and a lost answer leads to a read-back. If the
     * service does not have the person, the same call creates the contact from number and name.
     */
    async createCard(found: StepContext): Promise<StepResult> {
      const c = found.person?.remote_id == null ? await withPerson(db, found) : found;
      const combines = c.person?.remote_id == null;
      // The contact was deleted meanwhile, and the card's call cannot carry all of its data.
      if (combines && !canCombine(c.record, c.spec.options)) return await contactFirst(db, c);
      const overtaken = combines ? null : await settleOvertaken(db, c);
      if (overtaken !== null) return overtaken;
      const wanted = c.record.card;
      if (wanted === undefined) throw new Error('the record asks for no card');
      // Another sync of the account has already created this person's card in the same pipeline.
      if (c.person?.card != null) return await settleStep(db, c.row, { clear: STEP_BITS.createCard });
      const { pipeline, stage } = await place(c);
      if (wanted.stage !== undefined && stage === null)
        return combines ? await contactFirst(db, c) : await unknownStage(c, pipeline);
      const body = {
        ...(combines ? personOf(c) : { contactId: remoteId(c) }),
        ...inputsOf(wanted, pipeline, stage),
      };
      let shown: Card | null = null as Card | null;
      // The read-back finds the card through its contact, and the upsert returns that contact's id.
      const onLost = combines ? STEP_BITS.upsertContact | tagBit(c) : 0;
      const done = writeOnce(deps, subjectOf(c, 'createCard', CARD_CREATION, cardIntent(c), onLost), {
        scope: 'cards:write',
        call: (client, options) => client.cards.create(body, options),
        accepted: async (_, answer, intent) => {
          if (answer.card !== null && !isOf(c, answer.card, combines))
            return await db.transaction(async (tx) => {
              await endIntent(tx, intent, 'done');
              return await failOther(tx, deps, c, 'createCard');
            });
          await warnOfIgnored(db, c, answer.ignoredCustomFields);
          shown = answer.card;
          return answer.card === null ? null : await created(db, c, answer.card, intent, combines);
        },
      });
      // A refused card must not prevent its contact. The contact is created alone, and then the refusal applies.
      const settled = await done.catch((error) => {
        if (combines && isRefusal(error) && refusalScope(error, 'createCard') === 'record')
          return contactFirst(db, c);
        throw error;
      });
      if (shown === null) return settled;
      const { id } = shown;
      const differences = await confirmed(cardDifferences(body, shown), c.verify, async () => {
        const now = await readCard(c, id);
        return now === null ? [] : cardDifferences(body, now);
      });
      return { ...settled, check: await noteDifferences(deps, c, differences) };
    },

    /** Searches for the card of a creation whose answer was lost. */
    async readBackCard(c: StepContext): Promise<StepResult> {
      const intent = await getIntent(db, cardIntent(c));
      let differences: Difference[] | null = null as Difference[] | null;
      const find = async (): Promise<Seen<StepResult>> => {
        const since = new Date((intent?.sent_at ?? new Date()).getTime() - CLOCK_SKEW_MS);
        const { pipeline, stage } = await place(c);
        const card = newest(await cardsOf(c, pipeline.id, since));
        if (card === undefined) return 'absent';
        const wanted = c.record.card;
        if (wanted !== undefined) differences = cardDifferences(inputsOf(wanted, pipeline, stage), card);
        return (tx, id) => created(tx, c, card, id);
      };
      const subject = subjectOf(c, 'readBackCard', CARD_CREATION, cardIntent(c));
      const settled = await readBack(deps, subject, intent, { find });
      return differences === null
        ? settled
        : { ...settled, check: await noteDifferences(deps, c, differences) };
    },

    /** PATCH /v1/cards/{cardId}/stage. It triggers the stage's automations, so a lost answer is read back too. */
    async moveStage(c: StepContext): Promise<StepResult> {
      const { pipeline, stage } = await place(c);
      if (stage === null) return await unknownStage(c, pipeline);
      const { remote_id: cardId } = ownCard(c);
      const subject = subjectOf(c, 'moveStage', STAGE_MOVE, stageIntent(c, stage.id));
      if (c.row.row_no === 0) {
        const card = await readCard(c, cardId);
        // Somebody moved it there, or this move did and its answer was lost. A call would run the automations again.
        if (card?.stage?.id === stage.id) return await alreadyThere(c, subject.intent, stage.id);
        // The team has won or lost it, and that decision is theirs.
        if (card !== null && card.status !== 'open')
          return await settleStep(db, c.row, { clear: STEP_BITS.moveStage });
      }
      let shown: Card | null = null as Card | null;
      let written = false as boolean;
      const known = await openAgain(db, subject.intent, FLIGHT_SECONDS + c.account.settleSeconds);
      const move: Write<{ readonly card: Card | null }, StepResult> = {
        scope: 'cards:write',
        call: (client, options) => client.cards.move(cardId, stage.id, options),
        accepted: (tx, { card }, intent) => {
          shown = card;
          written = true;
          return moved(tx, c, card === null ? stage.id : (card.stage?.id ?? null), intent);
        },
      };
      const settled = await writeOnce(deps, subject, move, known);
      const found = written && c.verify ? (shown ?? (await readCard(c, cardId))) : shown;
      if (found === null) return settled;
      const compare = (card: Card | null): Difference[] =>
        card === null || card.stage?.id === stage.id ? [] : [{ field: 'card.stage', assumption: null }];
      const differences = await confirmed(compare(found), c.verify, async () =>
        compare(await readCard(c, cardId)),
      );
      return { ...settled, check: await noteDifferences(deps, c, differences) };
    },

    /** GET /v1/cards/{cardId}. Checks whether the move took effect. */
    async readBackStage(c: StepContext): Promise<StepResult> {
      const { stage } = await place(c);
      const key = stageIntent(c, stage?.id ?? null);
      const intent = await getIntent(db, key);
      const find = async (): Promise<Seen<StepResult>> => {
        const card = await readCard(c, ownCard(c).remote_id);
        // The card is neither in the old stage nor in the new one: somebody moved it since, and that choice is kept.
        const now = card?.stage?.id ?? null;
        const arrived = now === stage?.id || now !== ownCard(c).remote_stage_id;
        return stage === null || !arrived ? 'absent' : (tx, id) => moved(tx, c, now, id);
      };
      const subject = subjectOf(c, 'readBackStage', STAGE_MOVE, key);
      return await readBack(deps, subject, intent, { find });
    },
  };

  /**
   * A write that must not happen twice, as steps of the record.
   * @param onLost steps, as bits, that run before the read-back
   */
  function subjectOf(
    c: StepContext,
    step: Step,
    { write, readBack }: typeof CARD_CREATION | typeof STAGE_MOVE,
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

  async function readCard(c: StepContext, id: number): Promise<Card | null> {
    return await callApi(deps, c.account, c.run, 'cards:read', (client, options) =>
      client.cards.get(id, options),
    );
  }

  function isOf(c: StepContext, { contact }: Card, combines: boolean): boolean {
    return combines ? isSamePerson(c.row.key, contact.number) : contact.id === remoteId(c);
  }

  async function cardsOf(
    c: StepContext,
    pipelineId: number,
    since: Date | null = null,
  ): Promise<readonly Card[]> {
    const query = { contactId: remoteId(c), pipelineId, pageSize: 100 };
    const list = await callApi(deps, c.account, c.run, 'cards:read', (client, options) =>
      client.cards.list(since === null ? query : { ...query, createdAtAfter: since }, options),
    );
    return wholeList(CARDS, list, withContact(query.contactId, pipelineId, 'findCard'));
  }

  async function created(
    tx: Queryable,
    c: StepContext,
    card: Card,
    intent: number,
    isCombined = false,
  ): Promise<StepResult> {
    const contact = isCombined ? await combinedContact(tx, c, card) : null;
    const clear = STEP_BITS.createCard | STEP_BITS.readBackCard;
    const change = { clear, touched: true, cardCreated: true, ...contact?.change };
    const notes = contact === null ? [] : [contact.note];
    return await settleStep(tx, c.row, change, noteOf(c, card, false), doneNote(intent), ...notes);
  }

  async function moved(
    tx: Queryable,
    c: StepContext,
    stageId: number | null,
    intent: number,
  ): Promise<StepResult> {
    const clear = STEP_BITS.moveStage | STEP_BITS.readBackStage;
    const stage = stageNote(ownCard(c).id, wantedStage(c) ?? '', stageId);
    return await settleStep(tx, c.row, { clear, touched: true }, stage, doneNote(intent));
  }

  async function alreadyThere(c: StepContext, intent: NewIntent, stageId: number): Promise<StepResult> {
    return await db.transaction(async (tx) => {
      await settleIntent(tx, intent);
      const clear = STEP_BITS.moveStage | STEP_BITS.readBackStage;
      return await settleStep(tx, c.row, { clear }, stageNote(ownCard(c).id, wantedStage(c) ?? '', stageId));
    });
  }

  function noteOf(c: StepContext, card: Card, adopted: boolean): Note {
    if (c.person === null) throw new Error('a card needs a contact that was upserted before');
    return cardNote(c.spec.account, c.person.id, {
      pipeline: refName(c.record.card?.pipeline ?? ''),
      remoteId: card.id,
      remoteStageId: card.stage?.id ?? null,
      // A card that existed before stays where people put it, until the source's stage changes.
      stage: wantedStage(c),
      adopted,
    });
  }

  async function warnOfIgnored(tx: Queryable, c: StepContext, names: readonly string[]): Promise<void> {
    for (const name of names) {
      await addWarning(tx, c.run, {
        step: 'createCard',
        subject: name,
        code: 'IGNORED_CUSTOM_FIELD',
        reason: `the service ignored the custom field "${name}": it does not belong to this pipeline, or its value does not fit its type`,
      });
    }
  }

  /** The pipeline and stage of the record's card, as the account has them. */
  async function place(
    c: StepContext,
  ): Promise<{ pipeline: CatalogPipeline; stage: CatalogPipeline['stages'][number] | null }> {
    const wanted = c.record.card;
    const pipeline = pick(await c.lists.pipelines(db), wanted?.pipeline ?? '');
    if (pipeline === null) {
      const code = 'ERR_PIPELINE_NOT_FOUND';
      const reason = 'the account does not have the pipeline that the mapping names';
      await stopStep(deps, c.run, 'createCard', code, reason);
      throw refusal(code, reason, { scope: 'step', step: 'createCard' });
    }
    return { pipeline, stage: wanted?.stage === undefined ? null : pick(pipeline.stages, wanted.stage) };
  }

  async function unknownStage(c: StepContext, pipeline: CatalogPipeline): Promise<StepResult> {
    const known = pipeline.stages.map((stage) => `"${stage.name}"`).join(', ');
    const reason = `the pipeline "${pipeline.name}" has no stage ${JSON.stringify(c.record.card?.stage)}; it has ${known}`;
    return await fail(deps, 'createCard', c, 'UNKNOWN_STAGE', reason);
  }
}

/** The inputs of a card's creation beside the contact. */
function inputsOf(wanted: RecordCard, pipeline: CatalogPipeline, stage: { readonly id: number } | null) {
  return {
    pipelineId: pipeline.id,
    stageId: stage?.id,
    sourceId: wanted.sourceId,
    title: wanted.title,
    expectedCloseDate: wanted.expectedCloseDate,
    ...(Object.keys(wanted.customFields).length === 0 ? {} : { customFields: wanted.customFields }),
  };
}

function wantedStage(c: StepContext): string | null {
  return c.record.card?.stage === undefined ? null : refName(c.record.card.stage);
}

function cardIntent(c: StepContext): IntentKey {
  const pipeline = refName(c.record.card?.pipeline ?? '');
  return { account: c.spec.account, kind: 'card', subject: `${c.person?.id}/${pipeline}` };
}

/** All syncs and routes share one intent per card for its stage. The mark is the stage of the last call. */
function stageIntent(c: StepContext, stage: number | null): MarkedIntent {
  return { account: c.spec.account, kind: 'stage', subject: String(ownCard(c).id), mark: String(stage) };
}

function ownCard(c: StepContext): CardRow {
  const card = c.person?.card;
  if (card == null) throw new Error('the step needs a card that the ledger knows');
  return card;
}

export const CARDS = { method: 'GET', path: '/v1/cards' } as const;

/**
 * The filters contactId and pipelineId of GET /v1/cards.
 * @param pipelineId null means any
 */
export function withContact(
  contactId: number,
  pipelineId: number | null,
  step: AskedFor<Card>['step'],
): AskedFor<Card> {
  const matches = ({ contact, pipeline }: Card) =>
    contact.id === contactId && (pipelineId === null || pipeline.id === pipelineId);
  return { filter: pipelineId === null ? 'contactId' : 'contactId and pipelineId', step, matches };
}

function newest(cards: readonly Card[]): Card | undefined {
  return [...cards].sort((a, b) => b.id - a.id)[0];
}
