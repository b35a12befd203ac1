// Ledger side of polling: what there is to do, and what operators ask and order. None of these calls the API.
import { durationMs } from '../../src/contracts/config-base.ts';
import type {
  OutlookInput,
  PollerName,
  PollerStatus,
  PollGap,
  PollOutlook,
  PollTurn,
} from '../../src/contracts/poll.ts';
import { openPollRun } from '../../src/ledger/intake-runs.ts';
import {
  describePollers,
  holdPoller,
  listGaps,
  openPoller,
  pausePoller,
  pollOutlook,
  resumePoller,
} from '../../src/ledger/pollers.ts';
import type { Deps } from '../deps.ts';
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
    async beginPoll({ account, poller }: PollerName): Promise<PollTurn> {
      const { config, access } = configOf(account, poller);
      const run = await openPollRun(db, account, poller);
      const row = await openPoller(db, { account, poller, run, from: config.from });
      return {
        ...{ run, ...row, share: config.share, tokenKey: access.tokenKey },
        callsPerMinute: await deps.budget.pace(access.tokens.map(({ key }) => key)),
        minMs: durationMs(config.interval.min),
        maxMs: durationMs(config.interval.max),
      };
    },

    /** Which conversations to read next. */
    async pollOutlook(input: OutlookInput): Promise<PollOutlook> {
      return await pollOutlook(db, input);
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
    async holdPoller(input: PollerName & { hold: { code: string; reason: string } | null }): Promise<void> {
      const { account, poller, hold } = input;
      await holdPoller(db, input);
      if (hold !== null) log.warn({ account, poller, code: hold.code }, `polling waits: ${hold.reason}`);
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
