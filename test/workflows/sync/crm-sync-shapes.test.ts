// Whole syncs against a service that answers in shapes of its own.
import { describe, expect, it } from 'vitest';
import { account } from '../../support/environment.ts';
import { answerWith, mapIds, type Rule, wrap } from '../../support/reshaped/reshaped-service.ts';
import { HEADER, plainRow, plainRows, syncContext, untilPaused } from '../../support/sync-context.ts';

const { inEnvironment } = syncContext();
const large = (id: number) => BigInt(id) * 10n ** 17n + 1n;
const people = (count: number, more: string) =>
  HEADER + Array.from({ length: count }, (_, n) => plainRow(n).replace(',,,,,', more)).join('');

describe('ids above 2^53', () => {
  it('in every answer: the run pauses before the first write, and says why', async () => {
    const csv = people(30, ',,crm,,New,');
    await inEnvironment({ csv, shape: [mapIds(large)] }, async (environment) => {
      const reason = await untilPaused(await environment.start());
      expect(reason).toContain('at most 2^53 - 1');
      expect(environment.service?.writes()).toEqual([]);
    });
  });

  it('of contacts and cards alone, in an account that has none: the first answers stop the run', async () => {
    const shape = [mapIds(large, /(contacts|cards)/)];
    await inEnvironment({ csv: plainRows(200, 'New'), shape }, async (environment) => {
      const reason = await untilPaused(await environment.start());
      expect(reason).toContain('at most 2^53 - 1');
      expect(environment.service?.writes().length).toBeLessThan(30);
    });
  });

  it('of contacts that the account has: the run pauses before the first write', async () => {
    const shape = [mapIds(large, /(contacts|cards)/)];
    const contacts = [{ id: 5, number: '14155552000', name: 'A' }];
    await inEnvironment(
      { csv: plainRows(120, 'New'), account: account({ contacts }), shape },
      async (environment) => {
        expect(await untilPaused(await environment.start())).toContain('at most 2^53 - 1');
        expect(environment.service?.writes()).toEqual([]);
      },
    );
  });
});

const WORDS: readonly Rule[] = [
  answerWith(/^POST .*contacts$/, 201, { requestId: 'r', contact: 'created' }),
  answerWith(/^POST .*cards$/, 201, { requestId: 'r', card: 'created' }),
  answerWith(/^PUT /, 200, { message: 'ok' }),
  answerWith(/^PATCH /, 204, undefined),
];

it.each<[string, string]>([
  ['contacts with tags and cards', ',a@b.c,crm,Acme,New,'],
  ['cards that make their contacts', ',,,,New,'],
])('writes that are answered with words are done, each once: %s', async (_name, row) => {
  await inEnvironment({ csv: people(12, row), shape: WORDS, settleSeconds: 1 }, async (environment) => {
    const report = await environment.run();
    expect(report).toMatchObject({ read: 12, created: 12, failed: 0, unknown: 0, cards: 12 });
    const { contacts, cards } = await environment.panel.account();
    expect([contacts.length, cards.length]).toEqual([12, 12]);
    expect(await environment.run()).toMatchObject({ unchanged: 12, calls: 0 });
  });
});

describe('a list of the account under a nested key', () => {
  const shape = [wrap(/pipelines$/, 'pipelines', 'data.items')];
  const csv = plainRows(2, 'New');

  it('stops cards, with the assumption and its override in the report', async () => {
    await inEnvironment({ csv, shape }, async (environment) => {
      const report = await environment.run();
      expect(report.cards).toBe(0);
      expect(report.warnings).toMatchObject([
        { code: 'UNEXPECTED_SHAPE', reason: expect.stringContaining('{ wrapper.pipelines: … }') },
      ]);
      expect(report.warnings[0]?.reason).toContain('data.items');
    });
  });

  it('is read by the override', async () => {
    const assumptions = { 'wrapper.pipelines': 'data.items' };
    await inEnvironment({ csv, shape, assumptions }, async (environment) => {
      expect(await environment.run()).toMatchObject({ created: 2, cards: 2, warnings: [] });
    });
  });
});
