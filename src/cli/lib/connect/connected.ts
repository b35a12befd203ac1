// What a command is connected to.
import type { Client } from '@temporalio/client';
import type { Operator } from '../../../app/operator.ts';
import type { LiveConfig } from '../../../config/live-config.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import type { Database } from '../../../core/sql/database.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';

export interface Connected {
  readonly client: OperatorClient;
  /**
   * `shared`: this process serves itself from the shared ledger, and workers run elsewhere. `here`: this process serves
   * itself, and work goes on only as long as it lives.
   */
  readonly where: 'remote' | 'socket' | 'shared' | 'here';
  /** Rejects when work in this process fails; never resolves. */
  readonly failed: Promise<never>;
  /** The operator API of this process; null when another process serves it. */
  readonly operator: Operator | null;
  /** The ledger of this process; null when another process serves it. */
  readonly ledger: {
    readonly db: Database;
    config(): LoadedConfig;
    readonly live: LiveConfig | null;
    /** As `OperatorDeps` has it. */
    runningTemporal(): Promise<Client | null>;
  } | null;
}

export interface ConnectOptions {
  /** The command as the lock of the state folder shows it: `sluice sync run contacts`. */
  readonly command: string;
  /** The command may create the state folder: it begins work. Without it, a missing folder is an error. */
  readonly creates?: boolean;
  /** The command works with the configuration: it is refused where the running Sluice has another one than its files. */
  readonly configured?: boolean;
  /** Where nothing has run yet, the command gets an empty ledger in a temporary folder. */
  readonly mayBeEmpty?: boolean;
}
