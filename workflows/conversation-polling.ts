// Workflow that follows the conversations of an account. It decides when to poll. A batch reads page 1 and the
// messages of changed conversations.

import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { apiQueue, SEARCH_KEYS } from '../src/core/ids.ts';
import { LANES } from '../src/core/lanes.ts';
import type {
  PollBatchResult,
  PollBlock,
  PollerName,
  PollerStart,
  PollFailures,
  PollingInput,
  WorkEnd,
} from '../src/jobs/conversations/contract/poll.ts';
import {
  type OperatorCommand,
  pausePollingUpdate,
  pollNowUpdate,
  resumePollingUpdate,
  wakeSignal,
} from './messages.ts';
import { BATCH_OPTIONS, callPriority, SHORT_LEDGER_OPTIONS } from './policies.ts';
import { WaitingOut } from './shared/waiting-out.ts';

/** Below the number of events at which Temporal suggests continue-as-new, so that a replay stays short. */
const MAX_HISTORY = 3000;
/** Number of batches after which the workflow asks for the token's budget again. */
const BATCHES_PER_START = 20;

const ledger = proxyActivities<Activities>(SHORT_LEDGER_OPTIONS);

export async function conversationPolling(input: PollingInput): Promise<void> {
  await new Polling(input).execute();
}

class Polling {
  readonly #poller: PollerName;
  #start: PollerStart | null = null;
  /** Null until a command or the ledger says so. The ledger's first answer may be older than a command. */
  #paused: boolean | null = null;
  /** The batch in progress. */
  #batch: CancellationScope | null = null;
  #batches = 0;
  /** When the next poll is due, and when an old conversation may be read; epoch milliseconds. */
  #pollAt = 0;
  #oldAt = 0;
  #intervalMs: number;
  #failures: PollFailures = { list: 0, read: 0, history: 0, readOld: 0 };
  /** Separate from `#old`: new messages are polled even while old conversations are refused. */
  readonly #news = new WaitingOut();
  readonly #old = new WaitingOut();
  #blocked: PollBlock | null = null;
  #blocks = 0;
  /** Number of polls that operators have requested, and the last of them that is complete. */
  #asked = 0;
  #answered = 0;
  /** Counts commands; each one ends a wait. */
  #commands = 0;
  /** True after a worker has started, perhaps with another configuration. */
  #woken = false;

  constructor({ account, poller, intervalMs = 0 }: PollingInput) {
    this.#poller = { account, poller };
    this.#intervalMs = intervalMs;
    setHandler(pausePollingUpdate, (command) => this.#pause(command));
    setHandler(resumePollingUpdate, (command) => this.#resume(command));
    setHandler(wakeSignal, () => this.#wake());
    setHandler(pollNowUpdate, () => this.#pollNow(), {
      validator: () => {
        if (this.#paused) throw ApplicationFailure.nonRetryable('the poller is paused', 'PAUSED');
      },
    });
  }

  /** Runs until it is terminated. */
  async execute(): Promise<void> {
    const { paused, blocked } = await this.#begin();
    this.#paused ??= paused;
    if (blocked !== null) this.#takeOver(blocked);
    this.#showPhase();
    while (!(await this.#mayContinueAsNew())) {
      const commands = this.#commands;
      if (this.#paused) await condition(() => !this.#paused);
      else if (this.#news.leftMs > 0) await this.#news.over(() => this.#commands !== commands);
      else {
        await this.#runBatch();
        await this.#rest(commands);
      }
    }
    await continueAsNew<typeof conversationPolling>({ ...this.#poller, intervalMs: this.#intervalMs });
  }

  /** Keeps showing the block of the previous run until this run succeeds. */
  #takeOver(blocked: PollBlock): void {
    this.#blocked = blocked;
    this.#news.takeOver();
    this.#old.takeOver();
  }

  /**
   * Applies the current configuration of the workers. Conversations that an older configuration could not read become
   * due.
   */
  async #begin(): Promise<PollerStart> {
    this.#woken = false;
    this.#start = await ledger.beginPoll(this.#poller);
    return this.#start;
  }

  async #runBatch(): Promise<void> {
    const retries = this.#news.refused || (this.#old.refused && this.#old.leftMs === 0);
    if (this.#start === null || this.#woken || retries || ++this.#batches % BATCHES_PER_START === 0)
      await this.#begin();
    if (this.#paused) return;
    const asked = this.#asked;
    const { run, tokenKey, callsPerMinute } = this.#start as PollerStart;
    const api = proxyActivities<Activities>({
      ...BATCH_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(LANES.poll, tokenKey, callsPerMinute),
    });
    const batch = new CancellationScope();
    this.#batch = batch;
    try {
      const result = await batch.run(() =>
        api.pollBatch({
          ...this.#poller,
          run,
          pollInMs: asked > this.#answered ? 0 : Math.max(0, this.#pollAt - Date.now()),
          intervalMs: this.#intervalMs,
          failures: this.#failures,
          old: this.#old.leftMs === 0,
          // An operator who waits for the result, or a refusal that may be over, needs one poll only.
          once: asked > this.#answered || this.#news.refused,
        }),
      );
      await this.#note(result, asked);
    } catch (error) {
      // A batch that was cancelled before it had a result has done nothing. If its worker was killed, it ends as
      // timed out.
      const calledOff = isCancellation(error) || batch.consideredCancelled;
      if (!calledOff || CancellationScope.current().consideredCancelled) throw error;
    } finally {
      this.#batch = null;
    }
  }

  async #note(result: PollBatchResult, asked: number): Promise<void> {
    const now = Date.now();
    const { polls, pollInMs, oldInMs, intervalMs, failures } = result;
    this.#pollAt = now + pollInMs;
    this.#oldAt = oldInMs === null ? Number.POSITIVE_INFINITY : now + oldInMs;
    this.#intervalMs = intervalMs;
    this.#failures = failures;
    noteEnd(this.#news, result.news);
    noteEnd(this.#old, result.old);
    // No old conversation is left, so none is refused.
    if (oldInMs === null) this.#old.clear();
    const block = result.news.block ?? result.old.block;
    if (block !== null) await this.#block(block);
    else if (this.#blocked !== null && !this.#news.refused && !this.#old.refused) await this.#block(null);
    // Who waits for a poll is answered when the ledger shows what it found.
    if (polls > 0) this.#answered = Math.max(this.#answered, asked);
    if (block !== null) this.#blocks += 1;
  }

  /** Waits until a poll is due, an old conversation may be read, or a command arrives. */
  async #rest(commands: number): Promise<void> {
    if (this.#news.leftMs > 0) return;
    const oldAt = Math.max(this.#oldAt, Date.now() + this.#old.leftMs);
    const ms = Math.min(this.#pollAt, oldAt) - Date.now();
    if (ms > 0) await condition(() => this.#commands !== commands, ms);
  }

  /** Records what the account refuses. An operator can resolve it; the workflow also retries by itself. */
  async #block(block: PollBlock | null): Promise<void> {
    this.#blocked = block;
    if (block !== null) log.warn('polling is blocked', { ...this.#poller, reason: block.reason });
    await ledger.blockPoller({ ...this.#poller, block });
    this.#showPhase();
  }

  async #mayContinueAsNew(): Promise<boolean> {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (!continueAsNewSuggested && historyLength <= MAX_HISTORY) return false;
    // An operator who requested a poll gets the result from this run of the workflow.
    await condition(() => allHandlersFinished() || this.#asked > this.#answered);
    return allHandlersFinished();
  }

  /** Ends every wait and the batch in progress. Work in it that waits for a slot becomes due again. */
  #command(): void {
    this.#commands += 1;
    this.#news.command();
    this.#old.command();
    this.#batch?.cancel();
  }

  #wake(): void {
    this.#woken = true;
    this.#command();
  }

  async #pause(command: OperatorCommand): Promise<void> {
    this.#paused = true;
    this.#command();
    await ledger.pausePoller({ ...this.#poller, ...command });
    this.#showPhase();
    await condition(() => this.#batch === null);
  }

  async #resume(command: OperatorCommand): Promise<void> {
    await ledger.resumePoller({ ...this.#poller, ...command });
    this.#paused = false;
    this.#command();
    this.#showPhase();
  }

  async #pollNow(): Promise<void> {
    const mine = ++this.#asked;
    const blocks = this.#blocks;
    this.#command();
    await condition(() => this.#answered >= mine || this.#paused || this.#blocks > blocks);
    if (this.#answered >= mine) return;
    this.#answered = Math.max(this.#answered, mine);
    if (this.#paused) throw ApplicationFailure.nonRetryable('the poller was paused', 'PAUSED');
    throw ApplicationFailure.nonRetryable(this.#blocked?.reason ?? 'the account refuses to poll', 'BLOCKED');
  }

  #showPhase(): void {
    const phase = this.#paused ? 'paused' : this.#blocked !== null ? 'blocked' : 'polling';
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value: phase }]);
  }
}

function noteEnd(waiting: WaitingOut, { calls, block }: WorkEnd): void {
  if (block !== null) waiting.refuse();
  else if (calls > 0) waiting.clear();
}
