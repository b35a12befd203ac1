// The CRM sync against the sandbox: what each kind of change costs, and what it leaves there.
import { describe, expect, it } from 'vitest';
import { account } from '../../support/environment.ts';
import { callNames as calls, writes } from '../../support/panel.ts';
import { HEADER, syncContext } from '../../support/sync-context.ts';

const ANA = '11 98765-4321,Ana Souza,ana@example.com,crm,Acme,New,pro\n';
const BIA = '21 99876-5432,Bia Lima,,,,,\n';

const { inEnvironment } = syncContext();

describe('a first run', () => {
  it('creates contact, tags and card, counts its calls correctly, and a second run makes none', async () => {
    await inEnvironment({ csv: HEADER + ANA + BIA }, async (environment) => {
      const first = await environment.run();
      expect(first).toMatchObject({
        read: 2,
        created: 2,
        updated: 0,
        unchanged: 0,
        rejected: 0,
        failed: 0,
        unknown: 0,
        cards: 1,
      });
      const state = await environment.panel.account();
      // Both are under way at once: either may be the first to arrive.
      const people = state.contacts.sort((a, b) => a.number.localeCompare(b.number));
      expect(people.map(({ number, tagIds, extraInfo }) => ({ number, tagIds, extraInfo }))).toEqual([
        { number: '5511987654321', tagIds: [1], extraInfo: [{ name: 'company', value: 'Acme' }] },
        { number: '5521998765432', tagIds: [], extraInfo: [] },
      ]);
      expect(state.cards).toMatchObject([{ pipelineId: 1, stageId: 11, status: 'open' }]);
      expect(first.calls).toBe((await environment.requests()).length);

      const second = await environment.run();
      expect(second).toMatchObject({ read: 2, unchanged: 2, created: 0, updated: 0, calls: 0 });
      expect(await environment.requests()).toEqual([]);
    });
  });

  it('rejects rows that cannot be mapped and continues', async () => {
    const wrong = 'letters,Caio,,,,,\n,Davi,,,,,\n';
    await inEnvironment({ csv: HEADER + wrong + ANA }, async (environment) => {
      expect(await environment.run()).toMatchObject({ read: 3, rejected: 2, created: 1, failed: 0 });
      const problems = await environment.db.query(
        'select row_no, field, code from row_problems order by row_no',
      );
      expect(problems).toEqual([
        { row_no: 1, field: 'contact.number', code: 'invalid_phone' },
        { row_no: 2, field: 'contact.number', code: 'required' },
      ]);
    });
  });

  it('makes one person of two rows, whichever form of the number they use, and makes no call the second time', async () => {
    const again = '+55 11 8765-4321,Ana S.,,vip,,Talking,\n';
    await inEnvironment({ csv: HEADER + ANA + again }, async (environment) => {
      expect(await environment.run()).toMatchObject({
        read: 2,
        created: 1,
        unchanged: 0,
        merged: 1,
        cards: 1,
      });
      const { contacts, cards } = await environment.panel.account();
      expect(contacts).toMatchObject([
        { number: '5511987654321', name: 'Ana S.', email: 'ana@example.com', tagIds: [1, 2] },
      ]);
      expect(cards).toMatchObject([{ stageId: 12 }]);
      await environment.requests();
      expect(await environment.run()).toMatchObject({ read: 2, unchanged: 1, merged: 1, calls: 0 });
    });
  });
});

describe('a changed row', () => {
  const cases: [string, string, string[]][] = [
    ['a new name costs one upsert', ANA.replace('Ana Souza', 'Ana Lima'), ['POST /v1/contacts']],
    ['a new stage costs one move', ANA.replace('New', 'Talking'), ['PATCH /v1/cards/1/stage']],
    [
      'a new tag costs an upsert, whose answer shows the tags, and one list',
      ANA.replace('crm', 'crm|vip'),
      ['POST /v1/contacts', 'PUT /v1/contacts/1/tags'],
    ],
    ['changed extra info rides on the upsert', ANA.replace('Acme', 'Bravo'), ['POST /v1/contacts']],
  ];
  for (const [name, row, expected] of cases) {
    it(name, async () => {
      await inEnvironment({ csv: HEADER + ANA }, async (environment) => {
        await environment.run();
        await environment.requests();
        await environment.write(HEADER + row);
        expect(await environment.run()).toMatchObject({ updated: 1, failed: 0 });
        expect(calls(writes(await environment.requests()))).toEqual(expected);
        expect((await environment.panel.account()).contacts).toMatchObject([{ email: 'ana@example.com' }]);
        expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
      });
    });
  }
});

it('a cleared field of the source costs no call, and the service keeps its value', async () => {
  await inEnvironment({ csv: HEADER + ANA }, async (environment) => {
    await environment.run();
    await environment.requests();
    await environment.write(HEADER + ANA.replace('ana@example.com', ''));
    expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
    expect((await environment.panel.account()).contacts).toMatchObject([{ email: 'ana@example.com' }]);
  });
});

describe('what people did in the service', () => {
  const byHand = {
    id: 5,
    number: '551187654321',
    name: 'Aninha',
    tagIds: [3],
    extraInfo: [{ name: 'note', value: 'likes tea' }],
  };

  it('keeps their tags and extra info, and finds the contact that lacks the ninth digit', async () => {
    await inEnvironment(
      { csv: HEADER + ANA, account: account({ contacts: [byHand] }) },
      async (environment) => {
        expect(await environment.run()).toMatchObject({ created: 0, updated: 1, cards: 1 });
        const { contacts } = await environment.panel.account();
        expect(contacts).toMatchObject([
          {
            id: 5,
            number: '551187654321',
            name: 'Ana Souza',
            extraInfo: [
              { name: 'company', value: 'Acme' },
              { name: 'note', value: 'likes tea' },
            ],
          },
        ]);
        expect(contacts[0]?.tagIds.sort()).toEqual([1, 3]);
      },
    );
  });

  it('erases them only when the configuration says replace', async () => {
    const sync = { tags: 'replace', extraInfo: 'replace' };
    await inEnvironment(
      { csv: HEADER + ANA, account: account({ contacts: [byHand] }), sync },
      async (environment) => {
        await environment.run();
        expect((await environment.panel.account()).contacts).toMatchObject([
          { id: 5, tagIds: [1], extraInfo: [{ name: 'company', value: 'Acme' }] },
        ]);
      },
    );
  });

  it('removes only tags that Sluice set itself', async () => {
    await inEnvironment({ csv: HEADER + ANA.replace('crm', 'crm|vip') }, async (environment) => {
      await environment.run();
      await environment.panel.patch({ contacts: [{ id: 1, tagIds: [1, 2, 3] }] });
      await environment.write(HEADER + ANA);
      await environment.run();
      expect((await environment.panel.account()).contacts[0]?.tagIds.sort()).toEqual([1, 3]);
    });
  });

  it('adopts the contact’s existing card of the pipeline in its current stage', async () => {
    const card = { id: 9, contactId: 5, pipelineId: 1, stageId: 12, title: 'by hand', status: 'open' };
    await inEnvironment(
      { csv: HEADER + ANA, account: account({ contacts: [byHand], cards: [card] }) },
      async (environment) => {
        expect(await environment.run()).toMatchObject({ updated: 1, cards: 0 });
        expect((await environment.panel.account()).cards).toMatchObject([{ id: 9, stageId: 12 }]);
        await environment.write(HEADER + ANA.replace('New', 'Won'));
        await environment.run();
        expect((await environment.panel.account()).cards).toMatchObject([
          { id: 9, stageId: 13, status: 'won' },
        ]);
      },
    );
  });
});

describe('a refusal', () => {
  it('of tags for the whole account stops that step once, with a warning, and no record fails', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `11 98765-43${10 + i},P${i},,crm,,,\n`).join('');
    const options = {
      csv: HEADER + rows,
      account: account({ tagMode: 'conversations' }),
      sync: { concurrency: 4 },
    };
    await inEnvironment(options, async (environment) => {
      const report = await environment.run();
      expect(report).toMatchObject({ created: 40, failed: 0 });
      expect(report.warnings).toMatchObject([{ step: 'setTags', code: 'ERR_INVALID_TAGMODE' }]);
      const tried = (await environment.requests()).filter(
        ({ path }) => path.endsWith('/tags') && path !== '/v1/tags',
      );
      expect(tried).toHaveLength(1);
    });
  });

  it('of cards by scope leaves the contacts synced, with one warning', async () => {
    const tokens = [{ value: 'svc_test_token', scopes: ['contacts:write'] }];
    await inEnvironment({ csv: HEADER + ANA + BIA, account: account({ tokens }) }, async (environment) => {
      const report = await environment.run();
      expect(report).toMatchObject({ created: 2, failed: 0, cards: 0 });
      expect(report.warnings).toMatchObject([{ step: 'createCard', code: 'ERR_SCOPE_MISSING' }]);
    });
  });

  it('of one record fails only that record, with step and code', async () => {
    const rows = ANA + BIA.replace('Bia Lima,,,,,', 'Bia Lima,,,,Nowhere,');
    await inEnvironment({ csv: HEADER + rows }, async (environment) => {
      expect(await environment.run()).toMatchObject({ created: 1, failed: 1, cards: 1 });
      expect(
        await environment.db.query("select row_no, step, code from run_records where status = 'failed'"),
      ).toEqual([{ row_no: 2, step: 'createCard', code: 'UNKNOWN_STAGE' }]);
    });
  });

  it('of an unknown tag is one warning; the first run after its creation sets it', async () => {
    await inEnvironment({ csv: HEADER + ANA.replace('crm', 'crm|canary-tag') }, async (environment) => {
      const report = await environment.run();
      expect(report.warnings).toMatchObject([{ code: 'UNKNOWN_TAG', people: 1, firstRows: [1] }]);
      // The report travels through Temporal, and a tag is a value of the source.
      expect(JSON.stringify(report)).not.toContain('canary-tag');
      expect((await environment.panel.account()).contacts).toMatchObject([{ tagIds: [1] }]);
      await environment.requests();

      // A run without another change warns as its dry run does.
      expect(await environment.run()).toMatchObject({
        unchanged: 1,
        warnings: [{ code: 'UNKNOWN_TAG', people: 1, firstRows: [1] }],
      });
      expect(calls(await environment.requests())).toEqual(['GET /v1/tags']);

      await environment.panel.patch({ tags: [{ id: 9, name: 'canary-tag' }] });
      expect(await environment.run()).toMatchObject({ updated: 1 });
      expect((await environment.panel.account()).contacts[0]?.tagIds.toSorted()).toEqual([1, 9]);
      await environment.requests();
      expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });
});
