// The audit log: who did what, and whether it was allowed. Entries are added and completed. Only retention deletes them.
import type { Role } from '../../core/endpoint.ts';
import { toJson } from '../../core/json/stored-json.ts';
import type { Queryable } from '../../core/sql/database.ts';
import { isoText } from '../../core/sql/iso-text.ts';
import type { AuditLine, AuditOutcome } from '../contract/identity.ts';

export interface NewAuditEntry {
  /** Null: nobody has logged in. */
  readonly caller: {
    readonly identity: string;
    readonly name: string;
    readonly role: Role;
    readonly via: string;
  } | null;
  readonly action: string;
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  readonly identity?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** Part of the target. */
  readonly target?: string | undefined;
  /** ISO 8601; included. */
  readonly from?: string | undefined;
  /** ISO 8601; not included. */
  readonly to?: string | undefined;
  /** Entries before this id. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Lines of an action among which the caller's last one is searched. */
const COUNTED_LINES = 100;

/** Adds one to the caller's last line of this action and target, if it is recent. Otherwise writes a line, as `ok`. */
export async function countAudit(db: Queryable, entry: NewAuditEntry, minutes: number): Promise<void> {
  const { caller, action, target } = entry;
  const counted = await db.query(
    `update operator_audit set details = details || jsonb_build_object('times', coalesce((details ->> 'times')::int, 1) + 1)
      where id = (
        select id from (
          select id, at, identity, role, target, outcome from operator_audit
           where action = $2 order by id desc limit ${COUNTED_LINES}) recent
         where identity is not distinct from $1 and role is not distinct from $3 and target = $4 and outcome = 'ok'
           and at > now() - make_interval(mins => $5::int)
         order by id desc limit 1)
     returning 1`,
    [caller?.identity ?? null, action, caller?.role ?? null, target, minutes],
  );
  if (counted.length === 0) await addAudit(db, entry, 'ok');
}

/** @returns the id of the line */
export async function addAudit(db: Queryable, entry: NewAuditEntry, outcome: AuditOutcome): Promise<number> {
  const { caller, action, target, details } = entry;
  const [row] = await db.query<{ id: number }>(
    `insert into operator_audit (identity, name, role, via, action, target, details, outcome)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    [
      caller?.identity ?? null,
      caller?.name ?? null,
      caller?.role ?? null,
      caller?.via ?? null,
      action,
      // PostgreSQL stores no NUL.
      target.replaceAll('\0', ''),
      toJson(details),
      outcome,
    ],
  );
  return (row as { id: number }).id;
}

/** Completes a line that was added as `started`. */
export async function completeAudit(
  db: Queryable,
  id: number,
  outcome: AuditOutcome,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await db.query('update operator_audit set outcome = $2, details = details || $3::jsonb where id = $1', [
    id,
    outcome,
    toJson(details),
  ]);
}

/** Newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<AuditLine[]> {
  return await db.query<AuditLine>(
    `select id, ${isoText('at')} as at, identity, name, role, via, action, target, details, outcome
       from operator_audit
      where ($1::text is null or identity = $1) and ($2::text is null or action = $2)
        and ($3::text is null or outcome = $3) and ($4::text is null or strpos(target, $4) > 0)
        and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
        and ($7::bigint is null or id < $7)
      order by id desc limit $8`,
    [
      filter.identity ?? null,
      filter.action ?? null,
      filter.outcome ?? null,
      filter.target ?? null,
      filter.from ?? null,
      filter.to ?? null,
      filter.before ?? null,
      filter.limit,
    ],
  );
}

/**
 * Deletes entries of both audit logs that are older than this number of days.
 * @returns the number of rows; a further call may find more
 */
export async function forgetAudit(db: Queryable, days: number, limit = 5000): Promise<number> {
  const own = await db.query(
    `delete from operator_audit where id in (
       -- Ids rise with time: only the oldest entries are read.
       select id from (select id, at from operator_audit order by id limit $2) oldest
        where at < now() - make_interval(secs => $1::float8 * 86400)) returning 1`,
    [days, limit],
  );
  const ofCampaigns = await db.query(
    `delete from campaign_audit where (run_id, id) in (
       select run_id, id from campaign_audit where at < now() - make_interval(secs => $1::float8 * 86400)
        order by at limit $2) returning 1`,
    [days, limit],
  );
  return own.length + ofCampaigns.length;
}
