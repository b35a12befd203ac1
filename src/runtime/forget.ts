// What has been remembered long enough is forgotten: events with their deliveries, and files that were uploaded.
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../config/load.ts';
import { durationMs } from '../contracts/config-base.ts';
import type { Database } from '../ledger/database.ts';
import { forgetEvents } from '../ledger/events.ts';
import { forgetUploads } from '../ledger/uploads.ts';
import type { Shutdown } from './shutdown.ts';

const DAY_MS = 86_400_000;
/** Between two looks. */
const FORGET_MS = 3_600_000;
/** Tables in which much comes and goes: PGlite has no autovacuum, and their space would never be used again. */
const BUSY_TABLES =
  'events, event_ranks, run_records, outbox, messages, conversations, uploads, upload_parts, deliveries';

export interface ForgetOptions {
  readonly config: LoadedConfig;
  readonly db: Database;
  readonly log: { warn(fields: object, message: string): void };
  readonly shutdown: Shutdown;
}

/** Looks now and every hour, until the shutdown. A ledger that is away is asked again an hour later. */
export async function forgetNowAndThen({ config, db, log, shutdown }: ForgetOptions): Promise<void> {
  const days = durationMs(config.config.ingress.remember) / DAY_MS;
  const { signal } = shutdown;
  while (!signal.aborted) {
    try {
      for (const forget of [() => forgetEvents(db, days), () => forgetUploads(db)])
        for (let more = true; more && !signal.aborted; ) more = (await forget()) > 0;
      if (db.engine === 'pglite' && !signal.aborted) await db.query(`vacuum ${BUSY_TABLES}`);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'what is old could not be forgotten yet');
    }
    await delay(FORGET_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
