// A person's export, and what an erase leaves.
import { describe, expect, it } from 'vitest';
import { erasePerson, exportPerson, PersonInUseError } from '../../../../src/ledger/operator/erase-person.ts';
import { findPerson } from '../../../../src/ledger/operator/person.ts';
import { ELSEWHERE, PLACES } from '../../../../src/ledger/operator/person-places.ts';
import { type OpenDatabase } from '../support.ts';
import { peopleIn } from './known-person.ts';
import { addRow, at, IOLANDA, type Somebody, tablesWith, tracesOf } from './person-rows.ts';

const { key: KEY, name: NAME, email: EMAIL } = IOLANDA;

export function eraseSuite(database: OpenDatabase): void {
  const { search, known } = peopleIn(database);

  describe('export and erase', () => {
    it('know every table of the ledger', async () => {
      const tables = await database().query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
      );
      const listed = [...new Set([...PLACES.map(({ table }) => table), ...Object.keys(ELSEWHERE)])].sort();
      expect(listed).toEqual(tables.map(({ name }) => name));
    });

    it('an export has the rows of every table that knows the person', async () => {
      const { person } = await known();
      const tables = await exportPerson(database(), person);
      expect(Object.keys(tables).sort()).toEqual([...new Set(PLACES.map(({ table }) => table))].sort());
      expect(tables.people).toMatchObject([{ name: NAME, email: EMAIL }]);
    });

    it('an erased person is in no table; the opt-out still counts', async () => {
      // Nobody else of this database has these.
      const who: Somebody = { key: '5521987650912', name: 'Wandercleia Xique', email: 'w.xique@example.net' };
      const { account, person } = await known(who);
      const db = database();
      expect(await tablesWith(db, tracesOf(who))).toEqual(
        expect.arrayContaining([
          'people',
          'run_records',
          'row_problems',
          'conversations',
          'outbox',
          'events',
          'opt_outs',
        ]),
      );
      expect(await erasePerson(db, account, person.ref)).toMatchObject({
        optOutKept: true,
        deleted: { people: 1, cards: 1, intents: 2, outbox: 1, uploads: 1, deliveries: 1 },
        anonymized: {
          events: 1,
          conversations: 1,
          messages: 2,
          campaign_members: 1,
          opt_outs: 1,
          row_problems: 3,
        },
      });
      expect(await tablesWith(db, tracesOf(who))).toEqual([]);
      expect(await search(account, { name: 'xique' })).toEqual([]);
      const [left] = await search(account, { keys: [who.key] });
      expect(await findPerson(db, account, left?.ref ?? '')).toMatchObject({
        ref: expect.stringMatching(/^o/),
        name: null,
        email: null,
        contacts: [],
        conversations: [],
      });
    });

    it('erasing twice is nobody; erasing somebody who came back keeps the earlier opt-out', async () => {
      const { account, person } = await known();
      const db = database();
      await erasePerson(db, account, person.ref);
      expect(await erasePerson(db, account, person.ref)).toBeNull();
      await addRow(db, 'people', { account, key: KEY });
      await addRow(db, 'opt_outs', { account, key: KEY, via: 'tag', at: at(500) });
      const [back] = await search(account, { keys: [KEY] });
      await erasePerson(db, account, back?.ref ?? '');
      expect(await db.query('select via, at from opt_outs where account = $1', [account])).toEqual([
        { via: 'reply', at: new Date(at(35)) },
      ]);
    });

    const uses: [what: string, make: string][] = [
      [
        'a run of a sync plans its rows',
        `with open as (update runs set finished_at = null where account = $1 and sync = 'leads' returning id)
         insert into plan_pages (run_id, page, keys, places, ends, packed) select id, 1, '', '', '{}', '' from open`,
      ],
      [
        'a batch works on the row',
        `update run_records set status = 'pending', holder = 'b1', due_at = now() + interval '1 hour' where run_id = $1 || '/leads/1'`,
      ],
      ['an event about the person has not ended', `update events set state = 'accepted' where account = $1`],
      [
        'a campaign triggers the person',
        `update campaign_members set state = 'sending' where run_id = $1 || '/+winback/1'`,
      ],
      ['a campaign reads its audience', `update campaigns set state = 'planning' where account = $1`],
      [
        'the messages of a conversation are being read',
        `update conversations set reading = '{}' where account = $1`,
      ],
    ];
    it.each(uses)('refuses while %s, and changes nothing', async (what, make) => {
      const { account, person } = await known();
      const db = database();
      await db.query(make, [account]);
      const refused = await erasePerson(db, account, person.ref).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(PersonInUseError);
      expect((refused as PersonInUseError).uses).toEqual([expect.stringContaining(what)]);
      expect((refused as Error).message).not.toContain(KEY);
      expect(await findPerson(db, account, person.ref)).toEqual(person);
    });
  });
}
