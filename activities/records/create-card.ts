// The steps that find a record's card and create it exactly once.
import type { RecordCard } from '../../src/core/record.ts';
import type { Queryable } from '../../src/core/sql/database.ts';
import type { Note } from '../../src/core/sql/notes.ts';
import {
  doneNote,
  endIntent,
  getIntent,
  type IntentKey,
  reopenIntent,
  settleIntent,
} from '../../src/core/store/intents.ts';
import { cardNote } from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { settleStep } from '../../src/jobs/sync/store/records.ts';
import { addWarning } from '../../src/jobs/sync/store/run-warnings.ts';
import type { Card } from '../../src/service/api-client/schemas/card.ts';
import { callApi } from '../shared/api-call.ts';
import type { Deps } from '../shared/deps.ts';
import { CARDS, isSamePerson, newest, withContact } from '../shared/person-lists.ts';
import { CLOCK_SKEW_MS, isSettled, readBack, type Seen } from '../shared/read-back.ts';
import { isRefusal, refusalScope } from '../shared/refusal-scope.ts';
import { wholeList } from '../shared/whole-list.ts';
import { type Write, writeOnce } from '../shared/write-once.ts';
import {
  type Place,
  place,
  readCard,
  subjectOf,
  unknownStage,
  type WriteSteps,
  wantedStage,
} from './card.ts';
import {
  combinedContact,
  contactFirst,
  personOf,
  settleOvertaken,
  tagBit,
  withPerson,
} from './combined-create.ts';
import { remoteId } from './contact.ts';
import { canCombine, refName } from './record-diff.ts';
import type { StepContext, StepResult } from './record-step.ts';
import { cardDifferences, confirmed, type Difference, failOther, noteDifferences } from './verify-write.ts';

const STEPS = { write: 'createCard', readBack: 'readBackCard' } as const satisfies WriteSteps;

/** GET /v1/cards?contactId=&pipelineId=. Adopts a card that people or an earlier program created. */
export async function findCard(deps: Deps, c: StepContext): Promise<StepResult> {
  const { db } = deps;
  const { pipeline } = await place(deps, c);
  const intent = await getIntent(db, cardIntent(c));
  const found = await cardsOf(deps, c, pipeline.id);
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
}

/**
 * POST /v1/cards. Not idempotent: an intent comes before the call, and a lost answer leads to a read-back. If the
 * service does not have the person, the same call creates the contact from number and name.
 */
export async function createCard(deps: Deps, found: StepContext): Promise<StepResult> {
  const { db } = deps;
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
  const at = await place(deps, c);
  if (wanted.stage !== undefined && at.stage === null)
    return combines ? await contactFirst(db, c) : await unknownStage(deps, c, at.pipeline);
  return await sendCard(deps, c, inputsOf(wanted, at), combines);
}

/** @param combines the call also creates the contact */
async function sendCard(
  deps: Deps,
  c: StepContext,
  inputs: ReturnType<typeof inputsOf>,
  combines: boolean,
): Promise<StepResult> {
  const { db } = deps;
  const body = { ...(combines ? personOf(c) : { contactId: remoteId(c) }), ...inputs };
  let shown: Card | null = null as Card | null;
  const write: Write<
    { readonly card: Card | null; readonly ignoredCustomFields: readonly string[] },
    StepResult
  > = {
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
  };
  // The read-back finds the card through its contact, and the upsert returns that contact's id.
  const onLost = combines ? STEP_BITS.upsertContact | tagBit(c) : 0;
  const done = writeOnce(deps, subjectOf(deps, c, 'createCard', STEPS, cardIntent(c), onLost), write);
  // A refused card must not prevent its contact. The contact is created alone, and then the refusal applies.
  const settled = await done.catch((error) => {
    if (combines && isRefusal(error) && refusalScope(error, 'createCard') === 'record')
      return contactFirst(db, c);
    throw error;
  });
  if (shown === null) return settled;
  const { id } = shown;
  const differences = await confirmed(cardDifferences(body, shown), c.verify, async () => {
    const now = await readCard(deps, c, id);
    return now === null ? [] : cardDifferences(body, now);
  });
  return { ...settled, check: await noteDifferences(deps, c, differences) };
}

/** Searches for the card of a creation whose answer was lost. */
export async function readBackCard(deps: Deps, c: StepContext): Promise<StepResult> {
  const intent = await getIntent(deps.db, cardIntent(c));
  let differences: Difference[] | null = null as Difference[] | null;
  const find = async (): Promise<Seen<StepResult>> => {
    const since = new Date((intent?.sent_at ?? new Date()).getTime() - CLOCK_SKEW_MS);
    const at = await place(deps, c);
    const card = newest(await cardsOf(deps, c, at.pipeline.id, since));
    if (card === undefined) return 'absent';
    const wanted = c.record.card;
    if (wanted !== undefined) differences = cardDifferences(inputsOf(wanted, at), card);
    return (tx, id) => created(tx, c, card, id);
  };
  const subject = subjectOf(deps, c, 'readBackCard', STEPS, cardIntent(c));
  const settled = await readBack(deps, subject, intent, { find });
  return differences === null ? settled : { ...settled, check: await noteDifferences(deps, c, differences) };
}

function isOf(c: StepContext, { contact }: Card, combines: boolean): boolean {
  return combines ? isSamePerson(c.row.key, contact.number) : contact.id === remoteId(c);
}

async function cardsOf(
  deps: Deps,
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

/** The inputs of a card's creation beside the contact. */
function inputsOf(wanted: RecordCard, { pipeline, stage }: Place) {
  return {
    pipelineId: pipeline.id,
    stageId: stage?.id,
    sourceId: wanted.sourceId,
    title: wanted.title,
    expectedCloseDate: wanted.expectedCloseDate,
    ...(Object.keys(wanted.customFields).length === 0 ? {} : { customFields: wanted.customFields }),
  };
}

function cardIntent(c: StepContext): IntentKey {
  const pipeline = refName(c.record.card?.pipeline ?? '');
  return { account: c.spec.account, kind: 'card', subject: `${c.person?.id}/${pipeline}` };
}
