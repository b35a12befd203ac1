// Measures how fast the sandbox answers with a million contacts, and how much memory that takes. Client and server
// share the machine. The sandbox's own request log counts the answered calls.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import type { BenchResult } from './bench.ts';

const CONTACTS = 1_000_000;
const CONNECTIONS = 16;
const SECONDS = 8;
const HEAP_MB = 768;
const MAIN = resolve(import.meta.dirname, '../src/cli/main.js');
const HEADERS = { authorization: 'Bearer svc_test_bench', 'content-type': 'application/json' };

interface Running {
  readonly child: ChildProcess;
  readonly pool: Pool;
  readonly panel: string;
  readonly api: string;
}

export async function sandbox(say: (line: string) => void): Promise<BenchResult> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  let running: Running | undefined;
  try {
    say(`a fixture with ${CONTACTS} contacts is applied`);
    await writeFile(join(dir, 'fixture.json'), JSON.stringify(fixture()));
    running = await start(dir);
    await stop(running);
    await rm(join(dir, 'fixture.json'));
    say('the sandbox starts again, from its disk');
    const began = Date.now();
    running = await start(dir);
    const startSeconds = (Date.now() - began) / 1000;
    const fresh = await memory(running.child);
    const pick = () => 1 + Math.floor(Math.random() * CONTACTS);
    const body = (id: number) => JSON.stringify({ number: number(id), name: `Pessoa ${id}` });
    const card = (id: number) => JSON.stringify({ contactId: id, pipelineId: 1, stageId: 11 });
    const figures = {
      contacts: CONTACTS,
      'heap bound, MB': HEAP_MB,
      'GET contact, requests/s': await rate(running, say, () => ({
        method: 'GET',
        path: `/v1/contacts/${pick()}`,
      })),
      'POST contact, requests/s': await rate(running, say, () => ({
        method: 'POST',
        path: '/v1/contacts',
        body: body(pick()),
      })),
      'GET contacts by number, requests/s': await rate(running, say, () => ({
        method: 'GET',
        path: `/v1/contacts?number=${number(pick())}`,
      })),
      'POST card, requests/s': await rate(running, say, () => ({
        method: 'POST',
        path: '/v1/cards',
        body: card(pick()),
      })),
      'start from disk, s': startSeconds,
      'memory after a start, MB': fresh,
      'memory after the load, MB': await memory(running.child),
    };
    return {
      figures,
      goals: {
        'GET contact, requests/s': { min: 2000 },
        'POST contact, requests/s': { min: 2000 },
        'POST card, requests/s': { min: 2000 },
        'memory after a start, MB': { max: 1000 },
        'memory after the load, MB': { max: 1000 },
      },
    };
  } finally {
    if (running !== undefined) await stop(running);
    await rm(dir, { recursive: true, force: true });
  }
}

function fixture() {
  const stages = [{ id: 11, name: 'New', order: 1 }];
  const tokens = [{ value: 'svc_test_bench', scopes: ['contacts:write', 'cards:write'] }];
  const contacts = Array.from({ length: CONTACTS }, (_, i) => ({
    id: i + 1,
    number: number(i + 1),
    name: `Contato ${i + 1}`,
  }));
  return { accounts: [{ id: 'bench', tokens, pipelines: [{ id: 1, name: 'Sales', stages }], contacts }] };
}

function number(id: number): string {
  return `55119${String(id).padStart(8, '0')}`;
}

async function start(dir: string): Promise<Running> {
  const path = join(dir, 'fixture.json');
  const fixtureArgs = existsSync(path) ? ['--fixture', path] : [];
  // Without a bound, V8 lets garbage grow as long as the machine has memory. With it, the figure is what the sandbox
  // needs.
  const bound = fixtureArgs.length === 0 ? [`--max-old-space-size=${HEAP_MB}`] : [];
  const args = ['sandbox', '--port', '0', '--rate', '0', '--data', join(dir, 'data'), ...fixtureArgs];
  const child = spawn(process.execPath, [...bound, MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) throw new Error('the sandbox ended before it listened');
  const { baseUrl, panelUrl } = JSON.parse(first.value) as { baseUrl: string; panelUrl: string };
  const { origin, pathname } = new URL(baseUrl);
  return {
    child,
    pool: new Pool(origin, { connections: CONNECTIONS }),
    api: pathname,
    panel: new URL(panelUrl).pathname,
  };
}

async function stop({ child, pool }: Running): Promise<void> {
  await pool.destroy();
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Successful calls per second, counted in the sandbox's log. */
async function rate(
  { pool, api, panel }: Running,
  say: (line: string) => void,
  next: () => { method: 'GET' | 'POST'; path: string; body?: string },
): Promise<number> {
  const since = await lastSeq(pool, panel);
  const began = Date.now();
  const until = began + SECONDS * 1000;
  const caller = async () => {
    while (Date.now() < until) {
      const { method, path, body } = next();
      const answer = await pool.request({ method, path: api + path, headers: HEADERS, body: body ?? null });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  const seconds = (Date.now() - began) / 1000;
  const log = await pool.request({ method: 'GET', path: `${panel}/requests?since=${since}` });
  const { requests } = (await log.body.json()) as { requests: { status: number }[] };
  const good = requests.filter(({ status }) => status < 300).length;
  const perSecond = Math.round(good / seconds);
  say(`${next().method} ${next().path.replace(/\d{2,}/, 'N')}: ${perSecond} requests/s`);
  return perSecond;
}

async function lastSeq(pool: Pool, panel: string): Promise<number> {
  const answer = await pool.request({ method: 'GET', path: `${panel}/requests?since=0` });
  const { requests } = (await answer.body.json()) as { requests: { seq: number }[] };
  return requests.at(-1)?.seq ?? 0;
}

/** Resident memory of the sandbox in MB. */
async function memory(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1000);
}
