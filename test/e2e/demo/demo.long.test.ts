// `sluice demo` as users start it: kill -9 in the middle, the rest of the run, a quiet second one; two at once.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { RunReport } from '../../../src/jobs/sync/contract/run.ts';
import { canonicalKey } from '../../../src/mapping/phone/index.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import {
  type PanelCard,
  type PanelContact,
  type PanelRequest,
  panelOf,
  writes,
} from '../../support/panel.ts';
import { layCluster } from '../../support/postgres/cluster.ts';
import { buildOnce } from '../../support/runner/build.ts';

let dist: string;
let state: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  dist = await buildOnce();
});
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
  await rm(state, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  /** Resolves with the first match on stderr. */
  seen(pattern: RegExp): Promise<RegExpMatchArray>;
  ended(): Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function demo(...args: string[]): Run {
  const { TEMPORAL_ADDRESS: _, DATABASE_URL: __, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [join(dist, 'src/cli/main.js'), 'demo', '--state', state, '--sync', 'pipedrive', ...args],
    { env },
  );
  children.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close');
  return {
    child,
    seen: (pattern) =>
      new Promise((done, failed) => {
        const check = () => {
          const match = pattern.exec(stderr);
          if (match !== null) done(match);
        };
        child.stderr.on('data', check);
        child.once('close', () => failed(new Error(`ended without ${pattern}:\n${stderr}`)));
        check();
      }),
    ended: async () => {
      const [code] = await closed;
      return { code: code as number | null, stdout, stderr };
    },
  };
}

function reportOf(stdout: string): RunReport {
  return JSON.parse(stdout.trim().split('\n').at(-1) as string) as RunReport;
}

/** What the sandbox holds, after the demo has ended. */
async function sandboxState(): Promise<{
  contacts: PanelContact[];
  cards: PanelCard[];
  requests: PanelRequest[];
}> {
  const sandbox = await startSandbox({ port: 0, dataDir: join(state, 'sandbox') });
  try {
    const panel = panelOf(sandbox.panelUrl);
    return { ...(await panel.account('demo')), requests: await panel.requests() };
  } finally {
    await sandbox.close();
  }
}

function expectOncePerPerson({ contacts, cards }: { contacts: PanelContact[]; cards: PanelCard[] }): void {
  const people = contacts.map(({ number }) => canonicalKey(number));
  expect(people.length).toBe(new Set(people).size);
  const places = cards.map(({ contactId, pipelineId }) => `${contactId}/${pipelineId}`);
  expect(places.length).toBe(new Set(places).size);
}

const REPORT = [
  'run',
  'read',
  'created',
  'updated',
  'unchanged',
  'merged',
  'rejected',
  'failed',
  'unknown',
  'cards',
  'calls',
  'seconds',
];
/** Calls that may have been under way when worker and sandbox were killed: one of them may know of such a call, or both. */
const UNDER_WAY = 64;
/** A process counts its calls in memory and writes the count down each second: one that is killed takes the last with it. */
const COUNTED_MS = 1500;

it('sluice demo, killed hard in the middle, goes on at the next start: it adds up, every record once, no second card; then it is quiet', async () => {
  const killed = demo('--rate', '0');
  await killed.seen(/[1-9]\d* created, .* [1-9]\d* cards/);
  killed.child.kill('SIGKILL');
  await killed.ended();
  const { requests } = await sandboxState();
  const before = writes(requests).length;
  const lastAt = Math.max(...requests.map(({ at }) => Date.parse(at)));
  const uncounted = requests.filter(({ at }) => Date.parse(at) > lastAt - COUNTED_MS).length;
  const next = await demo('--once', '--rate', '0').ended();
  expect(next.code, next.stderr).toBe(0);
  const report = reportOf(next.stdout);
  expect(Object.keys(report)).toEqual(REPORT);
  expect(report).toMatchObject({ run: 'demo/pipedrive/1', failed: 0, unknown: 0 });
  const { read, created, updated, unchanged, merged, rejected, failed, unknown } = report;
  expect(created + updated + unchanged + merged + rejected + failed + unknown).toBe(read);
  const after = await sandboxState();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(writes(after.requests).length);
  expectOncePerPerson(after);
  expect(after.contacts.length).toBe(created + 40);
  expect(Math.abs(after.requests.length - report.calls)).toBeLessThanOrEqual(UNDER_WAY + uncounted);

  // With the limit, which costs nothing: there is nothing left to call for.
  const quiet = await demo('--once').ended();
  expect(quiet.code, quiet.stderr).toBe(0);
  expect(reportOf(quiet.stdout)).toMatchObject({ created: 0, updated: 0, calls: 0, rejected });
  expect((await sandboxState()).requests.length).toBe(after.requests.length);
}, 120_000);

it('sluice demo, started twice at once, says who holds the folder, with exit code 5', async () => {
  await layCluster(join(state, 'ledger'));
  const first = demo('--rate', '0');
  await first.seen(/sandbox\s+http/);
  const second = await demo('--once').ended();
  expect(second.code).toBe(5);
  expect(second.stderr).toMatch(new RegExp(`(pid|process) ${first.child.pid}\\b`));
  first.child.kill('SIGTERM');
  expect((await first.ended()).code).toBe(0);
}, 60_000);
