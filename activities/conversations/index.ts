// Activities of polling: commands of operators, and the batch that calls the API. A batch stores what it has
// read in the ledger before it ends.

import { Context } from '@temporalio/activity';
import type {
  PollBatchInput,
  PollBatchResult,
  PollBlock,
  PollerName,
  PollerStart,
} from '../../src/jobs/conversations/contract/poll.ts';
import {
  blockPoller,
  openPoller,
  pausePoller,
  resumePoller,
} from '../../src/jobs/conversations/store/pollers.ts';
import { adoptAssumptions } from '../../src/jobs/conversations/store/unread.ts';
import { openPollRun } from '../../src/jobs/events/store/intake-runs.ts';
import { type AccountAccess, assumedBy, type Deps } from '../shared/deps.ts';
import { configured } from '../shared/failures.ts';
import { wakeSinks } from '../shared/wake.ts';
import type { ReadOptions } from './import-messages.ts';
import { pollBatch } from './poll-batch.ts';

type Command = PollerName & { readonly by: string; readonly reason: string };

/** A person's reason may contain personal data, so logs never include it. The ledger has it. */
const byOperator = ({ account, poller, by }: Command) => ({ account, poller, by });

/** Activities that use only the ledger: the poller's state, and commands of operators. */
export function createPollControlActivities(deps: Deps) {
  const { db, log } = deps;
  return {
    /** Opens the poller, when it starts for the first time or again. */
    async beginPoll({ account, poller }: PollerName): Promise<PollerStart> {
      const { config, access } = configOf(account, poller);
      const run = await openPollRun(db, account, poller);
      const { paused, blocked } = await openPoller(db, { account, poller, run, from: config.from });
      const again = await db.transaction((tx) =>
        adoptAssumptions(tx, { account, poller }, assumedBy(access)),
      );
      if (again > 0)
        log.info(
          { account, poller, conversations: again },
          'conversations that could not be read will be read again',
        );
      const callsPerMinute = await deps.budget.pace(access.tokens.map(({ key }) => key));
      return { run, paused, blocked, tokenKey: access.tokenKey, callsPerMinute };
    },

    async pausePoller(command: Command): Promise<void> {
      await pausePoller(db, command);
      log.warn(byOperator(command), 'an operator paused the poller');
    },

    async resumePoller(command: Command): Promise<void> {
      await resumePoller(db, command);
      log.warn(byOperator(command), 'an operator resumed the poller');
    },

    /** Records why the poller is blocked; null if it no longer is. */
    async blockPoller(input: PollerName & { readonly block: PollBlock | null }): Promise<void> {
      const { account, poller, block } = input;
      await blockPoller(db, input);
      if (block !== null)
        log.warn({ account, poller, code: block.code }, `polling is blocked: ${block.reason}`);
    },
  };

  function configOf(account: string, poller: string) {
    return configured(() => ({ config: deps.poller(account, poller), access: deps.account(account) }));
  }
}

export interface PollingOptions extends Partial<ReadOptions> {
  /** Wakes the workflows of these sinks. @default also starts those that are not running */
  readonly wake?: (sinks: readonly string[]) => Promise<void>;
}

/** Largest page of the service (API text, Limits), and twice as many keys to compare it with. */
const MESSAGE_PAGE = 200;
const KEEP = 400;

/** Activities of the API queue. */
export function createPollingActivities(deps: Deps, options: PollingOptions = {}) {
  const { wake = wakeSinks, messagePageSize = MESSAGE_PAGE, keep = KEEP } = options;
  return {
    /** Polls and reads for up to one minute, or until the next poll is more than a few seconds away. */
    async pollBatch(input: PollBatchInput): Promise<PollBatchResult> {
      const { account, poller } = input;
      const { announce } = accessOf(account, poller);
      // An earlier attempt may have put events into the outbox and ended before it woke the sinks.
      if (Context.current().info.attempt > 1 && announce.length > 0)
        await wake([...new Set(announce.map(({ sink }) => sink))]);
      return await pollBatch({ deps, wake, messagePageSize, keep }, input);
    },
  };

  function accessOf(account: string, poller: string): AccountAccess {
    return configured(() => {
      deps.poller(account, poller);
      return deps.account(account);
    });
  }
}
