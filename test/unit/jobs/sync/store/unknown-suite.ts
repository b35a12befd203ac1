// Records whose outcome is unknown: what the ledger knows about their calls.
import { describe, expect, it } from 'vitest';
import type { CrmRecord } from '../../../../../src/core/record.ts';
import { runNotes } from '../../../../../src/core/sql/notes.ts';
import { endIntent, takeIntent } from '../../../../../src/core/store/intents.ts';
import { cardNote, makePerson } from '../../../../../src/core/store/people.ts';
import { STEP_BITS } from '../../../../../src/jobs/sync/constants.ts';
import { endRecord } from '../../../../../src/jobs/sync/store/records.ts';
import { closeRun } from '../../../../../src/jobs/sync/store/run-end.ts';
import { openRun, type RunRow } from '../../../../../src/jobs/sync/store/runs.ts';
import { stageRecords } from '../../../../../src/jobs/sync/store/staged-records.ts';
import { findUnknownEffects } from '../../../../../src/jobs/sync/store/unknown-effects.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import { freshAccount, type OpenDatabase, phone, recordOf, specOf } from '../../../core/sql/support.ts';

const FINISHED = { status: 'finished', stopped: 0 } as const;
const PIPELINE = 'Sales';
const WON = 5;

type Effect = 'card' | 'stage' | 'contact';

function specWithCards(account: string) {
  const spec = specOf(account);
  return { ...spec, mapping: { ...spec.mapping, card: { pipeline: PIPELINE } } } as typeof spec;
}

export function unknownSuite(database: OpenDatabase): void {
  const wanted: Partial<CrmRecord> = { card: { pipeline: PIPELINE, stage: 'Won', customFields: {} } };
  const steps = { card: 'createCard', stage: 'moveStage', contact: 'upsertContact' } as const;

  /** A run whose record in row 1 lost the answer of this call. The run is open. */
  async function lostCall(
    account: string,
    effect: Effect,
  ): Promise<{ run: RunRow; id: number; person: number }> {
    const db = database();
    const run = await openRun(db, specWithCards(account));
    const key = phone(1);
    const step = steps[effect];
    const record = recordOf(key, wanted);
    await stageRecords(db, run.id, [{ key, row: 1, record, todo: STEP_BITS[step] }]);
    const [row] = await db.query<{ id: number }>('select id from run_records where run_id = $1', [run.id]);
    const id = row?.id as number;
    const person = (await makePerson(db, account, key))?.id as number;
    if (effect === 'stage') await runNotes(db, 'select 1', [], [cardNoteOf(account, person)]);
    if (effect !== 'contact') {
      const subject = effect === 'card' ? `${person}/${PIPELINE}` : String(await cardId(person));
      const mark = effect === 'stage' ? { mark: String(WON) } : {};
      const taken = await takeIntent(db, { account, kind: effect, subject, run: run.id, ...mark });
      await endIntent(db, taken?.id as number, 'unknown', 'ANSWERS_LOST');
    }
    await endRecord(db, unleased(id), { status: 'unknown', step, code: 'ANSWERS_LOST', reason: 'r' });
    return { run, id, person };
  }

  const cardNoteOf = (account: string, person: number) =>
    cardNote(account, person, {
      pipeline: PIPELINE,
      remoteId: 900,
      remoteStageId: 4,
      stage: 'New',
      adopted: false,
    });

  async function cardId(person: number): Promise<number> {
    const [row] = await database().query<{ id: number }>('select id from cards where person_id = $1', [
      person,
    ]);
    return row?.id as number;
  }

  describe('findUnknownEffects', () => {
    it.each<[Effect, object]>([
      [
        'card',
        { step: 'createCard', sends: 1, sent_at: expect.any(Date), card: null, intent: { mark: null } },
      ],
      [
        'stage',
        {
          step: 'moveStage',
          sends: 1,
          card: { remote_id: 900, remote_stage_id: 4, since: false },
          intent: { state: 'unknown', mark: String(WON) },
        },
      ],
      ['contact', { step: 'upsertContact', sends: 1, intent: null, remote_id: null }],
    ])('says what is known about the call of a %s', async (effect, known) => {
      const account = freshAccount();
      const { run } = await lostCall(account, effect);
      expect(await findUnknownEffects(database(), [run.id], [1])).toMatchObject([
        { key: phone(1), pipeline: PIPELINE, payload: { contact: { number: phone(1) } }, ...known },
      ]);
      expect(await findUnknownEffects(database(), [run.id], [2])).toEqual([]);
    });

    it('says that the card was found after the call', async () => {
      const account = freshAccount();
      const { run, person } = await lostCall(account, 'card');
      await runNotes(database(), 'select 1', [], [cardNoteOf(account, person)]);
      expect(await findUnknownEffects(database(), [run.id], null)).toMatchObject([
        { card: { remote_id: 900, since: true } },
      ]);
    });

    it('leaves out a record that a retry has ended otherwise, and lists the newest first', async () => {
      const account = freshAccount();
      const first = await lostCall(account, 'contact');
      await closeRun(database(), first.run.id, FINISHED);
      const next = await openRun(database(), specWithCards(account));
      await stageRecords(database(), next.id, [
        { key: phone(1), row: 1, record: recordOf(phone(1)), todo: 4 },
      ]);
      const [row] = await database().query<{ id: number }>('select id from run_records where run_id = $1', [
        next.id,
      ]);
      const runs = [next.id, first.run.id];
      const found = async () =>
        (await findUnknownEffects(database(), runs, null)).map(({ run_id }) => run_id);
      expect(await found()).toEqual([first.run.id]);
      await endRecord(database(), unleased(row?.id as number), {
        status: 'unknown',
        step: 'upsertContact',
        code: 'X',
        reason: 'r',
      });
      expect(await found()).toEqual(runs);
      await database().query(`update run_records set status = 'failed' where run_id = $1`, [next.id]);
      expect(await found()).toEqual([]);
    });
  });
}
