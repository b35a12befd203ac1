// A person as operators find and read them.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listMembers } from '../../../../src/jobs/campaigns/store/roll.ts';
import { type PeopleQuery, searchPeople } from '../../../../src/operator/store/people/people-search.ts';
import { findPerson, type Person } from '../../../../src/operator/store/people/person.ts';
import { CursorError, readTimeline } from '../../../../src/operator/store/people/timeline.ts';
import { readWhy } from '../../../../src/operator/store/people/why.ts';
import { NOTHING } from '../../../support/people-query.ts';
import { freshAccount, type OpenDatabase } from '../../core/sql/support.ts';
import { peopleIn } from './known-person.ts';
import { addRow, addRun, at, CARD, CONTACT, TALK } from './person-rows.ts';
import { IOLANDA, shortOf } from './somebody.ts';

const { key: KEY, name: NAME, email: EMAIL } = IOLANDA;

export function peopleSearchSuite(database: OpenDatabase): void {
  const { search, known } = peopleIn(database);

  describe('search', () => {
    const ways: [what: string, query: (account: string) => Partial<PeopleQuery>, by: string][] = [
      ['the number', () => ({ keys: [KEY] }), 'phone'],
      ['the e-mail address in capitals', () => ({ email: EMAIL.toUpperCase() }), 'email'],
      ['the beginning of the e-mail address', () => ({ email: 'iolanda.q@' }), 'email'],
      ['the whole e-mail address', () => ({ email: EMAIL.toUpperCase(), whole: true }), 'email'],
      [
        'the whole name in any order',
        () => ({ name: NAME.split(' ').toReversed().join(' '), whole: true }),
        'name',
      ],
      ['the name without accents', () => ({ name: 'quixada' }), 'name'],
      ['beginnings of words in any order', () => ({ name: 'QUIX, iol' }), 'name'],
      ['the contact', () => ({ id: CONTACT }), 'contact'],
      ['the card', () => ({ id: CARD }), 'card'],
      ['the conversation', () => ({ id: TALK, idKind: 'conversation' }), 'conversation'],
      ['the event', (account) => ({ event: `${account}-event` }), 'event'],
      ['the request of a call', (account) => ({ request: `${account}-req` }), 'request'],
      ['a row of a run', (account) => ({ row: { run: `${account}/leads/1`, row: 4 } }), 'record'],
      ['a merged row', (account) => ({ row: { run: `${account}/leads/1`, row: 5 } }), 'record'],
    ];
    it.each(ways)('finds a person by %s', async (_what, query, by) => {
      const { account, person } = await known();
      const hits = await search(account, query(account));
      expect(hits).toMatchObject([
        {
          account,
          ref: person.ref,
          key: KEY,
          number: shortOf(IOLANDA),
          name: NAME,
          email: EMAIL,
          contact: CONTACT,
          by: [by],
        },
      ]);
      expect(await search(freshAccount(), query(account))).toEqual([]);
    });

    it.each([
      ['half a word that is not its beginning', { name: 'xada' }],
      ['a word of another person', { name: 'iolanda silva' }],
      ['the beginning of the e-mail address, if it must be whole', { email: 'iolanda.q@', whole: true }],
      ['a beginning of the name, if it must be whole', { name: 'iol', whole: true }],
      ['one word of the name, if it must be whole', { name: 'iolanda', whole: true }],
      ['wildcards', { email: '%@example.com' }],
      ['operators of a full-text query', { name: "iol'|'x & !y:*" }],
      ['nothing but signs', { name: '-- \' " \\ :* ()' }],
      ['an id of another kind', { id: CONTACT, idKind: 'card' as const }],
      ['a number that nobody has', { keys: ['5511900000000'] }],
    ])('finds nobody by %s', async (_what, query) => {
      const { account } = await known();
      expect(await search(account, query)).toEqual([]);
    });

    it('names the account: one number may be in several', async () => {
      const [one, two] = [await known(), await known()];
      const accounts = [one.account, two.account];
      const hits = await searchPeople(database(), { ...NOTHING, accounts, keys: [KEY] }, 20);
      expect(hits.map(({ account }) => account)).toEqual(accounts);
    });

    it('finds people that no sync has brought, each by what is left of them', async () => {
      const account = freshAccount();
      const db = database();
      await addRun(db, `${account}/leads/1`);
      const item = { state: { status: 'open', contact: { id: 5, name: 'Zoé Insta', number: null } } };
      const talk = {
        account,
        poller: 'p',
        connection_id: 1,
        channel: 'instagram',
        updated_at: at(1),
        fingerprint: '',
        item,
      };
      await addRow(db, 'conversations', { ...talk, id: 501, person_key: '' });
      await addRow(db, 'conversations', { ...talk, id: 502, person_key: '5511900000502' });
      await addRow(db, 'run_records', {
        run_id: `${account}/leads/1`,
        key: '5511900000503',
        row_no: 1,
        todo: 1,
      });
      await addRow(db, 'opt_outs', { account, key: '5511900000504', via: 'tag', at: at(1) });
      const talks = await search(account, { name: 'zoe' });
      expect(talks.toSorted((a, b) => a.ref.localeCompare(b.ref))).toMatchObject([
        { ref: 'c501', key: null, name: 'Zoé Insta' },
        { ref: 'c502', key: '5511900000502' },
      ]);
      expect(await search(account, { keys: ['5511900000503'] })).toMatchObject([
        { ref: expect.stringMatching(/^r\d+$/) },
      ]);
      const [optOut] = await search(account, { keys: ['5511900000504'] });
      expect(optOut?.ref).toMatch(/^o[0-9a-f]{32}$/);
      // Whoever sees the id cannot find the number by hashing guesses.
      expect(optOut?.ref).not.toBe(`o${createHash('md5').update('5511900000504').digest('hex')}`);
      expect(await findPerson(db, account, optOut?.ref ?? '')).toMatchObject({ key: '5511900000504' });
      expect(await findPerson(db, account, 'c501')).toMatchObject({
        key: null,
        conversations: [501],
        name: 'Zoé Insta',
      });
    });

    it.each(['', 'p', 'p0', 'x1', 'p1; drop table people', 'o1', 'p999999999999999', '1'])(
      'the id %j is nobody',
      async (ref) => {
        const { account } = await known();
        expect(await findPerson(database(), account, ref)).toBeNull();
      },
    );

    it("another account's id is nobody", async () => {
      const { person } = await known();
      expect(await findPerson(database(), freshAccount(), person.ref)).toBeNull();
    });
  });

  describe('timeline', () => {
    it('has everything, newest first', async () => {
      const { person } = await known();
      const { entries, next } = await readTimeline(database(), person, {
        kinds: [],
        limit: 100,
        before: null,
      });
      expect(entries.map(({ at: time, kind, code }) => `${time.slice(11, 16)} ${kind} ${code}`)).toEqual([
        '10:40 campaign excluded',
        '10:35 optOut reply',
        '10:33 gap TOO_OLD',
        '10:32 message received',
        '10:31 message sent',
        '10:30 conversation open',
        '10:22 delivery failed',
        '10:21 event failed',
        '10:20 event received',
        '10:04 effect unknown',
        '10:04 card created',
        '10:03 contact written',
        '10:02 row failed',
        '10:02 call CONFLICT',
        '10:01 campaign triggered',
        '10:00 row merged',
        '10:00 finding rejected',
        '10:00 finding warning',
      ]);
      expect(next).toBeNull();
    });

    it('pages of any size have the same entries', async () => {
      const { person } = await known();
      const all = await readTimeline(database(), person, { kinds: [], limit: 100, before: null });
      for (const limit of [1, 2, 7]) {
        const found: string[] = [];
        for (let before: string | null = null; ; ) {
          const page = await readTimeline(database(), person, { kinds: [], limit, before });
          found.push(...page.entries.map(({ id }) => id));
          before = page.next;
          if (before === null) break;
        }
        expect(found).toEqual(all.entries.map(({ id }) => id));
      }
    });

    it('of one kind has only that', async () => {
      const { person } = await known();
      const { entries } = await readTimeline(database(), person, {
        kinds: ['message'],
        limit: 9,
        before: null,
      });
      expect(entries.map(({ kind }) => kind)).toEqual(['message', 'message']);
    });

    it.each(['x', '', 'MjAyNg', Buffer.from('2026-13-99T99:99:99Z a').toString('base64url')])(
      'refuses the cursor %j',
      async (before) => {
        const { person } = await known();
        await expect(readTimeline(database(), person, { kinds: [], limit: 5, before })).rejects.toThrow(
          CursorError,
        );
      },
    );
  });

  describe('why', () => {
    it('names each reason with its place', async () => {
      const { account, person } = await known();
      const run = `${account}/leads/1`;
      const why = await readWhy(database(), person);
      expect(why).toMatchObject([
        { code: 'OPTED_OUT', at: at(35), problem: { code: 'reply' } },
        { code: 'NUMBER_REJECTED', run, problem: { code: 'ambiguous_phone' } },
        {
          code: 'LEFT_OUT',
          campaign: 'winback',
          problem: { code: 'OPTED_OUT', reason: 'they said so on 2026-11-01' },
        },
        { code: 'EVENT_FAILED', event: `${account}-event`, problem: { code: 'REFUSED' } },
        { code: 'DELIVERY_FAILED', problem: { code: 'GONE' } },
      ]);
    });

    it.each([
      ['right after', -31, /^lost; conversation \d+ of this person changed right after the call/],
      ['long before', 3600, /^lost$/],
    ])('an unknown trigger names a conversation that changed %s it', async (_, seconds, reason) => {
      const { account, person } = await known();
      const db = database();
      await db.query(
        `update campaign_members set state = 'unknown', code = 'TRIGGER_AMBIGUOUS', reason = 'lost', ended_at = now(),
                sent_at = (select updated_at from conversations where account = $1 limit 1) + make_interval(secs => $2)
          where run_id like $1 || '/%' and key = $3`,
        [account, seconds, KEY],
      );
      const { entries } = await readTimeline(db, person, { kinds: ['campaign'], limit: 50, before: null });
      const unknown = entries.filter(({ code }) => code === 'unknown');
      expect(unknown.length).toBeGreaterThan(0);
      for (const entry of unknown)
        expect(entry).toMatchObject({ facts: { problem: { reason: expect.stringMatching(reason) } } });
      const [member] = await db.query<{ run: string }>(
        "select run_id as run from campaign_members where run_id like $1 || '/%' and state = 'unknown' limit 1",
        [account],
      );
      const filter = { run: member?.run ?? '', states: ['unknown'] as const, after: 0, limit: 100 };
      const listed = await listMembers(db, { ...filter, variables: false });
      expect(listed.map(({ changedConversation }) => changedConversation !== null)).toEqual([seconds < 0]);
    });

    describe('a rejected number', () => {
      const KINDS: [what: string, later: Record<string, unknown>, record: string | null, codes: string[]][] =
        [
          ['stands after a run that could not write the person', {}, 'failed', ['NUMBER_REJECTED']],
          ['is repaired by a run that wrote the person', {}, 'created', ['NUMBER_REPAIRED']],
          ['is repaired by a run that changed nothing', {}, 'unchanged', ['NUMBER_REPAIRED']],
          ['stands after a dry run', { kind: 'plan' }, 'created', ['NUMBER_REJECTED']],
          ['is over after a run that read the whole source without it', { pages: 1 }, null, []],
          ['stands after a run that failed', { pages: 1, status: 'failed' }, null, ['NUMBER_REJECTED']],
          ['stands after a partial run', { pages: 1, spec: { partial: true } }, null, ['NUMBER_REJECTED']],
          [
            'stands after a run that read new rows only',
            { pages: 1, spec: { source: { incremental: {} } } },
            null,
            ['NUMBER_REJECTED'],
          ],
        ];
      it.each(KINDS)('%s', async (_, later, status, codes) => {
        const { account, person } = await known();
        const run = `${account}/leads/2`;
        await addRow(database(), 'runs', {
          id: run,
          account,
          sync: 'leads',
          seq: 2,
          kind: 'sync',
          status: 'finished',
          started_at: at(100),
          finished_at: at(101),
          spec: {},
          ...later,
        });
        if (status !== null)
          await addRow(database(), 'run_records', {
            run_id: run,
            key: KEY,
            row_no: 8,
            todo: 0,
            status,
            tries: 1,
          });
        const why = (await readWhy(database(), person)).filter(({ code }) => code.startsWith('NUMBER_'));
        expect(why.map(({ code }) => code)).toEqual(codes);
        if (codes[0] === 'NUMBER_REPAIRED') expect(why).toMatchObject([{ run, at: at(100), problem: null }]);
      });
    });

    it('says that a campaign does not have the person, and why a waiting one has no message', async () => {
      const { account } = await known();
      const db = database();
      await addRow(db, 'people', { account, key: '5511900000600', synced_at: at(1) });
      const [hit] = await search(account, { keys: ['5511900000600'] });
      const other = (await findPerson(db, account, hit?.ref ?? '')) as Person;
      expect(await readWhy(db, other)).toMatchObject([
        { code: 'NOT_IN_AUDIENCE', campaign: 'winback' },
        { code: 'NO_CONTACT' },
      ]);
      await addRow(db, 'campaign_members', {
        run_id: `${account}/+winback/1`,
        key: '5511900000600',
        part: 0,
        state: 'waiting',
      });
      await db.query(`update campaigns set paused = '{"by": "ana", "reason": "lunch"}' where account = $1`, [
        account,
      ]);
      expect(await readWhy(db, other)).toMatchObject([
        { code: 'WAITING' },
        { code: 'CAMPAIGN_PAUSED', problem: { reason: 'lunch' } },
        { code: 'NO_CONTACT' },
      ]);
    });
  });
}
