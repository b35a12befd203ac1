// What people did in the service while a sync ran: their fields, their tags and the cards that they closed stay.
import { describe, expect, it } from 'vitest';
import { account, type Environment } from '../../support/environment.ts';
import { callNames as calls, writes } from '../../support/panel.ts';
import { HEADER, syncContext } from '../../support/sync-context.ts';

const ANA = '11 98765-4321,Ana Souza,ana@example.com,crm,Acme,New,pro\n';
const BIA = '21 99876-5432,Bia Lima,bia@example.com,crm,,New,\n';

const { inEnvironment } = syncContext();
const callsOf = async (environment: Environment) => calls(await environment.requests());

describe('what people added stays', () => {
  const field = (name: string, value: string) => ({ name, value });

  it.each(['merge', 'merge-fresh'])(
    'extra fields, with extraInfo: %s, for one read each',
    async (extraInfo) => {
      const people = [
        ANA,
        BIA.replace('crm,,', 'crm,Beta,'),
        '31 97777-6666,Caio,c@example.com,crm,Cia,New,\n',
      ];
      await inEnvironment({ csv: HEADER + people.join(''), sync: { extraInfo } }, async (environment) => {
        expect(await environment.run()).toMatchObject({ created: 3 });
        const { contacts } = await environment.panel.account();
        await environment.panel.patch({
          contacts: contacts.map(({ id, extraInfo: mine }) => ({
            id,
            extraInfo: [...(mine ?? []), field('note', `by hand ${id}`), field('__proto__', 'x')],
          })),
        });
        await environment.requests();
        await environment.write(
          HEADER +
            people.join('').replace('Acme', 'Acme 2').replace('Beta', 'Beta 2').replace('Cia', 'Cia 2'),
        );
        expect(await environment.run()).toMatchObject({ updated: 3 });
        const made = await callsOf(environment);
        expect(made.filter((call) => call.startsWith('POST'))).toHaveLength(3);
        // The first write of a run is read back, too.
        expect(made.filter((call) => /^GET .v1.contacts.\d/.test(call))).toHaveLength(4);
        for (const { id, extraInfo: now } of (await environment.panel.account()).contacts) {
          expect(now).toContainEqual(field('note', `by hand ${id}`));
          expect(now?.find(({ name }) => name === 'company')?.value).toMatch(/ 2$/);
          expect(now).toHaveLength(3);
        }
        expect(await environment.run()).toMatchObject({ unchanged: 3, calls: 0 });
      });
    },
  );

  it('an extra field, also when the first write fails and is repeated', async () => {
    await inEnvironment({ csv: HEADER + ANA }, async (environment) => {
      await environment.run();
      await environment.panel.patch({
        contacts: [{ id: 1, extraInfo: [field('company', 'Acme'), field('note', 'new')] }],
      });
      await environment.write(HEADER + ANA.replace('Acme', 'Beta'));
      await environment.panel.fault({
        method: 'POST',
        path: '^/v1/contacts$',
        kind: 'reset-before',
        times: 1,
      });
      expect(await environment.run()).toMatchObject({ updated: 1 });
      expect((await environment.panel.account()).contacts[0]?.extraInfo).toEqual([
        field('company', 'Beta'),
        field('note', 'new'),
      ]);
    });
  });

  it.each([
    ['another tag changed', 'crm|vip', 'crm', [3, 1]],
    ['a tag was added', 'crm|vip', 'crm|vip|by-hand', [3, 1]],
    ['the contact changed', 'crm|vip', null, [3, 1]],
  ])('a tag that they removed does not come back when %s', async (_, before, after, expected) => {
    const row = (tags: string, name = 'Ana Souza') =>
      HEADER + ANA.replace('crm', tags).replace('Ana Souza', name);
    await inEnvironment({ csv: row(before) }, async (environment) => {
      await environment.run();
      // 2 is vip.
      await environment.panel.patch({ contacts: [{ id: 1, tagIds: [1, 3] }] });
      await environment.write(after === null ? row(before, 'Ana Lima') : row(after));
      await environment.run();
      const tags = async () => (await environment.panel.account()).contacts[0]?.tagIds.toSorted();
      expect(await tags()).toEqual(expected.toSorted((a, b) => a - b));
      // The source takes the very tag away and gives it again.
      await environment.write(row('crm'));
      await environment.run();
      await environment.write(row('crm|vip'));
      await environment.run();
      expect(await tags()).toEqual([1, 2, 3]);
    });
  });

  it('a tag of theirs that the source has too, and that they removed', async () => {
    const ana = { id: 5, number: '5511987654321', name: 'Ana Souza', tagIds: [1, 2] };
    const row = (tags: string) => HEADER + ANA.replace('crm', tags);
    await inEnvironment(
      { csv: row('crm|vip'), account: account({ contacts: [ana] }) },
      async (environment) => {
        await environment.run();
        await environment.panel.patch({ contacts: [{ id: 5, tagIds: [1] }] });
        await environment.write(row('crm|vip|by-hand'));
        await environment.run();
        expect((await environment.panel.account()).contacts[0]?.tagIds.toSorted()).toEqual([1, 3]);
      },
    );
  });

  it('cards that they have won or lost, when their people leave the source', async () => {
    const account = accountWithLost();
    const people = [1, 2, 3, 4].map((n) => `+1 415 555 200${n},P${n},,,,New,\n`);
    const sync = { mode: 'mirror', vanished: { moveTo: 'Lost' } };
    await inEnvironment({ csv: HEADER + people.join(''), account, sync }, async (environment) => {
      await environment.run();
      const { cards } = await environment.panel.account();
      await environment.panel.patch({
        cards: [
          { id: cards[0]?.id, stageId: 13, status: 'won' },
          { id: cards[1]?.id, stageId: 11, status: 'lost' },
          { id: cards[3]?.id, stageId: 14, status: 'lost' },
        ],
      });
      await environment.write(HEADER + '+1 415 555 2009,P9,,,,New,\n');
      await environment.requests();
      expect(await environment.run()).toMatchObject({ created: 1, vanished: 4, failed: 0 });
      const after = (await environment.panel.account()).cards;
      expect(after.slice(0, 4)).toMatchObject([
        { stageId: 13, status: 'won' },
        { stageId: 11, status: 'lost' },
        { stageId: 14, status: 'lost' },
        { stageId: 14, status: 'lost' },
      ]);
      // A second call for the card that is there already would run the automations of the stage again.
      expect(calls(writes(await environment.requests())).filter((call) => call.startsWith('PATCH'))).toEqual([
        `PATCH /v1/cards/${cards[2]?.id}/stage`,
      ]);
      expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });

  it('a card whose move to a final stage lost its answer counts as moved', async () => {
    const people = [1, 2].map((n) => `+1 415 555 200${n},P${n},,,,New,\n`);
    const sync = { mode: 'mirror', vanished: { moveTo: 'Lost' } };
    await inEnvironment(
      { csv: HEADER + people.join(''), account: accountWithLost(), sync, settleSeconds: 1 },
      async (environment) => {
        await environment.run();
        await environment.panel.fault({ method: 'PATCH', path: '/stage$', kind: 'reset-after', times: 1 });
        await environment.write(HEADER + (people[0] as string));
        await environment.requests();
        expect(await environment.run()).toMatchObject({ vanished: 1, failed: 0, unknown: 0 });
        expect((await environment.panel.account()).cards[1]).toMatchObject({ stageId: 14, status: 'lost' });
        const moves = calls(writes(await environment.requests())).filter((call) => call.startsWith('PATCH'));
        expect(moves).toHaveLength(1);
      },
    );
  });
});

function accountWithLost() {
  const base = account();
  const [sales] = base['pipelines'] as { stages: object[] }[];
  const lost = { id: 14, name: 'Lost', order: 4, probability: 0, isFinal: true, isWon: false };
  return { ...base, pipelines: [{ ...sales, stages: [...(sales?.stages ?? []), lost] }] };
}
