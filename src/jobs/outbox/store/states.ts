// The state of a sink: which worker holds its lease, and whether its circuit is open.
import type { Queryable } from '../../../core/sql/database.ts';

/** The lease of a sink, as a batch finds it. */
export interface SinkLease {
  readonly mine: boolean;
  /** Milliseconds until the holder must renew the lease. */
  readonly leftMs: number;
  /** Nothing but one probe is sent before this time; null when the circuit is closed. */
  readonly openUntil: Date | null;
}

/** The ledger's time. The workers' clocks may differ. */
export async function ledgerNow(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>('select clock_timestamp() as now');
  return row?.now ?? new Date();
}

/**
 * Takes or renews the lease of a sink. If a worker is lost, the lease simply expires. No transaction and no
 * connection stays open while events are sent.
 */
export async function claimSink(
  db: Queryable,
  sink: string,
  by: string,
  now: Date,
  leaseMs: number,
): Promise<SinkLease> {
  const until = new Date(now.getTime() + leaseMs);
  const [row] = await db.query<{ mine: boolean; openUntil: Date | null; until: Date | null }>(
    `with mine as (
       insert into sink_states as lease (sink, claimed_by, claimed_until) values ($1, $2, $4)
       on conflict (sink) do update set claimed_by = $2, claimed_until = $4
        where lease.claimed_by is null or lease.claimed_by = $2 or lease.claimed_until <= $3
           or lease.claimed_until > $4::timestamptz + interval '1 minute'
       returning true as mine, open_until as "openUntil", claimed_until as until)
     select * from mine
     union all
     select false, open_until, claimed_until from sink_states where sink = $1 and not exists (select 1 from mine)`,
    [sink, by, now, until],
  );
  const { mine = false, openUntil = null, until: lease = null } = row ?? {};
  return { mine, openUntil, leftMs: Math.max(0, (lease?.getTime() ?? 0) - now.getTime()) };
}

export async function releaseSink(db: Queryable, sink: string, by: string): Promise<void> {
  await db.query(
    'update sink_states set claimed_by = null, claimed_until = null where sink = $1 and claimed_by = $2',
    [sink, by],
  );
}

/** Records why nothing is sent when the reason is not an event. */
export async function noteTrouble(
  db: Queryable,
  sink: string,
  { code, reason }: { code: string; reason: string },
): Promise<void> {
  await db.query(
    `insert into sink_states (sink, code, reason, failed_at) values ($1, $2, $3, clock_timestamp())
     on conflict (sink) do update set code = $2, reason = $3, failed_at = clock_timestamp()`,
    [sink, code, reason],
  );
}

/** Removes that reason once it no longer applies. */
export async function forgetTrouble(db: Queryable, sink: string, code: string): Promise<void> {
  await db.query('update sink_states set code = null, reason = null where sink = $1 and code = $2', [
    sink,
    code,
  ]);
}
