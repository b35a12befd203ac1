// Events about what operators change.
import { type Announcer, createAnnouncer } from '../../jobs/outbox/store/announcer.ts';
import type { OperatorDeps } from './deps.ts';
import { wakeSinks } from './wake.ts';

export function announcerOf(
  deps: Pick<OperatorDeps, 'db' | 'config' | 'runningTemporal' | 'workQueue'>,
): Announcer {
  return createAnnouncer({
    db: deps.db,
    rulesOf: (account) => deps.config().config.accounts[account]?.announce ?? [],
    wake: (sinks) => wakeSinks(deps, sinks),
  });
}
