// Composition root of workers: starts Temporal workers for a configuration and a database.

import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createApiActivities, createEventActivities, createLedgerActivities } from '../activities/index.ts';
import { createCallCounter } from '../activities/shared/call-counter.ts';
import type { AccountAccess, ActivityLog, Clock, Deps, TokenAccess } from '../activities/shared/deps.ts';
import { HEARTBEAT_MS } from '../activities/shared/heartbeats.ts';
import { resolveAssumptions } from '../src/api-client/assumptions.ts';
import { MessagingClient } from '../src/api-client/client.ts';
import { type Budget, createBudget, type TokenPlan } from '../src/budget/slots.ts';
import type { LoadedConfig } from '../src/config/load.ts';
import { durationMs } from '../src/contracts/config/config-base.ts';
import { apiQueue, eventQueue, WORK_QUEUE } from '../src/contracts/ids.ts';
import type { Database } from '../src/ledger/database.ts';
import { shortHash } from '../src/ledger/short-hash.ts';
import { compileMapping } from '../src/mapping/index.ts';
import { openSink } from '../src/sinks/index.ts';
import type { Sink } from '../src/sinks/sink.ts';
import { openSource } from '../src/sources/index.ts';

/**
 * Maximum number of API activities in one process. A batch keeps its slot for a minute while it waits for the token's
 * calls, so there must be more slots than batches: an account whose batch found no slot would make no calls. A hundred
 * accounts with two batches each use 200. A waiting batch costs a few kilobytes; the budget limits the calls.
 */
const API_SLOTS = 1000;
/** Maximum number of event activities, which also wait for their calls. */
const EVENT_SLOTS = 1000;
/** Activities in addition to one per sink: a sink that hangs delays only its own activities. */
const LEDGER_SLOTS = 8;
/** Time for calls to end when a worker shuts down: the client's deadline is 30 s. */
const SHUTDOWN_MS = 40_000;

export interface DepsOptions {
  readonly config: LoadedConfig;
  readonly db: Database;
  readonly log: ActivityLog;
  /** Milliseconds for one call of the API, body included. @default 30_000 */
  readonly deadlineMs?: number;
  /** Clock of campaigns. @default the clock of this machine */
  readonly clock?: Clock;
}

/**
 * Builds the dependencies of activities: one client per token, with resolved tokens.
 * @returns the dependencies, and `close` for the sockets of clients and sinks
 * @throws SecretError when a token or password is missing
 */
export async function createDeps(options: DepsOptions): Promise<{ deps: Deps; close: () => Promise<void> }> {
  const { config, db, log, deadlineMs } = options;
  const { accounts, budget, close: closeAccounts } = await openAccounts(config, db, deadlineMs);
  const sinks = await openSinks(config, log);
  const deps: Deps = {
    db,
    log,
    budget,
    calls: createCallCounter(db),
    account(name) {
      const account = accounts.get(name);
      if (account === undefined) throw new Error(`there is no account "${name}" in ${config.file}`);
      return account;
    },
    spec(account, sync) {
      const spec = config.spec(sync);
      if (spec.account !== account)
        throw new Error(`the sync "${sync}" belongs to the account "${spec.account}", not "${account}"`);
      return spec;
    },
    poller(account, name) {
      const poller = config.config.pollers[name];
      if (poller?.account === account) return poller;
      throw new Error(`the account "${account}" has no poller "${name}" in ${config.file}`);
    },
    campaign(account, name) {
      const spec = config.campaign(name);
      if (spec.account === account) return spec;
      throw new Error(`the account "${account}" has no campaign "${name}" in ${config.file}`);
    },
    clock: options.clock ?? { now: async () => Date.now() },
    openSource: (source) =>
      openSource(source, { baseDir: config.dir, secret: async (ref) => (await config.secret(ref)).value }),
    baseDir: config.dir,
    compileMapping,
    sink(name) {
      const sink = sinks.get(name);
      if (sink === undefined) throw new Error(`there is no sink "${name}" in ${config.file}`);
      return sink;
    },
    sinkNames: [...sinks.keys()],
    sinkRetry(name) {
      const sink = config.config.sinks[name];
      if (sink === undefined) throw new Error(`there is no sink "${name}" in ${config.file}`);
      return sink.type === 'http' ? sink.retry.map(durationMs) : null;
    },
  };
  return {
    deps,
    close: async () => {
      await deps.calls.flush();
      await Promise.all([closeAccounts(), ...[...sinks.values()].map((sink) => sink.close())]);
    },
  };
}

export interface OpenAccounts {
  readonly accounts: ReadonlyMap<string, AccountAccess>;
  readonly budget: Budget;
  close(): Promise<void>;
}

/**
 * Opens a client per token of these accounts, and their budget.
 * @throws SecretError when a token is missing
 */
export async function openAccounts(
  config: LoadedConfig,
  db: Database,
  deadlineMs?: number,
  names: readonly string[] = Object.keys(config.config.accounts),
): Promise<OpenAccounts> {
  const accounts = new Map<string, AccountAccess>();
  const plans = new Map<string, TokenPlan>();
  for (const [name, account] of Object.entries(config.config.accounts)) {
    if (!names.includes(name)) continue;
    const { callsPerMinute: limit, reserve, floor } = account;
    const tokens = new Map<string, TokenAccess>();
    for (const [at, ref] of account.tokens.entries()) {
      const { value: token } = await config.secret(ref);
      // Identifies the token without its value.
      const key = shortHash(token);
      if (tokens.has(key)) continue;
      plans.set(key, { limit, ...reserve, floor });
      const { baseUrl, assumptions } = account;
      const client = new MessagingClient({ baseUrl, token, assumptions, deadlineMs });
      tokens.set(key, { client, key, position: at + 1 });
    }
    const keys = [...tokens.keys()];
    accounts.set(name, {
      name,
      tokens: [...tokens.values()],
      tokenKey: keys.length === 1 ? (keys[0] as string) : shortHash(keys.sort().join(' ')),
      settleSeconds: resolveAssumptions(account.assumptions)['readBack.settleSeconds'],
      announce: account.announce,
      optOut: account.optOut,
    });
  }
  const budget = createBudget(db, (token) => {
    const plan = plans.get(token);
    if (plan === undefined) throw new Error('no account has the token that this slot belongs to');
    return plan;
  });
  const close = async () => {
    const clients = [...accounts.values()].flatMap(({ tokens }) => tokens.map(({ client }) => client));
    await Promise.all(clients.map((client) => client.close()));
  };
  return { accounts, budget, close };
}

async function openSinks(config: LoadedConfig, log: ActivityLog): Promise<Map<string, Sink>> {
  const sinks = new Map<string, Sink>();
  for (const [name, sink] of Object.entries(config.config.sinks)) {
    const opened = await openSink(sink, {
      name,
      secret: async (ref) => (await config.secret(ref)).value,
      baseDir: config.dir,
      log: (fields, message) => log.info({ sink: name, ...fields }, message),
    });
    sinks.set(name, opened);
  }
  return sinks;
}

export interface WorkersOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly deps: Deps;
  /** Workflow code: the bundle made at build time, or a path to bundle from. */
  readonly workflows: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'>;
  /** @default "sluice" */
  readonly workQueue?: string;
}

export interface Workers {
  /** Rejects when a worker fails; resolves after `stop`. */
  readonly done: Promise<void>;
  /** Accepts no new work, lets active calls end, and returns when all have ended. */
  stop(): Promise<void>;
}

/** Starts the workers of a process: for workflows and ledger work, for batches, and for events. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { connection, namespace, deps, workQueue = WORK_QUEUE } = options;
  const common = {
    connection,
    namespace,
    shutdownForceTime: SHUTDOWN_MS,
    // A pause arrives with the answer to a heartbeat, so no heartbeat may be throttled.
    maxHeartbeatThrottleInterval: HEARTBEAT_MS,
    defaultHeartbeatThrottleInterval: HEARTBEAT_MS,
  };
  const work = await Worker.create({
    ...common,
    ...options.workflows,
    taskQueue: workQueue,
    activities: createLedgerActivities(deps),
    maxConcurrentActivityTaskExecutions: LEDGER_SLOTS + deps.sinkNames.length,
  });
  const api = await Worker.create({
    ...common,
    taskQueue: apiQueue(workQueue),
    activities: createApiActivities(deps),
    maxConcurrentActivityTaskExecutions: API_SLOTS,
  });
  const events = await Worker.create({
    ...common,
    taskQueue: eventQueue(workQueue),
    activities: createEventActivities(deps),
    maxConcurrentActivityTaskExecutions: EVENT_SLOTS,
  });
  const workers = [work, api, events];
  const runs = workers.map((worker) => worker.run());
  const done = Promise.all(runs).then(() => undefined);
  // A caller that ignores `done` still gets the error from `stop`.
  done.catch(() => undefined);
  return {
    done,
    async stop() {
      for (const worker of workers) {
        if (worker.getState() === 'RUNNING') worker.shutdown();
      }
      await done;
    },
  };
}
