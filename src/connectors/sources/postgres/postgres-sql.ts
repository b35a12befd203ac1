// Builds the statements that page through a table or a select in the order of its key. They never use an offset, so
// rows that come and go, or a process that ends between two pages, cause no skip and no repeat.

import { SourceError } from '../../../core/source.ts';
import type { PostgresSource } from './config.ts';
import type { PgField, PgSession } from './postgres-session.ts';
import { type Convert, convertersOf, familyOf } from './postgres-values.ts';

export interface Column {
  readonly name: string;
  readonly convert: Convert;
}

/** What is read, as the server describes it. */
export interface Relation {
  /** The SQL after `from`, with the alias q. */
  readonly sql: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  /** Column of the increment and the type of its values. Null if everything is read. */
  readonly changed: { readonly name: string; readonly family: ReturnType<typeof familyOf> } | null;
}

/** The phase of the rows. Rows without a time come first, so that a row that gets a time meanwhile is read again. */
export type Phase = 'undated' | 'ordered';

/** A condition on the first column of the order, or on all of them. */
export interface Begin {
  readonly op: '>' | '>=';
  readonly values: readonly string[];
}

/** @throws SourceError `bad_config` when a column is missing or named twice */
export async function describe(session: PgSession, config: PostgresSource, place: string): Promise<Relation> {
  const sql =
    config.table === undefined
      ? `(\n${oneStatement(config.query ?? '')}\n) as q`
      : `${tableName(config.table)} as q`;
  const { fields } = await session.query(`select * from ${sql} limit 0`);
  const key = typeof config.key === 'string' ? [config.key] : config.key;
  const twice = fields.find(({ name }, index) => fields.findIndex((other) => other.name === name) < index);
  if (twice !== undefined) {
    const message = `source ${place}: the query has two columns ${JSON.stringify(twice.name)}; name one of them otherwise with "as"`;
    throw new SourceError('bad_config', message);
  }
  const converts = await convertersOf(session, fields);
  const columns = fields.flatMap(({ name }, index) => {
    const convert = converts[index] ?? null;
    return convert === null ? [] : [{ name, convert }];
  });
  const known = columns.map(({ name }) => name);
  for (const name of key) requireColumn(name, 'key', known, place);
  const column = config.incremental?.column;
  if (column === undefined) return { sql, columns, key, changed: null };
  requireColumn(column, 'incremental.column', known, place);
  return { sql, columns, key, changed: { name: column, family: familyOf(typeOf(fields, column)) } };
}

/** Columns of the order within a phase. */
export function orderOf({ key, changed }: Relation, phase: Phase): string[] {
  return changed === null || phase === 'undated' ? [...key] : [changed.name, ...key];
}

/** Selects one page plus one row, which shows whether the page is the last. */
export function pageStatement(relation: Relation, phase: Phase, begin: Begin | null, limit: number): string {
  const { sql, columns, key, changed } = relation;
  const order = orderOf(relation, phase).map(column);
  const where = key.map((name) => `${column(name)} is not null`);
  if (changed !== null) where.push(`${column(changed.name)} is ${phase === 'undated' ? '' : 'not '}null`);
  if (begin !== null) {
    const slots = begin.values.map((_value, index) => `$${index + 1}`);
    where.push(`(${order.slice(0, slots.length).join(', ')}) ${begin.op} (${slots.join(', ')})`);
  }
  return `select ${columns.map(({ name }) => column(name)).join(', ')} from ${sql}
    where ${where.join(' and ')} order by ${order.join(', ')} limit ${limit}`;
}

/** Selects rows with a null in the key, up to `limit`. */
export function unkeyedStatement({ sql, key }: Relation, limit: number): string {
  return `select 1 from ${sql} where ${key.map((name) => `${column(name)} is null`).join(' or ')} limit ${limit}`;
}

function column(name: string): string {
  return `q.${quote(name)}`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes each part of `schema.table`. A part in double quotes may contain dots. */
function tableName(text: string): string {
  const parts = text.match(/"(?:[^"]|"")+"|[^."]+/g) ?? [];
  if (parts.join('.') !== text || parts.length > 3) {
    throw new SourceError('bad_config', `source ${text}: this is not a table name; write schema.table`);
  }
  return parts.map((part) => (part.startsWith('"') ? part : quote(part))).join('.');
}

/** People often end a select with a semicolon. The server rejects one inside. */
function oneStatement(query: string): string {
  return query.trim().replace(/;\s*$/, '');
}

function typeOf(fields: readonly PgField[], name: string): number {
  return fields.find((field) => field.name === name)?.type ?? 0;
}

function requireColumn(name: string, setting: string, known: readonly string[], place: string): void {
  if (known.includes(name)) return;
  const there = known.length === 0 ? 'none' : known.slice(0, 30).join(', ');
  const message = `source ${place}: \`${setting}\` names ${JSON.stringify(name)}, which is none of the columns that can be read; these are ${there}`;
  throw new SourceError('bad_config', message);
}
