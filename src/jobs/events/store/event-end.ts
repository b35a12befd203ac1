// Ends events and, much later, deletes them.
import { OWN_ROUTE_SIGNS } from '../../../core/ids.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { IntentState, MessageTrace } from '../../../core/store/intents.ts';
import type { RecordOutcome } from '../../sync/constants.ts';
import type { EventOutcome } from '../contract/intake.ts';
import { EVENT_KINDS, type EventRow } from './events.ts';

/** The remaining fields of an event that is to be closed. */
export interface ClosingEvent
  extends Pick<EventRow, 'seq' | 'account' | 'route' | 'subject' | 'state' | 'action'> {
  /** Null while it is open. */
  readonly outcome: EventOutcome | null;
  /** How its record ended; null when it has none. */
  readonly record: {
    readonly status: 'pending' | RecordOutcome;
    readonly step: string | null;
    readonly code: string | null;
    readonly reason: string | null;
  } | null;
}

/** Locks the event until the transaction ends. */
export async function lockEvent(tx: Queryable, id: string): Promise<ClosingEvent | null> {
  const [row] = await tx.query<ClosingEvent>(
    `select e.seq, e.account, e.route, e.subject, e.state, e.action, e.outcome,
            case when r.id is not null
              then jsonb_build_object('status', r.status, 'step', r.step, 'code', r.code, 'reason', r.reason) end as record
       from events e
       left join run_records r on r.id = e.record_id
      where e.id = $1 for update of e`,
    [id],
  );
  return row ?? null;
}

/**
 * The event's effect that must not happen twice; null when nothing was sent.
 * @param tx must have locked the event: only a later statement sees an intent that somebody took meanwhile
 */
export async function sentEffect(
  tx: Queryable,
  account: string,
  id: string,
): Promise<Exclude<IntentState, 'open'> | null> {
  const [row] = await tx.query<{ state: Exclude<IntentState, 'open'> }>(
    `select state from intents where account = $1 and subject = $2 and kind in (${EVENT_KINDS}) and state <> 'open'`,
    [account, id],
  );
  return row?.state ?? null;
}

export interface EventEnd {
  readonly outcome: EventOutcome;
  readonly step?: string | null;
  readonly code?: string | null;
  readonly reason?: string | null;
}

/** The results of an event's effect, recorded together with the event's end. */
export interface EffectDone {
  readonly intent: number;
  readonly trace?: MessageTrace;
}

/**
 * Ends an event and deletes its record. An event that has ended does not change, except that a late answer settles an
 * unknown outcome. The request is kept only while somebody may still need it.
 */
export async function endEvent(tx: Queryable, id: string, end: EventEnd, effect?: EffectDone): Promise<void> {
  const { outcome, step = null, code = null, reason = null } = end;
  await tx.query(
    `with intent as (
       update intents set state = 'done', detail = null, trace = coalesce($7::jsonb, trace) where id = $6::bigint),
     ended as (
       update events set state = 'ended', record_id = null, outcome = $2, step = $3, code = $4, reason = $5, ended_at = clock_timestamp(),
              block_code = null, block_reason = null, progress = '{}',
              request = case when $2 in ('failed', 'unknown') then request end
        where id = $1 and (state <> 'ended' or (outcome = 'unknown' and $2 = 'done'))
       returning account, route, subject, rank),
     dropped as (delete from run_records r using events e where e.id = $1 and r.id = e.record_id)
     -- A failed event had no effect. An older event may still have one.
     insert into event_ranks (account, route, subject, rank)
     select account, route, subject, rank from ended where rank is not null and $2 in ('done', 'unchanged', 'unknown')
     on conflict (account, route, subject) do update set rank = excluded.rank, at = now()
      where event_ranks.rank < excluded.rank`,
    [
      id,
      outcome,
      step,
      code,
      reason,
      effect?.intent ?? null,
      effect?.trace === undefined ? null : toJson(effect.trace),
    ],
  );
}

/**
 * `received`, and its sender will not repeat it: senders are asked to repeat, and do so within a day. Sluice's own
 * events (routes that begin with + or _) have no sender and may wait that long for others that the account refuses.
 */
const FORSAKEN = `state = 'received' and received_at < now() - interval '1 day'
  and (left(route, 1) not in (${OWN_ROUTE_SIGNS.map((sign) => `'${sign}'`).join(', ')}) or received_at < now() - make_interval(secs => $1::float8 * 86400))`;

/**
 * Deletes events that ended more than `days` ago, and events that their sender did not repeat for a day.
 * @returns the number of rows; a further call may find more
 */
export async function forgetEvents(db: Queryable, days: number, limit = 5000): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `with gone as (
       delete from events where seq in (
         (select seq from events where state = 'ended' and ended_at < now() - make_interval(secs => $1::float8 * 86400)
           order by ended_at limit $2)
         union all
         (select seq from events where ${FORSAKEN} limit $2))
         -- Checks again under the lock, because the sender may be back or an operator may have reopened the event.
         and (state = 'ended' and ended_at < now() - make_interval(secs => $1::float8 * 86400)
              or ${FORSAKEN})
       returning id, account
     ), sent as (
       delete from intents i using gone
        where i.account = gone.account and i.subject = gone.id and i.kind in (${EVENT_KINDS})
     )
     select count(*)::int as n from gone`,
    [days, limit],
  );
  return row?.n ?? 0;
}

/**
 * Deletes the ranks of events that ended more than `days` ago.
 * @returns the number of rows; a further call may find more
 */
export async function forgetRanks(db: Queryable, days: number, limit = 5000): Promise<number> {
  const rows = await db.query(
    `delete from event_ranks where (account, route, subject) in (
       select account, route, subject from event_ranks
        where at < now() - make_interval(secs => $1::float8 * 86400) order by at limit $2)
       and at < now() - make_interval(secs => $1::float8 * 86400) returning 1`,
    [days, limit],
  );
  return rows.length;
}

/**
 * Deletes messages that were sent more than `days` ago and are not followed any more.
 * @returns the number of rows; a further call may find more
 */
export async function forgetDeliveries(db: Queryable, days: number, limit = 5000): Promise<number> {
  const rows = await db.query(
    `delete from deliveries where (account, message_id) in (
       select account, message_id from deliveries
        where next_at is null and sent_at < now() - make_interval(secs => $1::float8 * 86400) order by sent_at limit $2)
       and next_at is null returning 1`,
    [days, limit],
  );
  return rows.length;
}
