// People and cards: what a look-up, a survey and a write leave in the ledger.
import { describe, expect, it } from 'vitest';
import { pick, readCatalog, saveCatalog } from '../../../src/ledger/catalog.ts';
import {
  findPeople,
  noteCard,
  noteContact,
  noteExtraInfo,
  noteLookup,
  noteStage,
  noteSurvey,
  noteTags,
} from '../../../src/ledger/people.ts';
import { endRecord, pendingRecords, settleSurvey } from '../../../src/ledger/records.ts';
import { type Engine, freshAccount, phone, runWith } from './support.ts';

const SENT = { remoteId: 5, remoteNumber: '551187654321', hashContact: 'c', hashExtra: 'e', extra: null };
const LONG = '5511987654321';
const SHORT = '551187654321';

export function peopleSuite(engine: Engine): void {
  const person = async (account: string, key: string) =>
    (await findPeople(engine(), account, [key], 'Sales')).get(key);

  it('a person who was never seen is absent; one who was written has all that was sent', async () => {
    const account = freshAccount();
    expect(await person(account, LONG)).toBeUndefined();
    const extra = [{ name: 'plan', value: 'pro' }];
    const id = await noteContact(engine(), account, LONG, { ...SENT, extra });
    expect(typeof id).toBe('number');
    expect(await person(account, LONG)).toMatchObject({
      id,
      key: LONG,
      remote_id: 5,
      remote_number: SHORT,
      hash_contact: 'c',
      hash_extra: 'e',
      hash_tags: null,
      extra_known: extra,
      tags_added: [],
      card: null,
    });
    expect(await person(freshAccount(), LONG)).toBeUndefined();
  });

  it('a write without extra info keeps what is known of it', async () => {
    const account = freshAccount();
    const id = await noteContact(engine(), account, LONG, { ...SENT, extra: [{ name: 'a', value: 'b' }] });
    expect(await noteContact(engine(), account, LONG, SENT)).toBe(id);
    expect((await person(account, LONG))?.extra_known).toEqual([{ name: 'a', value: 'b' }]);
    await noteExtraInfo(engine(), account, LONG, []);
    expect((await person(account, LONG))?.extra_known).toEqual([]);
  });

  it('tags are remembered by name', async () => {
    const account = freshAccount();
    await noteContact(engine(), account, LONG, SENT);
    await noteTags(engine(), account, LONG, { hash: 'h', added: ['vip', 'ação'], missing: ['novo'] });
    expect(await person(account, LONG)).toMatchObject({
      hash_tags: 'h',
      tags_added: ['vip', 'ação'],
      tags_missing: ['novo'],
    });
  });

  it('a look-up that finds nobody does not forget whom an earlier one found', async () => {
    const account = freshAccount();
    await noteLookup(engine(), account, LONG, null);
    expect(await person(account, LONG)).toMatchObject({ remote_id: null });
    await noteLookup(engine(), account, LONG, { id: 9, number: SHORT });
    await noteLookup(engine(), account, LONG, null);
    expect(await person(account, LONG)).toMatchObject({
      remote_id: 9,
      remote_number: SHORT,
    });
  });

  it('the first card of a person in a pipeline stands, and only its own pipeline shows it', async () => {
    const account = freshAccount();
    const id = await noteContact(engine(), account, LONG, SENT);
    const card = { pipeline: 'Sales', remoteId: 1, remoteStageId: 11, stage: 'New', adopted: false };
    await Promise.all([1, 2, 3].map(() => noteCard(engine(), account, id, card)));
    await noteCard(engine(), account, id, { ...card, remoteId: 2, adopted: true });
    const known = await person(account, LONG);
    expect(known?.card).toMatchObject({ person_id: id, pipeline: 'Sales', remote_id: 1, stage: 'New' });
    await noteStage(engine(), known?.card?.id as number, 'Won', 13);
    expect((await person(account, LONG))?.card).toMatchObject({ remote_stage_id: 13, stage: 'Won' });
    expect((await findPeople(engine(), account, [LONG], '#1')).get(LONG)?.card).toBeNull();
  });

  describe('noteSurvey', () => {
    const full = { id: 9, number: LONG, key: LONG };
    const short = { id: 5, number: SHORT, key: LONG };
    const noted = async (pages: readonly (readonly (typeof full)[])[]) => {
      const { account, run } = await runWith(engine(), [5]);
      await engine().query('update run_records set key = $2 where run_id = $1', [run.id, LONG]);
      for (const page of pages) await noteSurvey(engine(), account, run.id, page);
      return await person(account, LONG);
    };

    it.each<[string, (typeof full)[][], { id: number; number: string } | undefined]>([
      ['nobody', [[]], undefined],
      ['the full form alone', [[full]], full],
      ['the short form alone', [[short]], short],
      ['both forms on one page', [[short, full]], full],
      ['both forms on one page, the other way round', [[full, short]], full],
      ['the full form on an earlier page', [[full], [short]], full],
      ['the full form on a later page', [[short], [full]], full],
      ['two under one form: the oldest', [[{ ...short, id: 6 }, short]], short],
    ])('%s', async (_, pages, expected) => {
      const found = await noted(pages);
      if (expected === undefined) expect(found).toBeUndefined();
      else expect(found).toMatchObject({ remote_id: expected.id, remote_number: expected.number });
    });

    it('keeps nobody whom this run is not about', async () => {
      const { account, run } = await runWith(engine(), [5]);
      const stranger = { id: 1, number: phone(77), key: phone(77) };
      await noteSurvey(engine(), account, run.id, [stranger, { id: 2, number: phone(0), key: phone(0) }]);
      const people = await engine().query('select key, remote_id from people where account = $1', [account]);
      expect(people).toEqual([{ key: phone(0), remote_id: 2 }]);
    });

    it('a contact that Sluice writes to already is not swapped for its double', async () => {
      const { account, run } = await runWith(engine(), [5]);
      await engine().query('update run_records set key = $2 where run_id = $1', [run.id, LONG]);
      await noteContact(engine(), account, LONG, SENT);
      await noteSurvey(engine(), account, run.id, [full]);
      expect(await person(account, LONG)).toMatchObject({ remote_id: 5, remote_number: SHORT });
    });
  });

  describe('settleSurvey', () => {
    const LOOKUP = 1;
    const READ = 2;
    const UPSERT = 4;
    const TAGS = 8;
    const extraInfo = [{ name: 'plan', value: 'pro' }];

    /** Three records: found, not found, and one without a look-up to do. */
    async function settled(
      complete: boolean,
      bits: { readExtraInfo: number; onFound: number },
      extra = true,
    ) {
      const todos = [LOOKUP | UPSERT, LOOKUP | UPSERT, UPSERT];
      const { account, run } = await runWith(engine(), todos, extra ? { extraInfo } : {});
      const found = [0, 2].map((n) => ({ id: n + 1, number: phone(n), key: phone(n) }));
      await noteSurvey(engine(), account, run.id, found);
      await settleSurvey(engine(), { id: run.id, account }, { lookup: LOOKUP, ...bits }, complete);
      const page = { after: 0, stopped: 0, limit: 9 };
      return (await pendingRecords(engine(), run.id, page)).map(({ todo }) => todo);
    }

    it.each<[string, boolean, { readExtraInfo: number; onFound: number }, boolean, number[]]>([
      ['a complete one spares all look-ups', true, { readExtraInfo: 0, onFound: 0 }, true, [4, 4, 4]],
      [
        'an incomplete one, only those of who was found',
        false,
        { readExtraInfo: 0, onFound: 0 },
        true,
        [4, 5, 4],
      ],
      ['who was found is read first', true, { readExtraInfo: READ, onFound: 0 }, true, [6, 4, 4]],
      ['but not without wanted extra info', true, { readExtraInfo: READ, onFound: 0 }, false, [4, 4, 4]],
      [
        'whose tags are replaced gains that step',
        false,
        { readExtraInfo: READ, onFound: TAGS },
        true,
        [14, 5, 4],
      ],
    ])('%s', async (_, complete, bits, extra, expected) => {
      expect(await settled(complete, bits, extra)).toEqual(expected);
    });

    it('changes no record that has ended', async () => {
      const { account, run, ids } = await runWith(engine(), [LOOKUP | UPSERT]);
      const id = ids[0] as number;
      await endRecord(engine(), id, { status: 'failed', step: 'lookup', code: 'C', reason: 'r' });
      const bits = { lookup: LOOKUP, readExtraInfo: 0, onFound: 0 };
      await settleSurvey(engine(), { id: run.id, account }, bits, true);
      expect(await engine().query('select todo, status from run_records where id = $1', [id])).toEqual([
        { todo: LOOKUP | UPSERT, status: 'failed' },
      ]);
    });
  });

  describe('the catalog', () => {
    it('is null until it was read, and then what was read last', async () => {
      const account = freshAccount();
      expect(await readCatalog(engine(), account, 'tags')).toBeNull();
      await saveCatalog(engine(), account, 'tags', [{ id: 1, name: 'vip' }]);
      await saveCatalog(engine(), account, 'tags', []);
      expect(await readCatalog(engine(), account, 'tags')).toEqual([]);
      expect(await readCatalog(engine(), account, 'pipelines')).toBeNull();
    });

    it.each<[string | number, number | null]>([
      [2, 2],
      ['vip', 2],
      ['VIP', 3],
      [' Vip ', 2],
      ['2', 4],
      ['acao\u0327', null],
      ['Ac\u0327a\u0303o', 5],
      ['nobody', null],
      [9, null],
      ['', null],
    ])('%j is entry %j', (wanted, id) => {
      const items = ['a', 'vip', 'VIP', '2', 'Ação'].map((name, n) => ({ id: n + 1, name }));
      expect(pick(items, wanted)?.id ?? null).toBe(id);
    });
  });
}
