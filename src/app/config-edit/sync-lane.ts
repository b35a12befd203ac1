// Sets the lane of a sync in sluice.yaml, for the operator API.
import type { LiveConfig } from '../../config/live-config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { SetSyncLane } from '../../operator/service/deps.ts';
import { writeConfig } from './write-config.ts';

interface Options {
  config(): LoadedConfig;
  readonly live: LiveConfig | null;
  /** Whether the workers run in this process, and so see a sync that is changed in its configuration. */
  readonly hasWorkers: boolean;
}

export function createSetSyncLane({ config, live, hasWorkers }: Options): SetSyncLane {
  return async (sync, lane) => {
    const loaded = config();
    const before = loaded.spec(sync).options.lane;
    await writeConfig(loaded.file, { kind: 'sync-lane', sync, lane });
    const report = await live?.reload('a lane that was set');
    return { file: loaded.file, before, active: hasWorkers && report?.result === 'loaded' };
  };
}
