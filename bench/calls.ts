// Measures how many calls a sync spends compared with the minimum that its changes need: 10,000 people with a card each
// into an empty account, then with 1 % of them changed, then unchanged. A plain script does the same for comparison.
// The sandbox counts.
import type { BenchResult } from './bench.ts';
import { type PlainScriptOptions, runPlainScript } from './plain-script.ts';
import { type Environment, openEnvironment } from './support/environment.ts';
import { type LoggedCall, round } from './support/log.ts';
import {
  account,
  CONTACT_AND_CARD,
  type Person,
  people,
  peopleCsv,
  STAGES,
  tokenHash,
  tokenOf,
} from './support/people.ts';

const PEOPLE = 10_000;
const CHANGED = PEOPLE / 100;
/** Calls per minute. At 120 the bench would take three hours. */
const RATE = 60_000;
const WORKERS = 2;
const PLAIN_ID = 2;

interface Run {
  readonly name: string;
  readonly rows: readonly Person[];
  /** The minimum number of calls for the changes. */
  readonly minimum: number;
}

export async function calls(say: (line: string) => void): Promise<BenchResult> {
  const environment = await openEnvironment({
    accounts: ['acme', 'plain'].map((id, i) => ({
      id,
      fixture: account(id, i + 1),
      config: { callsPerMinute: RATE },
    })),
    rate: RATE,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_AND_CARD },
      syncs: { people: { account: 'acme', source: 'people', mapping: 'people', concurrency: 100 } },
    },
    files: {},
    minutes: 15,
    say,
  });
  try {
    for (let i = 0; i < WORKERS; i++) await environment.worker();
    const figures: Record<string, number | string> = {
      people: PEOPLE,
      changed: CHANGED,
      'limit in the sandbox, calls/minute': RATE,
      how: 'limit raised with --rate, as 20,000 calls at 120 a minute take three hours',
    };
    for (const run of runs()) {
      say(`Sluice: ${run.name}`);
      const spent = await syncRun(environment, run);
      figures[`${run.name}: calls`] = spent.all.length;
      if (run.minimum > 0) {
        figures[`${run.name}: fewest possible`] = run.minimum;
        figures[`${run.name}: calls/fewest`] = round(spent.all.length / run.minimum, 4);
      } else figures[`${run.name}: writes`] = spent.writes.length;
      figures[`${run.name}: calls/s`] = round(spent.all.length / spent.seconds, 1);
      say(`plain script: ${run.name}`);
      figures[`${run.name}: calls of the plain script`] = await plainRun(environment, run);
    }
    for (const [id, who] of [
      ['acme', 'Sluice'],
      ['plain', 'the plain script'],
    ] as const) {
      const { contacts, cards } = await environment.account(id);
      figures[`contacts after ${who}`] = contacts.length;
      figures[`cards after ${who}`] = cards.length;
    }
    return {
      figures,
      goals: {
        'all new: calls/fewest': { max: 1.02 },
        '1 % changed: calls/fewest': { max: 1.02 },
        'unchanged: writes': { max: 0 },
        'contacts after Sluice': { min: PEOPLE, max: PEOPLE },
        'cards after Sluice': { min: PEOPLE, max: PEOPLE },
      },
    };
  } finally {
    await environment.close();
  }
}

function runs(): Run[] {
  const fresh = people(PEOPLE);
  // Half of the changed people have a new name, which is one upsert; the other half a new stage, which is one move.
  const changed = fresh.map((person, i) => {
    if (i % (PEOPLE / CHANGED) !== 0) return person;
    return i % ((2 * PEOPLE) / CHANGED) === 0
      ? { ...person, name: `${person.name} Silva` }
      : { ...person, stage: STAGES[1] };
  });
  return [
    { name: 'all new', rows: fresh, minimum: 2 * PEOPLE },
    { name: '1 % changed', rows: changed, minimum: CHANGED },
    { name: 'unchanged', rows: changed, minimum: 0 },
  ];
}

async function syncRun(environment: Environment, { rows }: Run) {
  await environment.write('people.csv', peopleCsv(rows));
  const since = (await environment.requests(0)).length;
  const began = Date.now();
  const { handle } = await environment.start('acme', 'people');
  const report = await environment.result(handle);
  if (report.failed + report.unknown + report.rejected > 0)
    throw new Error(`not all rows went well: ${JSON.stringify(report)}`);
  const all = mine(await environment.requests(since), 'acme');
  return { all, writes: all.filter(({ method }) => method !== 'GET'), seconds: (Date.now() - began) / 1000 };
}

async function plainRun(environment: Environment, { rows }: Run): Promise<number> {
  const options: PlainScriptOptions = {
    baseUrl: environment.baseUrl,
    token: tokenOf('plain'),
    callsPerMinute: RATE,
    pipelineId: PLAIN_ID,
    stages: Object.fromEntries(STAGES.map((name, i) => [name, PLAIN_ID * 10 + i])),
  };
  const since = (await environment.requests(0)).length;
  await runPlainScript(options, rows);
  return mine(await environment.requests(since), 'plain').length;
}

function mine(calls: readonly LoggedCall[], id: string): LoggedCall[] {
  return calls.filter((call) => call.tokenHash === tokenHash(id));
}
