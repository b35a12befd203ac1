// Converts PostgreSQL values to JSON without loss, so that dot-paths reach into json columns and arrays.
import { parseRowJson } from '../../../core/json/exact-json.ts';
import { isShallow, MAX_DEPTH } from '../nesting.ts';
import type { PgField, PgSession } from './postgres-session.ts';

/** Thrown for a value that cannot be converted. Its row becomes a problem row. */
export class UnreadableValue extends Error {
  override readonly name = 'UnreadableValue';
}

export type Convert = (text: string) => unknown;

const OID = { bytea: 17, date: 1082, timestamp: 1114, timestamptz: 1184 } as const;
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);

/** What an overlap can be subtracted from: a duration from times, a number from numbers. */
export function familyOf(type: number): 'timestamptz' | 'timestamp' | 'date' | 'number' | 'other' {
  if (type === OID.timestamptz) return 'timestamptz';
  if (type === OID.timestamp) return 'timestamp';
  if (type === OID.date) return 'date';
  return NUMBERS.has(type) ? 'number' : 'other';
}

const asText: Convert = (text) => text;
const asNumber: Convert = (text) => {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
};

// int8 and numeric stay text: a JavaScript number would round them.
const SCALARS: ReadonlyMap<number, Convert> = new Map<number, Convert>([
  [16, (text) => text === 't'],
  [21, asNumber],
  [23, asNumber],
  [26, asNumber],
  [700, asNumber],
  [701, asNumber],
  [114, asJson],
  [3802, asJson],
  [OID.timestamp, (text) => (ENDLESS.test(text) ? text : text.replace(' ', 'T'))],
  [OID.timestamptz, (text) => (ENDLESS.test(text) ? text : text.replace(' ', 'T').replace(/\+00$/, 'Z'))],
]);

/** `infinity`, and years BC, which ISO 8601 writes differently. */
const ENDLESS = /infinity|BC$/;

/**
 * Decides how to read each column; null for columns of bytes, which are omitted. It asks the server once about types
 * that are not built in, to distinguish arrays of them from text.
 */
export async function convertersOf(
  session: PgSession,
  fields: readonly PgField[],
): Promise<readonly (Convert | null)[]> {
  const elements = new Map<number, number>();
  const types = [...new Set(fields.map(({ type }) => type))];
  const { rows } = await session.query(
    `select oid, typelem from pg_catalog.pg_type where oid = any($1::oid[]) and typcategory = 'A' and typelem <> 0`,
    [`{${types.join(',')}}`],
  );
  for (const [type, element] of rows) elements.set(Number(type), Number(element));
  return fields.map(({ type }) => {
    const element = elements.get(type);
    if (type === OID.bytea || element === OID.bytea) return null;
    if (element === undefined) return SCALARS.get(type) ?? asText;
    const convert = SCALARS.get(element) ?? asText;
    return (text) => arrayOf(text, convert);
  });
}

function asJson(text: string): unknown {
  const value = parseRowJson(text);
  if (typeof value === 'object' && value !== null && !isShallow(value, MAX_DEPTH)) {
    throw new UnreadableValue(`is nested deeper than ${MAX_DEPTH} levels; flatten it`);
  }
  return value;
}

/** Parses the array that PostgreSQL writes as `{1,NULL,"a,b",{…}}`, perhaps after its bounds `[0:2]=`. */
function arrayOf(text: string, convert: Convert): unknown[] {
  let at = text.indexOf('{');
  const list = (depth: number): unknown[] => {
    // PostgreSQL itself allows six dimensions.
    if (depth > 16) throw new UnreadableValue('is an array of too many dimensions');
    const items: unknown[] = [];
    at += 1;
    while (at < text.length && text[at] !== '}') {
      if (text[at] === ',') at += 1;
      items.push(text[at] === '{' ? list(depth + 1) : item());
    }
    at += 1;
    return items;
  };
  const item = (): unknown => {
    if (text[at] !== '"') {
      const start = at;
      while (at < text.length && text[at] !== ',' && text[at] !== '}') at += 1;
      const bare = text.slice(start, at);
      return bare === 'NULL' ? null : convert(bare);
    }
    let quoted = '';
    for (at += 1; text[at] !== '"' && at < text.length; at += 1) {
      if (text[at] === '\\') at += 1;
      quoted += text[at];
    }
    at += 1;
    return convert(quoted);
  };
  return list(0);
}
