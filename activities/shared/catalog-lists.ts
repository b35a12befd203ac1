// The account lists that the ledger keeps: how to read each in one call, and which fields to keep.

import type { Scope } from '../../src/core/scopes.ts';
import { type CatalogItems, saveCatalog } from '../../src/core/store/catalog.ts';
import type { Connection } from '../../src/service/api-client/schemas/connection.ts';
import type { LostReason, Pipeline } from '../../src/service/api-client/schemas/pipeline.ts';
import type { Tag } from '../../src/service/api-client/schemas/tag.ts';
import type { Listing } from '../../src/service/api-client/shapes.ts';
import { type Call, type CallDeps, callApi } from './api-call.ts';
import type { AccountAccess, Deps } from './deps.ts';

interface Shown {
  readonly tags: Tag;
  readonly pipelines: Pipeline;
  readonly lostReasons: LostReason;
  readonly connections: Connection;
}
export type ListName = keyof Shown;

interface CatalogList<N extends ListName> {
  readonly scope: Scope;
  readonly call: Call<Listing<Shown[N]>>;
  keep(item: Shown[N]): CatalogItems[N][number];
}

const LISTS: { readonly [N in ListName]: CatalogList<N> } = {
  tags: {
    scope: 'contacts:read',
    call: (client, options) => client.tags.list(options),
    keep: ({ id, name }) => ({ id, name }),
  },
  pipelines: {
    scope: 'cards:read',
    call: (client, options) => client.pipelines.list(options),
    keep: ({ id, name, stages }) => ({
      id,
      name,
      stages: stages.map((stage) => ({ id: stage.id, name: stage.name })),
    }),
  },
  lostReasons: {
    scope: 'cards:read',
    call: (client, options) => client.lostReasons.list(options),
    keep: ({ id, name }) => ({ id, name: name ?? null }),
  },
  connections: {
    scope: 'connections:read',
    call: (client, options) => client.connections.list(options),
    keep: ({ id, name, channel, status }) => ({ id, name, channel, status }),
  },
};

/** How to read a list of the account. */
export function listing<N extends ListName>(name: N): Pick<CatalogList<N>, 'scope' | 'call'> {
  return LISTS[name];
}

/** Reads a list of the account. @throws what `callApi` throws */
export async function fetchList<N extends ListName>(
  deps: CallDeps,
  account: AccountAccess,
  run: string,
  name: N,
): Promise<Listing<Shown[N]> | null> {
  const { scope, call } = listing(name);
  return await callApi<Listing<Shown[N]>>(deps, account, run, scope, call);
}

/**
 * Stores these items as the account's list.
 * @returns the items as stored
 */
export async function keepList<N extends ListName>(
  { db }: Pick<Deps, 'db'>,
  account: string,
  name: N,
  items: readonly Shown[N][],
): Promise<CatalogItems[N]> {
  const { keep } = LISTS[name];
  const kept = items.map((item) => keep(item)) as CatalogItems[N];
  await saveCatalog(db, account, name, kept);
  return kept;
}
