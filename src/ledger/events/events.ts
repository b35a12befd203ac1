// Incoming events: stored before a workflow is started for them, and remembered long after it has ended.

import { OWN_ROUTE_SIGNS } from '../../contracts/ids.ts';
import { toJson } from '../../contracts/stored-json.ts';
import type {
  EffectStep,
  EventDraft,
  EventOutcome,
  EventRequest,
  EventState,
  NextInQueue,
} from '../../contracts/wire/intake.ts';
import type { RecordOutcome } from '../../contracts/wire/run.ts';
import type { Queryable } from '../database.ts';
import { shortHash } from '../short-hash.ts';
import {
  COLUMNS as INTENT_COLUMNS,
  type IntentRow,
  type IntentState,
  type MessageTrace,
} from '../sync/intents.ts';

/** Kinds of intents whose subject is an event. */
const EVENT_KINDS = `'event-message', 'event-move', 'event-flow'`;

/** Time between storing an event and recording that its workflow was accepted. A start is given up after 5 s. */
const STARTING_SECONDS = 30;

export interface EventRow {
  /** Order of arrival. */
  readonly seq: number;
  readonly id: string;
  readonly account: string;
  readonly route: string;
  readonly run_id: string;
  readonly action: EventRequest['type'];
  /** Hash of the subject. */
  readonly subject: string;
  readonly rank: number | null;
  /** Null once the event has ended successfully: nobody needs the request any more. */
  readonly request: EventRequest | null;
  readonly state: EventState;
  /** The workflow that owns the event. */
  readonly workflow: string | null;
  /** What the steps of its effect have found so far. */
  readonly progress: Readonly<Record<string, unknown>>;
  /** Internal errors of the service in a row. */
  readonly attempts: number;
  readonly record_id: number | null;
  readonly outcome: EventOutcome | null;
}

/**
 * Stores events once each, in the given order. An event that was stored before keeps its first content.
 * @returns the state of each, in the same order
 */
export async function addEvents(
  db: Queryable,
  run: string,
  drafts: readonly EventDraft[],
): Promise<EventState[]> {
  const rows = drafts.map(({ subject, request, warnings = [], ...draft }) => ({
    ...draft,
    request,
    warnings,
    action: request.type,
    subject: hashOf(draft.account, subject),
  }));
  const fresh = await db.query<{ id: string }>(
    `insert into events (id, account, route, run_id, action, subject, rank, request, warnings)
     select id, account, route, $1, action, subject, rank, request, warnings
       from rows from (jsonb_to_recordset($2::jsonb)
         as (id text, account text, route text, action text, subject text, rank float8, request jsonb, warnings jsonb))
         with ordinality as r(id, account, route, action, subject, rank, request, warnings, n)
      order by n
     on conflict (id) do nothing returning id`,
    [run, toJson(rows)],
  );
  if (fresh.length === drafts.length) return drafts.map(() => 'received');
  const ids = drafts.map(({ id }) => id);
  // The sender is back, so the event must not be deleted on the way to its start.
  await db.query(
    `update events set received_at = clock_timestamp() where id = any($1) and state = 'received' and received_at < now() - interval '1 hour'`,
    [ids],
  );
  const known = await db.query<{ id: string; state: EventState }>(
    'select id, state from events where id = any($1)',
    [ids],
  );
  const states = new Map(known.map(({ id, state }) => [id, state]));
  // An event was deleted a moment ago, so it is new.
  if (ids.some((id) => !states.has(id))) return await addEvents(db, run, drafts);
  return ids.map((id) => states.get(id) as EventState);
}

/** The row outlives the request, so it names nobody. */
function hashOf(account: string, subject: string): string {
  return shortHash(JSON.stringify([account, subject]));
}

/** Records that a workflow has been accepted for these events. */
export async function markAccepted(db: Queryable, ids: readonly string[]): Promise<void> {
  // Does not wait for the disk. If a crash loses the mark, it is set again when the workflow begins.
  await db.query(
    `with soon as materialized (select set_config('synchronous_commit', 'off', true))
     update events set state = 'accepted', accepted_at = clock_timestamp() from soon
      where id = any($1) and state = 'received'`,
    [ids],
  );
}

/** Accepted events that have not ended: per account their number, and seconds since the first was accepted. */
export async function countOpen(
  db: Queryable,
): Promise<{ account: string; open: number; oldest: number | null }[]> {
  return await db.query(
    `select account, count(*)::int as open,
            extract(epoch from clock_timestamp() - min(accepted_at))::float8 as oldest
       from events where state = 'accepted' group by account`,
  );
}

/** The event with the intent of its effect, if the effect must not happen twice. */
export async function getEvent(
  db: Queryable,
  id: string,
): Promise<(EventRow & { readonly intent: IntentRow | null }) | null> {
  const [row] = await db.query<EventRow & { intent: IntentRow | null }>(
    `select e.*, (select row_to_json(i) from (
              select ${INTENT_COLUMNS} from intents where account = e.account and subject = e.id and kind in (${EVENT_KINDS})) i) as intent
       from events e where id = $1`,
    [id],
  );
  if (row === undefined) return null;
  const { intent } = row;
  if (intent?.sent_at == null) return row;
  return { ...row, intent: { ...intent, sent_at: new Date(intent.sent_at) } };
}

/** An event that a workflow owns, and what comes before it. */
export interface ClaimedEvent extends EventRow {
  /** Unfinished earlier events of its subject; 2 means two or more. */
  readonly ahead: number;
  /**
   * One of them was stored a moment ago and may already have its workflow, though nobody has recorded it. An older
   * one without a workflow was refused, and its sender may never repeat it.
   */
  readonly arriving: boolean;
  /** A newer event of the subject is already done. Only set when the route orders its events. */
  readonly superseded: boolean;
}

/**
 * Assigns the event to a workflow and locks it until the transaction ends. If a start was accepted but its answer was
 * lost, a later start may have grouped the event with others.
 * @returns null when the event has ended, or another workflow owns it
 */
export async function claimEvent(tx: Queryable, id: string, workflow: string): Promise<ClaimedEvent | null> {
  const [row] = await tx.query<ClaimedEvent>(
    `with mine as (
       update events set workflow = $2, state = 'accepted', accepted_at = coalesce(accepted_at, clock_timestamp()),
              block_code = nullif(block_code, 'CONFIG')
        where id = $1 and state <> 'ended' and (workflow is null or workflow = $2) returning *)
     select mine.*,
            (select count(*)::int from (
               select 1 from events e where e.account = mine.account and e.subject = mine.subject and e.seq < mine.seq
                  and e.state = 'accepted' limit 2) earlier) as ahead,
            exists (select 1 from events e where e.account = mine.account and e.subject = mine.subject and e.seq < mine.seq
                       and e.state = 'received' and e.received_at > now() - interval '${STARTING_SECONDS} seconds') as arriving,
            mine.record_id is null and mine.rank is not null and exists (
              select 1 from event_ranks r where r.account = mine.account and r.route = mine.route and r.subject = mine.subject
                 and r.rank > mine.rank) as superseded
       from mine`,
    [id, workflow],
  );
  return row ?? null;
}

/** The remaining fields of an event that is to be closed. */
export interface ClosingEvent extends Pick<EventRow, 'seq' | 'account' | 'subject' | 'state' | 'action'> {
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
    `select e.seq, e.account, e.subject, e.state, e.action,
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

/** Stores what a step found for the next one. */
export async function noteProgress(db: Queryable, id: string, found: Record<string, unknown>): Promise<void> {
  await db.query('update events set progress = progress || $2::jsonb, attempts = 0 where id = $1', [
    id,
    toJson(found),
  ]);
}

/** Stores the step at which the work on an event continues. */
export async function noteStep(db: Queryable, id: string, step: EffectStep): Promise<void> {
  await db.query(
    `update events set progress = progress || jsonb_build_object('step', $2::text) where id = $1 and state <> 'ended'`,
    [id, step],
  );
}

/** Counts one more internal error of the service for this event. Returns the count. */
export async function countEventAttempt(db: Queryable, id: string): Promise<number> {
  const [row] = await db.query<{ attempts: number }>(
    'update events set attempts = attempts + 1 where id = $1 returning attempts',
    [id],
  );
  return row?.attempts ?? 1;
}

/** Records why the event waits for an operator. */
export async function noteBlock(
  db: Queryable,
  id: string,
  block: { code: string; reason: string },
): Promise<void> {
  await db.query('update events set block_code = $2, block_reason = $3 where id = $1', [
    id,
    block.code,
    block.reason,
  ]);
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

/** The workflow that waits with the next event of the subject; null when none does. */
export async function nextInQueue(
  db: Queryable,
  { account, subject, seq }: Pick<EventRow, 'account' | 'subject' | 'seq'>,
): Promise<NextInQueue | null> {
  const [row] = await db.query<{ id: string; workflow: string | null }>(
    `select id, workflow from events where account = $1 and subject = $2 and seq > $3 and state = 'accepted'
      order by seq limit 1`,
    [account, subject, seq],
  );
  return row?.workflow == null ? null : { id: row.id, workflow: row.workflow };
}

/**
 * `received`, and its sender will not repeat it: senders are asked to repeat, and do so within a day. Sluice's own
 * events (routes that begin with + or _) have no sender and may wait that long for others that the account refuses.
 */
const FORSAKEN = `state = 'received' and received_at < now() - interval '1 day'
  and (left(route, 1) not in (${OWN_ROUTE_SIGNS.map((sign) => `'${sign}'`).join(', ')}) or received_at < now() - make_interval(secs => $1::float8 * 86400))`;

/**
 * Deletes events that ended more than `days` ago, events that their sender did not repeat for a day, and messages
 * that were sent more than `days` ago and are not followed any more.
 * @returns the number of rows; a further call may find more
 */
export async function forgetEvents(db: Queryable, days: number, limit = 5000): Promise<number> {
  const rows = await db.query<Pick<EventRow, 'id' | 'account'>>(
    `delete from events where seq in (
       (select seq from events where state = 'ended' and ended_at < now() - make_interval(secs => $1::float8 * 86400) limit $2)
       union all
       (select seq from events where ${FORSAKEN} limit $2))
       -- Checks again under the lock, because the sender may be back or an operator may have reopened the event.
       and (state = 'ended' and ended_at < now() - make_interval(secs => $1::float8 * 86400)
            or ${FORSAKEN})
     returning id, account`,
    [days, limit],
  );
  await db.query(
    `delete from intents i using unnest($1::text[], $2::text[]) as gone(account, id)
      where i.account = gone.account and i.subject = gone.id and i.kind in (${EVENT_KINDS})`,
    [rows.map(({ account }) => account), rows.map(({ id }) => id)],
  );
  await db.query('delete from event_ranks where at < now() - make_interval(secs => $1::float8 * 86400)', [
    days,
  ]);
  await db.query(
    'delete from deliveries where next_at is null and sent_at < now() - make_interval(secs => $1::float8 * 86400)',
    [days],
  );
  return rows.length;
}
