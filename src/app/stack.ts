// Runs everything that syncs need in one process: the Temporal server, the ledger, and workers.

import { readFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { ActivityLog } from '../../activities/shared/deps.ts';
import { BUNDLE_PATH, ENCRYPTED_BUNDLE_PATH } from '../../workers/bundle.ts';
import { createDeps, startWorkers } from '../../workers/compose.ts';
import { openWorkerConnection } from '../../workers/worker-connection.ts';
import type { LiveConfig } from '../config/live-config.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Shutdown } from '../core/shutdown.ts';
import type { Database } from '../core/sql/database.ts';
import { measuredDatabase } from '../core/sql/measured-database.ts';
import type { Tracing } from '../core/tracing.ts';
import { openRestore } from '../protect/restore/restores.ts';
import { cacheDirOf } from '../temporal/cache-dir.ts';
import { configuredTarget } from '../temporal/configured-target.ts';
import { followAccess } from '../temporal/followed-access.ts';
import { SEARCH_ATTRIBUTES } from '../temporal/search-attributes.ts';
import { openClient } from '../temporal/temporal-client.ts';
import { isEncrypting, openDataConverter } from '../temporal/temporal-encryption.ts';
import { startTemporal, type TemporalServer } from '../temporal/temporal-server.ts';
import { uiWarning } from '../temporal/temporal-ui.ts';
import type { Admin } from './admin.ts';
import { openLedger } from './ledger/ledger-database.ts';
import { keepEncrypted, openLedgerCipher } from './ledger/ledger-encryption.ts';
import { startNotices } from './notices.ts';
import { restartEvents } from './restart-events.ts';
import { enforceRetention } from './retention.ts';
import { showPresence } from './worker-presence.ts';

export interface StackOptions {
  readonly config: LoadedConfig;
  /** Workers follow its reloads. @default `config` never changes */
  readonly live?: LiveConfig | undefined;
  /** State folder; the caller owns its lock. */
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: ActivityLog;
  say(line: string): void;
  /** Starts the web UI of an embedded Temporal server too. @default false */
  readonly temporalUi?: boolean;
  /** The process lives until somebody ends it, so it may send notices. @default false */
  readonly staysUp?: boolean;
  /** Version of the workers. @default they take any work */
  readonly version?: WorkerDeploymentVersion | null;
  /** The ledger, if the caller has opened it already. */
  readonly db?: Database;
  /** Counts what this process does, and shows its health. @default nothing counts */
  readonly admin?: Admin | undefined;
  /** @default nothing is traced */
  readonly tracing?: Tracing | undefined;
  /** Closes what is opened here. */
  readonly shutdown: Shutdown;
}

export interface Stack {
  readonly temporal: TemporalServer;
  readonly client: Client;
  readonly db: Database;
  /** Rejects when the worker or an embedded server ends unexpectedly. */
  readonly failed: Promise<never>;
}

/** Opens Temporal, ledger and workers. `shutdown` closes them in reverse order. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { config, live, stateDir, env, log, say, shutdown, admin, tracing } = options;
  const configNow = () => live?.current() ?? config;
  const dataConverter = await openDataConverter(config);
  const readTarget = () => configuredTarget(env, config);
  const target = await readTarget();
  const temporal = await startTemporal({
    target,
    stateDir,
    env,
    cacheDir: cacheDirOf(env),
    say,
    searchAttributes: SEARCH_ATTRIBUTES,
    namespace: target?.namespace ?? config.config.temporal.namespace ?? (env.TEMPORAL_NAMESPACE || 'default'),
    ui: options.temporalUi ?? false,
    signal: shutdown.signal,
  });
  shutdown.add('Temporal server', () => temporal.stop());
  if (temporal.uiUrl !== null) say(uiWarning(temporal.uiUrl));
  // A shutdown began while Temporal started: open nothing more.
  shutdown.signal.throwIfAborted();
  const db = options.db ?? (await openOwnLedger(options));
  admin?.watchLedger(db, configNow);
  const expectWork = () => {
    admin?.metrics.work.expect(configNow().config);
    admin?.metrics.calls.expect(configNow().config.accounts);
  };
  expectWork();
  live?.onChange(expectWork);
  shutdown.signal.throwIfAborted();
  const metrics = admin?.metrics;
  const { deps, prepare, close } = await createDeps({ config, db, log, metrics, tracing });
  live?.follow({ name: 'workers', prepare });
  shutdown.add('API clients', close);
  const access = followAccess(temporal.access, {
    read: readTarget,
    signal: shutdown.signal,
    log,
  });
  const connection = await openWorkerConnection(temporal.address, access, shutdown);
  const client = await openClient({ ...temporal, access }, dataConverter, shutdown);
  shutdown.signal.throwIfAborted();
  const bundle = isEncrypting(dataConverter) ? ENCRYPTED_BUNDLE_PATH : BUNDLE_PATH;
  const workers = await startWorkers({
    connection: connection.current,
    namespace: temporal.namespace,
    deps,
    dataConverter,
    tracing,
    workflows: { workflowBundle: { code: await readFile(bundle, 'utf8') } },
    version: options.version ?? null,
  });
  connection.onChange(workers.moveTo);
  shutdown.add('worker', () => workers.stop());
  showPresence({ db, log, shutdown });
  admin?.watchTemporal(client);
  admin?.watchPart('worker', async () =>
    workers.isRunning()
      ? { ready: true }
      : { ready: false, code: 'WORKER', error: 'the workers of this process have ended' },
  );
  if (options.staysUp === true)
    startNotices({
      db,
      config: configNow,
      live: live ?? null,
      runningTemporal: async () => client,
      log,
      env,
      shutdown,
      admin,
    });
  void enforceRetention({ config: configNow, db, log, shutdown });
  void keepEncrypted({ db, log, shutdown });
  await continueRestore(client, db, say);
  const failed = Promise.race([
    workers.done.then(() => undefined),
    temporal.exited.then((exit) => {
      if (!shutdown.signal.aborted)
        throw new Error(`the Temporal server ended unexpectedly (${JSON.stringify(exit)})`);
    }),
  ]).then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);
  return { temporal, client, db, failed };
}

/** Until an operator ends a restore, each start makes sure that every event has its workflow. */
async function continueRestore(client: Client, db: Database, say: StackOptions['say']): Promise<void> {
  const restore = await openRestore(db);
  if (restore === null) return;
  const events = await restartEvents(client, db);
  say(
    `the ledger was restored to ${restore.restoredTo}: ${events} open events continue and are read back first; campaigns wait for \`sluice ledger end-restore\``,
  );
}

async function openOwnLedger({
  config,
  env,
  stateDir,
  log,
  shutdown,
  admin,
}: StackOptions): Promise<Database> {
  const db = await openLedger({
    url: env.DATABASE_URL,
    stateDir,
    cipher: await openLedgerCipher(config),
    onError: (error) => log.error({ err: error }, 'the database dropped a connection'),
  });
  shutdown.add('ledger', () => db.close());
  return admin === undefined ? db : measuredDatabase(db, admin.metrics.ledger.statement);
}
