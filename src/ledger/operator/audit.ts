// The audit log: who did what, and whether it was allowed. Entries are only added.
import type { Role } from '../../contracts/operator/endpoint.ts';
import { toJson } from '../../contracts/stored-json.ts';
import type { Queryable } from '../database.ts';
import { isoText } from '../iso-text.ts';

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
  readonly outcome: 'ok' | 'denied' | 'failed';
}

export interface AuditRow {
  readonly id: number;
  readonly at: string;
  readonly identity: string | null;
  readonly name: string | null;
  readonly role: Role | null;
  readonly via: string | null;
  readonly action: string;
  readonly target: string;
  readonly details: Record<string, unknown>;
  readonly outcome: 'ok' | 'denied' | 'failed';
}

export interface AuditFilter {
  readonly identity?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: AuditRow['outcome'] | undefined;
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

export async function addAudit(db: Queryable, entry: NewAuditEntry): Promise<void> {
  const { caller, action, target, details, outcome } = entry;
  await db.query(
    `insert into operator_audit (identity, name, role, via, action, target, details, outcome)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
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
}

/** Newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<AuditRow[]> {
  return await db.query<AuditRow>(
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
