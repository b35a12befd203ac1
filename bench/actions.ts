// What one record costs the engine: events and bytes of history, workflow tasks, and attempts of activities, for people
// who are created with a contact and a card. Read out of the engine's own histories; no goal.
import type { BenchResult } from './bench.ts';
import { type Chain, readChain } from './support/engine.ts';
import { openHouse } from './support/house.ts';
import { round, sum } from './support/log.ts';
import { account, CONTACT_AND_CARD, people, peopleCsv } from './support/people.ts';

interface Case {
  readonly name: string;
  readonly rate: number;
  readonly records: number;
}

const CASES: readonly Case[] = [
  { name: 'limit of 120/minute', rate: 120, records: 200 },
  { name: 'limit raised to 60,000/minute', rate: 60_000, records: 2000 },
];

export async function actions(say: (line: string) => void): Promise<BenchResult> {
  const figures: Record<string, number | string> = {};
  for (const each of CASES) {
    const { chain, calls } = await run(each, say);
    const tried = chain.activities.filter(({ attempts }) => attempts > 0);
    const ofApi = tried.filter(({ queue }) => queue.endsWith('-api'));
    const attempts = (all: typeof tried) => sum(all.map((activity) => activity.attempts));
    const per = (total: number, digits = 2) => round(total / each.records, digits);
    Object.assign(figures, {
      [`${each.name}: records`]: each.records,
      [`${each.name}: calls per record`]: per(calls),
      [`${each.name}: events per record`]: per(chain.events),
      [`${each.name}: history bytes per record`]: per(chain.bytes, 0),
      [`${each.name}: workflow tasks per record`]: per(chain.tasks),
      [`${each.name}: activity attempts per record`]: per(attempts(tried)),
      [`${each.name}: attempts per call`]: round(attempts(ofApi) / ofApi.length, 2),
      [`${each.name}: runs continued as new`]: chain.runs - 1,
    });
  }
  return { figures, goals: {} };
}

async function run(
  { name, rate, records }: Case,
  say: (line: string) => void,
): Promise<{ chain: Chain; calls: number }> {
  const house = await openHouse({
    accounts: [{ id: 'acme', fixture: account('acme'), config: { callsPerMinute: rate } }],
    rate,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_AND_CARD },
      syncs: { people: { account: 'acme', source: 'people', mapping: 'people' } },
    },
    files: { 'people.csv': peopleCsv(people(records)) },
    minutes: 6,
    say,
  });
  try {
    await house.worker();
    say(`${name}: ${records} people with a card each are created`);
    const { handle, firstRunId } = await house.start('acme', 'people');
    const report = await house.result(handle);
    if (report.created !== records) throw new Error(`${report.created} of ${records} were created`);
    const chain = await readChain(house.client, handle.workflowId, firstRunId);
    return { chain, calls: (await house.requests(0)).length };
  } finally {
    await house.close();
  }
}
