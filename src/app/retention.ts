// Enforces the retention of every kind of data, every hour. Several processes share the work: one at a time per kind.
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../config/load.ts';
import type { Shutdown } from '../core/shutdown.ts';
import type { Database } from '../core/sql/database.ts';
import { KINDS } from '../protect/retention/kinds.ts';
import { runPass } from '../protect/retention/pass.ts';

/** Time between two passes. */
const PASS_MS = 3_600_000;

export interface RetentionOptions {
  config(): LoadedConfig;
  readonly db: Database;
  readonly log: { warn(fields: object, message: string): void };
  readonly shutdown: Shutdown;
}

/** Runs now and every hour until the shutdown. After an error it tries again an hour later. */
export async function enforceRetention({ config, db, log, shutdown }: RetentionOptions): Promise<void> {
  const { signal } = shutdown;
  const rest = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
  const failed = (kind: string, error: unknown) => {
    if (!signal.aborted)
      log.warn({ err: error, kind }, 'old data could not be deleted; Sluice tries again in an hour');
  };
  while (!signal.aborted) {
    await runPass({ db, config: config().config, signal, rest, failed });
    if (db.kind === 'pglite' && !signal.aborted) await vacuum(db).catch((error) => failed('vacuum', error));
    await rest(PASS_MS);
  }
}

/** PGlite has no autovacuum, so without a vacuum it never reuses the space of deleted rows. One table at a time. */
async function vacuum(db: Database): Promise<void> {
  for (const table of new Set(KINDS.flatMap(({ tables }) => tables))) await db.query(`vacuum ${table}`);
}
