// The CRM sync under random faults: after any loss on the way, everybody exists once and the counts are right.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunReport } from '../../../src/jobs/sync/contract/run.ts';
import { account, type Environment } from '../../support/environment.ts';
import { HEADER, sumOf, syncContext } from '../../support/sync-context.ts';

const { inEnvironment } = syncContext();

const PEOPLE = 4;
const STAGES: Record<string, number> = { New: 11, Talking: 12 };
const WITH_NINTH = (n: number) => `551198765432${n}`;
const WITHOUT_NINTH = (n: number) => `55118765432${n}`;

interface Row {
  readonly person: number;
  readonly ninth: boolean;
  readonly stage: string;
  readonly tags: string;
  readonly company: string;
}

const row: fc.Arbitrary<Row> = fc.record({
  person: fc.integer({ min: 0, max: PEOPLE - 1 }),
  ninth: fc.boolean(),
  stage: fc.constantFrom('', 'New', 'Talking'),
  tags: fc.constantFrom('', 'crm', 'crm|vip'),
  company: fc.constantFrom('', 'Acme'),
});

/** Where a fault strikes: every call that a sync makes. */
const endpoint = fc.constantFrom(
  { method: 'GET', path: '^/v1/(tags|pipelines)$' },
  { method: 'GET', path: '^/v1/contacts' },
  { method: 'POST', path: '^/v1/contacts$' },
  { method: 'PUT', path: '/tags$' },
  { method: 'GET', path: '^/v1/cards' },
  { method: 'POST', path: '^/v1/cards$' },
  { method: 'POST', path: '^/v1/cards$' },
  { method: 'PATCH', path: '/stage$' },
);
const fault = fc
  .tuple(
    endpoint,
    fc.constantFrom({ kind: 'reset-after' }, { kind: 'reset-before' }, { kind: 'status', status: 500 }),
    fc.integer({ min: 1, max: 2 }),
  )
  .map(([where, what, times]) => ({ ...where, ...what, times }));

const world = fc.record({
  /** People that the service has already, and under which form of their number. */
  known: fc.uniqueArray(fc.record({ person: fc.integer({ min: 0, max: PEOPLE - 1 }), ninth: fc.boolean() }), {
    selector: ({ person }) => person,
    maxLength: 2,
  }),
  rows: fc.array(row, { minLength: 2, maxLength: 8 }),
  junk: fc.boolean(),
  faults: fc.array(fault, { minLength: 1, maxLength: 5 }),
});

function csvOf(rows: readonly Row[], junk: boolean): string {
  const lines = rows.map(
    ({ person, ninth, stage, tags, company }) =>
      `${(ninth ? WITH_NINTH : WITHOUT_NINTH)(person)},Person ${person},,${tags},${company},${stage},\n`,
  );
  return HEADER + lines.join('') + (junk ? 'nobody,,,,,,\n' : '');
}

/** One contact a person, one card at most; answers the cards by person. */
async function personsOf(environment: Environment): Promise<Map<number, number | null>> {
  const { contacts, cards } = await environment.panel.account();
  const persons = new Map<number, number | null>();
  for (const { id, number } of contacts) {
    const person = Number(number.at(-1));
    expect(persons.has(person), 'a contact made twice').toBe(false);
    const own = cards.filter(({ contactId }) => contactId === id);
    expect(own.length, 'cards of one contact').toBeLessThanOrEqual(1);
    persons.set(person, own[0]?.stageId ?? null);
  }
  return persons;
}

async function expectTrueCounts(environment: Environment, report: RunReport, rows: number): Promise<void> {
  expect(report.read).toBe(rows);
  expect(sumOf(report)).toBe(rows);
  expect(report).toMatchObject({ pending: 0, failed: 0 });
  const unknown = await environment.db.query(
    "select 1 from run_records where run_id = $1 and status = 'unknown'",
    [report.run],
  );
  expect(report.unknown).toBe(unknown.length);
}

it('any mix of resets and internal errors → each person once, each card once, true counts, and then silence', async () => {
  const seed = Date.now() % 2 ** 31;
  console.info(`seed ${seed}`);
  const property = fc.asyncProperty(world, async ({ known, rows, junk, faults }) => {
    const contacts = known.map(({ person, ninth }, index) => ({
      id: index + 1,
      number: (ninth ? WITH_NINTH : WITHOUT_NINTH)(person),
      name: 'known',
    }));
    const options = { csv: csvOf(rows, junk), account: account({ contacts }), settleSeconds: 0 };
    await inEnvironment(options, async (environment) => {
      for (const each of faults) await environment.panel.fault(each);
      const total = rows.length + (junk ? 1 : 0);
      const first = await environment.run();
      await expectTrueCounts(environment, first, total);
      await personsOf(environment);

      await environment.panel.clearFaults();
      const second = await environment.run();
      await expectTrueCounts(environment, second, total);
      expect(second.unknown).toBe(0);
      const persons = await personsOf(environment);
      const wanted = new Set([...rows, ...known].map(({ person }) => person));
      expect(new Set(persons.keys())).toEqual(wanted);
      for (const [person, stage] of persons) {
        const last = rows.findLast((each) => each.person === person && each.stage !== '')?.stage;
        expect(stage, `stage of person ${person}`).toBe(last === undefined ? null : (STAGES[last] as number));
      }
      // A run after an unknown outcome may adopt; the one after that has nothing left to say.
      await environment.requests();
      const distinct = new Set(rows.map(({ person }) => person)).size;
      expect(await environment.run()).toMatchObject({
        calls: 0,
        rejected: junk ? 1 : 0,
        unchanged: distinct,
        merged: rows.length - distinct,
      });
      expect(await environment.requests()).toEqual([]);
    });
  });
  await fc.assert(property, { seed, numRuns: 3, endOnFailure: true });
});
