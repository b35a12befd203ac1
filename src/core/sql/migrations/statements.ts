// The statements of a migration.

/** Statements end with a semicolon at the end of a line. Use a list for statements that contain such lines. */
export type Migration = string | readonly string[];

export function statementsOf(migration: Migration): readonly string[] {
  if (typeof migration !== 'string') return migration;
  return migration.split(/;\s*$/m).filter((statement) => statement.trim() !== '');
}
