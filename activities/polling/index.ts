// The activity of polling that calls the API: what a batch has read is in the ledger when it ends.
import { Context } from '@temporalio/activity';
import type { PollBatchInput, PollBatchResult } from '../../src/contracts/poll.ts';
import type { AccountAccess, Deps } from '../deps.ts';
import { notConfigured } from '../failures.ts';
import { wakeSinks } from '../wake.ts';
import { pollBatch } from './poll-batch.ts';
import type { ReadOptions } from './reading.ts';

export interface PollingOptions extends Partial<ReadOptions> {
  /** Tells the workflows of these sinks that there is something to do. */
  readonly wake?: (sinks: readonly string[]) => Promise<void>;
}

/** The largest page that the service gives (API text, Limits), and twice as many keys to compare it with. */
const MESSAGE_PAGE = 200;
const KEEP = 400;

export function createPollingActivities(deps: Deps, options: PollingOptions = {}) {
  const { wake = wakeSinks, messagePageSize = MESSAGE_PAGE, keep = KEEP } = options;
  return {
    /** Polls and reads for a minute at most, or until the next poll is more than some seconds away. */
    async pollBatch(input: PollBatchInput): Promise<PollBatchResult> {
      const { account, poller } = input;
      const { announce } = accessOf(account, poller);
      // An attempt before this one may have put something into the outbox and ended before it could wake anyone.
      if (Context.current().info.attempt > 1 && announce.length > 0)
        await wake([...new Set(announce.map(({ sink }) => sink))]);
      return await pollBatch({ deps, wake, messagePageSize, keep }, input);
    },
  };

  function accessOf(account: string, poller: string): AccountAccess {
    try {
      deps.poller(account, poller);
      return deps.account(account);
    } catch (error) {
      throw notConfigured(error);
    }
  }
}
