// Measures what tracing adds to the cost of a call: the same sync without and with it, every span exported to a
// receiver on this machine. The kernel counts CPU, the sandbox calls, and the receiver bytes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BenchResult } from './bench.ts';
import { type Environment, openEnvironment } from './support/environment.ts';
import { round, sum } from './support/log.ts';
import { account, CONTACT_AND_CARD, people, peopleCsv, tokenHash } from './support/people.ts';

const PEOPLE = 2000;
/** Calls a minute that nobody reaches. */
const RAISED = 60_000;
/** Without and with tracing, in an order in which a machine that gets slower or faster favors neither. */
const RUNS = ['off', 'on', 'on', 'off', 'off', 'on'] as const;

interface Run {
  readonly tracing: (typeof RUNS)[number];
  readonly calls: number;
  /** CPU seconds. */
  readonly workers: number;
  readonly all: number;
  readonly seconds: number;
}

export async function tracing(say: (line: string) => void): Promise<BenchResult> {
  const receiver = await startReceiver();
  const ids = RUNS.map((_, n) => `acme${n}`);
  const environment = await openEnvironment({
    accounts: ids.map((id, n) => ({
      id,
      fixture: account(id, n + 1),
      config: { callsPerMinute: RAISED },
    })),
    rate: RAISED,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_AND_CARD },
      syncs: Object.fromEntries(ids.map((id) => [id, { account: id, source: 'people', mapping: 'people' }])),
    },
    files: { 'people.csv': peopleCsv(people(PEOPLE)) },
    minutes: 15,
    say,
  });
  try {
    const runs: Run[] = [];
    for (const [n, mode] of RUNS.entries()) {
      say(`tracing ${mode}: ${PEOPLE} people with a card each`);
      runs.push(await runWith(environment, ids[n] as string, mode, receiver.url));
    }
    const of = (mode: Run['tracing']) => runs.filter((run) => run.tracing === mode);
    const perCall = (mode: Run['tracing'], part: 'workers' | 'all') =>
      (1000 * sum(of(mode).map((run) => run[part]))) / sum(of(mode).map(({ calls }) => calls));
    const traced = sum(of('on').map(({ calls }) => calls));
    return {
      figures: {
        how: `${RUNS.length} runs of ${PEOPLE} people, ${RUNS.join(' ')}; a new worker for each; all sampled`,
        'CPU of workers without tracing, ms/call': round(perCall('off', 'workers')),
        'CPU of workers with tracing, ms/call': round(perCall('on', 'workers')),
        'CPU of Sluice without tracing, ms/call': round(perCall('off', 'all')),
        'CPU of Sluice with tracing, ms/call': round(perCall('on', 'all')),
        'workers with/without': round(perCall('on', 'workers') / perCall('off', 'workers'), 3),
        'with/without': round(perCall('on', 'all') / perCall('off', 'all'), 3),
        'each run, CPU ms/call': runs
          .map(({ tracing: mode, all, calls }) => `${mode} ${round((1000 * all) / calls)}`)
          .join(', '),
        'bytes of spans per call': Math.round(receiver.bytes() / traced),
      },
      goals: { 'with/without': { max: 1.1 }, 'bytes of spans per call': { min: 100 } },
    };
  } finally {
    await environment.close();
    await receiver.close();
  }
}

async function runWith(
  environment: Environment,
  id: string,
  mode: Run['tracing'],
  endpoint: string,
): Promise<Run> {
  const worker = await environment.worker(
    undefined,
    mode === 'on' ? { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } : {},
  );
  const cpu = await environment.watchCpu();
  const { handle } = await environment.start(id, id);
  const report = await environment.result(handle);
  if (report.created !== PEOPLE) throw new Error(`not all rows went well: ${JSON.stringify(report)}`);
  const used = await cpu();
  const calls = (await environment.requests(0)).filter((call) => call.tokenHash === tokenHash(id)).length;
  // It exports what waits before it ends.
  await worker.kill('SIGTERM');
  return {
    tracing: mode,
    calls,
    workers: used.workers,
    all: used.workers + used.temporal + used.postgres,
    seconds: used.elapsed,
  };
}

/** Takes spans and counts their bytes. Runs in the process of the bench, whose CPU does not count. */
async function startReceiver() {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bytes,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
