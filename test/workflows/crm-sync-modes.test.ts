// The CRM sync's modes, field rules and conflict rules against the sandbox: what is written, and what that costs.
import { describe, expect, it } from 'vitest';
import { RunSpec } from '../../src/contracts/wire/run.ts';
import { account, type House } from '../support/house.ts';
import { type PanelRequest, writes } from '../support/panel.ts';
import { HEADER, sumOf, syncContext } from '../support/sync-context.ts';

const ANA = '11 98765-4321,Ana Souza,ana@example.com,crm,Acme,New,pro\n';
const BIA = '21 99876-5432,Bia Lima,bia@example.com,crm,,New,\n';

const { inHouse } = syncContext();
const calls = (requests: readonly PanelRequest[]) => requests.map(({ method, path }) => `${method} ${path}`);
const callsOf = async (house: House) => calls(await house.requests());

/** From now on the sync has other options: a run freezes them when it opens. */
function reconfigure(house: House, over: Partial<RunSpec['options']>): void {
  const { spec } = house.deps;
  Object.assign(house.deps, {
    spec: (name: string, sync: string) => {
      const frozen = spec(name, sync);
      return RunSpec.parse({ ...frozen, options: { ...frozen.options, ...over } });
    },
  });
}

const byHand = { id: 5, number: '551187654321', name: 'Aninha', tagIds: [3], email: 'aninha@example.com' };

describe('the mode insert', () => {
  it('makes who is not there, leaves alone who is, whatever the source says later', async () => {
    const options = {
      csv: HEADER + ANA + BIA,
      account: account({ contacts: [byHand] }),
      sync: { mode: 'insert' },
    };
    await inHouse(options, async (house) => {
      expect(await house.run()).toMatchObject({ created: 1, updated: 0, unchanged: 1, cards: 1 });
      const { contacts, cards } = await house.panel.account();
      expect(contacts).toMatchObject([byHand, { name: 'Bia Lima', tagIds: [1] }]);
      expect(cards).toMatchObject([{ contactId: contacts[1]?.id }]);
      await house.requests();
      await house.write(
        HEADER + `${ANA}${BIA}`.replace('Souza', 'Lima').replace('Bia', 'Bea').replaceAll('New', 'Won'),
      );
      expect(await house.run()).toMatchObject({ unchanged: 2, calls: 0 });
      expect(await house.requests()).toEqual([]);
    });
  });

  it('completes what it began itself, and writes no field of it again', async () => {
    const tokens = (scope: string) => [{ value: 'svc_test_house', scopes: ['contacts:write', scope] }];
    const options = {
      csv: HEADER + BIA,
      account: account({ tokens: tokens('cards:read') }),
      sync: { mode: 'insert' },
    };
    await inHouse(options, async (house) => {
      const report = await house.run();
      expect(report).toMatchObject({ created: 1, cards: 0 });
      expect(report.warnings).toMatchObject([{ step: 'createCard', code: 'ERR_SCOPE_MISSING' }]);
      const [made] = (await house.panel.account()).contacts;
      expect(made).toMatchObject({ name: 'Bia Lima', email: 'bia@example.com', tagIds: [1] });
      await house.panel.patch({
        tokens: tokens('cards:write'),
        contacts: [{ id: made?.id, name: 'by hand' }],
      });
      await house.write(HEADER + BIA.replace('Lima', 'Costa'));
      expect(await house.run()).toMatchObject({ created: 0, updated: 1, cards: 1 });
      expect((await house.panel.account()).contacts).toMatchObject([{ name: 'by hand' }]);
      expect(await house.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });
});

it('the mode update makes nobody, and finds who came meanwhile', async () => {
  const options = {
    csv: HEADER + ANA + BIA,
    account: account({ contacts: [byHand] }),
    sync: { mode: 'update' },
  };
  await inHouse(options, async (house) => {
    const first = await house.run();
    expect(first).toMatchObject({ created: 0, updated: 1, unchanged: 1, cards: 1 });
    expect(sumOf(first)).toBe(2);
    expect((await house.panel.account()).contacts).toMatchObject([
      { id: 5, name: 'Ana Souza', tagIds: [3, 1] },
    ]);
    await house.requests();
    expect(await house.run()).toMatchObject({ unchanged: 2 });
    expect(await callsOf(house)).toEqual(['GET /v1/tags', 'GET /v1/pipelines', 'GET /v1/contacts']);
    await house.panel.patch({ contacts: [{ id: 6, number: '5521998765432', name: 'Bia' }] });
    expect(await house.run()).toMatchObject({ created: 0, updated: 1, unchanged: 1, cards: 1 });
    expect(await house.run()).toMatchObject({ unchanged: 2, calls: 0 });
    expect((await house.panel.account()).contacts).toHaveLength(2);
  });
});

it('a mirror takes its tags back from who left the source, and nothing else', async () => {
  const sync = { mode: 'mirror', vanished: 'remove-tags', fields: { email: { clear: true } } };
  await inHouse({ csv: HEADER + ANA + BIA, sync }, async (house) => {
    await house.run();
    const { contacts } = await house.panel.account();
    const bia = contacts.find(({ name }) => name === 'Bia Lima');
    await house.panel.patch({ contacts: [{ id: bia?.id, tagIds: [1, 3] }] });
    await house.write(HEADER + ANA);
    await house.requests();
    expect(await house.run()).toMatchObject({ unchanged: 1, vanished: 1 });
    expect(calls(writes(await house.requests()))).toEqual([`PUT /v1/contacts/${bia?.id}/tags`]);
    const after = (await house.panel.account()).contacts.find(({ id }) => id === bia?.id);
    expect(after).toMatchObject({ name: 'Bia Lima', email: 'bia@example.com', tagIds: [3] });
    expect(await house.run()).toMatchObject({ unchanged: 1, calls: 0 });
    // Back again: what was sent before still counts.
    await house.write(HEADER + ANA + BIA);
    await house.requests();
    expect(await house.run()).toMatchObject({ updated: 1, unchanged: 1 });
    expect((await house.panel.account()).contacts.find(({ id }) => id === bia?.id)?.tagIds).toEqual([3, 1]);
  });
});

describe('field rules', () => {
  it('if-empty fills what is empty, never leaves alone, and a second run is silent', async () => {
    const plain = ANA.replace('crm,Acme,New,pro', ',,,');
    const there = { ...byHand, email: null, tagIds: [] };
    const sync = { fields: { name: 'if-empty', email: 'if-empty' } };
    await inHouse({ csv: HEADER + plain, account: account({ contacts: [there] }), sync }, async (house) => {
      expect(await house.run()).toMatchObject({ updated: 1 });
      expect(await callsOf(house)).toEqual(['GET /v1/contacts', 'POST /v1/contacts']);
      expect((await house.panel.account()).contacts).toMatchObject([
        { id: 5, name: 'Aninha', email: 'ana@example.com' },
      ]);
      expect(await house.run()).toMatchObject({ unchanged: 1, calls: 0 });
      await house.write(HEADER + plain.replace('Ana Souza,ana@', 'Ana Lima,lima@'));
      expect(await house.run()).toMatchObject({ unchanged: 1, calls: 1 });
      expect(await house.run()).toMatchObject({ unchanged: 1, calls: 0 });
      reconfigure(house, { fields: { name: 'never' } });
      await house.requests();
      expect(await house.run()).toMatchObject({ updated: 1, calls: 1 });
      expect((await house.panel.account()).contacts).toMatchObject([
        { name: 'Aninha', email: 'lima@example.com' },
      ]);
    });
  });

  it('clear empties what Sluice filled by one PUT, whose answer tells the tags as well', async () => {
    const sync = { fields: { email: { clear: true } } };
    await inHouse({ csv: HEADER + ANA, sync }, async (house) => {
      await house.run();
      await house.panel.patch({ contacts: [{ id: 1, tagIds: [1, 3] }] });
      await house.requests();
      await house.write(HEADER + ANA.replace('Ana Souza,ana@example.com,crm', 'Ana Lima,,vip'));
      expect(await house.run()).toMatchObject({ updated: 1, failed: 0 });
      expect(await callsOf(house)).toEqual(['GET /v1/tags', 'PUT /v1/contacts/1', 'PUT /v1/contacts/1/tags']);
      const [ana] = (await house.panel.account()).contacts;
      expect(ana).toMatchObject({
        name: 'Ana Lima',
        email: null,
        extraInfo: [{ name: 'company', value: 'Acme' }],
      });
      expect(ana?.tagIds.toSorted()).toEqual([2, 3]);
      await house.panel.patch({ contacts: [{ id: 1, email: 'by-hand@example.com' }] });
      expect(await house.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });
});

describe('a field that people changed, and the source too', () => {
  it.each([
    ['overwrite', { updated: 1, failed: 0 }, 'Ana Lima', ['POST /v1/contacts']],
    ['keep', { unchanged: 1, failed: 0 }, 'by hand', ['GET /v1/contacts/1']],
    ['fail', { failed: 1, updated: 0 }, 'by hand', ['GET /v1/contacts/1']],
  ] as const)('%s', async (conflict, counts, name, expected) => {
    await inHouse({ csv: HEADER + ANA, sync: { conflict } }, async (house) => {
      await house.run();
      await house.panel.patch({ contacts: [{ id: 1, name: 'by hand' }] });
      await house.requests();
      expect(await house.run()).toMatchObject({ unchanged: 1, calls: 0 });
      await house.write(HEADER + ANA.replace('Souza', 'Lima').replace('New', 'Talking'));
      expect(await house.run()).toMatchObject(conflict === 'keep' ? { updated: 1 } : counts);
      const moved = conflict === 'fail' ? [] : ['PATCH /v1/cards/1/stage'];
      expect(await callsOf(house)).toEqual(['GET /v1/pipelines', ...expected, ...moved]);
      expect((await house.panel.account()).contacts).toMatchObject([{ name, email: 'ana@example.com' }]);
      const again = await house.run();
      if (conflict !== 'fail') return expect(again).toMatchObject({ unchanged: 1, calls: 0 });
      expect(again.problems).toMatchObject([{ row: 1, where: 'upsertContact', code: 'CONFLICT' }]);
      expect(again.problems[0]?.reason).toMatch(/^people changed name /);
    });
  });
});

describe('a contact that people deleted', () => {
  it.each([
    ['with all that the source says, and counted as created', null],
    ['also when the answer of the call that made it was lost', 'reset-after'],
  ])('is made anew %s', async (_, kind) => {
    await inHouse({ csv: HEADER + ANA, settleSeconds: 1 }, async (house) => {
      await house.run();
      // Its number is free again: to a caller by number the same as a deletion.
      await house.panel.patch({ contacts: [{ id: 1, number: '5511911111111' }] });
      await house.requests();
      if (kind !== null) await house.panel.fault({ method: 'POST', path: '^/v1/contacts$', kind, times: 1 });
      await house.write(HEADER + ANA.replace('Souza', 'Lima'));
      expect(await house.run()).toMatchObject({ created: 1, updated: 0, cards: 1, failed: 0 });
      const made = (await house.panel.account()).contacts.find(({ id }) => id !== 1);
      expect(made).toMatchObject({
        ...{ number: '5511987654321', name: 'Ana Lima', email: 'ana@example.com', tagIds: [1] },
        extraInfo: [{ name: 'company', value: 'Acme' }],
      });
      expect(await house.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });

  it('and is asked for by its id: the record starts over instead of failing run after run', async () => {
    const sync = { conflict: 'keep', tags: 'replace' };
    await inHouse({ csv: HEADER + ANA, sync }, async (house) => {
      await house.run();
      for (const row of [ANA.replace('Souza', 'Lima'), ANA.replace('Souza', 'Lima').replace('crm', 'vip')]) {
        await house.db.query('update people set remote_id = 999');
        await house.write(HEADER + row);
        expect(await house.run()).toMatchObject({ created: 0, updated: 1, failed: 0, cards: 0 });
        expect(await house.run()).toMatchObject({ unchanged: 1, calls: 0 });
      }
      const { contacts, cards } = await house.panel.account();
      expect(contacts).toMatchObject([{ id: 1, name: 'Ana Lima', tagIds: [2] }]);
      expect(cards).toHaveLength(1);
      // Who was to be updated only is not made again.
      reconfigure(house, { mode: 'update' });
      await house.db.query('update people set remote_id = 999');
      await house.panel.patch({ contacts: [{ id: 1, number: '5511911111111' }] });
      await house.write(HEADER + ANA.replace('crm', 'vip|crm').replace('Souza', 'Costa'));
      expect(await house.run()).toMatchObject({ created: 0, unchanged: 1, failed: 0 });
      expect((await house.panel.account()).contacts).toHaveLength(1);
    });
  });
});

it('two syncs of one account and the same people, one inserting, both writing: each is silent the second time', async () => {
  await inHouse({ csv: HEADER + ANA + BIA }, async (house) => {
    await house.run();
    const { spec } = house.deps;
    const options = { fields: { email: 'never' }, mode: 'insert' };
    Object.assign(house.deps, {
      spec: (name: string) => {
        const frozen = spec(name, 'leads');
        return RunSpec.parse({ ...frozen, sync: 'deals', options: { ...frozen.options, ...options } });
      },
    });
    await house.requests();
    expect(await house.run()).toMatchObject({ run: 'acme/deals/1', unchanged: 2, calls: 0 });
    Object.assign(options, { mode: 'upsert' });
    for (let n = 0; n < 2; n++) expect(await house.run()).toMatchObject({ unchanged: 2, calls: 0 });
    Object.assign(house.deps, { spec });
    expect(await house.run()).toMatchObject({ run: 'acme/leads/2', unchanged: 2, calls: 0 });
  });
});
