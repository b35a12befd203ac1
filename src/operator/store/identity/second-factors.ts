// Second factors of users: the secret of their codes, the last code that was used, and hashes of recovery codes.

import { SECOND_FACTOR } from '../../../core/encryption/columns.ts';
import { decryptValue, encryptValue } from '../../../core/encryption/values.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';

interface Stored {
  /** Base32. */
  readonly secret: string;
}

export interface SecondFactorState {
  /** When it was turned on; null: it is off. */
  readonly since: string | null;
  readonly recoveryCodesLeft: number;
}

export async function stateOfSecondFactor(db: Queryable, user: number): Promise<SecondFactorState> {
  const [row] = await db.query<SecondFactorState>(
    `select ${isoText('second_factor_at')} as since,
            case when second_factor_at is null then 0 else coalesce(jsonb_array_length(recovery_codes), 0) end
              as "recoveryCodesLeft"
       from users where id = $1`,
    [user],
  );
  return row ?? { since: null, recoveryCodesLeft: 0 };
}

/** Stores a secret that waits for its first code. @returns false when the second factor is on already */
export async function proposeSecret(db: Queryable, user: number, secret: string): Promise<boolean> {
  const rows = await db.query(
    'update users set second_factor = $2::jsonb where id = $1 and second_factor_at is null returning id',
    [user, toJson(encryptValue(db, SECOND_FACTOR, [user], { secret } satisfies Stored))],
  );
  return rows.length > 0;
}

/** @param isOn whether the second factor is on, or waits for its first code. @returns null when there is none */
export async function secretOf(db: Queryable, user: number, isOn: boolean): Promise<string | null> {
  const [row] = await db.query<{ stored: Stored | null }>(
    `select second_factor as stored from users
      where id = $1 and disabled_at is null and (second_factor_at is not null) = $2`,
    [user, isOn],
  );
  return decryptValue(db, SECOND_FACTOR, [user], row?.stored ?? null)?.secret ?? null;
}

/**
 * Turns the second factor on.
 * @param step time step of the first code, which is used up
 * @param proved the secret that made the code: another page may have asked for a new one meanwhile
 * @param recovery hashes of recovery codes
 * @returns false when it is on already, or has another secret
 */
export async function turnOn(
  tx: Queryable,
  user: number,
  proved: { readonly secret: string; readonly step: number },
  recovery: readonly string[],
): Promise<boolean> {
  await tx.query('select id from users where id = $1 for update', [user]);
  if ((await secretOf(tx, user, false)) !== proved.secret) return false;
  await tx.query(
    `update users set second_factor_at = now(), second_factor_step = $2, recovery_codes = $3::jsonb where id = $1`,
    [user, proved.step, toJson(recovery)],
  );
  return true;
}

/** Uses the code of a time step up. @returns false when this or a later step was used before */
export async function takeStep(db: Queryable, user: number, step: number): Promise<boolean> {
  const rows = await db.query(
    `update users set second_factor_step = $2
      where id = $1 and second_factor_at is not null and coalesce(second_factor_step, -1) < $2 returning id`,
    [user, step],
  );
  return rows.length > 0;
}

/** Uses a recovery code up. @returns false when the user has none with this hash */
export async function takeRecoveryCode(db: Queryable, user: number, hash: string): Promise<boolean> {
  const rows = await db.query(
    `update users set recovery_codes = recovery_codes - $2::text
      where id = $1 and second_factor_at is not null and recovery_codes ? $2::text returning id`,
    [user, hash],
  );
  return rows.length > 0;
}

/** @returns false when it was off */
export async function turnOff(db: Queryable, user: number): Promise<boolean> {
  const rows = await db.query(
    `update users set second_factor = null, second_factor_at = null, second_factor_step = null, recovery_codes = null
      where id = $1 and second_factor_at is not null returning id`,
    [user],
  );
  return rows.length > 0;
}
