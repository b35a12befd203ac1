// What has been remembered long enough is forgotten: events with their deliveries, files that were uploaded, and the
// people of campaigns.
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../config/load.ts';
import { durationMs } from '../contracts/config/config-base.ts';
import { forgetMembers, forgetTouches, forgetVariables } from '../ledger/campaigns/campaign-forget.ts';
import { stampBeforeForgetting } from '../ledger/campaigns/campaign-results.ts';
import type { Database } from '../ledger/database.ts';
import { forgetEvents } from '../ledger/events/event-end.ts';
import { forgetUploads } from '../ledger/events/uploads.ts';
import type { Shutdown } from './shutdown.ts';

const DAY_MS = 86_400_000;
/** Between two looks. */
const FORGET_MS = 3_600_000;
/** Tables in which much comes and goes: PGlite has no autovacuum, and their space would never be used again. */
const BUSY_TABLES =
  'events, event_ranks, run_records, outbox, messages, conversations, uploads, upload_parts, deliveries, campaign_members, campaign_touches, campaign_reached';

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
      await stampBeforeForgetting(db, days);
      const all = [
        () => forgetEvents(db, days),
        () => forgetUploads(db),
        () => forgetVariables(db),
        () => forgetMembers(db, days, new Date()),
        () => forgetTouches(db),
      ];
      for (const forget of all) for (let more = true; more && !signal.aborted; ) more = (await forget()) > 0;
      if (db.kind === 'pglite' && !signal.aborted) await db.query(`vacuum ${BUSY_TABLES}`);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'what is old could not be forgotten yet');
    }
    await delay(FORGET_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
