// Temporary tables for a dry run, under the names of the ledger's own tables. They leave no trace in the write-ahead
// log, and their files are deleted with the transaction.
import type { Queryable } from '../../../../core/sql/database.ts';

const STAGED = [
  'run_records',
  'plan_pages',
  'plan_claims',
  'merged_rows',
  'row_identities',
  'row_problems',
  'run_warnings',
  'missing_tags',
];

/**
 * Makes these names refer to empty temporary tables until the transaction ends. Statements that need the ledger's
 * rows of earlier runs name the schema: see {@link ledgerSchema}.
 */
export async function shadowRunTables(tx: Queryable): Promise<void> {
  const schema = await ledgerSchema(tx);
  for (const table of STAGED)
    await tx.query(`create temporary table ${table} (like ${schema}.${table} including all) on commit drop`);
}

/** The schema of the ledger's own tables, quoted. */
export async function ledgerSchema(tx: Queryable): Promise<string> {
  const [row] = await tx.query<{ schema: string }>('select quote_ident(current_schema()) as schema');
  return (row as { schema: string }).schema;
}
