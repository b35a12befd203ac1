// Members of a campaign whose number cannot be read, from the row to what an operator finds.
import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../../activities/campaigns/audience/found.ts';
import { CampaignConfig } from '../../../../src/jobs/campaigns/config.ts';
import { compileAudience } from '../../../../src/jobs/campaigns/rules/audience-row.ts';
import { addFound } from '../../../../src/jobs/campaigns/store/audience.ts';
import { listMembers, type MembersPage } from '../../../../src/jobs/campaigns/store/roll.ts';
import { searchExcluded } from '../../../../src/operator/store/people/excluded-search.ts';
import type { IdentityQuery } from '../../../../src/operator/store/people/identity-match.ts';
import { findPerson, type Person } from '../../../../src/operator/store/people/person.ts';
import { readWhy } from '../../../../src/operator/store/people/why.ts';
import { freshAccount, type OpenDatabase } from '../../core/sql/support.ts';
import { peopleIn } from './known-person.ts';
import { addRow, addRun, at } from './person-rows.ts';

const NONE = { keys: [], whole: true, email: null, name: null, digits: null, tail: null };
const WRITTEN = '52 81 921 99351';
const ROWS = [
  { Nome: 'Lucía Peña Ruiz', 'E-mail': 'Lucia@mail.example', Celular: WRITTEN },
  { Nome: 'Ana', 'E-mail': '', Celular: 'sem número' },
  { Nome: 'Rita Nunes', 'E-mail': 'rita@mail.example', Celular: '+55 11 91234-5601' },
];

export function excludedSuite(database: OpenDatabase): void {
  const { search } = peopleIn(database);

  async function planned() {
    const account = freshAccount();
    const run = `${account}/+winback/1`;
    await addRun(database(), run, { kind: 'campaign' });
    await addRow(database(), 'campaigns', {
      run_id: run,
      account,
      campaign: 'winback',
      digest: '',
      state: 'running',
      as_of: at(40),
      planned_by: 'ana',
      planned_at: at(40),
    });
    const config = CampaignConfig.parse({
      account,
      flow: 1,
      connection: 1,
      defaultCountry: 'BR',
      audience: [{ from: 'source', source: 'list', number: 'Celular' }],
      windows: { days: { mon: ['09:00-18:00'] } },
    });
    const compiled = compileAudience(config, config.audience[0] as (typeof config.audience)[number]);
    const found = await Promise.all(ROWS.map((values, n) => memberOf(compiled, values, { row: n + 2 })));
    await database().transaction((tx) => addFound(tx, run, 0, found));
    const find = (query: Partial<IdentityQuery>) =>
      searchExcluded(database(), { ...NONE, accounts: [account], ...query }, 20);
    return { account, run, find };
  }

  describe('members whose number cannot be read', () => {
    const ways: [what: string, query: Partial<IdentityQuery>, rows: number[]][] = [
      ['the whole name, without accents', { name: 'lucia pena ruiz' }, [2]],
      ['no part of a name if it must be whole', { name: 'lucia' }, []],
      ['the beginning of a name', { name: 'luc', whole: false }, [2]],
      ['the address in other capitals', { email: 'lucia@MAIL.example' }, [2]],
      ['the digits of the number as it was written', { digits: '528192199351' }, [2]],
      ['the end of that number', { digits: '92199351', tail: '92199351', whole: false }, [2]],
      ['no end of a number if it must be whole', { digits: '92199351', tail: '92199351' }, []],
      ['no member who is a person', { name: 'rita nunes' }, []],
      ['nothing', {}, []],
    ];
    it('are found by what the row says, and by nothing else', async () => {
      const { account, run, find } = await planned();
      for (const [what, query, rows] of ways) {
        const found = await find(query);
        expect([what, found.map(({ row }) => row)]).toEqual([what, rows]);
        expect([what, await find({ ...query, accounts: [freshAccount()] })]).toEqual([what, []]);
      }
      expect(
        await find({ name: 'lucia pena ruiz', email: 'lucia@mail.example', digits: '528192199351' }),
      ).toMatchObject([
        {
          account,
          campaign: 'winback',
          run,
          row: 2,
          by: ['email', 'name', 'phone'],
          name: 'Lucía Peña Ruiz',
          email: 'Lucia@mail.example',
          number: WRITTEN,
          code: 'NUMBER_INVALID',
        },
      ]);
    });

    it('are in the list of members with name, address and number, and found there as the others are', async () => {
      const { account, run } = await planned();
      await addRow(database(), 'people', {
        account,
        key: '5511912345601',
        name: 'Rita Nunes',
        email: 'rita@mail.example',
      });
      const list = async (page: Partial<MembersPage>) =>
        (await listMembers(database(), { run, after: 0, limit: 10, variables: false, ...page })).map(
          ({ row, number, name, email }) => [row, number, name, email],
        );
      const lucia = [2, WRITTEN, 'Lucía Peña Ruiz', 'Lucia@mail.example'];
      const rita = [4, '5511912345601', null, null];
      const cases: [search: string, whole: boolean, members: unknown[]][] = [
        [WRITTEN, true, [lucia]],
        ['921 99351', true, []],
        ['921 99351', false, [lucia]],
        ['pena', false, [lucia]],
        ['pena', true, []],
        ['LUCIA PEÑA RUIZ', true, [lucia]],
        ['lucia@mail', false, [lucia]],
        ['lucia@mail', true, []],
        ['lucia@mail.example', true, [lucia]],
        ['Rita Nunes', true, [rita]],
        ['rita@', false, [rita]],
        ["o'nobody | x", false, []],
        ['–', true, []],
      ];
      for (const [text, whole, members] of cases)
        expect([text, whole, await list({ search: text, whole })]).toEqual([text, whole, members]);
      expect(await list({})).toHaveLength(3);
    });

    const same: [what: string, person: Record<string, unknown>, isSame: boolean][] = [
      ['the address', { name: 'Lu', email: 'LUCIA@mail.example' }, true],
      ['all words of the name', { name: 'ruiz lucia peña' }, true],
      ['the end of the number', { key: '5281992199351' }, true],
      ['a name of one word', { name: 'Ana' }, false],
      ['some words of the name', { name: 'Lucía Peña' }, false],
    ];
    it.each(same)('are why a person with %s got no message', async (_, row, isSame) => {
      const { account, run } = await planned();
      const key = '5511900000600';
      await addRow(database(), 'people', { account, key, synced_at: at(1), ...row });
      const [hit] = await search(account, { keys: [String(row.key ?? key)] });
      const person = (await findPerson(database(), account, hit?.ref ?? '')) as Person;
      const [why] = await readWhy(database(), person);
      expect(why).toMatchObject(
        isSame
          ? { code: 'ROW_LEFT_OUT', campaign: 'winback', run, problem: { code: 'NUMBER_INVALID' } }
          : { code: 'NOT_IN_AUDIENCE', campaign: 'winback' },
      );
    });
  });
}
