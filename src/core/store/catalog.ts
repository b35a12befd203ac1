// What the account offers (tags, pipelines with their stages, lost reasons, connections), as last read.

import { toJson } from '../json/stored-json.ts';
import type { Queryable } from '../sql/database.ts';
import { isoText } from '../sql/iso-text.ts';

export interface CatalogTag {
  readonly id: number;
  readonly name: string;
}
export interface CatalogPipeline {
  readonly id: number;
  readonly name: string;
  readonly stages: readonly { readonly id: number; readonly name: string }[];
}
export interface CatalogLostReason {
  readonly id: number;
  /** Null when the service shows no name (API text, Gaps in resources). */
  readonly name: string | null;
}
export interface CatalogConnection {
  readonly id: number;
  readonly name: string;
  readonly channel: string;
  readonly status: string;
}
export interface CatalogItems {
  tags: CatalogTag[];
  pipelines: CatalogPipeline[];
  lostReasons: CatalogLostReason[];
  connections: CatalogConnection[];
}

export async function saveCatalog<K extends keyof CatalogItems>(
  db: Queryable,
  account: string,
  kind: K,
  items: CatalogItems[K],
) {
  await db.query(
    `insert into catalog (account, kind, items) values ($1, $2, $3)
     on conflict (account, kind) do update set items = excluded.items, fetched_at = now(), asked_at = null`,
    [account, kind, toJson(items)],
  );
}

/** The list as last read; null when it was never read. */
export async function readCatalog<K extends keyof CatalogItems>(
  db: Queryable,
  account: string,
  kind: K,
): Promise<CatalogItems[K] | null> {
  const [row] = await db.query<{ items: CatalogItems[K] }>(
    'select items from catalog where account = $1 and kind = $2',
    [account, kind],
  );
  return row?.items ?? null;
}

/** The list as last read, with the time in ISO 8601; null when it was never read. */
export async function readCatalogAt<K extends keyof CatalogItems>(
  db: Queryable,
  account: string,
  kind: K,
): Promise<{ readonly items: CatalogItems[K]; readonly readAt: string } | null> {
  const [row] = await db.query<{ items: CatalogItems[K]; readAt: string }>(
    `select items, ${isoText('fetched_at')} as "readAt" from catalog
      where account = $1 and kind = $2 and fetched_at > '-infinity'`,
    [account, kind],
  );
  return row ?? null;
}

/** A reader has this many seconds before another one may read the same list. */
const ASK_SECONDS = 30;

/** Seconds since the list was read; null when it never was. */
export async function catalogAge(
  db: Queryable,
  account: string,
  kind: keyof CatalogItems,
): Promise<number | null> {
  const [row] = await db.query<{ age: number }>(
    `select (extract(epoch from clock_timestamp()) - extract(epoch from fetched_at))::float8 as age
       from catalog where account = $1 and kind = $2 and fetched_at > '-infinity'`,
    [account, kind],
  );
  return row?.age ?? null;
}

/** Gives one of several callers the right to read the list again. The others continue with the stored list. */
export async function claimCatalog(
  tx: Queryable,
  account: string,
  kind: keyof CatalogItems,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into catalog (account, kind, items, fetched_at, asked_at) values ($1, $2, 'null', '-infinity', now())
     on conflict (account, kind) do update set asked_at = now()
      where catalog.asked_at is null or catalog.asked_at < now() - make_interval(secs => ${ASK_SECONDS})
     returning 1`,
    [account, kind],
  );
  return rows.length > 0;
}

/** Returns the right from `claimCatalog` without having read the list. */
export async function releaseCatalog(
  tx: Queryable,
  account: string,
  kind: keyof CatalogItems,
): Promise<void> {
  await tx.query('update catalog set asked_at = null where account = $1 and kind = $2', [account, kind]);
}

const foldCase = (text: string) => text.normalize('NFC').trim().toLocaleLowerCase('und');

/** Tells whether `pick` finds an entry with a name. It takes the same time for any number of entries. */
export function nameTest(items: readonly { readonly name: string }[]): (name: string) => boolean {
  const names = new Set(items.map(({ name }) => foldCase(name)));
  return (name) => names.has(foldCase(name));
}

/** Finds an entry by id, by exact name, or by name regardless of case. */
export function pick<T extends { id: number; name: string }>(
  items: readonly T[],
  wanted: string | number,
): T | null {
  if (typeof wanted === 'number') return items.find((item) => item.id === wanted) ?? null;
  return (
    items.find((item) => item.name === wanted) ??
    items.find((item) => foldCase(item.name) === foldCase(wanted)) ??
    null
  );
}

/** The lists of an account in which steps look up names. */
export interface AccountLists {
  /** Null when they could never be read. */
  tags(db: Queryable): Promise<readonly CatalogTag[] | null>;
  pipelines(db: Queryable): Promise<readonly CatalogPipeline[]>;
}

/** Lists that are read at their first use and then kept, because a batch lasts about a minute. */
export function accountLists(account: string): AccountLists {
  return {
    tags: once((db) => readCatalog(db, account, 'tags')),
    pipelines: once(async (db) => (await readCatalog(db, account, 'pipelines')) ?? []),
  };
}

/** Remembers a successful read. A failed one is tried again. */
function once<T>(read: (db: Queryable) => Promise<T>): (db: Queryable) => Promise<T> {
  let known: { readonly value: T } | null = null;
  return async (db) => (known ??= { value: await read(db) }).value;
}
