// What the operator API needs from the process that serves it.
import type { Client } from '@temporalio/client';
import type { LoadedConfig } from '../../config/load.ts';
import type { Input, Output, Parsed, Route } from '../../contracts/operator/index.ts';
import type { Database } from '../../ledger/database.ts';
import type { Caller } from './caller.ts';

export interface OperatorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface OperatorDeps {
  readonly db: Database;
  /** The configuration as it is loaded now. */
  config(): LoadedConfig;
  /**
   * A client of Temporal. A command that serves itself starts the embedded server and workers here.
   * @throws OperatorError (unavailable)
   */
  temporal(): Promise<Client>;
  /** Clock of campaigns, in milliseconds since 1970. */
  now(): Promise<number>;
  readonly log: OperatorLog;
}

/** Handlers of the routes of one table. */
export type Handlers<R extends Route> = {
  readonly [K in R]: (input: Parsed<K>, caller: Caller) => Promise<Output<K>>;
};

export type { Input, Output, Route };
