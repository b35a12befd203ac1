// Measures what a call costs: CPU of workers, Temporal and PostgreSQL compared with a plain script that makes the same
// calls; calls per second and memory with a raised limit; activities and history bytes at the service's limit. The
// kernel counts CPU, the sandbox calls, Temporal activities and history.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BenchResult } from './bench.ts';
import { type Environment, openEnvironment } from './support/environment.ts';
import { readChain } from './support/histories.ts';
import { longestGap, round, sum, timeOf } from './support/log.ts';
import { peakMb } from './support/memory.ts';
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
import type { PlainUse, PlainWork } from './support/plain-child.ts';

const PEOPLE = 2000;
/** Calls a minute that nobody reaches. */
const RAISED = 60_000;
const LIMIT = 120;
const PEOPLE_AT_LIMIT = 150;
const PLAIN_ID = 2;
const PLAIN = join(import.meta.dirname, 'support/plain-child.js');

export async function cost(say: (line: string) => void): Promise<BenchResult> {
  const raised = await atRaisedLimit(say);
  const atLimit = await atServiceLimit(say);
  return {
    figures: { ...raised, ...atLimit },
    goals: {
      'CPU of Sluice/CPU of the plain script': { max: 2.5 },
      'calls/s': { min: 250 },
      'worker, peak memory, MB': { max: 300 },
      contacts: { min: PEOPLE, max: PEOPLE },
      cards: { min: PEOPLE, max: PEOPLE },
      'at 120/minute: activities per call': { max: 0.1 },
      'at 120/minute: history bytes per record': { max: 150 },
    },
  };
}

async function atRaisedLimit(say: (line: string) => void): Promise<BenchResult['figures']> {
  const rows = people(PEOPLE);
  const environment = await openWith(rows, RAISED, 10, say);
  try {
    const worker = await environment.worker();
    // Before and after, so that the script runs on the machine in the same state.
    say('plain script');
    const scripts = [await plainScript(environment, rows)];
    say(`Sluice: ${PEOPLE} people with a card each`);
    const since = (await environment.requests(0)).length;
    const cpu = await environment.watchCpu();
    const { handle } = await environment.start('acme', 'people');
    const report = await environment.result(handle);
    const used = await cpu();
    if (report.created !== PEOPLE) throw new Error(`not all rows went well: ${JSON.stringify(report)}`);
    const peak = await peakMb(worker.pid);
    const calls = (await environment.requests(since)).filter((call) => call.tokenHash === tokenHash('acme'));
    say('plain script, once more');
    scripts.push(await plainScript(environment, rows));
    const { contacts, cards } = await environment.account('acme');
    const ms = (seconds: number) => round((seconds * 1000) / calls.length);
    // NaN if PostgreSQL runs elsewhere. It is printed as a miss.
    const postgres = used.postgres === 0 ? Number.NaN : used.postgres;
    const script = sum(scripts.map(({ cpuSeconds }) => cpuSeconds)) / (2 * PEOPLE * scripts.length);
    const times = calls.map(timeOf);
    const all = used.workers + used.temporal + postgres;
    return {
      people: PEOPLE,
      how: `limit raised to ${RAISED} a minute with --rate; 1 worker; the script runs before and after`,
      calls: calls.length,
      contacts: contacts.length,
      cards: cards.length,
      'CPU of the plain script, ms/call': round(script * 1000),
      'CPU of Sluice, ms/call': ms(all),
      'CPU of workers, ms/call': ms(used.workers),
      'CPU of Temporal, ms/call': ms(used.temporal),
      'CPU of PostgreSQL, ms/call': ms(postgres),
      'CPU of Sluice/CPU of the plain script': round(all / calls.length / script, 2),
      'calls/s': round(calls.length / used.elapsed, 1),
      'calls/s between the first and the last call': round(
        (calls.length * 1000) / (Math.max(...times) - Math.min(...times)),
        1,
      ),
      'longest time without a call, s': round(longestGap(times), 1),
      'calls/s of the plain script': round(
        (2 * PEOPLE * scripts.length) / sum(scripts.map(({ seconds }) => seconds)),
        1,
      ),
      'worker, peak memory, MB': peak,
      'plain script, peak memory, MB': Math.max(...scripts.map((each) => each.peakMb)),
      'CPU of the sandbox, ms/call': ms(used.sandbox),
      'busy cores of the machine': round(used.machine / used.elapsed, 2),
    };
  } finally {
    await environment.close();
  }
}

async function atServiceLimit(say: (line: string) => void): Promise<BenchResult['figures']> {
  const environment = await openWith(people(PEOPLE_AT_LIMIT), LIMIT, 6, say);
  try {
    await environment.worker();
    say(`${PEOPLE_AT_LIMIT} people with a card each at ${LIMIT} calls a minute: three minutes`);
    const { handle, firstRunId } = await environment.start('acme', 'people');
    const report = await environment.result(handle);
    if (report.created !== PEOPLE_AT_LIMIT)
      throw new Error(`not all rows went well: ${JSON.stringify(report)}`);
    const calls = (await environment.requests(0)).length;
    const chain = await readChain(environment.client, handle.workflowId, firstRunId);
    const attempts = sum(chain.activities.map((activity) => activity.attempts));
    const named = 'at 120/minute';
    return {
      [`${named}: records`]: PEOPLE_AT_LIMIT,
      [`${named}: calls`]: calls,
      // Each attempt counts: hosted Temporal bills them one by one.
      [`${named}: activities per call`]: round(attempts / calls),
      [`${named}: history bytes per record`]: round(chain.bytes / PEOPLE_AT_LIMIT, 1),
      [`${named}: history events per record`]: round(chain.events / PEOPLE_AT_LIMIT),
      [`${named}: workflow tasks`]: chain.tasks,
    };
  } finally {
    await environment.close();
  }
}

function openWith(
  rows: readonly Person[],
  rate: number,
  minutes: number,
  say: (line: string) => void,
): Promise<Environment> {
  return openEnvironment({
    accounts: ['acme', 'plain'].map((id, i) => ({
      id,
      fixture: account(id, i + 1),
      config: { callsPerMinute: rate },
    })),
    rate,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_AND_CARD },
      syncs: { people: { account: 'acme', source: 'people', mapping: 'people' } },
    },
    files: { 'people.csv': peopleCsv(rows) },
    minutes,
    say,
  });
}

async function plainScript({ baseUrl }: Environment, rows: readonly Person[]): Promise<PlainUse> {
  const work: PlainWork = {
    options: {
      baseUrl,
      token: tokenOf('plain'),
      callsPerMinute: RAISED,
      pipelineId: PLAIN_ID,
      stages: Object.fromEntries(STAGES.map((name, i) => [name, PLAIN_ID * 10 + i])),
    },
    rows,
  };
  const child = spawn(process.execPath, [PLAIN], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  child.stdin.end(JSON.stringify(work));
  const out = await text(child.stdout);
  const [code] = await closed;
  if (code !== 0) throw new Error(`the plain script ended with ${code}`);
  return JSON.parse(out) as PlainUse;
}
