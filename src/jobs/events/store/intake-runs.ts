// Runs of a route, a poller or a team's own worker, which have no end of their own. A run has the spec that its steps use, frozen until it
// changes, and the number of its calls.

import { ownSyncName, pollerSyncName, runIdSql } from '../../../core/ids.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Database, Queryable } from '../../../core/sql/database.ts';
import type { StepSpec } from '../contract/intake.ts';

/** A route whose action is not a lead has nothing to freeze except its name. */
export type IntakeSpec = (StepSpec | Pick<StepSpec, 'account' | 'sync'>) & {
  /** Absent: events about erased people are discarded. */
  readonly erasedPeople?: 'accept';
  /** Absent: messages and flows to people who opted out are discarded. */
  readonly optOut?: 'ignore';
};

/** Does the route of this run take events about people who were erased after an opt-out? */
export async function acceptsErased(db: Queryable, run: string): Promise<boolean> {
  const rows = await db.query(`select 1 from runs where id = $1 and spec ->> 'erasedPeople' = 'accept'`, [
    run,
  ]);
  return rows.length > 0;
}

/** Does the route of this run send messages and flows to people who opted out? */
export async function ignoresOptOuts(db: Queryable, run: string): Promise<boolean> {
  const rows = await db.query(`select 1 from runs where id = $1 and spec ->> 'optOut' = 'ignore'`, [run]);
  return rows.length > 0;
}

/**
 * The run that counts the calls of a poller.
 * @returns its id, `{account}/~{poller}/{sequence number}`
 */
export async function openPollRun(db: Database, account: string, poller: string): Promise<string> {
  return await openEndlessRun(db, { account, sync: pollerSyncName(poller) }, 'poll');
}

/**
 * The run that counts the calls of a team's own worker.
 * @returns its id, `{account}/={worker}/{sequence number}`
 */
export async function openOwnRun(db: Database, account: string, worker: string): Promise<string> {
  return await openEndlessRun(db, { account, sync: ownSyncName(worker) }, 'own');
}

/**
 * The run that events of this route belong to: the open one, or the next one if the route has changed since. Events
 * of the previous run continue under its spec.
 * @returns its id, `{account}/@{route}/{sequence number}`
 */
export async function openIntakeRun(db: Database, spec: IntakeSpec): Promise<string> {
  return await openEndlessRun(db, spec, 'intake');
}

async function openEndlessRun(
  db: Database,
  spec: IntakeSpec,
  kind: 'intake' | 'poll' | 'own',
): Promise<string> {
  const { account, sync } = spec;
  return await db.transaction(async (tx) => {
    // Serializes processes that start together.
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 724312))', [`${account}/${sync}`]);
    await tx.query(
      `update runs set finished_at = now(), status = 'finished'
        where account = $1 and sync = $2 and finished_at is null and spec <> $3::jsonb`,
      [account, sync, toJson(spec)],
    );
    await tx.query(
      `insert into runs (id, account, sync, seq, spec, kind, status)
       select ${runIdSql('$1', '$2', 'seq')}, $1, $2, seq, $3, $4, 'syncing'
         from (select coalesce(max(seq), 0) + 1 as seq from runs where account = $1 and sync = $2) next
       on conflict do nothing`,
      [account, sync, toJson(spec), kind],
    );
    const [run] = await tx.query<{ id: string }>(
      'select id from runs where account = $1 and sync = $2 and finished_at is null',
      [account, sync],
    );
    if (run === undefined) throw new Error(`the run of ${account}/${sync} ended while it was opened`);
    return run.id;
  });
}
