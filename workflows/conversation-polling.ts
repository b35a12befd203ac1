// Follows the conversations of an account. The workflow decides when to poll; a batch asks for page 1 and reads the
// messages of what has changed.

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
import { apiQueue, SEARCH_KEYS } from '../src/contracts/ids.ts';
import type {
  PollBatchResult,
  PollBlock,
  PollerName,
  PollerStart,
  PollFailures,
  PollingInput,
  WorkEnd,
} from '../src/contracts/wire/poll.ts';
import {
  type OperatorCommand,
  pausePollingUpdate,
  pollNowUpdate,
  resumePollingUpdate,
  wakeSignal,
} from './messages.ts';
import { BATCH_OPTIONS, callPriority, LANE, SHORT_LEDGER_OPTIONS } from './policies.ts';
import { WaitingOut } from './shared/waiting-out.ts';

/** Fewer events than Temporal suggests, so that a replay stays short. */
const MAX_HISTORY = 3000;
/** The budget of the token is asked for again after this many batches. */
const BATCHES_A_START = 20;

const ledger = proxyActivities<Activities>(SHORT_LEDGER_OPTIONS);

export async function conversationPolling(input: PollingInput): Promise<void> {
  await new Polling(input).execute();
}

class Polling {
  readonly #poller: PollerName;
  #start: PollerStart | null = null;
  #paused = false;
  /** The batch under way. */
  #batch: CancellationScope | null = null;
  #batches = 0;
  /** When the next poll is due, and when something old may be read; epoch milliseconds. */
  #pollAt = 0;
  #oldAt = 0;
  #intervalMs: number;
  #failures: PollFailures = { list: 0, read: 0, history: 0, readOld: 0 };
  /** News is polled for although old conversations are refused. */
  readonly #news = new WaitingOut();
  readonly #old = new WaitingOut();
  #blocked: PollBlock | null = null;
  #blocks = 0;
  /** Polls asked for by operators, and the last of them that is answered. */
  #asked = 0;
  #answered = 0;
  /** Whatever somebody does ends a wait. */
  #commands = 0;
  /** A worker has started, perhaps with another configuration. */
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

  /** A poller never ends by itself. */
  async execute(): Promise<void> {
    const { paused, blocked } = await this.#begin();
    this.#paused ||= paused;
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

  /** What the run before this one could not do stays shown until this one can. */
  #takeOver(blocked: PollBlock): void {
    this.#blocked = blocked;
    this.#news.takeOver();
    this.#old.takeOver();
  }

  /** Takes up the configuration of the workers: what was unread by another one is to be read again. */
  async #begin(): Promise<PollerStart> {
    this.#woken = false;
    this.#start = await ledger.beginPoll(this.#poller);
    return this.#start;
  }

  async #runBatch(): Promise<void> {
    const retries = this.#news.refused || (this.#old.refused && this.#old.leftMs === 0);
    if (this.#start === null || this.#woken || retries || ++this.#batches % BATCHES_A_START === 0)
      await this.#begin();
    if (this.#paused) return;
    const asked = this.#asked;
    const { run, tokenKey, callsPerMinute } = this.#start as PollerStart;
    const api = proxyActivities<Activities>({
      ...BATCH_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(LANE.poll, tokenKey, callsPerMinute),
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
          // Whoever waits for an answer, or for a refusal to be over, gets it after one poll.
          once: asked > this.#answered || this.#news.refused,
        }),
      );
      await this.#note(result, asked);
    } catch (error) {
      // A batch that was called off before it had a result has done nothing. One whose worker was killed ends as timed out.
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
    if (polls > 0) this.#answered = Math.max(this.#answered, asked);
    noteEnd(this.#news, result.news);
    noteEnd(this.#old, result.old);
    // What was refused is there no more.
    if (oldInMs === null) this.#old.clear();
    const block = result.news.block ?? result.old.block;
    if (block !== null) await this.#block(block);
    else if (this.#blocked !== null && !this.#news.refused && !this.#old.refused) await this.#block(null);
  }

  /** Until a poll is due or something old may be read, or somebody acts. */
  async #rest(commands: number): Promise<void> {
    if (this.#news.leftMs > 0) return;
    const oldAt = Math.max(this.#oldAt, Date.now() + this.#old.leftMs);
    const ms = Math.min(this.#pollAt, oldAt) - Date.now();
    if (ms > 0) await condition(() => this.#commands !== commands, ms);
  }

  /** What the account refuses waits for an operator, and is tried again by itself. */
  async #block(block: PollBlock | null): Promise<void> {
    this.#blocked = block;
    if (block !== null) {
      this.#blocks += 1;
      log.warn('polling is blocked', { ...this.#poller, reason: block.reason });
    }
    await ledger.blockPoller({ ...this.#poller, block });
    this.#showPhase();
  }

  async #mayContinueAsNew(): Promise<boolean> {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (!continueAsNewSuggested && historyLength <= MAX_HISTORY) return false;
    // Whoever asked for a poll gets the answer from this run of the workflow.
    await condition(() => allHandlersFinished() || this.#asked > this.#answered);
    return allHandlersFinished();
  }

  /** Ends every wait, and the batch under way: what waits in it for a slot is due again. */
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
    throw ApplicationFailure.nonRetryable(this.#blocked?.reason ?? 'the account refuses it', 'BLOCKED');
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
