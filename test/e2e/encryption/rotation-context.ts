// Two workers and an ingress as processes, whose keys of Temporal and of the ledger are set and rotated by restarts.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@temporalio/client';
import { inject } from 'vitest';
import { stringify } from 'yaml';
import { readEncryptionKey } from '../../../src/core/encryption/payload-keys.ts';
import { freePort } from '../../../src/core/net/ports.ts';
import { openPostgres } from '../../../src/core/sql/database.ts';
import { createEncryptionCodec } from '../../../src/protect/codec/encryption-codec.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { startSandboxProcess, startSluice } from '../../support/console/processes.ts';
import { account, MAPPING } from '../../support/environment.ts';
import { startPostgres } from '../../support/postgres/postgres.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { connectTestTemporal } from '../../support/temporal/temporal.ts';
import { until } from '../../support/until.ts';

/** Ids that occur nowhere else, so that a search in a history finds them. */
export const OLD = 'key-2025-11';
export const NEW = 'key-2026-11';
export type Keys = readonly string[];

/** Calls per minute. */
const RATE = 600;
const SCOPES = ['contacts:write', 'cards:write', 'connections:read', 'conversations:read', 'messages:read'];
const BEFORE_AT = '2026-01-01T10:00:00.000Z';
const READY = { worker: /^.*ready for the syncs .*$/m, ingress: /^ {2}\S+: POST .*$/m };

export interface RotationOptions {
  /** Content of the files of the syncs, by the name of the sync. */
  readonly syncs: Readonly<Record<string, string>>;
  /** Numbers of the customers who write messages. */
  readonly customers: readonly string[];
}

export type Rotation = Awaited<ReturnType<typeof openRotation>>;

export async function openRotation({ syncs, customers }: RotationOptions, ends: (() => Promise<unknown>)[]) {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-rotation-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const dist = await buildOnce();
  const temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
  ends.push(() => temporal.close());
  const postgres = await startPostgres();
  ends.push(() => postgres.stop());
  const fixture = { accounts: [serviceAccount(customers)] };
  const sandbox = await startSandboxProcess({ dist, dir, fixture, rate: RATE });
  ends.push(() => sandbox.stop());
  for (const [sync, rows] of Object.entries(syncs)) await writeFile(join(dir, `${sync}.csv`), rows);
  const db = await openPostgres(postgres.url, console.error);
  ends.push(() => db.close());

  const secrets = new Map([OLD, NEW].map((id) => [id, randomBytes(32).toString('base64')]));
  const env = {
    SLUICE_ADMIN_PORT: '0',
    SLUICE_LOG_LEVEL: 'info',
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: temporal.namespace,
    DATABASE_URL: postgres.url,
    ACME_TOKEN: 'svc_test_token',
    ...Object.fromEntries([...secrets].map(([id, secret]) => [variableOf(id), secret])),
  };
  const port = await freePort();
  const config = configOf(sandbox.baseUrl, port, Object.keys(syncs));
  const logs: (() => string)[] = [];
  let restarts = 0;

  /** Starts a process of Sluice; rejects with what it wrote if it ends instead. */
  async function start(command: keyof typeof READY) {
    const process = startSluice(dist, dir, [command], env);
    ends.push(() => process.stop());
    logs.push(() => process.text('stderr'));
    await process.seen('stderr', READY[command]);
    return process;
  }

  return {
    temporal,
    db,
    panel: sandbox.panel,
    ingress: `http://127.0.0.1:${port}`,
    published: join(dir, 'published.jsonl'),
    start,
    /** Everything that the processes wrote to stderr. */
    log: () => logs.map((log) => log()).join('\n'),
    /** Names the keys, the first one encrypting, or none; processes that start from then on use them. */
    async configure(keys: Keys, ofLedger: Keys = keys): Promise<void> {
      const named = (ids: Keys) => ({
        encryption: { keys: ids.map((id) => ({ id, key: `env:${variableOf(id)}` })) },
      });
      const file = Object.assign({}, config, { temporal: named(keys), ledger: named(ofLedger) });
      await writeFile(join(dir, 'sluice.yaml'), stringify(file));
    },
    clientWith(...keys: Keys): Client {
      const [first, ...others] = keys.map((id) => readEncryptionKey(id, secrets.get(id) as string));
      const payloadCodecs = first === undefined ? [] : [createEncryptionCodec([first, ...others])];
      const { connection, namespace } = temporal;
      return new Client({ connection, namespace, dataConverter: { payloadCodecs } });
    },
    /** Runs a command of an operator. */
    async sluice(...args: string[]): Promise<string> {
      const own = Object.assign({}, process.env, env);
      const main = join(dist, 'src/cli/main.js');
      return (await promisify(execFile)(process.execPath, [main, ...args], { cwd: dir, env: own })).stdout;
    },
    /** Processes that do the work now. */
    fleet: [
      { command: 'worker', process: null },
      { command: 'worker', process: null },
      { command: 'ingress', process: null },
    ] as { readonly command: keyof typeof READY; process: Awaited<ReturnType<typeof start>> | null }[],
    restarts: () => restarts,
    /** Stops all processes. A process without the key could not read what others encrypt. */
    async stopAll(): Promise<void> {
      for (const member of this.fleet) {
        await member.process?.stop();
        member.process = null;
      }
    },
    /** Restarts the processes one after the other, with the keys of the configuration. */
    async restart(): Promise<void> {
      for (const member of this.fleet) {
        if (member.process !== null) restarts++;
        await member.process?.stop();
        member.process = await start(member.command);
      }
    },
    /** Workflows that are open now and began before this time: their histories begin with an older key. */
    async openSince(before: Date): Promise<string[]> {
      const query = `ExecutionStatus = 'Running' and StartTime < '${before.toISOString()}'`;
      const ids: string[] = [];
      for await (const { workflowId } of temporal.client.workflow.list({ query })) ids.push(workflowId);
      return ids;
    },
  };
}

const variableOf = (id: string) => id.toUpperCase().replaceAll('-', '_');

function serviceAccount(customers: readonly string[]) {
  return account({
    tokens: [{ value: 'svc_test_token', scopes: SCOPES }],
    contacts: customers.map((number, n) => ({ id: n + 1, number, name: `Customer ${n}` })),
    conversations: customers.map((_, n) => ({
      id: n + 1,
      contactId: n + 1,
      connectionId: 1,
      status: 'open',
      updatedAt: BEFORE_AT,
      messages: [{ id: `before-${n}`, body: 'before', at: BEFORE_AT }],
    })),
  });
}

function configOf(baseUrl: string, port: number, syncs: readonly string[]) {
  const each = <T>(entry: (name: string) => T) =>
    Object.fromEntries(syncs.map((name) => [name, entry(name)]));
  return {
    version: 1,
    accounts: {
      acme: { baseUrl, tokens: ['env:ACME_TOKEN'], callsPerMinute: RATE, announce: [{ sink: 'file' }] },
    },
    sources: each((name) => ({ type: 'csv', path: `./${name}.csv` })),
    mappings: {
      leads: MAPPING,
      form: {
        contact: { number: 'phone', name: 'name' },
        card: { pipeline: 'Sales', stage: { const: 'New' } },
      },
    },
    // The time of the schedules does not come while the test runs.
    syncs: each((name) => ({
      account: 'acme',
      source: name,
      mapping: 'leads',
      schedule: { cron: '0 0 29 2 *' },
    })),
    pollers: { inbox: { account: 'acme', interval: { min: '500ms', max: '1s' } } },
    sinks: { file: { type: 'jsonl', path: './published.jsonl' } },
    routes: {
      form: {
        account: 'acme',
        http: { path: '/form', auth: { type: 'none' } },
        action: { type: 'lead', mapping: 'form' },
      },
    },
    ingress: { http: { port } },
  };
}

/** Sends events and messages of customers until it is stopped. An event that nobody took is sent again, as senders do. */
export function startLoad({ ingress, panel }: Rotation, customers: readonly string[], everyMs: number) {
  const end = new AbortController();
  const begun = performance.now();
  const due = (n: number) => end.signal.aborted || n < (performance.now() - begun) / everyMs;
  const counts = { events: 0, again: 0 };
  const messages: string[] = [];
  let isQuiet = false;
  const send = async (n: number): Promise<number | null> => {
    const answer = await fetch(`${ingress}/form`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `event ${n}` },
      body: JSON.stringify({ phone: numberOfEvent(n), name: `Event ${n}` }),
    }).catch(() => null);
    return answer?.status ?? null;
  };
  const sending = async () => {
    while (!end.signal.aborted) {
      const n = counts.events++;
      await until(`event ${n} is accepted`, async () => {
        const isAccepted = (await send(n)) === 202;
        if (!isAccepted) counts.again++;
        return isAccepted;
      });
      await until('the next event is due', () => due(counts.events));
    }
  };
  const writing = async () => {
    for (let n = 0; !end.signal.aborted; n++) {
      const number = customers[n % customers.length] as string;
      if (!isQuiet)
        messages.push((await panel.inbound({ number, body: `message ${n}`, connectionId: 1 })).messageId);
      await until('the next message is due', () => due(n + 1));
    }
  };
  const both = Promise.all([sending(), writing()]);
  return {
    counts,
    /** Ids of the messages that customers wrote. */
    messages,
    /** Whether customers write nothing for now. */
    quiet(now: boolean): void {
      isQuiet = now;
    },
    async stop(): Promise<void> {
      end.abort();
      await both;
    },
  };
}

export const numberOfEvent = (n: number) => `+1 415 556 ${2000 + n}`;
