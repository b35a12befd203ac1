// The admin listener of a process that stays up: its metrics, its health, and the parts that must be ready.
import type { Client } from '@temporalio/client';
import type { LoadedConfig } from '../config/load.ts';
import type { AdminConfig } from '../config/schema/admin.ts';
import { VERSION } from '../core/build.ts';
import type { Shutdown } from '../core/shutdown.ts';
import type { Database } from '../core/sql/database.ts';
import { type AdminListener, listenForAdmin, type PartHealth } from '../observe/admin.ts';
import type { LedgerSnapshot } from '../observe/metrics/backlog.ts';
import { createMetrics, type Metrics } from '../observe/metrics/index.ts';
import type { OperatorLog } from '../operator/service/deps.ts';
import { certificateFiles } from './certificate-files.ts';
import { createLedgerReader } from './ledger/ledger-snapshot.ts';
import { createNeedsMemory } from './overview-needs.ts';

export type ProcessName = 'worker' | 'own-worker' | 'ingress' | 'console' | 'dev' | 'demo';

export interface AdminOptions {
  readonly process: ProcessName;
  readonly admin: AdminConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes any free port when the configured one is in use. */
  readonly fallback: boolean;
  readonly log: OperatorLog;
  readonly shutdown: Shutdown;
  /** Metrics of the Temporal SDK, as text; absent in processes without workers. */
  readonly readSdkMetrics?: (() => Promise<string>) | undefined;
}

export interface Admin {
  /** `http://127.0.0.1:9464` */
  readonly url: string;
  readonly metrics: Metrics;
  /**
   * The ledger is open: its gauges and the certificates of the configuration are read at each scrape, and it must answer
   * for the process to be ready.
   */
  watchLedger(db: Database, config: () => LoadedConfig): void;
  watchTemporal(client: Client): void;
  /** Needs are those of the overview from now on, not only those that the ledger knows. */
  watchNeeds(read: () => Promise<LedgerSnapshot['needs']>): void;
  watchPart(name: string, check: () => Promise<PartHealth>): void;
  /** Everything is open. Until then, /readyz answers 503 `STARTING`. */
  started(): void;
}

const TEMPORAL_MS = 4000;

/**
 * Opens the listener before the rest of the process, so that a used port is reported at once and the health shows how
 * the start goes. It closes last: /readyz answers 503 `CLOSING` while work in progress ends.
 * @throws with `syscall: 'listen'` for a used port or an address that this machine does not have
 */
export async function startAdmin(options: AdminOptions): Promise<Admin> {
  const { admin, env, log, shutdown, fallback, readSdkMetrics } = options;
  const metrics = createMetrics(options.process, VERSION);
  const parts: Record<string, () => Promise<PartHealth>> = {};
  let readLedger: ReturnType<typeof createLedgerReader> | null = null;
  let isStarting = true;
  let needs: () => LedgerSnapshot['needs'] | null = () => null;

  const page = async (): Promise<string> => {
    if (readLedger !== null) metrics.setLedger(await readLedger());
    const [own, sdk] = await Promise.all([
      metrics.registry.metrics(),
      readSdkMetrics?.().catch((error: unknown) => {
        log.warn({ err: error }, 'the metrics of the Temporal SDK could not be read');
        return '';
      }),
    ]);
    return `${own}${sdk ?? ''}`;
  };
  const listenOn = (port: number): Promise<AdminListener> =>
    listenForAdmin({
      host: admin.host,
      port,
      metrics: page,
      health: () => (isStarting ? null : parts),
      isClosing: () => shutdown.signal.aborted,
      onError: (error) => log.error({ err: error }, 'the admin listener failed'),
    });
  const listener = await listenOn(admin.port).catch((error: NodeJS.ErrnoException) => {
    if (!fallback || error.code !== 'EADDRINUSE') throw error;
    return listenOn(0);
  });
  shutdown.add('admin listener', () => listener.close());

  return {
    url: listener.url,
    metrics,
    watchLedger(db, config) {
      readLedger = createLedgerReader({ db, config, log, needs: () => needs() });
      metrics.certificates.watch(() => certificateFiles(config().config, env));
      metrics.ledger.watchPool(() => db.pool?.() ?? null);
      parts.ledger = answers('LEDGER', 'the ledger does not answer', () => db.query('select 1'));
    },
    watchTemporal(client) {
      parts.temporal = answers('TEMPORAL', 'Temporal does not answer', () =>
        client.withDeadline(Date.now() + TEMPORAL_MS, () => client.workflowService.getSystemInfo({})),
      );
    },
    watchNeeds(read) {
      needs = createNeedsMemory(read, (error) =>
        log.warn({ err: error }, 'the needs of the overview could not be read for the metrics'),
      );
    },
    watchPart(name, check) {
      parts[name] = check;
    },
    started() {
      isStarting = false;
    },
  };

  /** The error of a driver can name hosts, so only the log has it. */
  function answers(code: string, error: string, ask: () => Promise<unknown>): () => Promise<PartHealth> {
    return async () => {
      try {
        await ask();
        return { ready: true };
      } catch (cause) {
        log.warn({ err: cause, code }, error);
        return { ready: false, code, error };
      }
    };
  }
}
