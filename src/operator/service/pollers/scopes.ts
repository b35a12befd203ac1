// The connections that the pollers of an account read, by the configuration.
import type { ScopeOf } from '../../../ledger/conversations/window.ts';
import type { OperatorDeps } from '../deps.ts';

export function pollerScopes(config: OperatorDeps['config'], account: string): ScopeOf {
  return (name) => {
    const poller = config().config.pollers[name];
    return poller?.account === account ? (poller.connection ?? 'all') : null;
  };
}
