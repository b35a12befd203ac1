// The connections that the pollers of an account read, by the configuration.

import type { OperatorDeps } from '../../../operator/service/deps.ts';
import type { ScopeOf } from '../store/window.ts';

export function pollerScopes(config: OperatorDeps['config'], account: string): ScopeOf {
  return (name) => {
    const poller = config().config.pollers[name];
    return poller?.account === account ? (poller.connection ?? 'all') : null;
  };
}
