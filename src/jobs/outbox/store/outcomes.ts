// Records the results of a sending: rows, circuit and counts in one transaction.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Database, Queryable } from '../../../core/sql/database.ts';
import { circuitAfter, eventWaitMs, probeWaitMs, type SinkPatience, type Tried } from './circuit.ts';
import type { Probe } from './due.ts';

/** An event that was passed to the sink; `early` as in `Probe`. */
export type Handed = Omit<Probe, 'event'>;

export interface Sending {
  readonly sink: string;
  readonly patience: SinkPatience;
  readonly handed: readonly Handed[];
  /** In sending order. Events that were not tried are missing and do not change. */
  readonly tried: readonly Tried[];
  readonly now: Date;
  /** 0 to 1. */
  readonly random: () => number;
}

export interface Settled {
  /** Rows that were deleted because the sink has them. */
  readonly sent: number;
  readonly dead: number;
  /** Whether this sending opened or closed the circuit. */
  readonly circuit: 'opened' | 'closed' | null;
}

/** After this many sent rows, a vacuum is worth its cost. */
const VACUUM_ROWS = 20_000;

/**
 * Records the results of a sending. If two batches of one sink both sent an event, it counts once. When the circuit
 * closes, events that waited because of the sink's trouble are ready at once.
 */
export async function settleSending(db: Database, sending: Sending): Promise<Settled> {
  if (sending.tried.length === 0) return { sent: 0, dead: 0, circuit: null };
  const { total, ...settled } = await db.transaction((tx) => settle(tx, sending));
  // PGlite has no autovacuum, so the index scan would pass over everything that was ever sent.
  if (db.kind === 'pglite' && total % VACUUM_ROWS < settled.sent) await db.query('vacuum outbox');
  return settled;
}

async function settle(tx: Queryable, sending: Sending): Promise<Settled & { total: number }> {
  const { sink, tried, patience, now, random } = sending;
  const before = await lockState(tx, sink);
  const after = circuitAfter({ failures: before.failures, open: before.open }, tried, patience);
  const sent = await deleteSent(tx, sending);
  const dead = await keepFailed(tx, sending);
  const closes = before.open && !after.open;
  if (closes) await release(tx, sink);
  else await releaseFollowers(tx, sink, sent.released);
  const probeMs =
    after.open && after.trouble !== null
      ? probeWaitMs(patience, after.failures, after.trouble, random())
      : null;
  await tx.query(
    `update sink_states
        set failures = $2, open_until = $3, sent = sent + $4,
            sent_at = case when $4 > 0 then $5 else sent_at end,
            failed_at = case when $6::text is null then failed_at else $5 end,
            code = $6, reason = $7
      where sink = $1`,
    [
      sink,
      after.failures,
      !after.open ? null : probeMs === null ? before.openUntil : later(now, probeMs),
      sent.count,
      now,
      after.trouble?.code ?? null,
      after.trouble?.reason ?? null,
    ],
  );
  const opens = after.open && !before.open;
  return {
    sent: sent.count,
    dead,
    circuit: opens ? 'opened' : closes ? 'closed' : null,
    total: before.sent + sent.count,
  };
}

async function lockState(tx: Queryable, sink: string) {
  await tx.query('insert into sink_states (sink) values ($1) on conflict do nothing', [sink]);
  const [row] = await tx.query<{ failures: number; openUntil: Date | null; sent: number }>(
    'select failures, open_until as "openUntil", sent from sink_states where sink = $1 for update',
    [sink],
  );
  if (row === undefined) throw new Error(`the state of the sink "${sink}" is gone`);
  return { ...row, open: row.openUntil !== null };
}

async function deleteSent(
  tx: Queryable,
  { sink, tried }: Sending,
): Promise<{ count: number; released: string[] }> {
  const seqs = tried.flatMap(({ seq, state }) => (state === 'sent' ? [seq] : []));
  if (seqs.length === 0) return { count: 0, released: [] };
  const gone = await tx.query<{ stream: string; waited: boolean }>(
    'delete from outbox where sink = $1 and seq = any($2) returning stream, next_at is not null as waited',
    [sink, seqs],
  );
  // Another batch failed to send it meanwhile, and postponed the events behind it.
  const released = gone.flatMap(({ stream, waited }) => (waited ? [stream] : []));
  return { count: gone.length, released };
}

/** @returns number of events that are now dead */
async function keepFailed(
  tx: Queryable,
  { sink, tried, handed, patience, now, random }: Sending,
): Promise<number> {
  const rows = tried.flatMap((each) => {
    if (each.state === 'sent') return [];
    const { seq, failure } = each;
    const row = handed.find((other) => other.seq === seq);
    // The probe ran before the event was due, and the sink still has its problem.
    if (row === undefined || (row.early && failure.sinkWide)) return [];
    const attempts = row.attempts + 1;
    const wait = eventWaitMs(patience, attempts, failure, random());
    const { code, reason, sinkWide } = failure;
    const state = wait === null ? 'dead' : 'waiting';
    const next = wait === null ? null : later(now, wait);
    return [{ seq, attempts, state, next_at: next, sink_wide: sinkWide, code, reason }];
  });
  if (rows.length === 0) return 0;
  await tx.query(
    `update outbox
        set attempts = r.attempts, state = r.state, next_at = r.next_at, sink_wide = r.sink_wide, code = r.code,
            reason = r.reason, tried_at = $3
       from jsonb_to_recordset($2::jsonb) as r(seq bigint, attempts int, state text, next_at timestamptz,
                                               sink_wide boolean, code text, reason text)
      where outbox.sink = $1 and outbox.seq = r.seq and outbox.seq = any($4) and outbox.state = 'waiting'`,
    [sink, toJson(rows), now, rows.map(({ seq }) => seq)],
  );
  return rows.filter(({ state }) => state === 'dead').length;
}

/**
 * Releases everything that waits because of the sink, and the events behind it. If another event blocks a stream, the
 * next query postpones it again.
 */
async function release(tx: Queryable, sink: string): Promise<void> {
  await tx.query(
    `update outbox set next_at = null, sink_wide = false
      where sink = $1 and state = 'waiting' and next_at is not null and (sink_wide or attempts = 0)`,
    [sink],
  );
}

/** Marks events as ready after the event ahead of them was removed. */
export async function releaseFollowers(
  tx: Queryable,
  sink: string,
  streams: readonly string[],
): Promise<void> {
  if (streams.length === 0) return;
  await tx.query(
    `update outbox set next_at = null
      where sink = $1 and stream = any($2) and state = 'waiting' and next_at is not null and attempts = 0`,
    [sink, streams],
  );
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
