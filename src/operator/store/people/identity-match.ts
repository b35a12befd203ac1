// Matches rows that are no person, because their number could not be read or another row represents them, with what an
// operator typed.
import type { Queryable } from '../../../core/sql/database.ts';
import { wordsOf } from './people-search.ts';

/** What an operator typed, as it can be read. See `PeopleQuery`. */
export interface IdentityQuery {
  readonly accounts: readonly string[];
  readonly keys: readonly string[];
  readonly whole: boolean;
  readonly email: string | null;
  readonly name: string | null;
  /** Digits of the number as it was written; null for other texts. */
  readonly digits: string | null;
  /** The last eight of the digits; null: there are fewer. */
  readonly tail: string | null;
}

export type MatchedBy = 'phone' | 'email' | 'name';

/** Where identities are, in SQL. The columns have the indexes of `row_identities`. */
export interface IdentityTable {
  readonly from: string;
  /** Columns that name a row. */
  readonly id: string;
  /** Condition that the row is of one of the accounts, which are a parameter. */
  ofAccounts(accounts: string): string;
  readonly name: string;
  readonly email: string;
  readonly number: string;
}

/** Rows per thing that matched, before the newest are chosen. A common name may have tens of thousands. */
const MATCHES = 500;

/**
 * Statements that find rows, with the columns of their ids and `by`. Without any, nothing can match.
 * @param parameter adds a value to the statement, and returns its placeholder
 */
export async function matchesOf(
  db: Queryable,
  { accounts, keys, whole, email, digits, tail, name }: IdentityQuery,
  table: IdentityTable,
  parameter: (value: unknown) => string,
): Promise<string[]> {
  const words = name === null ? null : await wordsOf(db, name, whole);
  const from = email?.toLowerCase() ?? null;
  const written = digits === null ? keys : [...keys, digits];
  const of = parameter(accounts);
  const matches: string[] = [];
  // Checked row by row, as people are: see `OF_ACCOUNTS`.
  const match = (by: MatchedBy, where: string) =>
    matches.push(
      `(select ${table.id}, '${by}' as by from ${table.from}
         where ${where} and ${table.ofAccounts(of)} limit ${MATCHES})`,
    );
  const number = (where: string) => match('phone', `${table.number} is not null and ${where}`);
  if (written.length > 0) number(`sluice_digits(${table.number}) = any(${parameter(written)})`);
  if (tail !== null && !whole) number(`sluice_tail(${table.number}) = ${parameter(tail)}`);
  if (from !== null) {
    const [first, last] = [parameter(from), parameter(whole ? from : `${from}\u{10ffff}`)];
    const address = `lower(${table.email})`;
    match('email', `${table.email} is not null and ${address} ~>=~ ${first} and ${address} ~<=~ ${last}`);
  }
  if (words !== null) {
    const all = `sluice_words(${table.name})`;
    const fits = whole ? ` and ${all} <@ sluice_words(${parameter(name)})` : '';
    match(
      'name',
      `${table.name} is not null and array_to_tsvector(${all}) @@ ${parameter(words)}::tsquery${fits}`,
    );
  }
  return matches;
}
