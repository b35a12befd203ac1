// Loads the configuration again when one of its files has changed, and runs the commands of secrets again in time.
import { setTimeout as delay } from 'node:timers/promises';
import { durationMs } from '../core/config/base.ts';
import { areEqual, printsOf } from './file-prints.ts';
import type { LiveConfig } from './live-config.ts';

/**
 * Watches until `signal` aborts. It compares files instead of waiting for notifications: those do not arrive for most
 * network drives, and Kubernetes replaces a symbolic link above the files of a volume.
 */
export async function watchConfig(live: LiveConfig, signal: AbortSignal): Promise<void> {
  const reloadOf = () => live.current().config.reload;
  // Learns of the files of secrets that were read since the configuration was loaded.
  await live.isOutdated();
  let before = await printsOf(live.files());
  let renewedAt = performance.now();
  while (!signal.aborted) {
    await delay(durationMs(reloadOf().every), undefined, { signal, ref: false }).catch(() => undefined);
    const { watch, commands } = reloadOf();
    if (signal.aborted || !watch) continue;
    const now = await printsOf(live.files());
    // A file that is still being written waits until two checks agree.
    if (areEqual(now, before) && (await live.isOutdated())) await live.reload('a changed file');
    else if (performance.now() - renewedAt >= durationMs(commands)) {
      renewedAt = performance.now();
      if (live.current().secrets.hasCommands()) await live.renewSecrets();
    }
    before = now;
  }
}
