// Serves the operator API and the console over HTTP.
import type { LoadedConfig } from '../config/load.ts';
import type { OperatorHttp } from '../config/schema/operator.ts';
import { CONSOLE_DIR, VERSION } from '../core/build.ts';
import type { Database } from '../core/sql/database.ts';
import { createApp } from '../operator/http/app.ts';
import { createHttpIdentity } from '../operator/http/identity.ts';
import { type Listener, listen } from '../operator/http/listen.ts';
import { watchChanges } from '../operator/service/changes.ts';
import type { OperatorLog } from '../operator/service/deps.ts';
import type { Dispatch } from '../operator/service/dispatch.ts';

export interface OperatorHttpOptions {
  readonly db: Database;
  config(): LoadedConfig;
  readonly http: OperatorHttp;
  readonly log: OperatorLog;
  readonly dispatch: Dispatch;
  /** Takes any free port when the configured one is in use. */
  readonly fallback: boolean;
}

export async function listenForOperators(options: OperatorHttpOptions): Promise<Listener> {
  const { db, config, http, log, dispatch, fallback } = options;
  const app = createApp({
    ...createHttpIdentity({ db, config, http, log }),
    dispatch,
    log,
    changes: watchChanges({ db, log }),
    version: VERSION,
    consoleDir: CONSOLE_DIR,
    trustProxy: http.trustProxy,
  });
  const listening = { ...http, log };
  return await listen(app, listening).catch((error: NodeJS.ErrnoException) => {
    if (!fallback || error.code !== 'EADDRINUSE') throw error;
    return listen(app, { ...listening, port: 0 });
  });
}
