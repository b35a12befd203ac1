// Marks what may have happened after the backup that the ledger was restored from, so that it is read back or decided
// by an operator before anything is sent again.

import type { Database, Queryable } from '../../core/sql/database.ts';
import { STEP_BITS } from '../../jobs/sync/constants.ts';
import { closeRun } from '../../jobs/sync/store/run-end.ts';
import { addRestore, type RestoreCounts } from './restores.ts';

/** Code of members whose trigger may have gone out after the backup. */
const RESTORED = 'RESTORED';

/**
 * Marks a ledger that was restored from a backup. Run it before any worker starts.
 * - Effects of events that have not ended count as sent with a lost answer.
 * - Open runs of syncs and open retries end. The next run reads the source and the service again.
 * - Open campaigns end. Members that were not triggered become `unknown`, because nothing shows whether a flow ran.
 * - Operators log in again.
 * @param restoredTo the moment of the backup
 */
export async function markRestored(db: Database, restoredTo: Date): Promise<RestoreCounts> {
  return await db.transaction(async (tx) => {
    const counts = {
      runs: await endRuns(tx),
      events: await suspectEvents(tx, restoredTo),
      ...(await endCampaigns(tx)),
    };
    await tx.query('delete from user_sessions');
    await tx.query('delete from login_links');
    await addRestore(tx, restoredTo, counts);
    return counts;
  });
}

async function endRuns(tx: Queryable): Promise<number> {
  const open = await tx.query<{ id: string }>(
    "select id from runs where kind in ('sync', 'retry') and finished_at is null order by id for update",
  );
  for (const { id } of open)
    await closeRun(tx, id, {
      status: 'failed',
      stopped: 0,
      error: 'the ledger was restored from a backup: start the sync again',
    });
  return open.length;
}

/** A later restore must not shorten the search of an earlier one. */
const SINCE = `jsonb_build_object('since', least($1::timestamptz, (progress ->> 'since')::timestamptz))`;

async function suspectEvents(tx: Queryable, restoredTo: Date): Promise<number> {
  // Any workflow may continue the event: its own one, or the one that is started for it.
  const events = await tx.query<{ id: string }>(
    `update events set workflow = null, attempts = 0, progress = (progress - 'step' - 'round') || ${SINCE}
      where state <> 'ended' returning id`,
    [restoredTo],
  );
  await tx.query(
    `update intents i set state = 'sent', sends = greatest(sends, 1), sent_at = clock_timestamp(), detail = null
       from events e
      where e.state <> 'ended' and i.account = e.account and i.subject = e.id and i.kind like 'event-%' and i.state = 'open'`,
  );
  await suspectEffects(
    tx,
    events.map(({ id }) => id),
  );
  const { lookup, findCard, createCard, readBackCard } = STEP_BITS;
  await tx.query(
    `update run_records r
        set todo = r.todo | case when exists (select 1 from people p where p.account = e.account and p.key = r.key
                                                and p.remote_id is not null) then 0 else $1::int end
                          | case when r.todo & $2::int <> 0 and r.todo & $3::int = 0 then $4::int else 0 end,
            holder = null, due_at = now()
       from events e
      where e.state <> 'ended' and r.id = e.record_id and r.status = 'pending'`,
    [lookup, createCard, readBackCard, findCard],
  );
  return events.length;
}

/**
 * Records effects of events as sent, with a lost answer. So they are read back before anything is sent; a flow, which
 * nothing shows, becomes unknown.
 */
export async function suspectEffects(tx: Queryable, events: readonly string[]): Promise<void> {
  await tx.query(
    `insert into intents (account, kind, subject, run_id, state, sends, sent_at)
     select account, case action when 'message' then 'event-message' when 'stage' then 'event-move' else 'event-flow' end,
            id, run_id, 'sent', 1, clock_timestamp()
       from events where id = any($1) and state <> 'ended' and action in ('message', 'stage', 'flow')
     on conflict (account, kind, subject) do nothing`,
    [events],
  );
}

async function endCampaigns(tx: Queryable): Promise<Pick<RestoreCounts, 'campaigns' | 'members'>> {
  const open = await tx.query<{ run: string; state: string }>(
    `select run_id as run, state from campaigns where state in ('planning', 'planned', 'running') order by run_id for update`,
  );
  const runs = open.map(({ run }) => run);
  const [row] = await tx.query<{ n: number }>(
    `with lost as (
       update campaign_members m
          set state = 'unknown', code = $2, reason = 'the ledger was restored from a backup: check in the service whether the flow ran',
              sends = greatest(sends, 1), sent_at = coalesce(sent_at, clock_timestamp()), ended_at = clock_timestamp(),
              holder = null, due_at = null, not_before = null
         from campaigns c
        where c.run_id = m.run_id and c.run_id = any($1) and c.state = 'running' and m.state in ('waiting', 'sending')
       returning m.id, m.key, m.run_id, c.account, c.campaign
     ), touched as (
       insert into campaign_touches (member_id, account, key, campaign, run_id, at)
       select id, account, key, campaign, run_id, clock_timestamp() from lost where key is not null
       on conflict (member_id) do update set at = excluded.at
     ), reached as (
       insert into campaign_reached as r (account, key, times)
       select account, key, 1 from lost where key is not null group by 1, 2
       on conflict (account, key) do update set times = r.times + 1
     )
     select count(*)::int as n from lost`,
    [runs, RESTORED],
  );
  await tx.query(
    `update campaigns set state = case state when 'running' then 'cancelled' else 'void' end, ended_at = clock_timestamp(),
            reason = 'the ledger was restored from a backup'
      where run_id = any($1)`,
    [runs],
  );
  await tx.query(
    `update runs set status = 'cancelled', finished_at = now() where id = any($1) and finished_at is null`,
    [runs],
  );
  return { campaigns: runs.length, members: row?.n ?? 0 };
}
