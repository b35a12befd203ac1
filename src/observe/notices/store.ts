// The ledger's memory of notices: the lease of the process that sends, what each channel was notified of, and failures.
import type { Queryable } from '../../core/sql/database.ts';
import type { TrackedNeed } from './rules.ts';

export interface ChannelState {
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Nothing is sent before, in milliseconds since 1970. Null: at once. */
  readonly retryAt: number | null;
}

export interface ChannelFailure {
  readonly code: string;
  /** Without secrets and personal data: operators see it. */
  readonly reason: string;
  readonly retryMs: number;
}

/** Takes or renews the lease, by the ledger's clock: those of the processes may differ. @returns whether `by` has it */
export async function claimSender(db: Queryable, by: string, leaseMs: number): Promise<boolean> {
  const rows = await db.query(
    `insert into notice_sender as s (claimed_by, claimed_until) values ($1, clock_timestamp() + $2 * interval '1 ms')
     on conflict (singleton) do update set claimed_by = $1, claimed_until = clock_timestamp() + $2 * interval '1 ms'
      where s.claimed_by = $1 or s.claimed_until <= clock_timestamp()
     returning true`,
    [by, leaseMs],
  );
  return rows.length > 0;
}

/** Another process may send at once. */
export async function releaseSender(db: Queryable, by: string): Promise<void> {
  await db.query('delete from notice_sender where claimed_by = $1', [by]);
}

/** Forgets channels that are not configured any more. */
export async function forgetChannels(db: Queryable, configured: readonly string[]): Promise<void> {
  await db.query(
    `with old as (delete from notice_needs where channel <> all($1::text[]))
     delete from notice_channels where channel <> all($1::text[])`,
    [configured],
  );
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

export async function readChannel(db: Queryable, channel: string): Promise<ChannelState> {
  const [row] = await db.query<ChannelState>(
    `select failures, ${ms('retry_at')} as "retryAt" from notice_channels where channel = $1`,
    [channel],
  );
  return row ?? { failures: 0, retryAt: null };
}

export async function readTracked(db: Queryable, channel: string): Promise<TrackedNeed[]> {
  return await db.query<TrackedNeed>(
    `select key, kind, severity, account, name, run, code, count, path, ${ms('first_seen_at')} as "firstSeenAt",
            ${ms('gone_at')} as "goneAt", ${ms('attempted_at')} as "attemptedAt", ${ms('notified_at')} as "notifiedAt"
       from notice_needs where channel = $1 order by first_seen_at, key`,
    [channel],
  );
}

const at = (field: string) => `to_timestamp((n ->> '${field}')::float8 / 1000)`;

/** Replaces what the channel knows. */
export async function saveTracked(
  db: Queryable,
  channel: string,
  needs: readonly TrackedNeed[],
): Promise<void> {
  await db.query('delete from notice_needs where channel = $1 and key <> all($2::text[])', [
    channel,
    needs.map(({ key }) => key),
  ]);
  await db.query(
    `insert into notice_needs (channel, key, kind, severity, account, name, run, code, count, path, first_seen_at, gone_at,
                               attempted_at, notified_at)
     select $1, n ->> 'key', n ->> 'kind', n ->> 'severity', n ->> 'account', n ->> 'name', n ->> 'run', n ->> 'code',
            (n ->> 'count')::int, n ->> 'path', ${at('firstSeenAt')}, ${at('goneAt')}, ${at('attemptedAt')}, ${at('notifiedAt')}
       from json_array_elements($2::json) n
     on conflict (channel, key) do update set severity = excluded.severity, run = excluded.run, code = excluded.code,
       count = excluded.count, path = excluded.path, gone_at = excluded.gone_at, attempted_at = excluded.attempted_at,
       notified_at = excluded.notified_at`,
    [channel, JSON.stringify(needs)],
  );
}

export async function markWorking(db: Queryable, channel: string): Promise<void> {
  await db.query(
    `insert into notice_channels (channel, sent_at) values ($1, clock_timestamp())
     on conflict (channel) do update set failures = 0, failing_since = null, retry_at = null, code = null, reason = null,
       sent_at = clock_timestamp()`,
    [channel],
  );
}

export async function markFailing(
  db: Queryable,
  channel: string,
  { code, reason, retryMs }: ChannelFailure,
): Promise<void> {
  await db.query(
    `insert into notice_channels as c (channel, failures, failing_since, retry_at, code, reason)
     values ($1, 1, clock_timestamp(), clock_timestamp() + $4 * interval '1 ms', $2, $3)
     on conflict (channel) do update set failures = c.failures + 1,
       failing_since = coalesce(c.failing_since, clock_timestamp()), retry_at = excluded.retry_at, code = $2, reason = $3`,
    [channel, code, reason, retryMs],
  );
}
