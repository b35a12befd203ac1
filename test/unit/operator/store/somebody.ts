// A person whose traces tests look for after an erasure.
import type { Queryable } from '../../../../src/core/sql/database.ts';

/** Somebody with everything that names them. */
export interface Somebody {
  /** A Brazilian number with its ninth digit. */
  readonly key: string;
  readonly name: string;
  readonly email: string;
}
export const IOLANDA: Somebody = {
  key: '5511912345601',
  name: 'Iolanda Quixadá',
  email: 'iolanda.q@example.com',
};

/** The number as old address books have it. */
export const shortOf = ({ key }: Somebody): string => key.slice(0, 4) + key.slice(5);
/** What may be left of somebody: also parts. */
export const tracesOf = ({ key, name, email }: Somebody): string[] => [
  key.slice(-8),
  ...name.split(' '),
  email,
];

/** The tables that have one of these texts in any column, also as bytes. Punctuation of numbers does not hide them. */
export async function tablesWith(db: Queryable, texts: readonly string[]): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = current_schema() order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await db.query(
      `select 1 from ${name} t, unnest($1::text[]) as s(text)
        where strpos(lower(t::text), lower(s.text)) > 0 or strpos(regexp_replace(t::text, '[ ()+-]', '', 'g'), s.text) > 0
           or strpos(t::text, encode(convert_to(s.text, 'UTF8'), 'hex')) > 0
        limit 1`,
      [texts],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}
