// Deletes old data every hour: events with their deliveries, uploaded files, members of campaigns, and logged calls.
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../config/load.ts';
import { durationMs } from '../contracts/config/config-base.ts';
import { forgetMembers, forgetTouches, forgetVariables } from '../ledger/campaigns/campaign-forget.ts';
import { stampBeforeForgetting } from '../ledger/campaigns/campaign-results.ts';
import type { Database } from '../ledger/database.ts';
import { forgetEvents } from '../ledger/events/event-end.ts';
import { forgetUploads } from '../ledger/events/uploads.ts';
import { forgetCalls } from '../ledger/operator/calls.ts';
import { forgetRefusals } from '../ledger/operator/refusals.ts';
import type { Shutdown } from './shutdown.ts';

const DAY_MS = 86_400_000;
/** Time between two runs. */
const FORGET_MS = 3_600_000;
/** Tables with many deletions. PGlite has no autovacuum, so without a vacuum it never reuses their space. */
const BUSY_TABLES =
  'events, event_ranks, run_records, outbox, messages, conversations, uploads, upload_parts, deliveries, campaign_members, campaign_touches, campaign_reached, calls, call_minutes, refusals, refusal_hours';

export interface ForgetOptions {
  readonly config: LoadedConfig;
  readonly db: Database;
  readonly log: { warn(fields: object, message: string): void };
  readonly shutdown: Shutdown;
}

/** Runs now and every hour until the shutdown. After an error it tries again an hour later. */
export async function forgetNowAndThen({ config, db, log, shutdown }: ForgetOptions): Promise<void> {
  const daysOf = (duration: string) => durationMs(duration) / DAY_MS;
  const { ingress, retention } = config.config;
  const days = daysOf(ingress.remember);
  const logDays = { calls: daysOf(retention.calls), minutes: daysOf(retention.minutes) };
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
        () => forgetCalls(db, logDays),
        () => forgetRefusals(db, logDays.minutes),
      ];
      for (const forget of all) for (let more = true; more && !signal.aborted; ) more = (await forget()) > 0;
      if (db.kind === 'pglite' && !signal.aborted) await db.query(`vacuum ${BUSY_TABLES}`);
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: error }, 'old data could not be deleted; Sluice tries again in an hour');
    }
    await delay(FORGET_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
