// Events as operators see them, and their retry.

import { EVENT_REQUEST } from '../../../core/encryption/columns.ts';
import { decryptRow } from '../../../core/encryption/values.ts';
import { pageOf } from '../../../core/page.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { EventCall, EventFilter, EventSummary } from '../contract/events.ts';
import { type EventLane, type EventRequest, eventLane } from '../contract/intake.ts';
import { IS_BEING_REPLACED, IS_REPLACED } from './event-replacements.ts';
import type { EventRow } from './events.ts';

type State = NonNullable<EventFilter['states']>[number];

/** Written out, so that the server can use its partial indexes. The contract allows only these words. */
const CONDITIONS = {
  received: "state = 'received'",
  open: "state = 'accepted'",
  blocked: "(state = 'accepted' and block_code is not null)",
  done: "(state = 'ended' and outcome = 'done')",
  unchanged: "(state = 'ended' and outcome = 'unchanged')",
  superseded: "(state = 'ended' and outcome = 'superseded')",
  failed: "(state = 'ended' and outcome in ('failed', 'unknown') and outcome = 'failed')",
  unknown: "(state = 'ended' and outcome in ('failed', 'unknown') and outcome = 'unknown')",
  discarded: "(state = 'ended' and outcome = 'discarded')",
} as const satisfies Record<State, string>;

interface Where {
  readonly sql: string;
  readonly values: unknown[];
}

function whereOf({ ids, account, route, states, codes, since, until }: EventFilter): Where {
  if (ids !== undefined) return { sql: 'id = any($1)', values: [ids] };
  const values: unknown[] = [];
  const parts: string[] = [];
  const add = (value: unknown, part: (place: string) => string) => {
    if (value === undefined) return;
    values.push(value);
    parts.push(part(`$${values.length}`));
  };
  add(account, (at) => `account = ${at}`);
  add(route, (at) => `route = ${at}`);
  add(codes, (at) => `(code = any(${at}) or block_code = any(${at}))`);
  add(since, (at) => `received_at >= ${at}::timestamptz`);
  add(until, (at) => `received_at < ${at}::timestamptz`);
  if (states !== undefined) parts.push(`(${states.map((state) => CONDITIONS[state]).join(' or ')})`);
  return { sql: parts.length === 0 ? 'true' : parts.join(' and '), values };
}

const SUMMARY = `id, account, route, action, state, outcome, step, code, reason, workflow, warnings,
  case when block_code is null then null
       else json_build_object('code', block_code, 'reason', coalesce(block_reason, '')) end as blocked,
  ${['received', 'accepted', 'ended'].map((what) => `${isoText(`${what}_at`)} as "${what}At"`).join(', ')}`;

export interface EventPage {
  readonly events: EventSummary[];
  /** Null: these are all. */
  readonly next: string | null;
}

/** Newest first. @param before `next` of the page before */
export async function listEvents(
  db: Queryable,
  filter: EventFilter,
  { limit, before = null }: { readonly limit: number; readonly before?: string | null },
): Promise<EventPage> {
  const { sql, values } = whereOf(filter);
  const rows = await db.query<EventSummary & { readonly seq: number }>(
    `select seq, ${SUMMARY} from events
      where ${sql} and ($${values.length + 1}::bigint is null or seq < $${values.length + 1}::bigint)
      order by seq desc limit $${values.length + 2}`,
    [...values, before, limit + 1],
  );
  const { page, next } = pageOf(rows, limit, ({ seq }) => String(seq));
  return { events: page, next };
}

const MOST_VALUES = 1000;

/** Distinct values of a column in order: one search of its index for each, however many events there are. */
const distinct = (column: 'route' | 'code' | 'block_code') => `with recursive found (value) as (
    (select ${column} from events where ${column} is not null order by ${column} limit 1)
    union all
    select (select ${column} from events where ${column} > value order by ${column} limit 1)
      from found where value is not null)
  select value from found where value is not null limit ${MOST_VALUES}`;

/** Routes and codes that events have. */
export async function readEventValues(db: Queryable): Promise<{ routes: string[]; codes: string[] }> {
  const [row] = await db.query<{ readonly routes: string[]; readonly codes: string[] }>(
    `select (select coalesce(json_agg(value order by value), '[]') from (${distinct('route')}) r) as routes,
            (select coalesce(json_agg(value order by value), '[]')
               from ((${distinct('code')}) union (${distinct('block_code')})) c) as codes`,
  );
  return { routes: row?.routes ?? [], codes: row?.codes ?? [] };
}

/** An event with what it asks for: personal data. */
export interface StoredEvent extends EventSummary {
  readonly attempts: number;
  readonly rank: number | null;
  /** Id of the corrected event that runs instead of it. */
  readonly replacedBy: string | null;
  readonly request: EventRequest | null;
  /** Id of its trace. */
  readonly trace: string | null;
}

export async function findEvent(db: Queryable, id: string): Promise<StoredEvent | null> {
  const [row] = await db.query<StoredEvent>(
    `select ${SUMMARY}, attempts, rank, request, substr(traceparent, 4, 32) as trace,
            case when ${IS_REPLACED} then replaced_by end as "replacedBy" from events where id = $1`,
    [id],
  );
  return row === undefined ? null : decryptRow(db, EVENT_REQUEST, row);
}

/** Calls that an event led to, oldest first. */
export async function callsOfEvent(db: Queryable, id: string, limit: number): Promise<EventCall[]> {
  return await db.query<EventCall>(
    `select ${isoText('at')} as at, method, route, status, code, request_id as "requestId", wait_ms as "waitMs",
            took_ms as "tookMs"
       from calls where event_id = $1 order by at, id limit $2`,
    [id, limit],
  );
}

/** Open events of a filter by the workflow that owns them. `blocked`: one of them waits for a person. */
export async function openEvents(
  db: Queryable,
  filter: EventFilter,
  limit: number,
): Promise<{ workflow: string; events: string[]; blocked: boolean }[]> {
  const { sql, values } = whereOf(filter);
  return await db.query(
    `select workflow, array_agg(id) as events, bool_or(block_code is not null) as blocked
       from (select id, workflow, block_code from events
              where ${sql} and state = 'accepted' and workflow is not null order by seq limit $${values.length + 1}) found
      group by workflow`,
    [...values, limit],
  );
}

/** Whether `reopenEvents` would find anything, if the workflows of open events were gone. */
export async function hasRetryable(db: Queryable, filter: EventFilter): Promise<boolean> {
  const { sql, values } = whereOf(filter);
  const rows = await db.query(
    `select 1 from events where ${sql} and (${RETRYABLE} or state = 'accepted') limit 1`,
    [...values],
  );
  return rows.length > 0;
}

const RETRYABLE = `(state = 'ended' and outcome in ('failed', 'unknown') and request is not null and not ${IS_BEING_REPLACED})`;

export interface ReopenedEvents {
  readonly account: string;
  readonly route: string;
  readonly lane: EventLane;
  /** In order of arrival. */
  readonly events: readonly string[];
}

export interface Reopening {
  readonly limit: number;
  /** Workflows that ended without ending their events. */
  readonly gone: readonly string[];
  /** Id of the workflow that gets the events of a route. */
  workflowOf(account: string, route: string): string;
}

type Found = Pick<EventRow, 'id' | 'account' | 'route' | 'action' | 'seq'>;

/**
 * Reopens events: failed and unknown ones if their request is still stored, and open ones without a workflow. Whoever
 * retries an unknown event thereby confirms that its effect does not exist. If the workflow is not started afterwards,
 * another retry finds the events open without a workflow.
 * @returns the events by route
 */
export async function reopenEvents(
  tx: Queryable,
  filter: EventFilter,
  { limit, gone, workflowOf }: Reopening,
): Promise<ReopenedEvents[]> {
  const groups = groupsOf(await reopen(tx, filter, limit, gone));
  for (const { account, route, events } of groups)
    await tx.query('update events set workflow = $2 where id = any($1)', [
      events,
      workflowOf(account, route),
    ]);
  return groups;
}

async function reopen(
  tx: Queryable,
  filter: EventFilter,
  limit: number,
  gone: readonly string[],
): Promise<Found[]> {
  const { sql, values } = whereOf(filter);
  const rows = await tx.query<Found & { ended: boolean }>(
    `select id, account, route, action, seq, state = 'ended' as ended from events
      where ${sql} and (${RETRYABLE}
                        or state = 'accepted' and (workflow is null or workflow = any($${values.length + 1})))
      order by seq limit $${values.length + 2} for update`,
    [...values, gone, limit],
  );
  await tx.query(
    `update events
        set state = 'accepted', outcome = null, step = null, code = null, reason = null, ended_at = null,
            block_code = null, block_reason = null, attempts = 0, accepted_at = clock_timestamp(),
            replaced_by = null, replaced_at = null
      where id = any($1)`,
    [rows.map(({ id }) => id)],
  );
  // Sluice still searches for what an open event has sent.
  await tx.query(
    `update intents set state = 'open', sends = 0, refused = 0, sent_at = null
      where kind like 'event-%' and subject = any($1) and state = 'unknown'`,
    [rows.flatMap(({ id, ended }) => (ended ? [id] : []))],
  );
  return rows;
}

function groupsOf(rows: readonly Found[]): ReopenedEvents[] {
  const groups = new Map<string, ReopenedEvents & { events: string[] }>();
  for (const { id, account, route, action } of rows.toSorted((a, b) => a.seq - b.seq)) {
    const key = `${account}/${route}`;
    const group = groups.get(key);
    if (group === undefined)
      groups.set(key, { account, route, lane: eventLane(action, route), events: [id] });
    else group.events.push(id);
  }
  return [...groups.values()];
}
