// The activities of polling that call the API: each is one call, and what it brings is in the ledger when it ends.
import { Context } from '@temporalio/activity';
import type { HistoryResult, PageResult, PollCall, ReadResult } from '../../src/contracts/poll.ts';
import type { Deps } from '../deps.ts';
import { wakeSinks } from '../wake.ts';
import { historyPage } from './history-pages.ts';
import { pollPage } from './pages.ts';
import { readMessages } from './read-messages.ts';
import type { ReadCall, ReadOptions } from './sitting.ts';

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
    /** The next page of a poll, from page 1. */
    async pollPage(call: PollCall): Promise<PageResult> {
      return await pollPage(deps, call);
    },

    /** The next older page after the first start. */
    async historyPage(call: PollCall): Promise<HistoryResult> {
      return await historyPage(deps, call);
    },

    /** The next page of messages of a conversation, from the newest back. */
    async readMessages(call: ReadCall): Promise<ReadResult> {
      const { sinks, ...result } = await readMessages(deps, call, { messagePageSize, keep });
      // An attempt before this one may have put something there and ended before it could wake anyone.
      const missed = Context.current().info.attempt > 1 ? deps.account(call.account).announce : [];
      const all = [...new Set([...sinks, ...missed.map(({ sink }) => sink)])];
      if (all.length > 0) await wake(all);
      return result;
    },
  };
}
