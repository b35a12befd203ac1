// Exports what the ledger has of a person.

import { ENCRYPTED_COLUMNS, type EncryptedColumn } from '../../core/encryption/columns.ts';
import { decryptRow } from '../../core/encryption/values.ts';
import type { Queryable } from '../../core/sql/database.ts';
import { refusedRequestsOf } from '../../jobs/events/store/refused-requests.ts';
import { queryNamed } from '../../operator/store/named-parameters.ts';
import type { Person } from '../../operator/store/people/person.ts';
import { PLACES, valuesOf } from './person-places.ts';

/** Everything that the ledger has of the person, by table. */
export async function exportPerson(
  db: Queryable,
  person: Person,
): Promise<Record<string, Record<string, unknown>[]>> {
  const values = valuesOf(person);
  const tables: Record<string, Record<string, unknown>[]> = {};
  for (const { table, where } of PLACES) {
    const rows = await queryNamed<{ row: Record<string, unknown> }>(
      db,
      `select to_jsonb(t) as row from ${table} t where ${where}`,
      values,
    );
    if (rows.length > 0) tables[table] = rows.map(({ row }) => decryptedRow(db, table, row));
  }
  const refused = [];
  for await (const { id, route, at, content } of refusedRequestsOf(db, person.account, {
    tail: values.tail,
    email: person.email,
  }))
    refused.push({ id, route, at, body: Buffer.from(content.body).toString('utf8') });
  if (refused.length > 0) tables.refused_requests = refused;
  return tables;
}

function decryptedRow(db: Queryable, table: string, row: Record<string, unknown>): Record<string, unknown> {
  let decrypted = row;
  for (const column of ENCRYPTED_COLUMNS) {
    if (column.table !== table) continue;
    const stored = decrypted[column.column];
    decrypted =
      column.shape.type === 'bytea' && typeof stored === 'string'
        ? hexRow(db, column, decrypted, stored)
        : decryptRow(db, column, decrypted);
  }
  return decrypted;
}

/** JSON shows bytes as `\\x` and hexadecimal digits. */
function hexRow(db: Queryable, column: EncryptedColumn, row: Record<string, unknown>, hex: string) {
  const name = column.column;
  const bytes = decryptRow(db, column, { ...row, [name]: Buffer.from(hex.slice(2), 'hex') })[name] as Buffer;
  return { ...row, [name]: `\\x${bytes.toString('hex')}` };
}
