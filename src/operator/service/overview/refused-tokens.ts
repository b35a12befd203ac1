// A token that the service refuses, with the work that it blocks: one need, because one thing ends all of it.
import { needsToken } from '../../../core/refused-access.ts';
import type { Need, TokenGauge } from '../../contract/overview.ts';

type BlockedWork = NonNullable<Need['blocks']>[number];

const WORK: Readonly<Partial<Record<Need['kind'], BlockedWork['kind']>>> = {
  'blocked-sync': 'sync',
  'blocked-campaign': 'campaign',
  'blocked-poller': 'poller',
  'blocked-events': 'route',
};

/** Accounts of which the service refuses every token. While one is accepted, work goes on with it. */
function refusedAccounts(tokens: readonly TokenGauge[]): ReadonlySet<string> {
  const accounts = new Set(tokens.map(({ account }) => account));
  for (const { account, marks } of tokens)
    if (marks.every(({ scope }) => scope !== null)) accounts.delete(account);
  return accounts;
}

/**
 * Moves work that a refused token blocks into the need of the token. That every call fails goes with it. With a token that
 * works, what has to be resumed is a need of its own again.
 */
export function withBlockedWork(needs: readonly Need[], tokens: readonly TokenGauge[]): Need[] {
  const accounts = refusedAccounts(tokens);
  const isFollowing = ({ kind, account, code, reason }: Need) =>
    account !== null &&
    accounts.has(account) &&
    (WORK[kind] !== undefined || kind === 'failing-calls') &&
    needsToken(code, reason);
  const following = needs.filter(isFollowing);
  return needs
    .filter((need) => !isFollowing(need))
    .map((need): Need => {
      if (need.kind !== 'refused-token' || need.account === null || !accounts.has(need.account)) return need;
      const blocks = following.flatMap(({ kind, account, name, run }): BlockedWork[] => {
        const work = WORK[kind];
        return account === need.account && work !== undefined ? [{ kind: work, name, run }] : [];
      });
      return blocks.length === 0 ? need : { ...need, blocks };
    });
}
