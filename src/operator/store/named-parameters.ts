// Statements with named parameters, for queries that are put together from parts.
import type { Queryable } from '../../core/sql/database.ts';

export type NamedValues = Readonly<Record<string, unknown>>;

/** Runs a statement in which `:name` stands for a value. Only the values that it names are sent. */
export async function queryNamed<Row>(db: Queryable, sql: string, values: NamedValues): Promise<Row[]> {
  const names: string[] = [];
  // A cast has two colons.
  const text = sql.replace(/(?<![:\w]):([a-z]\w*)/gi, (_, name: string) => {
    if (!(name in values)) throw new Error(`the statement names an unknown parameter ${name}`);
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return await db.query<Row>(
    text,
    names.map((name) => values[name]),
  );
}
