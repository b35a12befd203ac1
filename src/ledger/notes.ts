// Several writes as one statement: each note is a part of it, and all of them take effect together.
import type { Queryable } from './database.ts';

/** A statement that writes: `param` takes a value in and answers its placeholder. */
export type Note = (param: (value: unknown) => string) => string;

/**
 * Runs a statement together with notes. No two of them may write the same row.
 * @param sql the statement that gives the answer, with placeholders for `params`
 */
export async function runNotes<Row>(
  db: Queryable,
  sql: string,
  params: readonly unknown[],
  notes: readonly Note[],
): Promise<Row[]> {
  if (notes.length === 0) return await db.query<Row>(sql, params);
  const values = [...params];
  const param = (value: unknown) => `$${values.push(value)}`;
  const parts = notes.map((note, n) => `note${n} as (${note(param)})`);
  return await db.query<Row>(`with ${parts.join(', ')}, main as (${sql}) select * from main`, values);
}
