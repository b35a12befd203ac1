// Measures how long a lead waits for its first call while a backfill of 100,000 rows takes every slot of the token:
// from Temporal's time of scheduling the call to its arrival at the sandbox.
import type { BenchResult } from './bench.ts';
import { openEnvironment } from './support/environment.ts';
import { readChain } from './support/histories.ts';
import { evaluate, LIMIT, openSender } from './support/leads.ts';
import { timeOf, wasTaken } from './support/log.ts';
import { account, CONTACT_ONLY, contactsCsv } from './support/people.ts';

const ROWS = 100_000;
const WORKERS = 2;
const LEADS = 100;
/**
 * Mean distances between two leads. At one in 2 s, leads queue behind each other so often that even a perfect queue of
 * evenly spaced slots lets one in a hundred wait 2.3 slots. At one in 4 s it is 1.7. The goal applies to the second.
 */
const LEAD_EVERY_S = [4, 2];
const GOAL_S = 4;
/** Leads of one distance are served before those of the next begin. */
const BETWEEN_MS = 10_000;
/** By then the backfill calls steadily. */
const SETTLE_MS = 15_000;

export async function lanes(say: (line: string) => void): Promise<BenchResult> {
  const environment = await openEnvironment({
    accounts: [{ id: 'acme', fixture: account('acme') }],
    rate: LIMIT,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_ONLY },
      syncs: { backfill: { account: 'acme', source: 'people', mapping: 'people' } },
    },
    files: { 'people.csv': contactsCsv(ROWS) },
    minutes: 15,
    say,
  });
  try {
    for (let i = 0; i < WORKERS; i++) await environment.worker();
    say(`a backfill of ${ROWS} rows is planned`);
    const { handle, firstRunId } = await environment.start('acme', 'backfill');
    const began = timeOf(await environment.until(async () => (await environment.requests(0))[0] ?? null));
    await environment.wait(SETTLE_MS);
    const run = (await environment.until(() => environment.progress(handle))).run ?? '';
    const { activities } = await readChain(environment.client, handle.workflowId, firstRunId);
    const tokenKey = activities.find(({ fairnessKey }) => fairnessKey !== '')?.fairnessKey ?? '';
    const figures: Record<string, number | string> = {
      'limit, calls/minute': LIMIT,
      'rows of the backfill': ROWS,
      'worker processes': WORKERS,
      'leads of each distance': LEADS,
    };
    const sender = await openSender(environment, { run, tokenKey, callsPerMinute: LIMIT });
    try {
      for (const seconds of LEAD_EVERY_S) {
        await environment.wait(BETWEEN_MS);
        say(
          `${LEADS} leads at random, one in ${seconds} s; about ${Math.round((LEADS * seconds) / 60)} minutes`,
        );
        const leads = await sender.send(LEADS, seconds * 1000);
        const found = evaluate(leads, await environment.requests(0), began);
        for (const [name, value] of Object.entries(found)) figures[`one in ${seconds} s: ${name}`] = value;
        say(JSON.stringify(found));
      }
    } finally {
      await sender.close();
    }
    figures['429'] = (await environment.requests(0)).filter((call) => !wasTaken(call)).length;
    return {
      figures,
      goals: { [`one in ${GOAL_S} s: wait p99, slots`]: { max: 2 }, '429': { max: 0 } },
    };
  } finally {
    await environment.close();
  }
}
