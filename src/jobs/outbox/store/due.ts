// Finds the outbox events that are due, and when the next one is. A stream keeps its order: while its first event
// waits, so do all events behind it.

import { OUTBOX_EVENT } from '../../../core/encryption/columns.ts';
import { decryptRows } from '../../../core/encryption/values.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { SinkEvent } from '../../events/contract/envelope.ts';

export interface DueEvent {
  readonly seq: number;
  readonly stream: string;
  readonly attempts: number;
  readonly event: SinkEvent;
}

export interface Bounds {
  readonly events: number;
  /** Size in bytes as stored. An event larger than the limit is sent alone. */
  readonly size: number;
}

/** An event to probe a sink with. */
export interface Probe extends DueEvent {
  /** The event was not due yet, so another failure does not count against it. */
  readonly early: boolean;
}

/** The first event of the same stream as `ready`. Its `next_at` decides for the whole stream. */
const HEAD = `
  select head.next_at, head.seq from outbox as head
   where head.sink = $1 and head.stream = ready.stream and head.state = 'waiting'
   order by head.seq limit 1`;

/**
 * Rows that do not wait, oldest first, read one by one through the index. PGlite never gathers statistics; with or
 * without them, and with 100,000 waiting rows, this reads no more rows than it returns.
 */
const SCAN = `
  recursive scan as (
    (select seq, stream, attempts, pg_column_size(event) as size from outbox
      where sink = $1 and state = 'waiting' and next_at is null order by seq limit 1)
    union all
    select more.* from scan, lateral (
      select seq, stream, attempts, pg_column_size(event) as size from outbox
       where sink = $1 and state = 'waiting' and next_at is null and seq > scan.seq order by seq limit 1) as more),
  ready as (select * from scan limit $2)`;

/** First events of streams that wait because the sink as a whole had a problem. */
const WIDE_HEAD = `
  select seq, stream, attempts from outbox as ready
   where sink = $1 and state = 'waiting' and next_at is not null and sink_wide
     and (select seq from (${HEAD}) as first) = ready.seq`;

/** A probe is chosen among this many of the oldest events. */
const PROBE_CHOICE = 500;

type Row = Pick<DueEvent, 'seq' | 'stream' | 'attempts'>;

/**
 * The oldest events that may be sent now, in order. Events behind a waiting first event are postponed with it, so
 * that no later query reads them again. The first event of a stream is never behind them.
 * @returns with `more`: further rows are left to examine, even if nothing is due yet
 */
export async function dueEvents(
  db: Queryable,
  sink: string,
  now: Date,
  { events, size }: Bounds,
): Promise<{ due: DueEvent[]; more: boolean }> {
  await ripen(db, sink, now);
  const { due, scanned } = await scan(db, sink, events);
  let bytesLeft = size;
  // Ends the list here instead of skipping the row: events behind a row of a stream must not overtake it.
  const end = due.findIndex((row, n) => {
    bytesLeft -= row.size;
    return n > 0 && bytesLeft < 0;
  });
  const some = end === -1 ? due : due.slice(0, end);
  return { due: await withEvents(db, sink, some), more: scanned >= events };
}

/**
 * The event to probe a sink in trouble with: of the due events with the fewest attempts, the oldest, so that no event
 * uses up its attempts. If none is due, an event that waits because of the trouble itself, so that Sluice notices
 * when the trouble ends.
 */
export async function probeEvent(db: Queryable, sink: string, now: Date): Promise<Probe | null> {
  await ripen(db, sink, now);
  for (;;) {
    const { due, scanned } = await scan(db, sink, PROBE_CHOICE);
    const heads = new Map<string, Row>();
    for (const row of due) if (!heads.has(row.stream)) heads.set(row.stream, row);
    const [first] = [...heads.values()].sort((a, b) => a.attempts - b.attempts || a.seq - b.seq);
    if (first !== undefined) return await probe(db, sink, first, false);
    if (scanned < PROBE_CHOICE) break;
  }
  const [early] = await db.query<Row>(`${WIDE_HEAD} order by next_at limit 1`, [sink]);
  return early === undefined ? null : await probe(db, sink, early, true);
}

/**
 * Milliseconds until something may be sent, regardless of the circuit; null when nothing waits.
 * @param probing whether events that wait because of the sink's trouble count as due
 */
export async function nextDueMs(
  db: Queryable,
  sink: string,
  now: Date,
  probing: boolean,
): Promise<number | null> {
  const [row] = await db.query<{ due: boolean; next: Date | null }>(
    `select exists (select 1 from outbox where sink = $1 and state = 'waiting' and next_at is null)
            or ($2 and exists (${WIDE_HEAD}))
              as due,
            (select min(next_at) from outbox where sink = $1 and state = 'waiting' and next_at is not null) as next`,
    [sink, probing],
  );
  if (row?.due === true) return 0;
  const next = row?.next ?? null;
  return next === null ? null : Math.max(0, next.getTime() - now.getTime());
}

/** Marks events whose wait is over as ready. */
async function ripen(db: Queryable, sink: string, now: Date): Promise<void> {
  await db.query(
    "update outbox set next_at = null where sink = $1 and state = 'waiting' and next_at is not null and next_at <= $2",
    [sink, now],
  );
}

async function scan(
  db: Queryable,
  sink: string,
  limit: number,
): Promise<{ due: (Row & { readonly size: number })[]; scanned: number }> {
  const rows = await db.query<Row & { size: number; leased: Date | null }>(
    `with ${SCAN} select *, (select next_at from (${HEAD}) as first) as leased from ready order by seq`,
    [sink, limit],
  );
  const behind = rows.filter(({ leased }) => leased !== null);
  if (behind.length > 0)
    await db.query(
      `update outbox as ready set next_at = (select next_at from (${HEAD}) as first)
        where sink = $1 and seq = any($2) and state = 'waiting' and next_at is null`,
      [sink, behind.map(({ seq }) => seq)],
    );
  return { due: rows.filter(({ leased }) => leased === null), scanned: rows.length };
}

async function withEvents(db: Queryable, sink: string, due: readonly Row[]): Promise<DueEvent[]> {
  if (due.length === 0) return [];
  const rows = await db.query<{ seq: number; event: SinkEvent }>(
    'select sink, seq, stream, event_id, event from outbox where sink = $1 and seq = any($2)',
    [sink, due.map(({ seq }) => seq)],
  );
  const events = new Map(decryptRows(db, OUTBOX_EVENT, rows).map(({ seq, event }) => [seq, event]));
  // Somebody has sent or discarded it meanwhile.
  return due.flatMap(({ seq, stream, attempts }) => {
    const event = events.get(seq);
    return event === undefined ? [] : [{ seq, stream, attempts, event }];
  });
}

async function probe(db: Queryable, sink: string, row: Row, early: boolean): Promise<Probe | null> {
  const [found] = await withEvents(db, sink, [row]);
  return found === undefined ? null : { ...found, early };
}
