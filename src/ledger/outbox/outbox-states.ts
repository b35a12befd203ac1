// What the ledger knows of a sink itself: who has it in hand, and whether its circuit is open.
import type { Queryable } from '../database.ts';

/** How a batch finds its sink. */
export interface SinkLease {
  readonly mine: boolean;
  /** Milliseconds until whoever has it in hand must have said so again. */
  readonly leftMs: number;
  /** Not before, but for one probe then; null: the circuit is closed. */
  readonly openUntil: Date | null;
}

/** What time it is for the ledger: workers' clocks may differ. */
export async function ledgerNow(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>('select clock_timestamp() as now');
  return row?.now ?? new Date();
}

/**
 * Takes a sink in hand, or keeps it there. A worker that is lost lets go by saying nothing: no transaction and no connection is
 * lease while events are sent.
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

/** Why nothing is sent, where that has nothing to do with an event. */
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

/** It was so, and is no more. */
export async function forgetTrouble(db: Queryable, sink: string, code: string): Promise<void> {
  await db.query('update sink_states set code = null, reason = null where sink = $1 and code = $2', [
    sink,
    code,
  ]);
}
