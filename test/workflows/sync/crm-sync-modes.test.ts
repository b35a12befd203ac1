// The CRM sync's modes, field rules and conflict rules against the sandbox: what is written, and what that costs.
import { describe, expect, it } from 'vitest';
import { RunSpec } from '../../../src/jobs/sync/contract/run.ts';
import { account, type Environment } from '../../support/environment.ts';
import { callNames as calls, writes } from '../../support/panel.ts';
import { HEADER, sumOf, syncContext } from '../../support/sync-context.ts';

const ANA = '11 98765-4321,Ana Souza,ana@example.com,crm,Acme,New,pro\n';
const BIA = '21 99876-5432,Bia Lima,bia@example.com,crm,,New,\n';

const { inEnvironment } = syncContext();
const callsOf = async (environment: Environment) => calls(await environment.requests());

/** From now on the sync has other options: a run freezes them when it opens. */
function reconfigure(environment: Environment, over: Partial<RunSpec['options']>): void {
  const { spec } = environment.deps;
  Object.assign(environment.deps, {
    spec: (name: string, sync: string) => {
      const frozen = spec(name, sync);
      return RunSpec.parse({ ...frozen, options: { ...frozen.options, ...over } });
    },
  });
}

const byHand = { id: 5, number: '551187654321', name: 'Aninha', tagIds: [3], email: 'aninha@example.com' };

describe('the mode insert', () => {
  it('creates missing contacts and leaves existing ones alone, whatever the source says later', async () => {
    const options = {
      csv: HEADER + ANA + BIA,
      account: account({ contacts: [byHand] }),
      sync: { mode: 'insert' },
    };
    await inEnvironment(options, async (environment) => {
      expect(await environment.run()).toMatchObject({ created: 1, updated: 0, unchanged: 1, cards: 1 });
      const { contacts, cards } = await environment.panel.account();
      expect(contacts).toMatchObject([byHand, { name: 'Bia Lima', tagIds: [1] }]);
      expect(cards).toMatchObject([{ contactId: contacts[1]?.id }]);
      await environment.requests();
      await environment.write(
        HEADER + `${ANA}${BIA}`.replace('Souza', 'Lima').replace('Bia', 'Bea').replaceAll('New', 'Won'),
      );
      expect(await environment.run()).toMatchObject({ unchanged: 2, calls: 0 });
      expect(await environment.requests()).toEqual([]);
    });
  });

  it('completes what it started itself, and writes no field again', async () => {
    const tokens = (scope: string) => [{ value: 'svc_test_token', scopes: ['contacts:write', scope] }];
    const options = {
      csv: HEADER + BIA,
      account: account({ tokens: tokens('cards:read') }),
      sync: { mode: 'insert' },
    };
    await inEnvironment(options, async (environment) => {
      const report = await environment.run();
      expect(report).toMatchObject({ created: 1, cards: 0 });
      expect(report.warnings).toMatchObject([{ step: 'createCard', code: 'ERR_SCOPE_MISSING' }]);
      const [made] = (await environment.panel.account()).contacts;
      expect(made).toMatchObject({ name: 'Bia Lima', email: 'bia@example.com', tagIds: [1] });
      await environment.panel.patch({
        tokens: tokens('cards:write'),
        contacts: [{ id: made?.id, name: 'by hand' }],
      });
      await environment.write(HEADER + BIA.replace('Lima', 'Costa'));
      expect(await environment.run()).toMatchObject({ created: 0, updated: 1, cards: 1 });
      expect((await environment.panel.account()).contacts).toMatchObject([{ name: 'by hand' }]);
      expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });
});

it('the mode update creates nobody, and finds people who were added meanwhile', async () => {
  const options = {
    csv: HEADER + ANA + BIA,
    account: account({ contacts: [byHand] }),
    sync: { mode: 'update' },
  };
  await inEnvironment(options, async (environment) => {
    const first = await environment.run();
    expect(first).toMatchObject({ created: 0, updated: 1, unchanged: 1, cards: 1 });
    expect(sumOf(first)).toBe(2);
    expect((await environment.panel.account()).contacts).toMatchObject([
      { id: 5, name: 'Ana Souza', tagIds: [3, 1] },
    ]);
    await environment.requests();
    expect(await environment.run()).toMatchObject({ unchanged: 2 });
    expect(await callsOf(environment)).toEqual(['GET /v1/tags', 'GET /v1/pipelines', 'GET /v1/contacts']);
    await environment.panel.patch({ contacts: [{ id: 6, number: '5521998765432', name: 'Bia' }] });
    expect(await environment.run()).toMatchObject({ created: 0, updated: 1, unchanged: 1, cards: 1 });
    expect(await environment.run()).toMatchObject({ unchanged: 2, calls: 0 });
    expect((await environment.panel.account()).contacts).toHaveLength(2);
  });
});

it('a mirror removes only its own tags from people who left the source', async () => {
  const sync = { mode: 'mirror', vanished: 'remove-tags', fields: { email: { clear: true } } };
  await inEnvironment({ csv: HEADER + ANA + BIA, sync }, async (environment) => {
    await environment.run();
    const { contacts } = await environment.panel.account();
    const bia = contacts.find(({ name }) => name === 'Bia Lima');
    await environment.panel.patch({ contacts: [{ id: bia?.id, tagIds: [1, 3] }] });
    await environment.write(HEADER + ANA);
    await environment.requests();
    expect(await environment.run()).toMatchObject({ unchanged: 1, vanished: 1 });
    expect(calls(writes(await environment.requests()))).toEqual([`PUT /v1/contacts/${bia?.id}/tags`]);
    const after = (await environment.panel.account()).contacts.find(({ id }) => id === bia?.id);
    expect(after).toMatchObject({ name: 'Bia Lima', email: 'bia@example.com', tagIds: [3] });
    expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
    // Back again: what was sent before still counts.
    await environment.write(HEADER + ANA + BIA);
    await environment.requests();
    expect(await environment.run()).toMatchObject({ updated: 1, unchanged: 1 });
    expect((await environment.panel.account()).contacts.find(({ id }) => id === bia?.id)?.tagIds).toEqual([
      3, 1,
    ]);
  });
});

describe('field rules', () => {
  it('if-empty fills empty fields, never writes nothing, and a second run makes no call', async () => {
    const plain = ANA.replace('crm,Acme,New,pro', ',,,');
    const there = { ...byHand, email: null, tagIds: [] };
    const sync = { fields: { name: 'if-empty', email: 'if-empty' } };
    await inEnvironment(
      { csv: HEADER + plain, account: account({ contacts: [there] }), sync },
      async (environment) => {
        expect(await environment.run()).toMatchObject({ updated: 1 });
        expect(await callsOf(environment)).toEqual(['GET /v1/contacts', 'POST /v1/contacts']);
        expect((await environment.panel.account()).contacts).toMatchObject([
          { id: 5, name: 'Aninha', email: 'ana@example.com' },
        ]);
        expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
        await environment.write(HEADER + plain.replace('Ana Souza,ana@', 'Ana Lima,lima@'));
        expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 1 });
        expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
        reconfigure(environment, { fields: { name: 'never' } });
        await environment.requests();
        expect(await environment.run()).toMatchObject({ updated: 1, calls: 1 });
        expect((await environment.panel.account()).contacts).toMatchObject([
          { name: 'Aninha', email: 'lima@example.com' },
        ]);
      },
    );
  });

  it('clear empties what Sluice filled with one PUT, whose answer also shows the tags', async () => {
    const sync = { fields: { email: { clear: true } } };
    await inEnvironment({ csv: HEADER + ANA, sync }, async (environment) => {
      await environment.run();
      await environment.panel.patch({ contacts: [{ id: 1, tagIds: [1, 3] }] });
      await environment.requests();
      await environment.write(HEADER + ANA.replace('Ana Souza,ana@example.com,crm', 'Ana Lima,,vip'));
      expect(await environment.run()).toMatchObject({ updated: 1, failed: 0 });
      expect(await callsOf(environment)).toEqual([
        'GET /v1/tags',
        'PUT /v1/contacts/1',
        'PUT /v1/contacts/1/tags',
      ]);
      const [ana] = (await environment.panel.account()).contacts;
      expect(ana).toMatchObject({
        name: 'Ana Lima',
        email: null,
        extraInfo: [{ name: 'company', value: 'Acme' }],
      });
      expect(ana?.tagIds.toSorted()).toEqual([2, 3]);
      await environment.panel.patch({ contacts: [{ id: 1, email: 'by-hand@example.com' }] });
      expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });
});

describe('a field that people changed, and the source too', () => {
  it.each([
    ['overwrite', { updated: 1, failed: 0 }, 'Ana Lima', ['POST /v1/contacts']],
    ['keep', { unchanged: 1, failed: 0 }, 'by hand', ['GET /v1/contacts/1']],
    ['fail', { failed: 1, updated: 0 }, 'by hand', ['GET /v1/contacts/1']],
  ] as const)('%s', async (conflict, counts, name, expected) => {
    await inEnvironment({ csv: HEADER + ANA, sync: { conflict } }, async (environment) => {
      await environment.run();
      await environment.panel.patch({ contacts: [{ id: 1, name: 'by hand' }] });
      await environment.requests();
      expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
      await environment.write(HEADER + ANA.replace('Souza', 'Lima').replace('New', 'Talking'));
      expect(await environment.run()).toMatchObject(conflict === 'keep' ? { updated: 1 } : counts);
      const moved = conflict === 'fail' ? [] : ['PATCH /v1/cards/1/stage'];
      expect(await callsOf(environment)).toEqual(['GET /v1/pipelines', ...expected, ...moved]);
      expect((await environment.panel.account()).contacts).toMatchObject([
        { name, email: 'ana@example.com' },
      ]);
      const again = await environment.run();
      if (conflict !== 'fail') return expect(again).toMatchObject({ unchanged: 1, calls: 0 });
      expect(again.problems).toMatchObject([{ row: 1, where: 'upsertContact', code: 'CONFLICT' }]);
      expect(again.problems[0]?.reason).toMatch(/^someone changed name /);
    });
  });
});

describe('a contact that people deleted', () => {
  it.each([
    ['with all that the source says, and counted as created', null],
    ['also when the answer of the call that made it was lost', 'reset-after'],
  ])('is created again %s', async (_, kind) => {
    await inEnvironment({ csv: HEADER + ANA, settleSeconds: 1 }, async (environment) => {
      await environment.run();
      // Its number is free again: to a caller by number the same as a deletion.
      await environment.panel.patch({ contacts: [{ id: 1, number: '5511911111111' }] });
      await environment.requests();
      if (kind !== null)
        await environment.panel.fault({ method: 'POST', path: '^/v1/contacts$', kind, times: 1 });
      await environment.write(HEADER + ANA.replace('Souza', 'Lima'));
      expect(await environment.run()).toMatchObject({ created: 1, updated: 0, cards: 1, failed: 0 });
      const made = (await environment.panel.account()).contacts.find(({ id }) => id !== 1);
      expect(made).toMatchObject({
        number: '5511987654321',
        name: 'Ana Lima',
        email: 'ana@example.com',
        tagIds: [1],
        extraInfo: [{ name: 'company', value: 'Acme' }],
      });
      expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });

  it('and is requested by its id: the record starts over instead of failing in every run', async () => {
    const sync = { conflict: 'keep', tags: 'replace' };
    await inEnvironment({ csv: HEADER + ANA, sync }, async (environment) => {
      await environment.run();
      for (const row of [ANA.replace('Souza', 'Lima'), ANA.replace('Souza', 'Lima').replace('crm', 'vip')]) {
        await environment.db.query('update people set remote_id = 999');
        await environment.write(HEADER + row);
        expect(await environment.run()).toMatchObject({ created: 0, updated: 1, failed: 0, cards: 0 });
        expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
      }
      const { contacts, cards } = await environment.panel.account();
      expect(contacts).toMatchObject([{ id: 1, name: 'Ana Lima', tagIds: [2] }]);
      expect(cards).toHaveLength(1);
      // Who was to be updated only is not made again.
      reconfigure(environment, { mode: 'update' });
      await environment.db.query('update people set remote_id = 999');
      await environment.panel.patch({ contacts: [{ id: 1, number: '5511911111111' }] });
      await environment.write(HEADER + ANA.replace('crm', 'vip|crm').replace('Souza', 'Costa'));
      expect(await environment.run()).toMatchObject({ created: 0, unchanged: 1, failed: 0 });
      expect((await environment.panel.account()).contacts).toHaveLength(1);
    });
  });
});

it('two syncs of one account and the same people, one inserting, both writing: neither makes a call the second time', async () => {
  await inEnvironment({ csv: HEADER + ANA + BIA }, async (environment) => {
    await environment.run();
    const { spec } = environment.deps;
    const options = { fields: { email: 'never' }, mode: 'insert' };
    Object.assign(environment.deps, {
      spec: (name: string) => {
        const frozen = spec(name, 'leads');
        return RunSpec.parse({ ...frozen, sync: 'deals', options: { ...frozen.options, ...options } });
      },
    });
    await environment.requests();
    expect(await environment.run()).toMatchObject({ run: 'acme/deals/1', unchanged: 2, calls: 0 });
    Object.assign(options, { mode: 'upsert' });
    for (let n = 0; n < 2; n++) expect(await environment.run()).toMatchObject({ unchanged: 2, calls: 0 });
    Object.assign(environment.deps, { spec });
    expect(await environment.run()).toMatchObject({ run: 'acme/leads/2', unchanged: 2, calls: 0 });
  });
});
