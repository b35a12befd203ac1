// The operator API of a process: its handlers over the ledger, and the socket and the listener that serve them.
import type { Client } from '@temporalio/client';
import type { LiveConfig } from '../config/live-config.ts';
import type { LoadedConfig } from '../config/load.ts';
import { WORK_QUEUE } from '../core/ids.ts';
import type { Database } from '../core/sql/database.ts';
import { ledgerClock } from '../core/sql/ledger-clock.ts';
import type { Listener } from '../operator/http/listen.ts';
import { createUnixCaller } from '../operator/identity/callers.ts';
import { auditLog } from '../operator/service/audit.ts';
import type { Caller } from '../operator/service/caller.ts';
import type { OperatorDeps, OperatorLog } from '../operator/service/deps.ts';
import { createDispatch, type Dispatch } from '../operator/service/dispatch.ts';
import { createExpensiveRequests } from '../operator/service/expensive.ts';
import { finishErasures } from '../operator/service/people/erase.ts';
import type { OperatorSocket } from '../operator/socket/serve.ts';
import { addAudit, type NewAuditEntry } from '../operator/store/audit.ts';
import { campaignsWithApproval } from './config-edit/campaign-file.ts';
import { createHandlers } from './operator-handlers.ts';
import { createTools } from './operator-tools.ts';
import { withCopy } from './plan/copied-ledger.ts';
import { createDryRuns, removeLeft } from './plan/dry-runs.ts';
import { createCorrections } from './uploads/corrections.ts';
import { createFirstSync } from './uploads/first-sync.ts';

export interface OperatorOptions {
  readonly db: Database;
  config(): LoadedConfig;
  /** What `config` reads from, for reloads. Null: the configuration is broken, or never loaded again. */
  readonly live: LiveConfig | null;
  temporal(): Promise<Client>;
  runningTemporal(): Promise<Client | null>;
  readonly log: OperatorLog;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** State folder of the embedded Temporal server and ledger. */
  readonly stateDir: string;
  /**
   * Runs `work` with a state folder whose embedded ledger nobody else has open.
   * @default with a copy of the ledger
   */
  readonly lendLedger?: <T>(work: (stateDir: string) => Promise<T>) => Promise<T>;
  /** @default "sluice" */
  readonly workQueue?: string;
}

export interface Operator {
  readonly dispatch: Dispatch;
  readonly log: OperatorLog;
  /** The Unix user of this process, as the caller of commands on this machine. */
  unixCaller(): Promise<Caller>;
  /** Serves the operator API on a Unix socket in the state folder, for the user of this process and root. */
  openSocket(): Promise<OperatorSocket>;
  /**
   * Serves the operator API and the console over HTTP.
   * @param fallback whether to take any free port when the configured one is in use
   * @throws with `syscall: 'listen'` for a used port or an address that this machine does not have
   */
  listen(fallback: boolean): Promise<Listener>;
  /** Ends dry runs and deletes what they kept. */
  close(): Promise<void>;
}

/** An edit of the file on the machine may remove the second person of a campaign. The audit log shows it. */
function approvalRemoved(campaign: string, { file }: LoadedConfig): NewAuditEntry {
  return { caller: null, action: 'approval removed', target: `/campaigns/${campaign}`, details: { file } };
}

export function createOperator(options: OperatorOptions): Operator {
  const { db, log, config, live, env, stateDir } = options;
  const lendLedger = options.lendLedger ?? ((work) => withCopy({ db, stateDir }, work));
  const dryRuns = createDryRuns({
    stateDir,
    env,
    lendLedger,
    keys: () => config().config.ledger.encryption.keys,
  });
  const expensive = createExpensiveRequests();
  const firstSync = createFirstSync({
    stateDir,
    config,
    live,
    hasWorkers: db.kind === 'pglite',
    expensive,
  });
  const corrections = createCorrections({ config, firstSync, expensive });
  let consoleUrl: string | null = null;
  const base: Omit<OperatorDeps, 'tools'> = {
    workQueue: WORK_QUEUE,
    ...options,
    now: ledgerClock(db).now,
    consoleUrl: () => consoleUrl,
  };
  const deps: OperatorDeps = {
    ...base,
    tools: createTools(base, { env, stateDir, live, dryRuns, firstSync, corrections, expensive }),
  };
  live?.onChange((before) => {
    const left = new Set(campaignsWithApproval(config()));
    for (const campaign of campaignsWithApproval(before).filter((name) => !left.has(name)))
      void addAudit(db, approvalRemoved(campaign, config()), 'ok').catch((error: unknown) => {
        log.error({ err: error, campaign }, 'an approval that was removed is not in the audit log');
      });
  });
  const dispatch = createDispatch({ handlers: createHandlers(deps), audit: auditLog(db), log });
  let finishing: Promise<void> | null = null;
  /** Runs beside everything else. What fails is left for the next start. */
  const finishLeft = () => {
    finishing ??= finishErasures(deps).catch((error: unknown) => {
      log.error({ err: error }, 'erasures that were interrupted could not be completed');
    });
  };
  const unixCaller = createUnixCaller(db);
  return {
    log,
    dispatch,
    unixCaller,
    // Imported at use: commands that serve only themselves need no server.
    async openSocket() {
      await removeLeft(stateDir);
      finishLeft();
      const { serveSocket } = await import('../operator/socket/serve.ts');
      return await serveSocket({ dispatch, log, caller: unixCaller, folder: stateDir });
    },
    async listen(fallback) {
      await removeLeft(stateDir);
      finishLeft();
      const { listenForOperators } = await import('./operator-http.ts');
      const { http } = config().config.operator;
      const listener = await listenForOperators({ db, log, config, dispatch, http, fallback });
      consoleUrl = http.publicUrl ?? listener.url;
      return listener;
    },
    async close() {
      // It still needs the ledger.
      await finishing;
      await firstSync.close();
      await dryRuns.close();
    },
  };
}
