// Records of two syncs that want one card in different stages: each makes its own move, and none takes the other's for its own.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runContext, stepContext } from '../../../../activities/records/record-step.ts';
import { placeOf } from '../../../../activities/records/record-work.ts';
import { runStep } from '../../../../activities/records/run-step.ts';
import { accountLists } from '../../../../src/core/store/catalog.ts';
import { STEP_BITS } from '../../../../src/jobs/sync/constants.ts';
import { loadRecord } from '../../../../src/jobs/sync/store/due-records.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { stageRecords } from '../../../../src/jobs/sync/store/staged-records.ts';
import { noteCard, noteContact } from '../../../support/notes.ts';
import { phone, recordOf, specOf } from '../../core/sql/support.ts';
import { type EffectContext, openEffectContext } from '../events/effects/support.ts';

const PIPELINE = 'Sales';
const SENT = { hashContact: 'c', hashExtra: 'e', extra: null, marks: {}, createdBy: null };
const MOVE = STEP_BITS.moveStage;
const READ_BACK = STEP_BITS.readBackStage;
/** A lost answer is overdue, and what its call did shows. */
const OVERDUE_MS = 121_000;

let context: EffectContext;
beforeAll(async () => {
  const card = { pipelineId: 1, stageId: 11, title: 'A', value: 0, status: 'open' };
  context = await openEffectContext({
    cards: Array.from({ length: 7 }, (_, n) => ({ ...card, id: n + 1, contactId: n + 1 })),
    contacts: [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, number: phone(id), name: `P${id}` })),
  });
});
afterAll(() => context.close());

let cardId = 0;
/** The key of a person whose card the ledger knows in the first stage. */
let key: string;
beforeEach(async () => {
  await context.panel.clearFaults();
  key = phone(++cardId);
  const person = await noteContact(context.db, 'acme', key, { ...SENT, remoteId: cardId, remoteNumber: key });
  const card = { pipeline: PIPELINE, remoteId: cardId, remoteStageId: 11, stage: 'New', adopted: false };
  await noteCard(context.db, 'acme', person, card);
});

let runs = 0;
/** A record of a run of its own that wants the card in this stage. */
async function wanting(stage: string, deps = context.worker().deps) {
  const { db } = context;
  const card = { pipeline: PIPELINE, stage, customFields: {} };
  const base = specOf('acme', `moves-${++runs}`);
  const run = await openRun(db, { ...base, mapping: { ...base.mapping, card } });
  await stageRecords(db, run.id, [{ key, row: 1, todo: MOVE, record: recordOf(key, { card }) }]);
  const [row] = await db.query<{ id: number }>('select id from run_records where run_id = $1', [run.id]);
  const common = runContext(deps, run, accountLists('acme'));
  return async (name: 'moveStage' | 'readBackStage' = 'moveStage') => {
    const c = stepContext(common, await loadRecord(db, placeOf(common), row?.id as number));
    return await context.activity().run(() => runStep(deps, name, c));
  };
}

const stageOf = async () => (await context.state()).cards.find(({ id }) => id === cardId)?.stageId;
const loseAnswer = (kind: 'reset-before' | 'reset-after') =>
  context.panel.fault({ method: 'PATCH', path: '/stage', kind, times: 1 });

describe('a card that two records want to move to different stages', () => {
  it('the other record lost its answer: this one calls once that is settled', async () => {
    const [talking, won] = [await wanting('Talking'), await wanting('Won')];
    await loseAnswer('reset-after');
    expect(await talking()).toMatchObject({ todo: READ_BACK });
    expect(await won()).toMatchObject({ todo: MOVE, waitMs: 5000 });
    expect(await talking('readBackStage')).toMatchObject({ ended: 'updated' });
    expect(await stageOf()).toBe(12);
    expect(await won()).toMatchObject({ ended: 'updated' });
    expect(await stageOf()).toBe(13);
  });

  it('the other record finishes while this one waits for its slot: this one calls next', async () => {
    const { deps } = context.worker();
    const [talking, won] = [await wanting('Talking'), await wanting('Won', deps)];
    const { reserve } = deps.budget;
    vi.spyOn(deps.budget, 'reserve').mockImplementationOnce(async (...slot) => {
      expect(await talking()).toMatchObject({ ended: 'updated' });
      return await reserve(...slot);
    });
    expect(await won()).toMatchObject({ todo: MOVE, waitMs: 5000 });
    expect(await won()).toMatchObject({ ended: 'updated' });
    expect(await stageOf()).toBe(13);
  });

  it.each(['sent', 'done'])(
    'a read-back that finds the intent of the other one %s does not take it for its own',
    async (state) => {
      const [talking, won] = [await wanting('Talking'), await wanting('Won')];
      if (state === 'sent') await loseAnswer('reset-after');
      expect(await talking()).toMatchObject({ todo: state === 'sent' ? READ_BACK : 0 });
      expect(await won('readBackStage')).toMatchObject({ todo: MOVE });
      if (state === 'sent') await talking('readBackStage');
      expect(await won()).toMatchObject({ ended: 'updated' });
      expect(await stageOf()).toBe(13);
    },
  );

  it.each(['reset-before', 'reset-after'] as const)(
    'the other one never settles its lost answer (%s): this one calls once that is overdue',
    async (kind) => {
      const [talking, won] = [await wanting('Talking'), await wanting('Won')];
      await loseAnswer(kind);
      await talking();
      expect(await won()).toMatchObject({ todo: MOVE, waitMs: 5000 });
      await context.pass(OVERDUE_MS);
      await loseAnswer('reset-before');
      expect(await won()).toMatchObject({ todo: READ_BACK });
      expect(
        (await context.db.query("select sends - refused as lost from intents where state = 'sent'"))[0],
      ).toEqual({ lost: 1 });
    },
  );
});

it('a move whose answer is lost is read back, and not repeated', async () => {
  const talking = await wanting('Talking');
  await loseAnswer('reset-after');
  expect(await talking()).toMatchObject({ todo: READ_BACK });
  await context.requests();
  expect(await talking('readBackStage')).toMatchObject({ ended: 'updated' });
  expect(await context.requests()).toMatchObject([{ method: 'GET' }]);
});
