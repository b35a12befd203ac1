// Operator queries and commands for the outbox. The content of an event never leaves this module.
import { outboxIdSql, parseOutboxId } from '../../../core/ids.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';
import type { OutboxEntry, OutboxFilter, SinkStatus } from '../contract/operator.ts';
import { releaseFollowers } from './outcomes.ts';

const WHERE = `
  ($1::text[] is null or (sink, seq) in (
     select ids.sink, ids.seq from unnest($1::text[], $2::bigint[]) as ids(sink, seq)))
  and ($1::text[] is not null or (
     state = any($3)
     and ($4::text[] is null or sink = any($4)) and ($5::text is null or account = $5)
     and ($6::text[] is null or type = any($6)) and ($7::text[] is null or code = any($7))))`;

function parametersOf({ ids, states, sinks, account, types, codes }: OutboxFilter): unknown[] {
  const named = ids?.map(parseOutboxId).filter((id) => id !== null);
  return [
    named?.map(({ sink }) => sink) ?? null,
    named?.map(({ seq }) => seq) ?? null,
    states,
    sinks ?? null,
    account ?? null,
    types ?? null,
    codes ?? null,
  ];
}

/** Oldest first, after the event `after`. */
export async function listOutbox(
  db: Queryable,
  filter: OutboxFilter,
  { limit, after = null }: { readonly limit: number; readonly after?: string | null },
): Promise<OutboxEntry[]> {
  const rows = await db.query<OutboxEntry>(
    `select ${outboxIdSql('sink', 'seq')} as id, sink, account, stream, type, event_id as "eventId", state, attempts,
            ${isoText('next_at')} as "nextAt", code, reason, ${isoText('created_at')} as "createdAt", ${isoText('tried_at')} as "triedAt"
       from outbox where ${WHERE} and seq > $8 order by seq limit $9`,
    [...parametersOf(filter), after === null ? 0 : (parseOutboxId(after)?.seq ?? 0), limit],
  );
  return rows.map((row) => ({ ...row, eventId: withoutKey(row) }));
}

/** Keys of messages are ids of a channel and may contain the phone number. */
function withoutKey({ type, stream, eventId }: OutboxEntry): string {
  return type.startsWith('message.') ? `${type}/${stream}/${shortHash(eventId)}` : eventId;
}

/** All sinks that are configured or have waiting events, by name. */
export async function describeSinks(db: Queryable, configured: readonly string[]): Promise<SinkStatus[]> {
  return await db.query<SinkStatus>(
    `with waiting as (
       select sink, count(*) as n, min(created_at) as oldest from outbox where state = 'waiting' group by sink),
     dead as (select sink, count(*) as n from outbox where state = 'dead' group by sink),
     names as (select unnest($1::text[]) as sink union select sink from waiting union select sink from dead
               union select sink from sink_states)
     select sink, case when open_until is null then 'closed' else 'open' end as circuit, ${isoText('open_until')} as "openUntil",
            code, reason, coalesce(waiting.n, 0)::int as waiting, coalesce(dead.n, 0)::int as dead,
            case when waiting.oldest is not null
                 then greatest(0, extract(epoch from clock_timestamp() - waiting.oldest))::float8 end as "lagSeconds",
            coalesce(sent, 0)::float8 as sent, ${isoText('sent_at')} as "sentAt"
       from names left join sink_states using (sink) left join waiting using (sink) left join dead using (sink)
      order by sink`,
    [configured],
  );
}

/**
 * Retries events: dead ones as if they were new, waiting ones at once. A dead event comes after everything of its
 * stream that was sent meanwhile. The sinks are probed at once.
 * @returns the number of events and the sinks to wake; a repetition after a lost answer names them again
 */
export async function reopenOutbox(
  tx: Queryable,
  filter: OutboxFilter,
  limit: number,
): Promise<{ count: number; sinks: string[] }> {
  const chosen = await choose(tx, filter, limit);
  for (const [sink, rows] of chosen) {
    await tx.query(
      `update outbox
          set attempts = case when state = 'dead' then 0 else attempts end, state = 'waiting', next_at = null, sink_wide = false
        where sink = $1 and seq = any($2)`,
      [sink, rows.map(({ seq }) => seq)],
    );
    await releaseFollowers(tx, sink, [...new Set(rows.map(({ stream }) => stream))]);
  }
  const sinks = await resolveSinks(tx, filter);
  await tx.query(
    'update sink_states set open_until = least(open_until, clock_timestamp()) where sink = any($1) and open_until is not null',
    [sinks],
  );
  return { count: [...chosen.values()].reduce((sum, rows) => sum + rows.length, 0), sinks };
}

/**
 * Discards events permanently.
 * @returns as `reopenOutbox`
 */
export async function discardOutbox(
  tx: Queryable,
  filter: OutboxFilter,
  limit: number,
): Promise<{ count: number; sinks: string[] }> {
  const chosen = await choose(tx, filter, limit);
  for (const [sink, rows] of chosen) {
    await tx.query('delete from outbox where sink = $1 and seq = any($2)', [
      sink,
      rows.map(({ seq }) => seq),
    ]);
    await releaseFollowers(tx, sink, [...new Set(rows.map(({ stream }) => stream))]);
  }
  const count = [...chosen.values()].reduce((sum, rows) => sum + rows.length, 0);
  return { count, sinks: await resolveSinks(tx, filter) };
}

type Chosen = { readonly sink: string; readonly seq: number; readonly stream: string };

async function choose(tx: Queryable, filter: OutboxFilter, limit: number): Promise<Map<string, Chosen[]>> {
  const rows = await tx.query<Chosen>(
    `select sink, seq, stream from outbox where ${WHERE} order by seq limit $8 for update`,
    [...parametersOf(filter), limit],
  );
  const chosen = new Map<string, Chosen[]>();
  for (const row of rows) chosen.set(row.sink, [...(chosen.get(row.sink) ?? []), row]);
  return chosen;
}

/** The sinks that the filter covers: those of its ids, else its own list, else all. */
async function resolveSinks(tx: Queryable, { ids, sinks }: OutboxFilter): Promise<string[]> {
  if (ids !== undefined) return [...new Set(ids.flatMap((id) => parseOutboxId(id)?.sink ?? []))];
  const rows = await tx.query<{ sink: string }>(
    'select sink from sink_states where $1::text[] is null or sink = any($1) order by sink',
    [sinks ?? null],
  );
  return rows.map(({ sink }) => sink);
}
