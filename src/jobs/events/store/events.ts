// Incoming events: stored before a workflow is started for them, and remembered long after it has ended.

import { EVENT_REQUEST } from '../../../core/encryption/columns.ts';
import { decryptRow, encryptValue } from '../../../core/encryption/values.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';
import { COLUMNS as INTENT_COLUMNS, type IntentRow } from '../../../core/store/intents.ts';
import { readTraceContext, type TraceContext } from '../../../core/tracing.ts';
import type {
  EffectStep,
  EventDraft,
  EventOutcome,
  EventRequest,
  EventState,
  NextInQueue,
} from '../contract/intake.ts';

/** Kinds of intents whose subject is an event. */
export const EVENT_KINDS = `'event-message', 'event-move', 'event-flow'`;

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
  const rows = drafts.map(({ subject, request, warnings = [], trace, ...draft }) => ({
    ...draft,
    request: encryptValue(db, EVENT_REQUEST, [draft.id], request),
    warnings,
    traceparent: trace?.traceparent,
    tracestate: trace?.tracestate,
    action: request.type,
    subject: subjectHash(draft.account, subject),
  }));
  const fresh = await db.query<{ id: string }>(
    `insert into events (id, account, route, run_id, action, subject, rank, request, warnings, traceparent, tracestate)
     select id, account, route, $1, action, subject, rank, request, warnings, traceparent, tracestate
       from rows from (jsonb_to_recordset($2::jsonb)
         as (id text, account text, route text, action text, subject text, rank float8, request jsonb, warnings jsonb,
             traceparent text, tracestate text))
         with ordinality
         as r(id, account, route, action, subject, rank, request, warnings, traceparent, tracestate, n)
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

/** What a trace shows of an event, and the trace that it continues. */
export interface TracedEvent {
  readonly route: string;
  readonly action: EventRequest['type'];
  readonly trace: TraceContext | null;
  /** Milliseconds since the event arrived. */
  readonly ageMs: number;
}

/** Null: there is no such event. */
export async function tracedEvent(db: Queryable, id: string): Promise<TracedEvent | null> {
  const [row] = await db.query<{
    route: string;
    action: EventRequest['type'];
    traceparent: string | null;
    tracestate: string | null;
    age_ms: number;
  }>(
    `select route, action, traceparent, tracestate,
            (extract(epoch from clock_timestamp() - received_at) * 1000)::float8 as age_ms
       from events where id = $1`,
    [id],
  );
  if (row === undefined) return null;
  const { route, action, age_ms: ageMs } = row;
  return { route, action, trace: readTraceContext(row), ageMs };
}

/** A subject as rows store it that outlive the request: it names nobody. */
export function subjectHash(account: string, subject: string): string {
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
  const event = decryptRow(db, EVENT_REQUEST, row);
  const { intent } = event;
  if (intent?.sent_at == null) return event;
  return { ...event, intent: { ...intent, sent_at: new Date(intent.sent_at) } };
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
  /** The moment of the backup of a restored ledger; null once an operator has ended the restore. */
  readonly restoredTo: Date | null;
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
                 and r.rank > mine.rank) as superseded,
            (select min(restored_to) from restores where ended_at is null) as "restoredTo"
       from mine`,
    [id, workflow],
  );
  return row === undefined ? null : decryptRow(tx, EVENT_REQUEST, row);
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
