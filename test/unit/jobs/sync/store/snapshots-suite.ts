// Snapshots of the account: the people that they find, and the effect on those found and those not found.
import { describe, expect, it } from 'vitest';
import type { CrmRecord } from '../../../../../src/core/record.ts';
import { endIntent, takeIntent } from '../../../../../src/core/store/intents.ts';
import { findPeople, makePerson } from '../../../../../src/core/store/people.ts';
import { endRecord } from '../../../../../src/jobs/sync/store/records.ts';
import {
  clearSnapshot,
  countBlind,
  foundRecords,
  noteCards,
  noteSnapshot,
  type SnapshotContact,
  settleCards,
  settleMissing,
  splitCreate,
} from '../../../../../src/jobs/sync/store/snapshots.ts';
import { noteCard, noteContact } from '../../../../support/notes.ts';
import { unleased } from '../../../../support/postgres/ledger.ts';

import { type OpenDatabase, phone, runWith } from '../../../core/sql/support.ts';

const LOOKUP = 1;
const UPSERT = 4;
const TAGS = 8;
const FIND = 16;
const CREATE = 32;
const LONG = '5511987654321';
const SHORT = '551187654321';
const SENT = {
  remoteNumber: SHORT,
  hashContact: 'c',
  hashExtra: 'e',
  extra: null,
  marks: {},
  createdBy: null,
};

const contactOf = (id: number, number: string, key = number): SnapshotContact => ({
  id,
  key,
  number,
  name: `N${id}`,
  email: null,
  document: null,
  disableBot: false,
  tags: [],
  extraInfo: null,
});

export function snapshotSuite(database: OpenDatabase): void {
  const person = async (account: string, key: string) =>
    (await findPeople(database(), account, [key], 'Sales')).get(key);
  const todos = async (run: string) =>
    (
      await database().query<{ todo: number; status: string }>(
        'select todo, status from run_records where run_id = $1 order by id',
        [run],
      )
    ).map(({ todo, status }) => (status === 'pending' ? todo : status));

  describe('noteSnapshot', () => {
    const full = contactOf(9, LONG);
    const short = contactOf(5, SHORT, LONG);
    const noted = async (pages: readonly (readonly SnapshotContact[])[]) => {
      const { account, run } = await runWith(database(), [5]);
      await database().query('update run_records set key = $2 where run_id = $1', [run.id, LONG]);
      for (const page of pages) await noteSnapshot(database(), account, run.id, page);
      return { run: run.id, found: await person(account, LONG) };
    };

    it.each<[string, SnapshotContact[][], SnapshotContact | undefined]>([
      ['nobody', [[]], undefined],
      ['the full form alone', [[full]], full],
      ['the short form alone', [[short]], short],
      ['both forms on one page', [[short, full]], full],
      ['both forms on one page, the other way round', [[full, short]], full],
      ['the full form on an earlier page', [[full], [short]], full],
      ['the full form on a later page', [[short], [full]], full],
      ['two under one form: the oldest', [[{ ...short, id: 6 }, short]], short],
      ['the same one on two pages', [[short], [short]], short],
    ])('%s', async (_, pages, expected) => {
      const { run, found } = await noted(pages);
      if (expected === undefined) return expect(found).toBeUndefined();
      const { id, key: __, ...seen } = expected;
      expect(found).toMatchObject({ remote_id: id, remote_number: seen.number, seen: { run, ...seen } });
    });

    it('stores only people of this run, but counts all', async () => {
      const { account, run } = await runWith(database(), [5]);
      const page = [contactOf(1, phone(77)), contactOf(2, phone(0))];
      expect(await noteSnapshot(database(), account, run.id, page)).toBe(2);
      expect(await noteSnapshot(database(), account, run.id, [contactOf(1, phone(77))])).toBe(2);
      const people = await database().query('select key, remote_id from people where account = $1', [
        account,
      ]);
      expect(people).toEqual([{ key: phone(0), remote_id: 2 }]);
      await clearSnapshot(database(), run.id);
      expect(await noteSnapshot(database(), account, run.id, [])).toBe(0);
    });

    it('a contact that Sluice writes to already is not swapped for its double', async () => {
      const { account, run } = await runWith(database(), [5]);
      await database().query('update run_records set key = $2 where run_id = $1', [run.id, LONG]);
      await noteContact(database(), account, LONG, { ...SENT, remoteId: 5 });
      await noteSnapshot(database(), account, run.id, [full]);
      expect(await person(account, LONG)).toMatchObject({ remote_id: 5, remote_number: SHORT, seen: null });
    });
  });

  it('foundRecords: pending records that this run has seen, page by page', async () => {
    const { account, run, ids } = await runWith(database(), [LOOKUP, LOOKUP, LOOKUP, LOOKUP]);
    const page = [0, 1, 2].map((n) => contactOf(n + 1, phone(n)));
    await noteSnapshot(database(), account, 'an earlier run', []);
    await noteSnapshot(database(), account, run.id, page);
    await endRecord(database(), unleased(ids[1] as number), {
      status: 'failed',
      step: 's',
      code: 'C',
      reason: 'r',
    });
    const found = async (after: number, limit: number, keys?: string[]) =>
      (
        await foundRecords(database(), { id: run.id, account }, { after, limit, ...(keys ? { keys } : {}) })
      ).map(({ id }) => ids.indexOf(id));
    expect(await found(0, 9)).toEqual([0, 2]);
    expect(await found(0, 1)).toEqual([0]);
    expect(await found(ids[0] as number, 9)).toEqual([2]);
    expect(await found(0, 9, [phone(2), phone(3)])).toEqual([2]);
    await database().query(`update people set seen = seen || '{"run": "other"}' where account = $1`, [
      account,
    ]);
    expect(await found(0, 9)).toEqual([]);
  });

  describe('settleMissing', () => {
    const card = { pipeline: 'Sales', customFields: {} };
    const combine = { card: CREATE, clear: UPSERT | TAGS, rejects: ['email', 'document'] };
    const ALL = LOOKUP | UPSERT | TAGS | CREATE;

    async function settled(
      over: Partial<CrmRecord>,
      todo: number,
      how: Partial<Parameters<typeof settleMissing>[2]>,
    ) {
      const { account, run } = await runWith(database(), [todo], { card, ...over });
      await settleMissing(database(), { id: run.id, account }, { lookup: LOOKUP, drop: 0, combine, ...how });
      return { account, run, todos: await todos(run.id) };
    }

    it.each<[string, Partial<CrmRecord>, number, Partial<Parameters<typeof settleMissing>[2]>, unknown]>([
      ['a number and a card become one call', {}, ALL, {}, CREATE],
      ['a name rides along', { contact: { number: phone(0), name: 'A' } }, ALL, {}, CREATE],
      ['an e-mail address does not', { contact: { number: phone(0), email: 'e' } }, ALL, {}, ALL - LOOKUP],
      [
        'but one that is never written does not matter',
        { contact: { number: phone(0), email: 'e' } },
        ALL,
        { combine: { ...combine, rejects: [] } },
        CREATE,
      ],
      ['nor does extra info', { extraInfo: [{ name: 'a', value: 'b' }] }, ALL, {}, ALL - LOOKUP],
      ['no card, no such call', {}, LOOKUP | UPSERT | TAGS, {}, UPSERT | TAGS],
      ['without leave none either', {}, ALL, { combine: null }, ALL - LOOKUP],
      [
        'nothing is left of who must not be made',
        {},
        ALL,
        { drop: ALL - LOOKUP, combine: null },
        'unchanged',
      ],
      ['who is not searched for combines too', {}, UPSERT | CREATE, {}, CREATE],
    ])('%s', async (_, over, todo, how, expected) => {
      expect((await settled(over, todo, how)).todos).toEqual([expected]);
    });

    it('a second call changes nothing, and an existing contact is not combined', async () => {
      const { account, run } = await runWith(database(), [ALL, UPSERT | CREATE, UPSERT | CREATE], { card });
      await noteContact(database(), account, phone(2), { ...SENT, remoteId: 3 });
      await makePerson(database(), account, phone(1));
      for (let n = 0; n < 2; n++) {
        await settleMissing(database(), { id: run.id, account }, { lookup: LOOKUP, drop: 0, combine });
        expect(await todos(run.id)).toEqual([CREATE, CREATE, UPSERT | CREATE]);
      }
    });

    it('splitCreate gives the upsert back to people who are not in the service and have not ended', async () => {
      const { account, run, ids } = await runWith(database(), [CREATE, CREATE, CREATE, UPSERT, CREATE], {
        card,
        tags: ['vip'],
      });
      await noteContact(database(), account, phone(1), { ...SENT, remoteId: 3 });
      await endRecord(database(), unleased(ids[2] as number), {
        status: 'failed',
        step: 's',
        code: 'C',
        reason: 'r',
      });
      await makePerson(database(), account, phone(4));
      const bits = { card: CREATE, upsert: UPSERT, tags: TAGS };
      await splitCreate(database(), { id: run.id, account }, bits);
      const whole = UPSERT | TAGS | CREATE;
      expect(await todos(run.id)).toEqual([whole, CREATE, 'failed', UPSERT, whole]);
    });
  });

  it('countBlind: people who always cost an upsert, and people who may have a card', async () => {
    const work = [UPSERT, UPSERT, LOOKUP | UPSERT, UPSERT | CREATE, FIND | CREATE, UPSERT | FIND];
    const { account, run, ids } = await runWith(database(), work);
    await noteContact(database(), account, phone(1), { ...SENT, remoteId: 3 });
    await endRecord(database(), unleased(ids[5] as number), {
      status: 'failed',
      step: 's',
      code: 'C',
      reason: 'r',
    });
    const bits = { lookup: LOOKUP, upsert: UPSERT, finds: FIND };
    expect(await countBlind(database(), { id: run.id, account }, bits)).toEqual({
      pending: 5,
      blind: 2,
      finds: 1,
    });
  });

  describe('settleCards', () => {
    const bits = { find: FIND, create: CREATE };
    const card = (id: number, contactId: number, over: object = {}) => ({
      id,
      contactId,
      stageId: 11,
      open: true,
      ...over,
    });

    /** Four people, remote ids 1 to 4, all with a card to find and to make. */
    async function context(over: Partial<CrmRecord> = {}) {
      const { account, run, ids } = await runWith(database(), Array(4).fill(FIND | CREATE), over);
      const people: number[] = [];
      for (const n of [0, 1, 2, 3])
        people.push(await noteContact(database(), account, phone(n), { ...SENT, remoteId: n + 1 }));
      const target = { id: run.id, account, pipeline: 'Sales' };
      const cardOf = async (n: number) => (await person(account, phone(n)))?.card ?? null;
      return { account, run: run.id, ids, people, target, cardOf };
    }

    it.each<[boolean, unknown[]]>([
      [true, ['unchanged', CREATE, CREATE, CREATE]],
      [false, ['unchanged', FIND | CREATE, FIND | CREATE, FIND | CREATE]],
    ])('who has a card has nothing to do; complete: %s', async (complete, expected) => {
      const { run, target, cardOf } = await context({
        card: { pipeline: 'Sales', stage: 'New', customFields: {} },
      });
      expect(await noteCards(database(), run, [card(7, 1), card(8, 99)])).toBe(2);
      expect(await noteCards(database(), run, [card(8, 99)])).toBe(2);
      await settleCards(database(), target, bits, complete);
      expect(await todos(run)).toEqual(expected);
      expect(await cardOf(0)).toMatchObject({ remote_id: 7, remote_stage_id: 11, stage: 'New' });
      expect(await cardOf(1)).toBeNull();
    });

    it('an open card goes before the newest, a newer one before an older', async () => {
      const { run, target, cardOf } = await context({
        card: { pipeline: 'Sales', stage: 12, customFields: {} },
      });
      await noteCards(database(), run, [card(7, 1), card(8, 1, { open: false }), card(5, 2), card(6, 2)]);
      await noteCards(database(), run, [
        card(3, 3, { open: false, stageId: null }),
        card(2, 3, { open: false }),
      ]);
      await settleCards(database(), target, bits, true);
      expect(await cardOf(0)).toMatchObject({ remote_id: 7, stage: '#12' });
      expect(await cardOf(1)).toMatchObject({ remote_id: 6 });
      expect(await cardOf(2)).toMatchObject({ remote_id: 3, remote_stage_id: null });
    });

    it('a person with an open intent is checked separately; a settled intent does not count', async () => {
      const { account, run, target, people, cardOf } = await context();
      for (const n of [0, 1, 2]) {
        const key = { account, kind: 'card' as const, subject: `${people[n]}/Sales` };
        const { id } = (await takeIntent(database(), { ...key, run })) ?? { id: 0 };
        if (n === 1) await endIntent(database(), id, 'unknown');
        if (n === 2) await endIntent(database(), id, 'done');
      }
      await noteCards(database(), run, [card(7, 1), card(8, 3)]);
      await settleCards(database(), target, bits, true);
      expect(await todos(run)).toEqual([FIND | CREATE, FIND | CREATE, 'unchanged', CREATE]);
      expect(await cardOf(0)).toBeNull();
    });

    it('a record that was already written ends as written, and an ended one does not change', async () => {
      const { account, run, ids, target, people } = await context();
      await database().query('update run_records set created = true where id = $1', [ids[0]]);
      await database().query('update run_records set touched = true where id = $1', [ids[1]]);
      await endRecord(database(), unleased(ids[2] as number), {
        status: 'failed',
        step: 's',
        code: 'C',
        reason: 'r',
      });
      const own = { pipeline: 'Sales', remoteId: 70, remoteStageId: 11, stage: 'New', adopted: false };
      await noteCard(database(), account, people[3] as number, own);
      await noteCards(database(), run, [card(7, 1), card(8, 2), card(9, 3), card(10, 4)]);
      for (let n = 0; n < 2; n++) {
        await settleCards(database(), target, bits, true);
        expect(await todos(run)).toEqual(['created', 'updated', 'failed', 'unchanged']);
      }
      expect((await person(account, phone(3)))?.card).toMatchObject({ remote_id: 70 });
    });
  });
}
