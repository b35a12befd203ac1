// What of the outbox is to be sent now, and when something is next. A stream keeps its order: while its head waits for its
// time, so does all behind it.
import type { SinkEvent } from '../../contracts/wire/events.ts';
import type { Queryable } from '../database.ts';

export interface DueEvent {
  readonly seq: number;
  readonly stream: string;
  readonly attempts: number;
  readonly event: SinkEvent;
}

export interface Bounds {
  readonly events: number;
  /** Bytes as stored; one event that is larger goes alone. */
  readonly size: number;
}

/** An event to probe a sink with. */
export interface Probe extends DueEvent {
  /** It was not its time: that it fails once more is not leased against it. */
  readonly early: boolean;
}

/** The head of the same stream as `ready`: the row whose `next_at` decides for all of them. */
const HEAD = `
  select head.next_at, head.seq from outbox as head
   where head.sink = $1 and head.stream = ready.stream and head.state = 'waiting'
   order by head.seq limit 1`;

/**
 * Rows that nothing keeps waiting, the oldest first. Walked one by one through the index: with statistics or without, which
 * PGlite never gathers, and with 100,000 rows waiting, no plan reads more rows than it answers.
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

/** Heads that wait because the sink as a whole was in trouble. */
const WIDE_HEAD = `
  select seq, stream, attempts from outbox as ready
   where sink = $1 and state = 'waiting' and next_at is not null and sink_wide
     and (select seq from (${HEAD}) as first) = ready.seq`;

/** Among so many of the oldest a probe is searched for. */
const PROBE_CHOICE = 500;

type Row = Pick<DueEvent, 'seq' | 'stream' | 'attempts'>;

/**
 * The oldest that may be sent now, in their order. Those behind a head that waits are put off with it, so that nobody comes past
 * them again: a stream's head is never behind them.
 * @returns with `more`: there is more to look through, be there nothing due yet
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
  // Ends the list, and leaves nothing out of it: what comes after a row of a stream must not overtake it.
  const end = due.findIndex((row, n) => {
    bytesLeft -= row.size;
    return n > 0 && bytesLeft < 0;
  });
  const some = end === -1 ? due : due.slice(0, end);
  return { due: await withEvents(db, sink, some), more: scanned >= events };
}

/**
 * The event that a sink in trouble is probed with: one that is due, of those with the fewest attempts the oldest, so that no
 * event is used up; where none is due, one that the trouble itself keeps waiting, so that its end is noticed.
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
 * Milliseconds until something may be sent, whatever the circuit says; null: nothing waits.
 * @param probing what the trouble of the sink keeps waiting counts as due
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

/** What has waited for its time is ready. */
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
    'select seq, event from outbox where sink = $1 and seq = any($2)',
    [sink, due.map(({ seq }) => seq)],
  );
  const events = new Map(rows.map(({ seq, event }) => [seq, event]));
  // Sent or discarded since by somebody else.
  return due.flatMap(({ seq, stream, attempts }) => {
    const event = events.get(seq);
    return event === undefined ? [] : [{ seq, stream, attempts, event }];
  });
}

async function probe(db: Queryable, sink: string, row: Row, early: boolean): Promise<Probe | null> {
  const [found] = await withEvents(db, sink, [row]);
  return found === undefined ? null : { ...found, early };
}
