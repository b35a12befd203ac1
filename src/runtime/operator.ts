// The operator API of a process: its handlers over the ledger, and the socket and the listener that serve them.
import type { Client } from '@temporalio/client';
import type { LoadedConfig } from '../config/load.ts';
import { WORK_QUEUE } from '../contracts/ids.ts';
import type { Database } from '../ledger/database.ts';
import { createUnixCallers } from '../operator/identity/callers.ts';
import { auditLog } from '../operator/service/audit.ts';
import type { Caller } from '../operator/service/caller.ts';
import type { OperatorDeps, OperatorLog } from '../operator/service/deps.ts';
import { createDispatch, type Dispatch } from '../operator/service/dispatch.ts';
import { createHandlers } from '../operator/service/index.ts';
import { type OperatorSocket, serveSocket } from '../operator/socket/serve.ts';
import { createTools } from './operator-tools.ts';

export interface OperatorOptions {
  readonly db: Database;
  config(): LoadedConfig;
  temporal(): Promise<Client>;
  runningTemporal(): Promise<Client | null>;
  readonly log: OperatorLog;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** State folder of the embedded Temporal server and ledger. */
  readonly stateDir: string;
  /** @default "sluice" */
  readonly workQueue?: string;
}

export interface Operator {
  readonly dispatch: Dispatch;
  readonly log: OperatorLog;
  /** The caller that a Unix user is, by the kernel's word. */
  callerOf(uid: number): Promise<Caller>;
}

export function createOperator(options: OperatorOptions): Operator {
  const base: Omit<OperatorDeps, 'tools'> = {
    workQueue: WORK_QUEUE,
    ...options,
    now: async () => Date.now(),
  };
  const deps: OperatorDeps = { ...base, tools: createTools(base, options) };
  const { db, log } = options;
  return {
    log,
    dispatch: createDispatch({ handlers: createHandlers(deps), audit: auditLog(db), log }),
    callerOf: createUnixCallers({ db, ownUid: process.getuid?.() ?? 0 }),
  };
}

/** Serves the operator API on a private socket in the state folder. */
export async function openOperatorSocket(operator: Operator, folder: string): Promise<OperatorSocket> {
  return await serveSocket({ ...operator, folder });
}
