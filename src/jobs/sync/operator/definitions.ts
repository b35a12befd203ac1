// Syncs as they are written in sluice.yaml.

import { OperatorError } from '../../../operator/error.ts';
import { isAllowed } from '../../../operator/service/caller.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { SYNC_DEFINITIONS } from '../contract/definitions.ts';
import { listRuns } from '../store/run-list.ts';
import { isUploadedFile, linesOfPreview, shownPreview } from './first-sync.ts';
import { liveState } from './list.ts';

export function definitionHandlers(deps: OperatorDeps): Handlers<keyof typeof SYNC_DEFINITIONS> {
  const { syncFile, firstSync, expensive } = deps.tools;

  /** @throws OperatorError (conflict) */
  async function requireNoRun(sync: string): Promise<void> {
    const { account } = deps.config().spec(sync);
    const [last] = await listRuns(deps.db, { account, sync }, { limit: 1, before: null });
    const client = await deps.runningTemporal();
    const isOpen = last !== undefined && last.finished_at === null;
    if (!isOpen && (client === null || (await liveState(client, { account, sync })) === null)) return;
    throw new OperatorError(
      'conflict',
      `a run of "${sync}" has not ended; wait for its end, or cancel it, before you delete the sync`,
      { code: 'RUN_ACTIVE' },
    );
  }

  return {
    'GET /sync-names': async () => ({ taken: await syncFile.names() }),
    'GET /syncs/{sync}/definition': async ({ sync }) => {
      const { source } = deps.config().spec(sync);
      const { entries, export: file } = syncFile.removalOf(sync);
      return {
        ...(await syncFile.read(sync)),
        columns: source.type === 'csv' ? await firstSync.columns(source) : [],
        removal: { entries: entries.map(({ section, name }) => `${section}.${name}`), export: file },
      };
    },
    // The whole file is checked twice, in a thread and here.
    'PUT /syncs/{sync}/definition': ({ sync, yaml, mapping, hash }, caller) =>
      expensive.run(caller.identity, () =>
        syncFile.write({ sync, yaml, mapping, hash, mayStart: isAllowed(caller, 'operator') }),
      ),
    'DELETE /syncs/{sync}/definition': async ({ sync, hash }, { identity }) => {
      await requireNoRun(sync);
      return await expensive.run(identity, () => syncFile.remove({ sync, hash }));
    },
    'POST /syncs/{sync}/preview': async ({ sync, mapping, unmask }, { identity }) => {
      const loaded = deps.config();
      const { source, options } = loaded.spec(sync);
      if (source.type !== 'csv' || !isUploadedFile(loaded, options.source))
        throw new OperatorError(
          'conflict',
          `the sync "${sync}" reads no file that was uploaded here; a dry run shows what the mapping makes of its source`,
          { code: 'NOT_UPLOADED' },
        );
      const preview = await firstSync.previewSource(source, mapping, identity);
      return shownPreview(preview, await linesOfPreview(deps, source, { preview, by: identity }), unmask);
    },
  };
}
