// Encrypts and decrypts values of the listed columns, with the keys of the database. Without keys, values stay as they
// are, and an encrypted one is an error.
import type { Queryable } from '../sql/database.ts';
import { type Place, UnknownLedgerKeyError } from './cipher.ts';
import type { EncryptedColumn } from './columns.ts';
import type { Open, Seal } from './shapes.ts';

type Keys = Pick<Queryable, 'cipher'>;

/**
 * @param row the values of `column.row`, in its order
 * @returns the value for the database; `value` itself without keys
 */
export function encryptValue({ cipher }: Keys, column: EncryptedColumn, row: Place, value: unknown): unknown {
  if (cipher === undefined || value === null || value === undefined) return value;
  const seal: Seal = (plain, part) => cipher.encrypt(plain, placeOf(column, row, part));
  return column.shape.encrypt(value, seal);
}

/**
 * @param row the values of `column.row`, in its order
 * @throws UnknownLedgerKeyError, DamagedValueError
 */
export function decryptValue<T>({ cipher }: Keys, column: EncryptedColumn, row: Place, stored: T): T {
  if (stored === null || stored === undefined) return stored;
  const open: Open = (sealed, part) => {
    if (cipher === undefined) throw new UnknownLedgerKeyError(sealed.keyId);
    return cipher.decrypt(sealed, placeOf(column, row, part));
  };
  return column.shape.decrypt(stored, open) as T;
}

/** Decrypts the column in rows that have it and the columns that name the row, all under their own names. */
export function decryptRows<T>(db: Keys, column: EncryptedColumn, rows: readonly T[]): T[] {
  return rows.map((row) => decryptRow(db, column, row));
}

export function decryptRow<T>(db: Keys, column: EncryptedColumn, row: T): T {
  const record = row as Readonly<Record<string, unknown>>;
  const place = column.row.map((name) => (record[name] ?? null) as Place[number]);
  return { ...row, [column.column]: decryptValue(db, column, place, record[column.column]) };
}

function placeOf({ table, column }: EncryptedColumn, row: Place, part?: string): Place {
  return part === undefined ? [table, column, ...row] : [table, column, ...row, part];
}
