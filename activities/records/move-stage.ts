// The steps that move a record's card when its stage changed in the source.
import type { Queryable } from '../../src/core/sql/database.ts';
import { doneNote, getIntent, openAgain, settleIntent } from '../../src/core/store/intents.ts';
import { stageNote } from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { settleStep } from '../../src/jobs/sync/store/records.ts';
import type { Card } from '../../src/service/api-client/schemas/card.ts';
import { FLIGHT_SECONDS } from '../shared/api-call.ts';
import type { Deps } from '../shared/deps.ts';
import { readBack, type Seen } from '../shared/read-back.ts';
import { type Write, writeOnce } from '../shared/write-once.ts';
import {
  type MarkedIntent,
  ownCard,
  place,
  readCard,
  subjectOf,
  unknownStage,
  type WriteSteps,
  wantedStage,
} from './card.ts';
import type { StepContext, StepResult } from './record-step.ts';
import { confirmed, type Difference, noteDifferences } from './verify-write.ts';

const STEPS = { write: 'moveStage', readBack: 'readBackStage' } as const satisfies WriteSteps;
const CLEAR = STEP_BITS.moveStage | STEP_BITS.readBackStage;

/** PATCH /v1/cards/{cardId}/stage. It triggers the stage's automations, so a lost answer is read back too. */
export async function moveStage(deps: Deps, c: StepContext): Promise<StepResult> {
  const { db } = deps;
  const { pipeline, stage } = await place(deps, c);
  if (stage === null) return await unknownStage(deps, c, pipeline);
  const { remote_id: cardId } = ownCard(c);
  const subject = subjectOf(deps, c, 'moveStage', STEPS, stageIntent(c, stage.id));
  if (c.row.row_no === 0) {
    const card = await readCard(deps, c, cardId);
    // Somebody moved it there, or this move did and its answer was lost. A call would run the automations again.
    if (card?.stage?.id === stage.id)
      return await db.transaction(async (tx) => {
        await settleIntent(tx, subject.intent);
        return await settleStep(tx, c.row, { clear: CLEAR }, noteOf(c, stage.id));
      });
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
  const found = written && c.verify ? (shown ?? (await readCard(deps, c, cardId))) : shown;
  if (found === null) return settled;
  const compare = (card: Card | null): Difference[] =>
    card === null || card.stage?.id === stage.id ? [] : [{ field: 'card.stage', assumption: null }];
  const differences = await confirmed(compare(found), c.verify, async () =>
    compare(await readCard(deps, c, cardId)),
  );
  return { ...settled, check: await noteDifferences(deps, c, differences) };
}

/** GET /v1/cards/{cardId}. Checks whether the move took effect. */
export async function readBackStage(deps: Deps, c: StepContext): Promise<StepResult> {
  const { stage } = await place(deps, c);
  const key = stageIntent(c, stage?.id ?? null);
  const intent = await getIntent(deps.db, key);
  const find = async (): Promise<Seen<StepResult>> => {
    const card = await readCard(deps, c, ownCard(c).remote_id);
    // The card is neither in the old stage nor in the new one: somebody moved it since, and that choice is kept.
    const now = card?.stage?.id ?? null;
    const arrived = now === stage?.id || now !== ownCard(c).remote_stage_id;
    return stage === null || !arrived ? 'absent' : (tx, id) => moved(tx, c, now, id);
  };
  return await readBack(deps, subjectOf(deps, c, 'readBackStage', STEPS, key), intent, { find });
}

async function moved(
  tx: Queryable,
  c: StepContext,
  stageId: number | null,
  intent: number,
): Promise<StepResult> {
  const change = { clear: CLEAR, touched: true };
  return await settleStep(tx, c.row, change, noteOf(c, stageId), doneNote(intent));
}

const noteOf = (c: StepContext, stageId: number | null) =>
  stageNote(ownCard(c).id, wantedStage(c) ?? '', stageId);

/** All syncs and routes share one intent per card for its stage. The mark is the stage of the last call. */
function stageIntent(c: StepContext, stage: number | null): MarkedIntent {
  return { account: c.spec.account, kind: 'stage', subject: String(ownCard(c).id), mark: String(stage) };
}
