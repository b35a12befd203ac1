// Lists of the account that campaigns need: read whole, kept in the ledger.
import type { CampaignList } from '../../src/contracts/campaign.ts';
import { saveCatalog } from '../../src/ledger/catalog.ts';
import { callApi } from '../api-call.ts';
import type { Deps } from '../deps.ts';

/** One call. @returns how many items could not be read */
export async function readList(
  deps: Deps,
  account: string,
  run: string,
  list: CampaignList,
): Promise<number> {
  const access = deps.account(account);
  const { db } = deps;
  switch (list) {
    case 'tags': {
      const found = await callApi(deps, access, run, 'contacts:read', (client, options) =>
        client.tags.list(options),
      );
      const tags = (found?.items ?? []).map(({ id, name }) => ({ id, name }));
      await saveCatalog(db, account, 'tags', tags);
      return found?.invalid.length ?? 0;
    }
    case 'pipelines': {
      const found = await callApi(deps, access, run, 'cards:read', (client, options) =>
        client.pipelines.list(options),
      );
      const pipelines = (found?.items ?? []).map(({ id, name, stages }) => ({
        ...{ id, name },
        stages: stages.map((stage) => ({ id: stage.id, name: stage.name })),
      }));
      await saveCatalog(db, account, 'pipelines', pipelines);
      return found?.invalid.length ?? 0;
    }
    case 'lostReasons': {
      const found = await callApi(deps, access, run, 'cards:read', (client, options) =>
        client.lostReasons.list(options),
      );
      const reasons = (found?.items ?? []).map(({ id, name }) => ({ id, name: name ?? null }));
      await saveCatalog(db, account, 'lostReasons', reasons);
      return found?.invalid.length ?? 0;
    }
    case 'connections': {
      const found = await callApi(deps, access, run, 'connections:read', (client, options) =>
        client.connections.list(options),
      );
      const connections = (found?.items ?? []).map(({ id, name, channel, status }) => ({
        ...{ id, name, channel, status },
      }));
      await saveCatalog(db, account, 'connections', connections);
      return found?.invalid.length ?? 0;
    }
  }
}
