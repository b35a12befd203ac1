// Contact and card in one call: what it spares, and that nobody is lost by it, whatever the service answers.
import { describe, expect, it } from 'vitest';
import { account, MAPPING } from '../../support/environment.ts';
import { callNames as calls, effects } from '../../support/panel.ts';
import { HEADER, sumOf, syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const { inEnvironment } = syncContext();

/** People with numbers of two forms: each is searched for before the first write. */
const people = (count: number, { tags = '', stage = 'New' } = {}) =>
  HEADER +
  Array.from({ length: count }, (_, n) => `11 98765-43${String(10 + n)},P${n},,${tags},,${stage},\n`).join(
    '',
  );
const CARD = { method: 'POST', path: '^/v1/cards$' };
const tokens = (...scopes: string[]) => [{ value: 'svc_test_token', scopes }];

describe('a person that the service does not have', () => {
  it('costs one call, and the tags one more', async () => {
    await inEnvironment({ csv: people(3), sync: { concurrency: 1 } }, async (environment) => {
      expect(await environment.run()).toMatchObject({ created: 3, cards: 3, updated: 0, calls: 5 });
      expect(calls(await environment.requests())).toEqual([
        'GET /v1/pipelines',
        'GET /v1/contacts',
        'POST /v1/cards',
        'POST /v1/cards',
        'POST /v1/cards',
      ]);
      const { contacts, cards } = await environment.panel.account();
      expect(contacts.map(({ name }) => name)).toEqual(['P0', 'P1', 'P2']);
      expect(cards.map(({ contactId, stageId }) => [contactId, stageId])).toEqual([
        [1, 11],
        [2, 11],
        [3, 11],
      ]);
      expect(await environment.run()).toMatchObject({ unchanged: 3, calls: 0 });

      // A new name is one upsert: what the card's call wrote is known.
      await environment.write(`${people(3).replace('P1', 'Pia')}21 99876-5432,Neu,,crm|vip,,New,\n`);
      await environment.requests();
      expect(await environment.run()).toMatchObject({ created: 1, updated: 1, unchanged: 2, cards: 1 });
      const third = calls(await environment.requests());
      expect(third.slice(0, 2)).toEqual(['GET /v1/tags', 'GET /v1/pipelines']);
      expect(third.slice(2).sort()).toEqual(
        ['GET /v1/contacts', 'POST /v1/cards', 'POST /v1/contacts', 'PUT /v1/contacts/4/tags'].sort(),
      );
      expect((await environment.panel.account()).contacts.at(3)).toMatchObject({
        name: 'Neu',
        tagIds: [1, 2],
      });
      expect(await environment.run()).toMatchObject({ unchanged: 4, calls: 0 });
    });
  });

  it('has one contact and one card although the answer was lost: reset, internal error, HTML, cut JSON, silence', async () => {
    const kinds = ['reset-after', 'reset-before', 'html', 'truncate', 'hang'];
    const options = { csv: people(6, { tags: 'crm' }), settleSeconds: 1, deadlineMs: 500 };
    await inEnvironment(options, async (environment) => {
      for (const kind of kinds) await environment.panel.fault({ ...CARD, kind, times: 1 });
      await environment.panel.fault({ ...CARD, kind: 'status', status: 500, times: 1 });
      expect(await environment.run()).toMatchObject({
        created: 6,
        updated: 0,
        failed: 0,
        unknown: 0,
        cards: 6,
      });
      const seen = await environment.requests();
      expect(seen.flatMap(({ fault }) => fault ?? []).sort()).toEqual([...kinds, 'status'].sort());
      expect(effects(seen, 'POST', /cards$/)).toHaveLength(6);
      const { contacts, cards } = await environment.panel.account();
      expect(new Map(contacts.map(({ name, tagIds }) => [name, tagIds]))).toEqual(
        new Map([0, 1, 2, 3, 4, 5].map((n) => [`P${n}`, [1]])),
      );
      expect(new Set(cards.map(({ contactId }) => contactId)).size).toBe(6);
      expect(await environment.run()).toMatchObject({ unchanged: 6, calls: 0 });
    });
  });

  it.each([
    ['with a name that is written over', {}, 'P0'],
    ['with a name that stays, as only empty ones are filled', { fields: { name: 'if-empty' } }, 'by hand'],
  ])(
    'and a contact that people create before the call goes out, %s: one contact, one card, and the tags of both',
    async (_, sync, name) => {
      await inEnvironment({ csv: people(1, { tags: 'crm' }), sync }, async (environment) => {
        const wait = {
          status: 429,
          body: { error: 'wait', code: 'ERR_RATE_LIMITED' },
          headers: { 'Retry-After': '1' },
        };
        await environment.panel.fault({ ...CARD, kind: 'status', times: 1, ...wait });
        const handle = await environment.start();
        await until('the creation was sent away', async () =>
          (await environment.panel.requests()).some(({ status }) => status === 429),
        );
        await environment.panel.patch({
          contacts: [{ id: 9, number: '5511987654310', name: 'by hand', tagIds: [3] }],
        });
        expect(await handle.result()).toMatchObject({ created: 0, updated: 1, cards: 1 });
        const { contacts, cards } = await environment.panel.account();
        expect(contacts).toMatchObject([{ id: 9, name, tagIds: [3, 1] }]);
        expect(cards).toMatchObject([{ contactId: 9 }]);
        expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
      });
    },
  );
});

describe('cards that the account refuses', () => {
  it.each([
    ['by scope', { tokens: tokens('contacts:write', 'cards:read') }, 'ERR_SCOPE_MISSING', 4],
    ['by scope of reading too', { tokens: tokens('contacts:write') }, 'ERR_SCOPE_MISSING', 0],
    ['by pipeline', { pipelines: [{ id: 2, name: 'Support', stages: [] }] }, 'ERR_PIPELINE_NOT_FOUND', 0],
  ])('%s: everybody gets contact and tags, with one warning', async (_, over, code, atMost) => {
    const options = { csv: people(20, { tags: 'crm' }), account: account(over), sync: { concurrency: 4 } };
    await inEnvironment(options, async (environment) => {
      const report = await environment.run();
      expect(report).toMatchObject({ created: 20, failed: 0, pending: 0, cards: 0 });
      expect(report.warnings).toMatchObject([{ step: 'createCard', code }]);
      const { contacts, cards } = await environment.panel.account();
      expect(contacts.filter(({ name, tagIds }) => /^P\d+$/.test(name) && tagIds[0] === 1)).toHaveLength(20);
      expect(cards).toEqual([]);
      const refused = (await environment.requests()).filter(
        ({ method, path }) => method === 'POST' && path === '/v1/cards',
      );
      expect(refused.length).toBeLessThanOrEqual(atMost);
    });
  });

  it('of one record, by stage or source: it fails alone, and the contact is there', async () => {
    const stages = [
      { id: 11, name: 'New', order: 1, requiresSource: true },
      { id: 12, name: 'Talking', order: 2 },
    ];
    const pipelines = [{ id: 1, name: 'Sales', stages }];
    const rows =
      people(1) +
      people(2, { stage: 'Nowhere' }).split('\n')[2] +
      '\n' +
      people(3, { stage: 'Talking' }).split('\n')[3];
    await inEnvironment(
      { csv: `${rows}\n`, account: account({ pipelines }), mapping: MAPPING },
      async (environment) => {
        const report = await environment.run();
        expect(report).toMatchObject({ read: 3, created: 1, failed: 2, cards: 1 });
        expect(sumOf(report)).toBe(3);
        expect(report.problems.map(({ row, where, code }) => [row, where, code])).toEqual([
          [1, 'createCard', 'ERR_SOURCE_REQUIRED_FOR_STAGE'],
          [2, 'createCard', 'UNKNOWN_STAGE'],
        ]);
        const { contacts, cards } = await environment.panel.account();
        expect(contacts.map(({ name }) => name).sort()).toEqual(['P0', 'P1', 'P2']);
        expect(cards).toHaveLength(1);
      },
    );
  });
});
