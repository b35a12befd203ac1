// The lists of an account that steps look names up in, read from the ledger once for many records.
import { type CatalogPipeline, type CatalogTag, readCatalog } from '../src/ledger/catalog.ts';
import type { Queryable } from '../src/ledger/database.ts';

export interface AccountLists {
  /** Null when they could never be read. */
  tags(db: Queryable): Promise<readonly CatalogTag[] | null>;
  pipelines(db: Queryable): Promise<readonly CatalogPipeline[]>;
}

/** Lists that are read when somebody first asks for them, and are kept: a batch lasts about a minute. */
export function accountLists(account: string): AccountLists {
  return {
    tags: once((db) => readCatalog(db, account, 'tags')),
    pipelines: once(async (db) => (await readCatalog(db, account, 'pipelines')) ?? []),
  };
}

/** What was read once; a reading that failed does not count. */
function once<T>(read: (db: Queryable) => Promise<T>): (db: Queryable) => Promise<T> {
  let known: { readonly value: T } | null = null;
  return async (db) => (known ??= { value: await read(db) }).value;
}
