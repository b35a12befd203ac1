// Which connection each poller reads, for whoever asks whether a 24-hour window is open.
import type { ScopeOf } from '../../src/jobs/conversations/store/window.ts';
import type { Deps } from './deps.ts';

/** Maps each poller of the account to the connection that it reads, by the configuration. */
export function scopesOf(deps: Deps, account: string): ScopeOf {
  return (name) => {
    try {
      return deps.poller(account, name).connection ?? 'all';
    } catch {
      // It throws only if the poller is no longer configured; it then reads nothing.
      return null;
    }
  };
}
