// Any mode, rules, account, source and faults: nobody twice, no card twice, nothing written that the mode forbids.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunReport } from '../../../src/jobs/sync/contract/run.ts';
import { account, type Environment } from '../../support/environment.ts';
import { writes } from '../../support/panel.ts';
import { HEADER, sumOf, syncContext } from '../../support/sync-context.ts';

const { inEnvironment } = syncContext();

const PEOPLE = 6;
const STAGES: Record<string, number> = { New: 11, Talking: 12 };
const LONG = (n: number) => `551198765432${n}`;
const SHORT = (n: number) => `55118765432${n}`;

const row = fc.record({
  person: fc.integer({ min: 0, max: PEOPLE - 1 }),
  ninth: fc.boolean(),
  stage: fc.constantFrom('', 'New', 'Talking'),
  tags: fc.constantFrom('', 'crm', 'crm|vip'),
  email: fc.constantFrom('', '', 'a@example.com'),
  company: fc.constantFrom('', '', 'Acme'),
});
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const endpoint = fc.constantFrom(
  { method: 'GET', path: '^/v1/contacts' },
  { method: 'POST', path: '^/v1/contacts$' },
  { method: 'PUT', path: '/tags$' },
  { method: 'GET', path: '^/v1/cards' },
  { method: 'POST', path: '^/v1/cards$' },
  { method: 'POST', path: '^/v1/cards$' },
);
const kind = fc.constantFrom(
  { kind: 'reset-after' },
  { kind: 'reset-before' },
  { kind: 'truncate' },
  { kind: 'status', status: 500 },
);
const fault = fc.tuple(endpoint, kind, fc.integer({ min: 1, max: 2 })).map(([where, what, times]) => ({
  ...where,
  ...what,
  times,
}));

const world = fc.record({
  mode: fc.constantFrom('upsert' as const, 'insert' as const, 'update' as const, 'mirror' as const),
  conflict: fc.constantFrom('overwrite', 'keep'),
  tags: fc.constantFrom('merge', 'replace'),
  extraInfo: fc.constantFrom('merge', 'merge-fresh', 'replace'),
  fields: fc.record(
    {
      name: fc.constantFrom('always', 'if-empty', 'never'),
      email: fc.constantFrom('if-empty', { write: 'always', clear: true }),
    },
    { requiredKeys: [] },
  ),
  /** People that the service has, under which form, and with a card that people made or without. */
  known: fc.uniqueArray(
    fc.record({ person: fc.integer({ min: 0, max: PEOPLE - 1 }), ninth: fc.boolean(), card: fc.boolean() }),
    { selector: ({ person }) => person, maxLength: 3 },
  ),
  rows: fc.array(row, { minLength: 3, maxLength: 9 }),
  faults: fc.array(fault, { maxLength: 5 }),
});

function csvOf(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ person, ninth, stage, tags, email, company }) =>
      `${(ninth ? LONG : SHORT)(person)},Person ${person},${email},${tags},${company},${stage},\n`,
  );
  return HEADER + lines.join('');
}

/** One contact a person, one card at most. */
async function personsOf(environment: Environment) {
  const { contacts, cards } = await environment.panel.account();
  const persons = new Map<number, { name: string; tagIds: number[]; stage: number | null }>();
  for (const { id, number, name, tagIds } of contacts) {
    const person = Number(number.at(-1));
    expect(persons.has(person), 'a contact made twice').toBe(false);
    const own = cards.filter(({ contactId }) => contactId === id);
    expect(own.length, 'cards of one contact').toBeLessThanOrEqual(1);
    persons.set(person, { name, tagIds, stage: own[0]?.stageId ?? null });
  }
  return persons;
}

function expectTrueCounts(report: RunReport, rows: number): void {
  expect(report).toMatchObject({ read: rows, pending: 0, failed: 0 });
  expect(sumOf(report)).toBe(rows);
}

it('any mode under any faults → nobody twice, everybody as the mode says, true counts, and then no write', async () => {
  const seed = Date.now() % 2 ** 31;
  console.info(`seed ${seed}`);
  const property = fc.asyncProperty(world, async ({ known, rows, faults, ...sync }) => {
    const contacts = known.map(({ person, ninth }, index) => ({
      id: index + 1,
      number: (ninth ? LONG : SHORT)(person),
      name: 'known',
      tagIds: [3],
    }));
    const cards = known.flatMap(({ card }, index) =>
      card ? [{ id: index + 1, contactId: index + 1, pipelineId: 1, stageId: 12, title: 'by hand' }] : [],
    );
    const options = { csv: csvOf(rows), account: account({ contacts, cards }), settleSeconds: 0, sync };
    await inEnvironment(options, async (environment) => {
      for (const each of faults) await environment.panel.fault(each);
      const first = await environment.run();
      expectTrueCounts(first, rows.length);
      const early = await personsOf(environment);
      expect(first.created).toBeLessThanOrEqual(early.size - known.length);

      await environment.panel.clearFaults();
      const second = await environment.run();
      expectTrueCounts(second, rows.length);
      expect(second.unknown).toBe(0);
      const persons = await personsOf(environment);
      const there = new Set(known.map(({ person }) => person));
      const wanted = sync.mode === 'update' ? [] : rows.map(({ person }) => person);
      expect(new Set(persons.keys())).toEqual(new Set([...there, ...wanted]));
      for (const [person, { name, tagIds, stage }] of persons) {
        const own = rows.filter((each) => each.person === person);
        const before = known.find((each) => each.person === person);
        if (own.length === 0 || (before !== undefined && sync.mode === 'insert')) {
          expect({ name, tagIds, stage }).toEqual({
            name: 'known',
            tagIds: [3],
            stage: before?.card ? 12 : null,
          });
          continue;
        }
        const keepsName =
          before !== undefined && ['if-empty', 'never'].includes(sync.fields.name ?? 'always');
        const nameless = before === undefined && sync.fields.name === 'never';
        expect(name).toEqual(
          keepsName ? 'known' : nameless ? expect.stringMatching(/^55/) : `Person ${person}`,
        );
        const tags = new Set(own.flatMap((each) => (each.tags === '' ? [] : each.tags.split('|'))));
        const ids = [tags.has('crm') ? [1] : [], tags.has('vip') ? [2] : []].flat();
        const kept = before !== undefined && sync.tags === 'merge' ? [3] : [];
        expect(new Set(tagIds)).toEqual(new Set([...ids, ...kept]));
        const last = own.findLast((each) => each.stage !== '')?.stage;
        // A card that people made is adopted where it stands.
        const at = before?.card ? 12 : last === undefined ? null : STAGES[last];
        expect(stage, `stage of person ${person}`).toBe(at);
      }
      await environment.requests();
      const third = await environment.run();
      const distinct = new Set(rows.map(({ person }) => person)).size;
      expect(third).toMatchObject({ unchanged: distinct, merged: rows.length - distinct });
      const again = await environment.requests();
      expect(writes(again)).toEqual([]);
      if (sync.mode !== 'update') expect(again).toEqual([]);
    });
  });
  await fc.assert(property, { seed, numRuns: 2, endOnFailure: true });
});
