// Combines several writes into one statement: each note is a part of it, and all of them take effect together.
import { LedgerError, type Queryable } from './database.ts';

/**
 * A part of a statement that writes. `param` registers a value and returns its placeholder; `db` has the keys of
 * encrypted values.
 */
export type Note = (param: (value: unknown) => string, db: Queryable) => string;

/** SQLSTATE of a division by zero. */
const DIVISION_BY_ZERO = '22012';

/**
 * Runs a statement together with notes. No two of them may write the same row.
 * @param sql the statement that returns rows, with placeholders for `params`
 * @param together the notes take effect only when the statement returns one row; otherwise the result is empty, and a
 *   transaction around it must be rolled back
 */
export async function runNotes<Row>(
  db: Queryable,
  sql: string,
  params: readonly unknown[],
  notes: readonly Note[],
  together = false,
): Promise<Row[]> {
  if (notes.length === 0) return await db.query<Row>(sql, params);
  const values = [...params];
  const param = (value: unknown) => `$${values.push(value)}`;
  const parts = notes.map((note, n) => `note${n} as (${note(param, db)})`);
  return await runTogether<Row>(
    db,
    `with ${parts.join(', ')}, main as (${sql}) select * from main`,
    values,
    together,
  );
}

/**
 * Runs a statement with a part `main` and no condition of its own.
 * @param together as in {@link runNotes}
 */
export async function runTogether<Row>(
  db: Queryable,
  sql: string,
  values: readonly unknown[],
  together: boolean,
): Promise<Row[]> {
  if (!together) return await db.query<Row>(sql, values);
  // Within one statement, only an error undoes what other parts of it wrote.
  return await db
    .query<Row>(`${sql} where 1 / (select count(*) from main) = 1`, values)
    .catch((error: unknown) => {
      if (error instanceof LedgerError && error.code === DIVISION_BY_ZERO) return [];
      throw error;
    });
}
