// Ledger side of polling: what there is to do, and what operators ask and order. None of these calls the API.
import type { PollBlock, PollerName, PollerStart, PollerStatus, PollGap } from '../../src/contracts/poll.ts';
import { openPollRun } from '../../src/ledger/intake-runs.ts';
import {
  blockPoller,
  describePollers,
  listGaps,
  openPoller,
  pausePoller,
  resumePoller,
} from '../../src/ledger/pollers.ts';
import { adoptAssumptions } from '../../src/ledger/unread.ts';
import { assumedBy, type Deps } from '../deps.ts';
import { notConfigured } from '../failures.ts';

type Act = PollerName & { readonly by: string; readonly reason: string };

export interface PollersFilter {
  readonly names?: readonly string[];
  readonly gaps: boolean;
  readonly limit: number;
}

export function createPollControlActivities(deps: Deps) {
  const { db, log } = deps;
  return {
    /** Opens the poller, at its first start or another one. */
    async beginPoll({ account, poller }: PollerName): Promise<PollerStart> {
      const { config, access } = configOf(account, poller);
      const run = await openPollRun(db, account, poller);
      const { paused, blocked } = await openPoller(db, { account, poller, run, from: config.from });
      const again = await db.transaction((tx) =>
        adoptAssumptions(tx, { account, poller }, assumedBy(access)),
      );
      if (again > 0)
        log.info({ account, poller, conversations: again }, 'what could not be read is read again');
      const callsPerMinute = await deps.budget.pace(access.tokens.map(({ key }) => key));
      return { run, paused, blocked, tokenKey: access.tokenKey, callsPerMinute };
    },

    async pausePoller(act: Act): Promise<void> {
      await pausePoller(db, act);
      log.warn({ ...act }, 'polling was paused');
    },

    async resumePoller(act: Act): Promise<void> {
      await resumePoller(db, act);
      log.warn({ ...act }, 'polling goes on');
    },

    /** Why the poller waits for somebody to act; null: it does not any more. */
    async blockPoller(input: PollerName & { readonly block: PollBlock | null }): Promise<void> {
      const { account, poller, block } = input;
      await blockPoller(db, input);
      if (block !== null)
        log.warn({ account, poller, code: block.code }, `polling is blocked: ${block.reason}`);
    },

    /** Pollers as operators see them, with their gaps on demand. */
    async describePollers(
      filter: PollersFilter,
    ): Promise<{ pollers: PollerStatus[]; gaps: (PollGap & PollerName)[] }> {
      const names = filter.names ?? null;
      return {
        pollers: await describePollers(db, names),
        gaps: filter.gaps ? await listGaps(db, { names, limit: filter.limit }) : [],
      };
    },
  };

  function configOf(account: string, poller: string) {
    try {
      return { config: deps.poller(account, poller), access: deps.account(account) };
    } catch (error) {
      throw notConfigured(error);
    }
  }
}
