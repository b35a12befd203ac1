// People and cards: what a look-up, a snapshot and a write leave in the ledger.
import { describe, expect, it } from 'vitest';
import { pick, readCatalog, saveCatalog } from '../../../../../src/core/store/catalog.ts';
import { getIntent, settleIntent, takeIntent } from '../../../../../src/core/store/intents.ts';
import {
  findPeople,
  forgetContact,
  noteSeen,
  type SeenContact,
  tagsNote,
} from '../../../../../src/core/store/people.ts';
import { noteCard, noteContact, noteStage, writeNote } from '../../../../support/notes.ts';
import { freshAccount, type OpenDatabase } from '../../../core/sql/support.ts';

const SENT = {
  remoteId: 5,
  remoteNumber: '551187654321',
  hashContact: 'c',
  hashExtra: 'e',
  extra: null,
  marks: { name: 'n' },
  createdBy: null,
};
const LONG = '5511987654321';
const SHORT = '551187654321';

const shown = (number: string, over: Partial<SeenContact> = {}): SeenContact => ({
  number,
  name: 'A',
  email: null,
  document: null,
  disableBot: false,
  tags: [],
  extraInfo: null,
  ...over,
});

export function peopleSuite(database: OpenDatabase): void {
  const person = async (account: string, key: string) =>
    (await findPeople(database(), account, [key], 'Sales')).get(key);

  it('an unknown person is absent; a written one has everything that was sent', async () => {
    const account = freshAccount();
    expect(await person(account, LONG)).toBeUndefined();
    const extra = [{ name: 'plan', value: 'pro' }];
    const id = await noteContact(database(), account, LONG, { ...SENT, extra });
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
    const id = await noteContact(database(), account, LONG, { ...SENT, extra: [{ name: 'a', value: 'b' }] });
    expect(await noteContact(database(), account, LONG, SENT)).toBe(id);
    expect((await person(account, LONG))?.extra_known).toEqual([{ name: 'a', value: 'b' }]);
    const seen = { id: 5, contact: shown(SHORT, { extraInfo: [] }) };
    await noteSeen(database(), account, LONG, 'run', seen);
    expect((await person(account, LONG))?.extra_known).toEqual([]);
    await noteSeen(database(), account, LONG, 'run', { ...seen, contact: shown(SHORT) });
    expect((await person(account, LONG))?.extra_known).toEqual([]);
  });

  it('marks are those of the last write; the creator of the contact is the first sync that created it', async () => {
    const account = freshAccount();
    await noteContact(database(), account, LONG, { ...SENT, createdBy: 'leads' });
    await noteContact(database(), account, LONG, { ...SENT, marks: { email: 'e' }, createdBy: 'deals' });
    expect(await person(account, LONG)).toMatchObject({ sent: { email: 'e' }, created_by: 'leads' });
  });

  it('what was seen is valid until the next write', async () => {
    const account = freshAccount();
    await noteSeen(database(), account, LONG, 'run', { id: 5, contact: shown(SHORT) });
    expect(await person(account, LONG)).toMatchObject({ seen: { run: 'run', ...shown(SHORT) } });
    await noteContact(database(), account, LONG, SENT);
    expect(await person(account, LONG)).toMatchObject({ seen: null });
  });

  it('tags are remembered by name', async () => {
    const account = freshAccount();
    await noteContact(database(), account, LONG, SENT);
    await writeNote(
      database(),
      tagsNote(account, LONG, {
        hash: 'h',
        added: ['vip', 'ação'],
        missing: ['novo'],
        wanted: ['vip', 'ação', 'x'],
      }),
    );
    expect(await person(account, LONG)).toMatchObject({
      hash_tags: 'h',
      tags_added: ['vip', 'ação'],
      tags_missing: ['novo'],
      tags_sent: ['vip', 'ação', 'x'],
    });
  });

  it('a look-up without a result does not erase an earlier result', async () => {
    const account = freshAccount();
    await noteSeen(database(), account, LONG, 'run', null);
    expect(await person(account, LONG)).toMatchObject({ remote_id: null });
    await noteSeen(database(), account, LONG, 'run', { id: 9, contact: shown(SHORT) });
    await noteSeen(database(), account, LONG, 'run', null);
    expect(await person(account, LONG)).toMatchObject({
      remote_id: 9,
      remote_number: SHORT,
    });
  });

  it('the first card of a person in a pipeline is kept, and only its own pipeline shows it', async () => {
    const account = freshAccount();
    const id = await noteContact(database(), account, LONG, SENT);
    const card = { pipeline: 'Sales', remoteId: 1, remoteStageId: 11, stage: 'New', adopted: false };
    await Promise.all([1, 2, 3].map(() => noteCard(database(), account, id, card)));
    await noteCard(database(), account, id, { ...card, remoteId: 2, adopted: true });
    const known = await person(account, LONG);
    expect(known?.card).toMatchObject({ person_id: id, pipeline: 'Sales', remote_id: 1, stage: 'New' });
    await noteStage(database(), known?.card?.id as number, 'Won', 13);
    expect((await person(account, LONG))?.card).toMatchObject({ remote_stage_id: 13, stage: 'Won' });
    expect((await findPeople(database(), account, [LONG], '#1')).get(LONG)?.card).toBeNull();
  });

  it('a contact that was deleted in the service is deleted with its card; an open intent is not', async () => {
    const account = freshAccount();
    const id = await noteContact(database(), account, LONG, SENT);
    expect((await findPeople(database(), account, [LONG], '')).get(LONG)?.id).toBe(id);
    await writeNote(
      database(),
      tagsNote(account, LONG, { hash: 'h', added: ['vip'], missing: ['novo'], wanted: ['vip'] }),
    );
    const card = { remoteId: 1, remoteStageId: 11, stage: 'New', adopted: false };
    const intents = ['Sales', 'Support'].map((pipeline) => ({
      account,
      kind: 'card' as const,
      subject: `${id}/${pipeline}`,
      run: 'run',
    }));
    for (const intent of intents) await takeIntent(database(), intent);
    await noteCard(database(), account, id, { ...card, pipeline: 'Sales' });
    await settleIntent(database(), intents[0] as (typeof intents)[0]);
    await forgetContact(database(), account, LONG);
    expect(await person(account, LONG)).toMatchObject({
      id,
      remote_id: null,
      remote_number: null,
      hash_contact: null,
      hash_extra: null,
      hash_tags: null,
      extra_known: null,
      tags_added: [],
      sent: {},
      seen: null,
      card: null,
    });
    const states = await Promise.all(intents.map((intent) => getIntent(database(), intent)));
    expect(states.map((row) => row?.state)).toEqual([undefined, 'sent']);
  });

  describe('the catalog', () => {
    it('is null until it is read, and then has the last read', async () => {
      const account = freshAccount();
      expect(await readCatalog(database(), account, 'tags')).toBeNull();
      await saveCatalog(database(), account, 'tags', [{ id: 1, name: 'vip' }]);
      await saveCatalog(database(), account, 'tags', []);
      expect(await readCatalog(database(), account, 'tags')).toEqual([]);
      expect(await readCatalog(database(), account, 'pipelines')).toBeNull();
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
