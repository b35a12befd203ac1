// Records whose outcome is unknown: what the ledger knows about their calls, and what a person says about them.
import { describe, expect, it } from 'vitest';
import type { CrmRecord } from '../../../../../src/core/record.ts';
import { runNotes } from '../../../../../src/core/sql/notes.ts';
import { saveCatalog } from '../../../../../src/core/store/catalog.ts';
import { endIntent, takeIntent } from '../../../../../src/core/store/intents.ts';
import { cardNote, makePerson } from '../../../../../src/core/store/people.ts';
import { STEP_BITS } from '../../../../../src/jobs/sync/constants.ts';
import { endRecord } from '../../../../../src/jobs/sync/store/records.ts';
import { RunOpenError, resolveUnknown } from '../../../../../src/jobs/sync/store/resolve-unknown.ts';
import { closeRun } from '../../../../../src/jobs/sync/store/run-end.ts';
import { reportRun } from '../../../../../src/jobs/sync/store/run-report.ts';
import { advanceRun, getRun, openRun, type RunRow } from '../../../../../src/jobs/sync/store/runs.ts';
import { stageRecords } from '../../../../../src/jobs/sync/store/staged-records.ts';
import { findUnknownEffects } from '../../../../../src/jobs/sync/store/unknown-effects.ts';
import { clockMoves } from '../../../../support/clock-moves.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';
import { freshAccount, type OpenDatabase, phone, recordOf, specOf } from '../../../core/sql/support.ts';

const FINISHED = { status: 'finished', stopped: 0 } as const;
const PIPELINE = 'Sales';
const WON = 5;
const PIPELINES = [
  {
    id: 3,
    name: PIPELINE,
    stages: [
      { id: 4, name: 'New' },
      { id: WON, name: 'Won' },
      { id: 6, name: 'Lost' },
    ],
  },
];

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
      await clockMoves(database());
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

  describe('resolveUnknown', () => {
    const resolve = (account: string, runs: readonly string[], rows: readonly number[] = [1]) =>
      resolveUnknown(database(), { account, sync: 'leads' }, runs, rows);
    const intentState = async (account: string) => {
      const [row] = await database().query<{ state: string }>(
        'select state from intents where account = $1',
        [account],
      );
      return row?.state ?? null;
    };
    const cardOf = async (account: string) => {
      const [row] = await database().query('select stage, remote_stage_id from cards where account = $1', [
        account,
      ]);
      return row ?? null;
    };
    const recordsOf = (run: string) =>
      database().query('select status, payload, code, todo from run_records where run_id = $1', [run]);
    /** A later run of the sync that has read its source: the counts of earlier ones are in their rows. */
    async function laterRun(account: string): Promise<void> {
      const later = await openRun(database(), specWithCards(account));
      await advanceRun(database(), later.id, { cursor: null, progress: 1, read: 0, rejected: 0, merged: 0 });
      await closeRun(database(), later.id, FINISHED);
    }

    const done = { status: 'updated', payload: null, code: null, todo: 0 };
    it.each<[Effect, 'no' | 'a', { state: string | null; card: object | null; cards: number }]>(
      (['no', 'a'] as const).flatMap((later) => [
        ['card', later, { state: 'done', card: null, cards: 1 }],
        ['stage', later, { state: 'done', card: { stage: 'Won', remote_stage_id: WON }, cards: 0 }],
        ['contact', later, { state: null, card: null, cards: 0 }],
      ]),
    )('a %s that took effect is done, with %s later run', async (effect, later, { state, card, cards }) => {
      const account = freshAccount();
      await saveCatalog(database(), account, 'pipelines', PIPELINES);
      const { run, person } = await lostCall(account, effect);
      await closeRun(database(), run.id, FINISHED);
      if (later === 'a') await laterRun(account);
      const before = await reportRun(database(), run.id);
      expect(before).toMatchObject({ unknown: 1, updated: 0, cards: 0 });
      expect(await resolve(account, [run.id])).toBe(1);
      expect(await intentState(account)).toBe(state);
      expect(await cardOf(account)).toEqual(card);
      expect(await recordsOf(run.id)).toEqual(
        later === 'a' ? [] : [effect === 'contact' ? { ...done, todo: STEP_BITS.upsertContact } : done],
      );
      const after = { ...before, unknown: 0, updated: 1, cards, problems: [], totals: [] };
      expect({ ...(await reportRun(database(), run.id)), seconds: before.seconds }).toEqual(after);
      // A second answer changes nothing.
      expect(await resolve(account, [run.id])).toBe(0);
      expect((await getRun(database(), run.id)).counts?.unknown ?? 0).toBe(0);
      if (effect !== 'card') return;
      const again = { account, kind: 'card', subject: `${person}/${PIPELINE}`, run: 'r/2' } as const;
      expect(await takeIntent(database(), again)).toBeNull();
    });

    it('is refused while a run is open, names it, and leaves no trace', async () => {
      const account = freshAccount();
      const { run } = await lostCall(account, 'card');
      await expect(resolve(account, [run.id])).rejects.toThrow(new RunOpenError(run.id));
      expect(await intentState(account)).toBe('unknown');
      expect(await recordsOf(run.id)).toMatchObject([{ status: 'unknown', code: 'ANSWERS_LOST' }]);
    });

    it('leaves rows that were not chosen, and no run behind', async () => {
      const account = freshAccount();
      const { run } = await lostCall(account, 'card');
      await closeRun(database(), run.id, FINISHED);
      expect(await resolve(account, [run.id], [0, 2])).toBe(0);
      expect(await recordsOf(run.id)).toMatchObject([{ status: 'unknown' }]);
      expect(await database().query('select id from runs where account = $1', [account])).toEqual([
        { id: run.id },
      ]);
    });

    it('leaves the stage of a card that was moved elsewhere since', async () => {
      const account = freshAccount();
      await saveCatalog(database(), account, 'pipelines', PIPELINES);
      const { run } = await lostCall(account, 'stage');
      await closeRun(database(), run.id, FINISHED);
      await database().query(`update intents set mark = '6' where account = $1`, [account]);
      expect(await resolve(account, [run.id])).toBe(1);
      expect(await intentState(account)).toBe('unknown');
      expect(await cardOf(account)).toEqual({ stage: 'New', remote_stage_id: 4 });
    });

    it('keeps the record of an incremental source that has other work', async () => {
      const account = freshAccount();
      const { run } = await lostCall(account, 'card');
      await database().query(`update run_records set todo = todo | $2 where run_id = $1`, [
        run.id,
        STEP_BITS.setTags,
      ]);
      await database().query(
        `update runs set spec = jsonb_set(spec, '{source,incremental}', '{}') where id = $1`,
        [run.id],
      );
      await closeRun(database(), run.id, FINISHED);
      await resolve(account, [run.id]);
      expect(await recordsOf(run.id)).toMatchObject([
        { status: 'updated', todo: STEP_BITS.setTags, payload: { contact: {} } },
      ]);
    });
  });
}
