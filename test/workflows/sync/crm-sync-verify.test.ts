// A service that takes writes without an error and does something else with them: the first write of each kind is
// verified before others follow, and a run that cannot trust what it wrote pauses and says why.
import { describe, expect, it } from 'vitest';
import { resumeUpdate } from '../../../workflows/messages.ts';
import { account as accountWith } from '../../support/environment.ts';
import {
  type Body,
  eachItem,
  ignoreField,
  ignoreParameter,
  type Rule,
} from '../../support/reshaped/reshaped-service.ts';
import { HEADER, plainRow, plainRows, syncContext, untilPaused } from '../../support/sync-context.ts';

const { inEnvironment } = syncContext();
const PEOPLE = 12;
const POST_CARD = /^POST \/v1\/cards$/;
const UPSERT = /^POST \/v1\/contacts$/;
const titled = {
  contact: { number: 'phone', name: 'name', email: 'email' },
  tags: [{ path: 'tags', split: '|' }],
  extraInfo: { company: 'company' },
  card: { pipeline: 'Sales', when: 'stage', stage: 'stage', title: 'Deal of {{name}}' },
};
const MAPPING = { defaultCountry: 'US', ...titled };

const answerField = (on: RegExp, record: string, change: (item: Body) => void): Rule => ({
  on,
  answer: ({ body }) => change(body[record]),
});

describe('a write that the service does not show as it was made', () => {
  it.each([
    ['a title that is ignored', ignoreField(POST_CARD, 'title'), 'card.title', 'card.titleField'],
    [
      'a stage of its own',
      answerField(/cards/, 'card', (card) => {
        if (card !== undefined) card.stage = { id: 12, name: 'Talking' };
      }),
      'card.stage',
      null,
    ],
    [
      'a name of its own',
      answerField(/contacts/, 'contact', (contact) => {
        if (contact !== undefined) contact.name = 'Somebody';
      }),
      'contact.name',
      null,
    ],
  ] as const)('pauses the run after one record: %s', async (_, rule, field, assumption) => {
    const options = { csv: plainRows(PEOPLE, 'New'), mapping: MAPPING, shape: [rule] };
    await inEnvironment(options, async (environment) => {
      const handle = await environment.start();
      const reason = await untilPaused(handle);
      expect(reason).toContain('NOT_AS_WRITTEN');
      expect(reason).toContain(field);
      if (assumption !== null) expect(reason).toContain(assumption);
      expect(reason).not.toContain('Person');
      const { cards, contacts } = await environment.panel.account();
      expect(field.startsWith('card') ? cards.length : contacts.length).toBe(1);
      // Verified again: one more record shows that nothing has changed.
      const again = { by: 'ana', reason: 'started again', recheck: true };
      await handle.executeUpdate(resumeUpdate, { args: [again] });
      await untilPaused(handle);
      // Accepted: the run goes on, and the report names every row.
      await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ana', reason: 'that is how it is' }] });
      const report = await handle.result();
      expect(report).toMatchObject({ read: PEOPLE, created: PEOPLE, failed: 0, cards: PEOPLE });
      const noted = report.warnings.filter(({ code }) => code === 'NOT_AS_WRITTEN');
      expect(noted).toEqual([
        expect.objectContaining({ reason: expect.stringContaining(`${PEOPLE} rows`) as string }),
      ]);
    });
  });

  it('goes through with the override that the reason names', async () => {
    const rule: Rule = {
      on: POST_CARD,
      ask: ({ body }) => {
        body.title = body.headline;
        delete body.headline;
      },
    };
    const assumptions = { 'card.titleField': 'headline' };
    const options = { csv: plainRows(3, 'New'), mapping: MAPPING, shape: [rule], assumptions };
    await inEnvironment(options, async (environment) => {
      expect(await environment.run()).toMatchObject({ created: 3, cards: 3, warnings: [] });
    });
  });

  it('is found by one read-back if no answer shows it: extra info', async () => {
    const csv = `${HEADER}${[1, 2, 3].map((n) => `+1 415 555 200${n},Person ${n},,,ACME,,\n`).join('')}`;
    await inEnvironment(
      { csv, mapping: MAPPING, shape: [ignoreField(UPSERT, 'extraInfo')] },
      async (environment) => {
        const handle = await environment.start();
        expect(await untilPaused(handle)).toContain('extraInfo.company');
        expect((await environment.panel.account()).contacts).toHaveLength(1);
      },
    );
  });

  it('reads back once per run', async () => {
    const csv = `${HEADER}${[1, 2, 3].map((n) => `+1 415 555 200${n},Person ${n},,,ACME,,\n`).join('')}`;
    await inEnvironment({ csv, mapping: MAPPING }, async (environment) => {
      expect(await environment.run()).toMatchObject({ created: 3, failed: 0, warnings: [] });
      const reads = (await environment.requests()).filter(
        ({ method, path }) => method === 'GET' && /contacts\/\d+$/.test(path),
      );
      expect(reads).toHaveLength(1);
    });
  });

  it.each([
    [
      'extra info that is no list',
      answerField(/^GET \/v1\/contacts\/\d+$/, 'contact', (contact) => {
        contact.extraInfo = { company: 'ACME' };
      }),
      plainRows(PEOPLE).replaceAll(',,,,,\n', ',,,ACME,,\n'),
      'UNEXPECTED_SHAPE',
      { created: PEOPLE },
    ],
  ] as const)(
    'that nobody can read pauses the run, and can be accepted: %s',
    async (_, rule, csv, code, outcome) => {
      await inEnvironment({ csv, mapping: MAPPING, shape: [rule] }, async (environment) => {
        const handle = await environment.start();
        expect(await untilPaused(handle)).toContain(code);
        const [ended] = await environment.db.query(
          "select count(*)::int as n from run_records where status <> 'pending'",
        );
        expect(ended).toEqual({ n: 1 });
        await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ana', reason: 'that is how it is' }] });
        expect(await handle.result()).toMatchObject(outcome);
      });
    },
  );

  it('in another form is a warning, and one that is shown late is not', async () => {
    const upper = answerField(UPSERT, 'contact', (contact) => {
      contact.name = String(contact.name).toUpperCase();
    });
    await inEnvironment({ csv: plainRows(3), mapping: MAPPING, shape: [upper] }, async (environment) => {
      const { created, warnings } = await environment.run();
      expect(created).toBe(3);
      expect(warnings).toEqual([expect.objectContaining({ code: 'NOT_AS_WRITTEN' })]);
    });
    const stale = answerField(UPSERT, 'contact', (contact) => {
      contact.name = 'As before';
    });
    await inEnvironment({ csv: plainRows(1), mapping: MAPPING, shape: [stale] }, async (environment) => {
      expect(await environment.run()).toMatchObject({ created: 1, warnings: [] });
    });
  });

  it('about another person stops the run at once, and nothing of it is stored', async () => {
    const rule = answerField(UPSERT, 'contact', (contact) => {
      contact.number = '14155559999';
    });
    await inEnvironment({ csv: plainRows(PEOPLE), mapping: MAPPING, shape: [rule] }, async (environment) => {
      const handle = await environment.start();
      expect(await untilPaused(handle)).toContain('OTHER_PERSON');
      const [noted] = await environment.db.query(
        'select count(*)::int as n from people where remote_id is not null',
      );
      expect(noted).toEqual({ n: 0 });
    });
  });
});

describe('a list filter that the service ignores', () => {
  const others = { contacts: [1, 2].map((id) => ({ id, number: `1415555300${id}`, name: `Other ${id}` })) };

  it('adopts no card of somebody else', async () => {
    const cards = [{ id: 1, contactId: 1, pipelineId: 1, stageId: 11, title: 'theirs', status: 'open' }];
    const contacts = [...others.contacts, { id: 3, number: '14155552000', name: 'Person 0' }];
    const account = accountWith({ contacts, cards });
    const shape = [ignoreParameter(/^GET \/v1\/cards$/, 'contactId')];
    await inEnvironment(
      { csv: HEADER + plainRow(0, 'New'), mapping: MAPPING, account, shape },
      async (environment) => {
        expect(await environment.run()).toMatchObject({ updated: 1, cards: 1 });
        const made = (await environment.panel.account()).cards;
        expect(made.map(({ contactId }) => contactId).sort((a, b) => a - b)).toEqual([1, 3]);
      },
    );
  });

  it('pauses the run when more pages follow, because absence then proves nothing', async () => {
    const cards = [{ id: 1, contactId: 1, pipelineId: 1, stageId: 11, title: 'theirs', status: 'open' }];
    const contacts = [...others.contacts, { id: 3, number: '14155552000', name: 'Person 0' }];
    const account = accountWith({ contacts, cards });
    const more: Rule = {
      on: /^GET \/v1\/cards$/,
      answer: ({ body }) => {
        body.hasMore = true;
      },
    };
    const shape = [ignoreParameter(/^GET \/v1\/cards$/, 'contactId'), more];
    await inEnvironment(
      { csv: HEADER + plainRow(0, 'New'), mapping: MAPPING, account, shape },
      async (environment) => {
        const handle = await environment.start();
        expect(await untilPaused(handle)).toContain('FILTER_IGNORED');
        expect((await environment.panel.account()).cards).toHaveLength(1);
      },
    );
  });
});

it('the report names tags that the service left out', async () => {
  const rule = eachItem(/^PUT \/v1\/contacts\/\d+\/tags$/, 'none', () => {});
  const drop: Rule = {
    on: /^PUT \/v1\/contacts\/\d+\/tags$/,
    ask: ({ body }) => {
      body.tagIds = [];
    },
  };
  const csv = `${HEADER}+1 415 555 2001,Ana,,crm,,,\n`;
  await inEnvironment({ csv, mapping: MAPPING, shape: [rule, drop] }, async (environment) => {
    expect(await untilPaused(await environment.start())).toContain('a different value of tags');
  });
});
