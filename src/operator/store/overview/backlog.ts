// What only metrics show of the ledger: the age of what waits, pollers, and its size. Numbers of items are in work.ts.
import type { Queryable } from '../../../core/sql/database.ts';
import { secondsSince } from './health.ts';

/** Open events and conversations that are read at most, so that a scrape stays cheap. */
const MOST = 20_000;

export interface AgeRow {
  readonly kind: 'event' | 'conversation';
  readonly account: string;
  readonly oldestSeconds: number;
}

/** Age of the oldest open event and of the oldest conversation that waits, by account. */
export async function readAges(db: Queryable): Promise<AgeRow[]> {
  const age = (column: string) => `greatest(0, extract(epoch from now() - min(${column})))::float8`;
  return await db.query<AgeRow>(
    `select 'event' as kind, account, ${age('accepted_at')} as "oldestSeconds"
       from (select account, accepted_at from events where state = 'accepted' limit ${MOST}) open group by account
     union all
     -- Not todo_at: that is when it is read next, in the future after each failure.
     select 'conversation', account, ${age('todo_since')}
       from (select account, todo_since from conversations where todo_at is not null limit ${MOST}) todo group by account`,
  );
}

export interface PollerLagRow {
  readonly account: string;
  readonly poller: string;
  readonly state: 'polling' | 'paused' | 'blocked';
  /** Since its last complete view; before the first one, since its start, so that an alert notices it. */
  readonly lagSeconds: number;
}

export async function readPollerLags(db: Queryable): Promise<PollerLagRow[]> {
  return await db.query<PollerLagRow>(
    `select account, poller,
            case when paused_at is not null then 'paused' when block_code is not null then 'blocked' else 'polling' end as state,
            ${secondsSince('coalesce(complete_at, started_at)')} as "lagSeconds"
       from pollers order by account, poller`,
  );
}

/** Size of the database, which the ledger has for itself. */
export async function readLedgerBytes(db: Queryable): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  );
  return (row as { bytes: number }).bytes;
}
