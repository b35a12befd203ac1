// A whole Sluice for one test: sandbox, ledger, workers and a Temporal namespace, wired as in production.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandleWithStartDetails } from '@temporalio/client';
import { stringify } from 'yaml';
import type { ActivityLog, Clock, Deps } from '../../activities/shared/deps.ts';
import { loadConfig } from '../../src/config/load.ts';
import { crmSyncWorkflowId } from '../../src/core/ids.ts';
import type { Database } from '../../src/core/sql/database.ts';
import type { Tracing } from '../../src/core/tracing.ts';
import type { RunReport } from '../../src/jobs/sync/contract/run.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { createDeps, startWorkers } from '../../workers/compose.ts';
import type { crmSync } from '../../workflows/crm-sync.ts';
import { type PanelRequest, panelOf } from './panel.ts';
import { emptyLedger } from './postgres/ledger.ts';
import { type ReshapedService, type Rule, reshape } from './reshaped/reshaped-service.ts';
import type { TestTemporal } from './temporal/temporal.ts';
import { startWorkflowWorker, type WorkflowWorker } from './temporal/workflow-worker.ts';

/** An account with one pipeline, tags, a source and a connection; `over` replaces whole parts. */
export function account(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'acme',
    tokens: [{ value: 'svc_test_token', scopes: ['contacts:write', 'cards:write', 'connections:read'] }],
    connections: [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' }],
    tags: [
      { id: 1, name: 'crm' },
      { id: 2, name: 'vip' },
      { id: 3, name: 'by-hand' },
    ],
    sources: [{ id: 7, name: 'site' }],
    customFields: [{ name: 'plan', type: 'select', options: ['basic', 'pro'] }],
    pipelines: [
      {
        id: 1,
        name: 'Sales',
        stages: [
          { id: 11, name: 'New', order: 1, probability: 10 },
          { id: 12, name: 'Talking', order: 2, probability: 40 },
          { id: 13, name: 'Won', order: 3, probability: 100, isFinal: true, isWon: true },
        ],
      },
    ],
    ...over,
  };
}

/** The mapping of the columns that the tests' CSV files have. */
export const MAPPING = {
  defaultCountry: 'BR',
  contact: { number: 'phone', name: 'name', email: 'email' },
  tags: [{ path: 'tags', split: '|' }],
  extraInfo: { company: 'company' },
  card: { pipeline: 'Sales', when: 'stage', stage: 'stage', customFields: { plan: 'plan' } },
};

export interface EnvironmentOptions {
  readonly temporal: TestTemporal;
  readonly account?: Record<string, unknown>;
  readonly mapping?: Record<string, unknown>;
  readonly sync?: Record<string, unknown>;
  /** The part `sinks` of sluice.yaml; a sync says with `announce` which one it uses. */
  readonly sinks?: Record<string, unknown>;
  readonly csv: string;
  /** What becomes of the service's answers: see reshaped-service.ts. @default they come as the sandbox gives them */
  readonly shape?: readonly Rule[];
  /** The part `pollers` of sluice.yaml, and what its account announces. */
  readonly pollers?: Record<string, unknown>;
  readonly announce?: readonly unknown[];
  /** The part `campaigns` of sluice.yaml, and further keys of the account's entry. */
  readonly campaigns?: Record<string, unknown>;
  readonly accountConfig?: Record<string, unknown>;
  /** Further entries of sluice.yaml; their accounts may use the token in `env:OTHER_TOKEN`. */
  readonly more?: { readonly accounts: Record<string, unknown>; readonly syncs: Record<string, unknown> };
  /** Overrides of assumptions. */
  readonly assumptions?: Record<string, unknown>;
  /** @default 0: no limit */
  readonly rate?: number;
  /** Seconds until a write that can't be read back counts as not happened. @default 2 */
  readonly settleSeconds?: number;
  /** Emptied first; one Temporal server serves all tests of a file, as its start takes two seconds. */
  readonly db: Database;
  /** Milliseconds for one call of the API. @default 30_000 */
  readonly deadlineMs?: number;
  /** Runs the workflows; nothing of them outlives the environment. @default one of its own */
  readonly workflows?: WorkflowWorker;
  /** What campaigns and the service go by. @default the clock of this machine */
  readonly time?: Pick<SandboxOptions, 'now'> & { readonly clock: Clock };
  /** Hears the activities. @default errors go to the console */
  readonly log?: ActivityLog;
  /** @default nothing is traced */
  readonly tracing?: Tracing;
}

export interface Environment {
  readonly sandbox: Sandbox;
  /** Null without `shape`. */
  readonly service: ReshapedService | null;
  readonly db: Database;
  /** What the activities of this environment depend on: for calling one of them by itself. */
  readonly deps: Deps;
  readonly panel: ReturnType<typeof panelOf>;
  readonly workQueue: string;
  /** Replaces the source's content. */
  write(csv: string): Promise<void>;
  /** Starts the sync without waiting for it. */
  start(): Promise<WorkflowHandleWithStartDetails<typeof crmSync>>;
  /** Runs the sync to its end. */
  run(): Promise<RunReport>;
  /** Requests since the last call of this, of the API only. */
  requests(): Promise<PanelRequest[]>;
  /** Takes the service down: connections are refused until the returned function brings it back, state and all. */
  outage(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { temporal } = options;
  const dir = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  const serve = (port: number) =>
    startSandbox({
      port,
      dataDir: join(dir, 'sandbox'),
      fixture: { accounts: [options.account ?? account()] },
      rate: options.rate ?? 0,
      ...(options.time?.now === undefined ? {} : { now: options.time.now }),
    });
  let sandbox = await serve(0);
  const service = options.shape === undefined ? null : await reshape(sandbox.baseUrl, ...options.shape);
  const write = (csv: string) => writeFile(join(dir, 'leads.csv'), csv);
  await write(options.csv);
  await writeFile(
    join(dir, 'sluice.yaml'),
    stringify({
      version: 1,
      accounts: {
        acme: {
          baseUrl: service?.baseUrl ?? sandbox.baseUrl,
          tokens: ['env:TOKEN'],
          // Until the first answer shows the limit; no test waits for that.
          callsPerMinute: 60_000,
          announce: options.announce ?? [],
          ...options.accountConfig,
          assumptions: { ...options.assumptions, 'readBack.settleSeconds': options.settleSeconds ?? 2 },
        },
        ...options.more?.accounts,
      },
      sources: { leads: { type: 'csv', path: './leads.csv' } },
      mappings: { leads: options.mapping ?? MAPPING },
      sinks: options.sinks ?? {},
      pollers: options.pollers ?? {},
      campaigns: options.campaigns ?? {},
      syncs: {
        leads: { account: 'acme', source: 'leads', mapping: 'leads', ...options.sync },
        ...options.more?.syncs,
      },
    }),
  );
  const config = await loadConfig(join(dir, 'sluice.yaml'), {
    env: { TOKEN: 'svc_test_token', OTHER_TOKEN: 'svc_test_other' },
  });
  const { db } = options;
  await emptyLedger(db);
  const silent = { info() {}, warn() {}, error: console.error };
  const { deps, close: closeDeps } = await createDeps({
    config,
    db,
    log: options.log ?? silent,
    tracing: options.tracing,
    ...(options.time === undefined ? {} : { clock: options.time.clock }),
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
  });
  const workflows = options.workflows ?? (await startWorkflowWorker(temporal));
  const { workQueue } = workflows;
  const workers = await startWorkers({
    connection: temporal.nativeConnection,
    namespace: temporal.namespace,
    deps,
    // Another worker has them, and takes no activity.
    workflows: {},
    workQueue,
    tracing: options.tracing,
  });
  const panel = panelOf(sandbox.panelUrl);
  const start = async () =>
    await temporal.client.workflow.start<typeof crmSync>('crmSync', {
      workflowId: `${workQueue}/${crmSyncWorkflowId('acme', 'leads')}`,
      taskQueue: workQueue,
      args: [{ account: 'acme', sync: 'leads' }],
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  let seen = 0;
  const environment: Environment = {
    get sandbox() {
      return sandbox;
    },
    service,
    db,
    deps,
    panel,
    workQueue,
    write,
    start,
    run: async () => await (await environment.start()).result(),
    async requests() {
      const all = await panel.requests(seen);
      seen = all.at(-1)?.seq ?? seen;
      return all;
    },
    async outage() {
      const { port } = sandbox;
      await sandbox.close();
      return async () => {
        sandbox = await serve(port);
      };
    },
    async close() {
      await workflows.endAll().finally(() => workers.stop());
      if (options.workflows === undefined) await workflows.stop();
      await closeDeps();
      await service?.close();
      await sandbox.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return environment;
}
