// Formats times for operators.

/** SQL: a timestamp column as text in ISO 8601, UTC, with milliseconds; null stays null. */
export function isoText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
