// Claims about a number's owner while a run is planned. They are stored when the first row does not contain all of
// them.

import { PLAN_AGAINST, PLAN_CLAIMS } from '../../../../core/encryption/columns.ts';
import { decryptValue, encryptValue } from '../../../../core/encryption/values.ts';
import { toJson } from '../../../../core/json/stored-json.ts';
import type { Queryable } from '../../../../core/sql/database.ts';

interface Claim {
  readonly row: number;
  readonly value: string;
  /** What the merged record has instead. */
  readonly kept?: { readonly row: number; readonly value: string };
}
type Claims = Readonly<Record<string, Claim>>;

/** Values by field, with their rows. `against` has the values that made Sluice refuse the number. */
export interface StoredClaims {
  readonly claims: Claims;
  readonly against: Claims | null;
}

export async function findClaims(
  tx: Queryable,
  runId: string,
  keys: readonly string[],
): Promise<Map<string, StoredClaims>> {
  if (keys.length === 0) return new Map();
  const rows = await tx.query<StoredClaims & { key: string }>(
    'select key, claims, against from plan_claims where run_id = $1 and key = any($2)',
    [runId, keys],
  );
  return new Map(
    rows.map(({ key, claims, against }) => [
      key,
      {
        claims: decryptValue(tx, PLAN_CLAIMS, [runId, key], claims),
        against: decryptValue(tx, PLAN_AGAINST, [runId, key], against),
      },
    ]),
  );
}

export async function saveClaims(
  tx: Queryable,
  runId: string,
  all: ReadonlyMap<string, StoredClaims>,
): Promise<void> {
  if (all.size === 0) return;
  const claims = [...all].map(([key, stored]) => ({
    key,
    claims: encryptValue(tx, PLAN_CLAIMS, [runId, key], stored.claims),
    against: encryptValue(tx, PLAN_AGAINST, [runId, key], stored.against),
  }));
  await tx.query(
    `insert into plan_claims (run_id, key, claims, against)
     select $1, c.key, c.claims, nullif(c.against, 'null'::jsonb)
       from jsonb_to_recordset($2::jsonb) as c(key text, claims jsonb, against jsonb)
     on conflict (run_id, key) do update set claims = excluded.claims, against = excluded.against`,
    [runId, toJson(claims)],
  );
}

export async function dropClaims(tx: Queryable, runId: string): Promise<void> {
  await tx.query('delete from plan_claims where run_id = $1', [runId]);
}
