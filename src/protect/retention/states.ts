// Which process deletes a kind of data now, and what the last passes deleted.
import type { Queryable } from '../../core/sql/database.ts';
import { isoText } from '../../core/sql/iso-text.ts';

/** A process that has not reported for this long has died, and another one continues. */
const CLAIM = "interval '2 minutes'";

export interface Claim {
  readonly kind: string;
  /** Unique per pass. */
  readonly by: string;
}

/**
 * Claims a kind for one pass.
 * @param everyMs least time between the ends of two passes
 * @returns the position of the last pass; undefined when another process has the kind, or its last pass is recent
 */
export async function claimKind(
  db: Queryable,
  { kind, by }: Claim,
  everyMs: number,
): Promise<{ readonly position: string | null } | undefined> {
  const [row] = await db.query<{ position: string | null }>(
    `insert into retention as r (kind, claimed_by, claimed_until, started_at) values ($1, $2, now() + ${CLAIM}, now())
     on conflict (kind) do update set claimed_by = $2, claimed_until = now() + ${CLAIM}, started_at = now(), deleted = 0
      where r.claimed_until < now()
        and (r.ended_at is null or r.error is not null or r.ended_at <= now() - $3 * interval '1 millisecond')
     returning position`,
    [kind, by, everyMs],
  );
  return row;
}

/**
 * Adds what a step deleted, and renews the claim.
 * @returns false when another process has the kind now
 */
export async function reportStep(
  db: Queryable,
  { kind, by }: Claim,
  { deleted, position }: { readonly deleted: number; readonly position: string | null },
): Promise<boolean> {
  const rows = await db.query(
    `update retention set claimed_until = now() + ${CLAIM}, deleted = deleted + $3, deleted_ever = deleted_ever + $3,
            position = $4
      where kind = $1 and claimed_by = $2 returning 1`,
    [kind, by, deleted, position],
  );
  return rows.length > 0;
}

/** Ends a pass. @param error SQLSTATE or name of the error that ended it; null when it is complete */
export async function endPass(
  db: Queryable,
  { kind, by }: Claim,
  error: string | null,
  complete = true,
): Promise<void> {
  await db.query(
    `update retention
        set claimed_by = null, claimed_until = '-infinity', error = $3, ended_at = case when $4 then now() else ended_at end
      where kind = $1 and claimed_by = $2`,
    [kind, by, error, complete && error === null],
  );
}

export interface RetentionState {
  readonly kind: string;
  /** A process deletes this kind now. */
  readonly active: boolean;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly deleted: number;
  readonly deletedEver: number;
  readonly error: string | null;
}

/** What the passes of each kind did. A kind without a pass is missing. */
export async function readStates(db: Queryable): Promise<RetentionState[]> {
  return await db.query<RetentionState>(
    `select kind, claimed_until > now() as active, ${isoText('started_at')} as "startedAt",
            ${isoText('ended_at')} as "endedAt", deleted, deleted_ever as "deletedEver", error
       from retention`,
  );
}

export interface TableSize {
  readonly table: string;
  /** With indexes. */
  readonly bytes: number;
  /** Estimate of the database; null when it has none. */
  readonly rows: number | null;
}

export async function readSizes(db: Queryable, tables: readonly string[]): Promise<TableSize[]> {
  return await db.query<TableSize>(
    `select name as table, pg_total_relation_size(name::regclass)::int8 as bytes,
            (select nullif(reltuples, -1)::int8 from pg_class where oid = name::regclass) as rows
       from unnest($1::text[]) name`,
    [tables],
  );
}
