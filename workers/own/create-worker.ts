// A worker for a team's own workflows and activities, which spend calls within Sluice's budget, lanes, intents and ledger.
import { Worker } from '@temporalio/worker';
import { createSluice, type Sluice } from '../../activities/own/sluice.ts';
import type { ActivityLog } from '../../activities/shared/deps.ts';
import { HEARTBEAT_MS, withHeartbeats } from '../../activities/shared/heartbeats.ts';
import { type Admin, startAdmin } from '../../src/app/admin.ts';
import { CONFIG_CHECKS } from '../../src/app/config-checks.ts';
import { openLedger } from '../../src/app/ledger/ledger-database.ts';
import { openLedgerCipher } from '../../src/app/ledger/ledger-encryption.ts';
import { createLiveConfig } from '../../src/config/live-config.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { WORK_QUEUE, workQueueOf } from '../../src/core/ids.ts';
import { createShutdown, type Shutdown, type ShutdownHost } from '../../src/core/shutdown.ts';
import { measuredDatabase } from '../../src/core/sql/measured-database.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { configuredTarget } from '../../src/temporal/configured-target.ts';
import { followAccess } from '../../src/temporal/followed-access.ts';
import { openDataConverter } from '../../src/temporal/temporal-encryption.ts';
import type { TemporalTarget } from '../../src/temporal/temporal-target.ts';
import { createDeps } from '../compose.ts';
import { openWorkerConnection } from '../worker-connection.ts';
import { toOwnFailure } from './activity-errors.ts';

/** Activities that wait for slots cost a few kilobytes each; the budget limits the calls. */
const ACTIVITIES = 1000;
/** As Sluice's own workers: the client's deadline is 30 s. */
const SHUTDOWN_MS = 40_000;
const CLOSE_MS = 45_000;

type Env = Readonly<Record<string, string | undefined>>;

export interface OwnWorkerOptions {
  /** Path of the configuration. @default SLUICE_CONFIG, otherwise sluice.yaml in the current folder */
  readonly config?: string;
  /** File with the workflows, as `workflowsPath` of Temporal's worker. Without it the worker takes activities only. */
  readonly workflowsPath?: string;
  /** Makes the activities, by name. */
  readonly activities: (sluice: Sluice) => object;
  /** Task queue of the worker: a name of your own, not one of Sluice's. */
  readonly taskQueue: string;
  /** Names the worker in the call log and the overview: letters, digits, `.`, `_` and `-`. @default the task queue */
  readonly name?: string;
  /** TEMPORAL_ADDRESS, DATABASE_URL, secrets and the other variables of `sluice worker`. @default process.env */
  readonly env?: Env;
  /** @default JSON lines on stderr, from the level of SLUICE_LOG_LEVEL or `warn` on */
  readonly log?: ActivityLog;
}

export interface OwnWorker {
  /** Address of its metrics and health, for example `http://127.0.0.1:9464`. */
  readonly adminUrl: string;
  /**
   * Works until `stop`, or until a signal ends the process. Then closes all connections.
   * @throws what made the worker fail
   */
  run(): Promise<void>;
  /** Accepts no new work, lets calls under way end, and returns when everything is closed. */
  stop(): Promise<void>;
}

/** Thrown when a worker of one's own cannot be made like this. The message says what to change. */
export class OwnWorkerError extends Error {
  override readonly name = 'OwnWorkerError';
}

/** The SDK handles the signals of the system. */
const NO_SIGNALS: ShutdownHost = { on() {}, off() {}, exit() {}, endNow() {} };

/**
 * Connects to the Temporal server and the PostgreSQL ledger that Sluice's processes share.
 * @throws OwnWorkerError; the errors of the configuration, of secrets, of the ledger and of Temporal
 */
export async function createWorker(options: OwnWorkerOptions): Promise<OwnWorker> {
  const { env = process.env } = options;
  const name = checkedName(options, env);
  const log = options.log ?? createLogger({ level: env.SLUICE_LOG_LEVEL || 'warn' });
  const say = (line: string) => log.warn({}, line);
  const shutdown = createShutdown({ graceMs: CLOSE_MS, say, host: NO_SIGNALS });
  try {
    const config = await loadConfig(options.config ?? (env.SLUICE_CONFIG || 'sluice.yaml'), {
      env,
      ...CONFIG_CHECKS,
      secretsOf: ['accounts', 'sinks', 'temporal', 'ledger'],
    });
    const target = await configuredTarget(env, config);
    if (target === null) throw new OwnWorkerError(unset('`temporal.address` or TEMPORAL_ADDRESS'));
    return await open({ ...options, env, name, target, log, config, shutdown });
  } catch (error) {
    await shutdown.run('the worker could not start');
    throw error;
  }
}

interface Opening extends Omit<OwnWorkerOptions, 'config'> {
  readonly env: Env;
  readonly name: string;
  readonly target: TemporalTarget;
  readonly log: ActivityLog;
  readonly config: LoadedConfig;
  readonly shutdown: Shutdown;
}

async function open(opening: Opening): Promise<OwnWorker> {
  const { name, target, log, config, shutdown, taskQueue, workflowsPath } = opening;
  const live = createLiveConfig(config, { log });
  const admin = await startAdmin({
    process: 'own-worker',
    admin: config.config.admin,
    env: opening.env,
    // Sluice's own worker may have the port.
    fallback: true,
    log,
    shutdown,
  });
  live.onReport(admin.metrics.config.reloaded);
  const db = await openDatabase(opening, admin);
  admin.watchLedger(db, () => live.current());
  const { deps, prepare, close } = await createDeps({ config, db, log, metrics: admin.metrics });
  live.follow({ name: 'own worker', prepare });
  shutdown.add('API clients', close);
  const access = followAccess(target.access, {
    read: () => configuredTarget(opening.env, config),
    signal: shutdown.signal,
    log,
  });
  const connection = await openWorkerConnection(target.address, access, shutdown);
  const worker = await Worker.create({
    connection: connection.current,
    namespace: target.namespace,
    taskQueue,
    dataConverter: await openDataConverter(config),
    ...(workflowsPath === undefined ? {} : { workflowsPath }),
    activities: opening.activities(createSluice(deps, name)),
    maxConcurrentActivityTaskExecutions: ACTIVITIES,
    shutdownForceTime: SHUTDOWN_MS,
    // A cancellation arrives with the answer to a heartbeat.
    maxHeartbeatThrottleInterval: HEARTBEAT_MS,
    defaultHeartbeatThrottleInterval: HEARTBEAT_MS,
    interceptors: {
      activity: [
        () => ({
          inbound: {
            async execute(input, next) {
              const work = () => withHeartbeats(() => next(input));
              try {
                return await (deps.run?.(work) ?? work());
              } catch (error) {
                throw toOwnFailure(error);
              }
            },
          },
        }),
      ],
    },
  });
  connection.onChange((renewed) => {
    worker.connection = renewed;
  });
  admin.watchPart('worker', async () =>
    worker.getState() === 'RUNNING'
      ? { ready: true }
      : { ready: false, code: 'WORKER', error: 'the worker does not run' },
  );
  watchConfig(live, shutdown.signal).catch((error: unknown) =>
    log.error({ err: error }, 'the configuration could not be loaded again'),
  );
  let running: Promise<void> | null = null;
  const stopWorker = async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    // An error reaches whoever called `run`.
    await running?.catch(() => undefined);
  };
  shutdown.add('worker', stopWorker);
  return {
    adminUrl: admin.url,
    async run() {
      if (running !== null || shutdown.signal.aborted)
        throw new OwnWorkerError('a worker runs once; make another one with createWorker');
      running = worker.run();
      admin.started();
      try {
        await running;
      } finally {
        await shutdown.run('the worker ended');
      }
    },
    stop: () => shutdown.run('stop'),
  };
}

async function openDatabase({ config, env, log, shutdown }: Opening, admin: Admin) {
  const db = await openLedger({
    url: env.DATABASE_URL,
    // Not used: the ledger is PostgreSQL.
    stateDir: '',
    cipher: await openLedgerCipher(config),
    onError: (error) => log.error({ err: error }, 'the database dropped a connection'),
  });
  shutdown.add('ledger', () => db.close());
  return measuredDatabase(db, admin.metrics.ledger.statement);
}

function checkedName({ taskQueue, name = taskQueue }: OwnWorkerOptions, env: Env): string {
  if (!env.DATABASE_URL) throw new OwnWorkerError(unset('DATABASE_URL'));
  if (!taskQueue || workQueueOf(taskQueue) === WORK_QUEUE)
    throw new OwnWorkerError(
      `the task queue ${JSON.stringify(taskQueue)} is not one of your own: workers of Sluice take the work of "${WORK_QUEUE}"; name another one`,
    );
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name))
    throw new OwnWorkerError(
      `the name ${JSON.stringify(name)} of the worker must have letters, digits, ".", "_" and "-" only; set \`name\``,
    );
  return name;
}

function unset(what: string): string {
  return `set ${what}: your worker shares Temporal and the ledger with Sluice, and the embedded ones of \`sluice dev\` belong to its process. Start a Temporal server and a PostgreSQL, and name both for Sluice's processes and for yours`;
}
