// Composition root of workers: starts Temporal workers for a configuration and a database.

import type { DataConverter, WorkerDeploymentVersion } from '@temporalio/common';
import {
  type ActivityInboundCallsInterceptor,
  type NativeConnection,
  Worker,
  type WorkerDeploymentOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import { createApiActivities, createEventActivities, createLedgerActivities } from '../activities/index.ts';
import { createCallCounter } from '../activities/shared/call-counter.ts';
import type { ActivityLog, Clock, Deps } from '../activities/shared/deps.ts';
import { HEARTBEAT_MS } from '../activities/shared/heartbeats.ts';
import type { LoadedConfig } from '../src/config/load.ts';
import { openSource } from '../src/connectors/sources/index.ts';
import { durationMs } from '../src/core/config/base.ts';
import { apiQueue, eventQueue, WORK_QUEUE } from '../src/core/ids.ts';
import type { Database } from '../src/core/sql/database.ts';
import { ledgerClock } from '../src/core/sql/ledger-clock.ts';
import { NO_TRACING, type Tracing } from '../src/core/tracing.ts';
import { compileMapping } from '../src/mapping/index.ts';
import type { Metrics } from '../src/observe/metrics/index.ts';
import { traceCall } from '../src/observe/tracing/calls.ts';
import type { EndedCall } from '../src/operator/store/calls.ts';
import { createBudget } from '../src/service/budget/slots.ts';
import { openSnapshots, type Snapshots } from './snapshots.ts';
import { tracedActivities } from './traced-activities.ts';

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
/** Sinks that reloads can add. */
const MORE_SINKS = 16;
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
  /** Counts calls and finished work. @default nothing counts */
  readonly metrics?: Pick<Metrics, 'calls' | 'work'> | undefined;
  /** @default nothing is traced */
  readonly tracing?: Tracing | undefined;
}

export interface OpenDeps {
  readonly deps: Deps;
  /** Opens what another configuration needs. Activities that begin after the commit work with it. */
  readonly prepare: Snapshots['prepare'];
  /** Closes the sockets of clients and sinks. */
  close(): Promise<void>;
}

/**
 * Builds the dependencies of activities: one client per token, with resolved tokens.
 * @throws SecretError when a token or password is missing
 */
export async function createDeps(options: DepsOptions): Promise<OpenDeps> {
  const { db, log, deadlineMs, metrics, tracing = NO_TRACING } = options;
  const snapshots = await openSnapshots(options.config, { log, deadlineMs, tracing });
  const configNow = () => snapshots.now().config;
  const onEnded = (call: EndedCall) => {
    metrics?.calls.ended(call);
    if (tracing.isOn) traceCall(tracing, call);
  };
  const deps: Deps = {
    db,
    log,
    budget: createBudget(db, snapshots.planOf),
    calls: createCallCounter(db, onEnded),
    ...(metrics !== undefined && { outcomes: metrics.work }),
    run: snapshots.run,
    account(name) {
      const account = snapshots.now().accounts.get(name);
      if (account === undefined) throw new Error(`there is no account "${name}" in ${configNow().file}`);
      return account;
    },
    announce: (account) => snapshots.now().accounts.get(account)?.announce ?? [],
    spec(account, sync) {
      const spec = configNow().spec(sync);
      if (spec.account !== account)
        throw new Error(`the sync "${sync}" belongs to the account "${spec.account}", not "${account}"`);
      return spec;
    },
    poller(account, name) {
      const { config, file } = configNow();
      const poller = config.pollers[name];
      if (poller?.account === account) return poller;
      throw new Error(`the account "${account}" has no poller "${name}" in ${file}`);
    },
    campaign(account, name) {
      const { campaign, file } = configNow();
      const spec = campaign(name);
      if (spec.account === account) return spec;
      throw new Error(`the account "${account}" has no campaign "${name}" in ${file}`);
    },
    clock: options.clock ?? ledgerClock(db),
    openSource(source) {
      const { dir, secret } = configNow();
      return openSource(source, { baseDir: dir, secret: async (ref) => (await secret(ref)).value });
    },
    baseDir: options.config.dir,
    compileMapping,
    sink(name) {
      const sink = snapshots.now().sinks.get(name);
      if (sink === undefined) throw new Error(`there is no sink "${name}" in ${configNow().file}`);
      return sink;
    },
    sinkNames: Object.keys(options.config.config.sinks),
    sinkRetry(name) {
      const { config, file } = configNow();
      const sink = config.sinks[name];
      if (sink === undefined) throw new Error(`there is no sink "${name}" in ${file}`);
      return sink.type === 'http' ? sink.retry.map(durationMs) : null;
    },
  };
  return {
    deps,
    prepare: snapshots.prepare,
    close: async () => {
      await deps.calls.flush();
      await snapshots.close();
    },
  };
}

export interface WorkersOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly deps: Deps;
  /** Workflow code: the bundle made at build time, or a path to bundle from. */
  readonly workflows: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'>;
  /** Encryption of payloads. @default the converter of the SDK */
  readonly dataConverter?: DataConverter;
  /** @default "sluice" */
  readonly workQueue?: string;
  /** @default nothing is traced */
  readonly tracing?: Tracing | undefined;
  /** Takes only the work of this version. @default any work, whatever code began it */
  readonly version?: WorkerDeploymentVersion | null;
}

export interface Workers {
  /** Rejects when a worker fails; resolves after `stop`. */
  readonly done: Promise<void>;
  /** True while all workers take work. */
  isRunning(): boolean;
  /** Takes and answers work over another connection from now on. */
  moveTo(connection: NativeConnection): void;
  /** Accepts no new work, lets active calls end, and returns when all have ended. */
  stop(): Promise<void>;
}

function deploymentOptions(version: WorkerDeploymentVersion): WorkerDeploymentOptions {
  return { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' };
}

/** Starts the workers of a process: for workflows and ledger work, for batches, and for events. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { connection, namespace, deps, dataConverter = {}, workQueue = WORK_QUEUE } = options;
  const { tracing = NO_TRACING, version = null } = options;
  const { db, log } = deps;
  const withOneConfiguration: ActivityInboundCallsInterceptor['execute'] = (input, next) =>
    deps.run?.(() => next(input)) ?? next(input);
  const traced = tracing.isOn ? [tracedActivities({ tracing, db, log })] : [];
  const common = {
    connection,
    namespace,
    dataConverter,
    shutdownForceTime: SHUTDOWN_MS,
    // Workflow types say for themselves which version continues them, see workflows/versioning.ts.
    ...(version === null ? {} : { workerDeploymentOptions: deploymentOptions(version) }),
    // A pause arrives with the answer to a heartbeat, so no heartbeat may be throttled.
    maxHeartbeatThrottleInterval: HEARTBEAT_MS,
    defaultHeartbeatThrottleInterval: HEARTBEAT_MS,
    interceptors: { activity: [() => ({ inbound: { execute: withOneConfiguration } }), ...traced] },
  };
  const work = await Worker.create({
    ...common,
    ...options.workflows,
    taskQueue: workQueue,
    activities: createLedgerActivities(deps),
    maxConcurrentActivityTaskExecutions: LEDGER_SLOTS + MORE_SINKS + deps.sinkNames.length,
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
    isRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    moveTo(connection) {
      for (const worker of workers) worker.connection = connection;
    },
    async stop() {
      for (const worker of workers) {
        if (worker.getState() === 'RUNNING') worker.shutdown();
      }
      await done;
    },
  };
}
