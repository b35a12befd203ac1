// The CRM sync's modes, field rules and conflict rules against the sandbox: what is written, and what that costs.
import { describe, expect, it } from 'vitest';
import { RunSpec } from '../../../src/contracts/wire/run.ts';
import { account, type Environment } from '../../support/environment.ts';
import { type PanelRequest, writes } from '../../support/panel.ts';
import { HEADER, sumOf, syncContext } from '../../support/sync-context.ts';

const ANA = '11 98765-4321,Ana Souza,ana@example.com,crm,Acme,New,pro\n';
const BIA = '21 99876-5432,Bia Lima,bia@example.com,crm,,New,\n';

const { inEnvironment } = syncContext();
const calls = (requests: readonly PanelRequest[]) => requests.map(({ method, path }) => `${method} ${path}`);
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
