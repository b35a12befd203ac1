// Operator queries about events, and their retry.
import {
  type EventFilter,
  type EventLane,
  type EventSummary,
  eventLane,
} from '../../contracts/wire/intake.ts';
import type { Queryable } from '../database.ts';
import { isoText } from '../iso-text.ts';
import type { EventRow } from './events.ts';

const WHERE = `
  ($1::text[] is null or id = any($1))
  and ($2::text is null or account = $2) and ($3::text is null or route = $3)
  and ($1::text[] is not null
       or (state = 'ended' and outcome = any($4))
       or (state = 'accepted' and ('open' = any($4) or ('blocked' = any($4) and block_code is not null))))
  and ($5::text[] is null or code = any($5) or block_code = any($5))`;

function parametersOf({ ids, account, route, states, codes }: EventFilter): unknown[] {
  return [ids ?? null, account ?? null, route ?? null, states, codes ?? null];
}

/** Newest first. */
export async function listEvents(db: Queryable, filter: EventFilter): Promise<EventSummary[]> {
  return await db.query<EventSummary>(
    `select id, account, route, action, state, outcome, step, code, reason, workflow, warnings,
            case when block_code is null then null
                 else json_build_object('code', block_code, 'reason', block_reason) end as blocked,
            ${['received', 'accepted', 'ended']
              .map((what) => `${isoText(`${what}_at`)} as "${what}At"`)
              .join(', ')}
       from events where ${WHERE} order by seq desc limit $6`,
    [...parametersOf(filter), filter.limit],
  );
}

export interface ReopenedEvents {
  readonly account: string;
  readonly route: string;
  readonly lane: EventLane;
  /** In order of arrival. */
  readonly events: readonly string[];
}

export interface Reopening {
  /** The last part of the id of each workflow that gets them. It identifies this try, so that it can be repeated. */
  readonly key: string;
  /** Workflows that ended without ending their events. */
  readonly gone: readonly string[];
  workflowOf(account: string, route: string): string;
}

type Found = Pick<EventRow, 'id' | 'account' | 'route' | 'action' | 'seq'>;

/**
 * Reopens events: failed and unknown ones if their request is still stored, and open ones without a workflow. Whoever
 * retries an unknown event thereby confirms that its effect does not exist.
 * @returns the events by route; the same result for a repetition after a lost answer
 */
export async function reopenEvents(
  tx: Queryable,
  filter: EventFilter,
  { key, gone, workflowOf }: Reopening,
): Promise<ReopenedEvents[]> {
  const before = await tx.query<Found>(
    `select id, account, route, action, seq from events where state = 'accepted' and right(workflow, length($1) + 1) = '/' || $1`,
    [key],
  );
  const groups = groupsOf(before.length > 0 ? before : await reopen(tx, filter, gone));
  for (const { account, route, events } of groups)
    await tx.query('update events set workflow = $2 where id = any($1)', [
      events,
      workflowOf(account, route),
    ]);
  return groups;
}

async function reopen(tx: Queryable, filter: EventFilter, gone: readonly string[]): Promise<Found[]> {
  const rows = await tx.query<Found & { ended: boolean }>(
    `select id, account, route, action, seq, state = 'ended' as ended from events
      where ${WHERE} and (state = 'ended' and outcome in ('failed', 'unknown') and request is not null
                          or state = 'accepted' and (workflow is null or workflow = any($7)))
      order by seq limit $6 for update`,
    [...parametersOf(filter), filter.limit, gone],
  );
  await tx.query(
    `update events
        set state = 'accepted', outcome = null, step = null, code = null, reason = null, ended_at = null,
            block_code = null, block_reason = null, attempts = 0, accepted_at = clock_timestamp()
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
