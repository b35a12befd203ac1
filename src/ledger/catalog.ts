// What the account offers (tags, pipelines with their stages), as last read.
import type { Queryable } from './database.ts';
import { toJson } from './json.ts';

export interface CatalogTag {
  readonly id: number;
  readonly name: string;
}
export interface CatalogPipeline {
  readonly id: number;
  readonly name: string;
  readonly stages: readonly { readonly id: number; readonly name: string }[];
}
interface Items {
  tags: CatalogTag[];
  pipelines: CatalogPipeline[];
}

export async function saveCatalog<K extends keyof Items>(
  db: Queryable,
  account: string,
  kind: K,
  items: Items[K],
) {
  await db.query(
    `insert into catalog (account, kind, items) values ($1, $2, $3)
     on conflict (account, kind) do update set items = excluded.items, fetched_at = now()`,
    [account, kind, toJson(items)],
  );
}

/** The list as last read; null when it was never read. */
export async function readCatalog<K extends keyof Items>(
  db: Queryable,
  account: string,
  kind: K,
): Promise<Items[K] | null> {
  const [row] = await db.query<{ items: Items[K] }>(
    'select items from catalog where account = $1 and kind = $2',
    [account, kind],
  );
  return row?.items ?? null;
}

/** Finds an entry by id, by exact name, or by name without regard to case. */
export function pick<T extends { id: number; name: string }>(
  items: readonly T[],
  wanted: string | number,
): T | null {
  if (typeof wanted === 'number') return items.find((item) => item.id === wanted) ?? null;
  const fold = (text: string) => text.normalize('NFC').trim().toLocaleLowerCase('und');
  return (
    items.find((item) => item.name === wanted) ??
    items.find((item) => fold(item.name) === fold(wanted)) ??
    null
  );
}
