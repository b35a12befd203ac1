// Makes a process follow its configuration: on SIGHUP, and when a file or a secret has changed.
import { closeSync, openSync } from 'node:fs';
import type { LiveConfig } from '../config/live-config.ts';
import { watchConfig } from '../config/watch-config.ts';
import type { Shutdown } from '../core/shutdown.ts';

export interface ReloadingOptions {
  readonly live: LiveConfig;
  readonly shutdown: Shutdown;
  readonly log: { error(fields: object, message: string): void };
  /** One line for people. */
  say(line: string): void;
}

/** Call it when everything that follows the configuration is open. `shutdown` ends it. */
export function followConfig({ live, shutdown, log, say }: ReloadingOptions): void {
  live.onReport(({ result, changes }) => {
    if (result === 'loaded')
      say(
        `config     loaded again; ${changes.length === 0 ? 'nothing changed' : `changed: ${changes.join(', ')}`}`,
      );
  });
  const hadTerminal = hasTerminal();
  const failed = (error: unknown) => log.error({ err: error }, 'the configuration could not be loaded again');
  const onHangup = () => {
    // The same signal says that the terminal of the process was closed. Nobody could end the process afterwards.
    if (hadTerminal && !hasTerminal()) void shutdown.run('the terminal was closed');
    else live.reload('SIGHUP').catch(failed);
  };
  process.on('SIGHUP', onHangup);
  shutdown.signal.addEventListener('abort', () => process.off('SIGHUP', onHangup), { once: true });
  watchConfig(live, shutdown.signal).catch(failed);
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    // ENXIO, EIO, or a system without /dev/tty.
    return false;
  }
}
