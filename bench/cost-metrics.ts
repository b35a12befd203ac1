// Measures what metrics cost: the CPU of workers that count and are scraped every 15 seconds, compared with workers that
// do neither, on the same work. The kernel counts CPU, the sandbox calls.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import type { BenchResult } from './bench.ts';
import { type Environment, openEnvironment } from './support/environment.ts';
import { round, sum } from './support/log.ts';
import { account, CONTACT_AND_CARD, people, peopleCsv, tokenHash } from './support/people.ts';

const PEOPLE = 4000;
/** Calls a minute that nobody reaches. */
const RATE = 60_000;
/** As the guide does. */
const SCRAPE_MS = 15_000;
/** The first run does not count: servers and disk warm up. The other load of the machine changes, so the order turns. */
const ORDER = ['off', 'off', 'on', 'on', 'off'] as const;
const WARM_PAGES = 3;
const WORKER = join(import.meta.dirname, 'support/observed-child.js');

interface Measured {
  readonly mode: 'on' | 'off';
  /** CPU in milliseconds for one call. */
  readonly workers: number;
  readonly all: number;
  readonly callsPerSecond: number;
}

export async function costMetrics(say: (line: string) => void): Promise<BenchResult> {
  const names = ORDER.map((_, at) => `run${at + 1}`);
  const environment = await openEnvironment({
    accounts: names.map((id, at) => ({ id, fixture: account(id, at + 1), config: { callsPerMinute: RATE } })),
    rate: RATE,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_AND_CARD },
      syncs: Object.fromEntries(
        names.map((name) => [name, { account: name, source: 'people', mapping: 'people' }]),
      ),
    },
    files: { 'people.csv': peopleCsv(people(PEOPLE)) },
    minutes: 10,
    say,
  });
  try {
    const measured: Measured[] = [];
    let scrapes = 0;
    for (const [at, mode] of ORDER.entries()) {
      say(`metrics ${mode}, ${at + 1} of ${ORDER.length}`);
      const run = await runOnce(environment, mode, names[at] as string);
      if (at === 0) continue;
      measured.push(run.measured);
      scrapes += run.scrapes;
    }
    const of = (mode: 'on' | 'off', figure: 'workers' | 'all' | 'callsPerSecond') => {
      const values = measured.filter((each) => each.mode === mode).map((each) => each[figure]);
      return sum(values) / values.length;
    };
    return {
      figures: {
        people: PEOPLE,
        how: `order ${ORDER.join(' ')}; 1 worker; a scrape every ${SCRAPE_MS / 1000} s`,
        scrapes,
        'CPU of workers without metrics, ms/call': round(of('off', 'workers')),
        'CPU of workers with metrics, ms/call': round(of('on', 'workers')),
        'CPU of Sluice without metrics, ms/call': round(of('off', 'all')),
        'CPU of Sluice with metrics, ms/call': round(of('on', 'all')),
        'calls/s without metrics': round(of('off', 'callsPerSecond'), 1),
        'calls/s with metrics': round(of('on', 'callsPerSecond'), 1),
        'each run, ms/call of workers': measured.map(({ workers }) => round(workers)).join(' '),
        'CPU of workers with/without metrics': round(of('on', 'workers') / of('off', 'workers'), 3),
        'CPU of Sluice with/without metrics': round(of('on', 'all') / of('off', 'all'), 3),
      },
      goals: { 'CPU of Sluice with/without metrics': { max: 1.05 } },
    };
  } finally {
    await environment.close();
  }
}

async function read(page: string): Promise<void> {
  const { body } = await request(`${page}/metrics`);
  await body.dump();
}

async function runOnce(environment: Environment, mode: 'on' | 'off', name: string) {
  const worker = await environment.worker(WORKER, { METRICS: mode });
  const page = mode === 'on' ? /http\S+/.exec(await worker.said('admin      http'))?.[0] : undefined;
  // The first page loads and compiles code, once in the life of a worker.
  if (page !== undefined) for (let at = 0; at < WARM_PAGES; at++) await read(page);
  const before = (await environment.requests(0)).length;
  const ended = new AbortController();
  let scrapes = 0;
  const scraping = (async () => {
    if (page === undefined) return;
    while (!ended.signal.aborted) {
      await read(page);
      scrapes += 1;
      await delay(SCRAPE_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  const cpu = await environment.watchCpu();
  const { handle } = await environment.start(name, name);
  const report = await environment.result(handle);
  const used = await cpu();
  ended.abort();
  await scraping;
  await worker.kill('SIGKILL');
  if (report.created !== PEOPLE) throw new Error(`not all rows went well: ${JSON.stringify(report)}`);
  const calls = (await environment.requests(before)).filter((call) => call.tokenHash === tokenHash(name));
  const ms = (seconds: number) => (seconds * 1000) / calls.length;
  const measured: Measured = {
    mode,
    workers: ms(used.workers),
    all: ms(used.workers + used.temporal + used.postgres),
    callsPerSecond: calls.length / used.elapsed,
  };
  return { measured, scrapes };
}
