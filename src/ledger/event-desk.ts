// Events as operators see them, and their second chance.
import type { EventFilter, EventSummary } from '../contracts/intake.ts';
import type { Queryable } from './database.ts';

const WHERE = `
  ($1::text[] is null or id = any($1))
  and ($2::text is null or account = $2) and ($3::text is null or route = $3)
  and ($1::text[] is not null
       or (state = 'ended' and outcome = any($4))
       or (state = 'accepted' and ('open' = any($4) or ('held' = any($4) and hold_code is not null))))
  and ($5::text[] is null or code = any($5) or hold_code = any($5))`;

function parametersOf({ ids, account, route, states, codes }: EventFilter): unknown[] {
  return [ids ?? null, account ?? null, route ?? null, states, codes ?? null];
}

/** The newest first. */
export async function listEvents(db: Queryable, filter: EventFilter): Promise<EventSummary[]> {
  return await db.query<EventSummary>(
    `select id, account, route, action, state, outcome, step, code, reason, workflow, warnings,
            case when hold_code is null then null
                 else json_build_object('code', hold_code, 'reason', hold_reason) end as held,
            ${['received', 'accepted', 'ended']
              .map(
                (what) =>
                  `to_char(${what}_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "${what}At"`,
              )
              .join(', ')}
       from events where ${WHERE} order by seq desc limit $6`,
    [...parametersOf(filter), filter.limit],
  );
}

export interface ReopenedEvents {
  readonly account: string;
  readonly route: string;
  /** In the order in which they came. */
  readonly events: readonly string[];
}

/**
 * Opens ended events again, those that failed or are unknown: what they asked for is still there. Whoever tries an
 * unknown one again says by it that its effect is not there.
 */
export async function reopenEvents(tx: Queryable, filter: EventFilter): Promise<ReopenedEvents[]> {
  const rows = await tx.query<{ id: string; account: string; route: string; seq: number }>(
    `update events
        set state = 'accepted', outcome = null, step = null, code = null, reason = null, ended_at = null,
            workflow = null, attempts = 0, accepted_at = clock_timestamp()
      where seq in (select seq from events
                     where ${WHERE} and state = 'ended' and outcome in ('failed', 'unknown') and request is not null
                     order by seq limit $6 for update)
      returning id, account, route, seq`,
    [...parametersOf(filter), filter.limit],
  );
  await tx.query(
    `update intents set state = 'open', sends = 0, refused = 0, sent_at = null
      where kind like 'event-%' and subject = any($1) and state = 'unknown'`,
    [rows.map(({ id }) => id)],
  );
  const groups = new Map<string, { account: string; route: string; events: string[] }>();
  for (const { id, account, route } of rows.sort((a, b) => a.seq - b.seq)) {
    const key = `${account}/${route}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { account, route, events: [id] });
    else group.events.push(id);
  }
  return [...groups.values()];
}
