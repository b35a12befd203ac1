// A person as operators export and erase them.
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { wasErased } from '../../../../src/core/store/opt-outs.ts';
import { keepRefusedRequests, refusedRequestId } from '../../../../src/jobs/events/store/refused-requests.ts';
import { findPerson } from '../../../../src/operator/store/people/person.ts';
import { erasePerson, PersonInUseError } from '../../../../src/protect/person/erase-person.ts';
import { exportPerson } from '../../../../src/protect/person/export-person.ts';
import { ELSEWHERE, PLACES } from '../../../../src/protect/person/person-places.ts';
import type { OpenDatabase } from '../../core/sql/support.ts';
import { peopleIn } from './known-person.ts';
import { addRow, at } from './person-rows.ts';
import { IOLANDA, type Somebody, tablesWith, tracesOf } from './somebody.ts';

const { key: KEY, name: NAME, email: EMAIL } = IOLANDA;

export function erasePersonSuite(database: OpenDatabase): void {
  const { search, known } = peopleIn(database);

  describe('export and erase', () => {
    it('know every table of the ledger', async () => {
      const tables = await database().query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = current_schema() order by 1`,
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
          campaign_members: 2,
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

    it('of an opt-out that was withdrawn, the evidence and the reason go; a later one of a person who came back counts', async () => {
      const { account, person } = await known();
      const db = database();
      await db.query(
        `update opt_outs set evidence = '"stop, says Iolanda"', withdrawn_at = $2, withdrawn_by = 'user:ana',
                withdrawn_reason = 'Iolanda called' where account = $1`,
        [account, at(100)],
      );
      expect(await erasePerson(db, account, person.ref)).toMatchObject({ optOutKept: false });
      expect(await tablesWith(db, ['Iolanda called', 'says Iolanda'])).toEqual([]);
      expect(await wasErased(db, account, KEY)).toBe(false);
      await addRow(db, 'people', { account, key: KEY });
      await addRow(db, 'opt_outs', { account, key: KEY, via: 'tag', at: at(500) });
      const [back] = await search(account, { keys: [KEY] });
      expect(await erasePerson(db, account, back?.ref ?? '')).toMatchObject({ optOutKept: true });
      expect(await db.query('select via, at from opt_outs where account = $1', [account])).toEqual([
        { via: 'tag', at: new Date(at(500)) },
      ]);
    });

    it('files that were sent go too, except those that an event of somebody else still needs', async () => {
      const db = database();
      const { account, person } = await known();
      for (const file of ['sent', 'shared', 'foreign']) {
        const id = `${account}-${file}`;
        await addRow(db, 'uploads', { id, account, name: 'a', type: 'b', size: 1, expires_at: at(9999) });
        await addRow(db, 'upload_parts', { id, part: 0, data: '\\x00' });
      }
      // The event ended well, so its request is gone.
      await addRow(db, 'intents', {
        account,
        kind: 'event-message',
        subject: `${account}-done`,
        run_id: `${account}/leads/1`,
        state: 'done',
        trace: { to: KEY, uploads: [`${account}-sent`, `${account}-shared`] },
      });
      await addRow(db, 'events', {
        id: `${account}-other`,
        account,
        route: 'signup',
        run_id: `${account}/leads/1`,
        action: 'message',
        subject: 'other',
        state: 'ended',
        outcome: 'failed',
        request: { uploads: [`${account}-shared`, `${account}-foreign`] },
      });
      await erasePerson(db, account, person.ref);
      for (const table of ['uploads', 'upload_parts'])
        expect(
          await db.query(`select id from ${table} where id like $1 || '-%' order by id`, [account]),
        ).toEqual([{ id: `${account}-foreign` }, { id: `${account}-shared` }]);
    });

    it('refused requests that name the person are exported and deleted, whatever their form; others stay', async () => {
      const db = database();
      const { account, person } = await known();
      const number = `+${KEY.slice(0, 2)} (${KEY.slice(2, 4)}) ${KEY.slice(4, -4)}-${KEY.slice(-4)}`;
      const request = (body: string, route = 'form') => ({
        account,
        route,
        code: 'BAD_JSON',
        reason: '',
        content: { headers: {}, body: Buffer.from(body), signature: null },
      });
      const other = request('{"phone":"+55 11 91234-0000"}');
      await keepRefusedRequests(db, [
        request(`{"phone":"${number}"}`),
        request(`no JSON: ${person.email?.toUpperCase()}`),
        request(`{"e":"${person.email?.replace('@', '\\u0040')}"}`),
        other,
        { ...request(`{"phone":"${number}"}`), account: `${account}-other` },
      ]);
      const { refused_requests: exported } = await exportPerson(db, person);
      expect(exported?.map(({ body }) => body)).toEqual([
        `{"phone":"${number}"}`,
        `no JSON: ${person.email?.toUpperCase()}`,
        `{"e":"${person.email?.replace('@', '\\u0040')}"}`,
      ]);
      expect((await erasePerson(db, account, person.ref))?.deleted).toMatchObject({ refused_requests: 3 });
      const left = await db.query('select id from refused_requests where account = $1', [account]);
      expect(left).toEqual([{ id: refusedRequestId(other) }]);
    });

    it('an opt-out on request is kept like one of the person; nobody without a number gets one', async () => {
      const db = database();
      const { account, person } = await known();
      await db.query('delete from opt_outs where account = $1', [account]);
      expect(await erasePerson(db, account, person.ref)).toMatchObject({ optOutKept: false });
      expect(await wasErased(db, account, KEY)).toBe(false);
      await addRow(db, 'people', { account, key: KEY });
      const [back] = await search(account, { keys: [KEY] });
      expect(await erasePerson(db, account, back?.ref ?? '', { optOut: true })).toMatchObject({
        optOutKept: true,
      });
      expect(await wasErased(db, account, KEY)).toBe(true);
      await addRow(db, 'people', { account, key: KEY });
      expect(await wasErased(db, account, KEY)).toBe(false);
      const talk = { state: { contact: { id: 1, name: null, number: null } }, lastMessage: '' };
      await addRow(db, 'conversations', {
        account,
        id: 5,
        poller: 'main',
        connection_id: 1,
        channel: 'waba',
        person_key: '',
        updated_at: at(30),
        fingerprint: 'f',
        item: talk,
        published: talk.state,
      });
      expect(await erasePerson(db, account, 'c5', { optOut: true })).toMatchObject({ optOutKept: false });
    });

    it('an opt-out is recognized by its number alone, and by nobody without the key of the ledger', async () => {
      const { account, person } = await known();
      const db = database();
      await erasePerson(db, account, person.ref);
      const [row] = await db.query<{ key: string }>('select key from opt_outs where account = $1', [account]);
      const [pads] = await db.query<{ inner: string; outer: string }>(
        `select encode(inner_pad, 'hex') as inner, encode(outer_pad, 'hex') as outer from ledger_keys`,
      );
      const block = Buffer.from(pads?.inner ?? '', 'hex').map((byte) => byte ^ 0x36);
      expect(Buffer.from(pads?.outer ?? '', 'hex').map((byte) => byte ^ 0x5c)).toEqual(block);
      expect(block.subarray(32)).toEqual(Buffer.alloc(32));
      const plain = createHash('sha256').update(`${account}/${KEY}`).digest();
      expect(row?.key).toBe(
        `erased:${createHmac('sha256', block.subarray(0, 32)).update(plain).digest('hex')}`,
      );
      expect(row?.key).not.toContain(plain.toString('hex'));
    });

    it('an opt-out that is already under a pseudonym stays what it is', async () => {
      const { account, person } = await known();
      const db = database();
      await erasePerson(db, account, person.ref);
      const before = await db.query('select * from opt_outs where account = $1', [account]);
      const [left] = await search(account, { keys: [KEY] });
      expect(await erasePerson(db, account, left?.ref ?? '')).toMatchObject({
        deleted: {},
        anonymized: {},
        optOutKept: true,
      });
      expect(await db.query('select * from opt_outs where account = $1', [account])).toEqual(before);
      expect(await search(account, { keys: [KEY] })).toHaveLength(1);
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
      [
        'a sink may be receiving an event of the person',
        `with waiting as (update outbox set state = 'waiting', sink = 'crm-' || account where account = $1 returning sink)
         insert into sink_states (sink, claimed_by, claimed_until)
         select sink, 'batch', now() + interval '10 s' from waiting`,
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
