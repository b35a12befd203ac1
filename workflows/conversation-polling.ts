// Follows the conversations of an account: asks for page 1, and reads the messages of what has changed. The ledger knows
// what is imported; this workflow knows when to ask, and in which lane.
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
import type { PollCall, PollerName, PollingInput, PollOutlook, PollTurn } from '../src/contracts/poll.ts';
import {
  type OperatorAct,
  pausePollingUpdate,
  pollNowUpdate,
  resumePollingUpdate,
  SEARCH_KEYS,
} from './messages.ts';
import { API_OPTIONS, apiQueue, callPriority, LANE, SHORT_LEDGER_OPTIONS } from './policies.ts';
import { reasonOf } from './refusals.ts';
import { Share } from './share.ts';

/** Messages of so many conversations are read at once: enough to fill the slots of a token while answers are slow. */
const CONCURRENCY = 4;
/** Then page 1 is asked for again, however many are left: what changes meanwhile gets in line, and is read once. */
const READS_BETWEEN_LISTS = 20;
/** While nothing changes the interval grows by this. */
const GROWTH = 1.5;
/** What the account refuses is tried again by itself, ever later. */
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 3_600_000;
/** Below what the engine suggests, so that a replay stays short. */
const MAX_HISTORY = 3000;
/** The configuration is asked for again after so many polls. */
const POLLS_A_CONFIG = 20;

const ledger = proxyActivities<Activities>(SHORT_LEDGER_OPTIONS);

type Api = Pick<Activities, 'pollPage' | 'historyPage' | 'readMessages'>;

export async function conversationPolling(input: PollingInput): Promise<void> {
  await new Polling(input).execute();
}

class Polling {
  readonly #poller: PollerName;
  readonly #share = new Share();
  /** What the configuration says; asked for now and then, as a worker may have started with another one. */
  #turn: PollTurn | null = null;
  #intervalMs: number;
  #paused = false;
  #held: { readonly code: string; readonly reason: string } | null = null;
  #holds = 0;
  /** Calls that were refused and wait for another try: while there are any, those that get through end no hold. */
  #refused = 0;
  #resumes = 0;
  #underWay = 0;
  #polls = 1;
  /** Polls that brought something. */
  #changes = 0;
  /** Polls asked for by operators, and the last of them that is answered. */
  #asked = 0;
  #answered = 0;
  /** When page 1 was last asked for. */
  #listedAt = 0;
  /** The history is long: what is old waits for the next run of the workflow. */
  #ending = false;
  #caughtUp = false;
  /** Reads what is old. */
  readonly #old = new CancellationScope();
  /** The last page had nothing to read after it. */
  #quiet = false;

  constructor({ account, poller, intervalMs = 0 }: PollingInput) {
    this.#poller = { account, poller };
    this.#intervalMs = intervalMs;
    setHandler(pausePollingUpdate, (act) => this.#pause(act));
    setHandler(resumePollingUpdate, (act) => this.#resume(act));
    setHandler(pollNowUpdate, () => this.#pollNow(), {
      validator: () => {
        if (this.#paused) throw ApplicationFailure.nonRetryable('the poller is paused', 'PAUSED');
      },
    });
  }

  async execute(): Promise<void> {
    this.#paused = (await this.#begin()).paused;
    this.#showPhase();
    const old = this.#old
      .run(() => this.#catchUp())
      .catch((error: unknown) => {
        if (!this.#ending || !isCancellation(error)) throw error;
        // The next run finds out whether it is refused still.
        if (this.#held !== null) return this.#hold(null);
      })
      .finally(() => {
        this.#caughtUp = true;
      });
    await Promise.all([this.#follow(), old]);
    await continueAsNew<typeof conversationPolling>({ ...this.#poller, intervalMs: this.#intervalMs });
  }

  /** What is new, until the history is long. */
  async #follow(): Promise<void> {
    for (;;) {
      await condition(() => !this.#paused);
      if (this.#polls++ % POLLS_A_CONFIG === 0) await this.#begin();
      await this.#poll();
      // The first poll of all finds out how much is older.
      if (this.#polls === 2) await this.#begin();
      this.#ending ||= isLong();
      // What hardly gets a slot, or is held, must not keep the history from its end.
      if (workflowInfo().historyLength > 2 * MAX_HISTORY) this.#old.cancel();
      if (this.#ending && this.#caughtUp) {
        // Whoever asked for a poll gets their answer from this run of the workflow.
        await condition(() => allHandlersFinished() || this.#asked > this.#answered);
        if (allHandlersFinished()) return;
      }
      await this.#rest();
    }
  }

  /** What is older than the poller's first start, beside that and never before it: with slots that nobody else wants. */
  async #catchUp(): Promise<void> {
    const turn = () => this.#turn as PollTurn;
    while (!this.#ending) {
      await condition(() => !this.#paused);
      // From before the question: a poll that ends meanwhile may bring some.
      const seen = this.#changes;
      const { reads, nextMs } = await ledger.pollOutlook({ ...this.#poller, limit: CONCURRENCY, old: true });
      if (reads.length > 0) await this.#read(reads, true);
      else if (turn().history) await this.#readHistory();
      else {
        const isNews = () => this.#ending || this.#changes !== seen || turn().history;
        await (nextMs === null ? condition(isNews) : condition(isNews, nextMs));
      }
    }
  }

  async #readHistory(): Promise<void> {
    const { done } = await this.#call((api, call) => api.historyPage(call), true);
    if (done) this.#turn = { ...(this.#turn as PollTurn), history: false };
  }

  async #begin(): Promise<PollTurn> {
    const turn = await ledger.beginPoll(this.#poller);
    this.#turn = turn;
    this.#share.perMs = (turn.share * turn.callsPerMinute) / 60_000;
    this.#intervalMs = Math.min(turn.maxMs, Math.max(turn.minMs, this.#intervalMs));
    return turn;
  }

  /** Once down to what is known, and the messages of what has changed. */
  async #poll(): Promise<void> {
    const asked = this.#asked;
    const { minMs, maxMs } = this.#turn as PollTurn;
    let changed = 0;
    for (let left = 1; left > 0 && !this.#paused; ) {
      this.#listedAt = Date.now();
      for (let done = false; !done && !this.#paused; ) {
        const page = await this.#call((api, call) => api.pollPage(call));
        changed += page.changed;
        done = page.done;
        left = page.todo;
        this.#quiet = left === 0;
      }
      if (left > 0) left = await this.#readNews();
    }
    if (changed > 0) this.#changes += 1;
    if (this.#paused) return;
    this.#answered = asked;
    this.#intervalMs = changed > 0 ? minMs : Math.min(maxMs, Math.ceil(this.#intervalMs * GROWTH));
  }

  /** @returns how many conversations with news are left to read at once */
  async #readNews(): Promise<number> {
    const { reads } = await this.#news();
    await this.#read(reads.slice(0, READS_BETWEEN_LISTS));
    return Math.max(0, reads.length - READS_BETWEEN_LISTS);
  }

  async #news(): Promise<PollOutlook> {
    return await ledger.pollOutlook({ ...this.#poller, limit: READS_BETWEEN_LISTS + 1, old: false });
  }

  async #read(conversations: readonly number[], old = false): Promise<void> {
    let next = 0;
    const reader = async () => {
      while (next < conversations.length && !this.#paused) {
        const conversation = conversations[next++] as number;
        for (let done = false; !done && !this.#paused; ) {
          ({ done } = await this.#call((api, call) => api.readMessages({ ...call, conversation }), old));
        }
      }
    };
    const readers = Array.from({ length: Math.min(CONCURRENCY, conversations.length) }, reader);
    const failed = (await Promise.allSettled(readers)).find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Until the next poll is due, or something to be read. */
  async #rest(): Promise<void> {
    const until = this.#listedAt + this.#intervalMs;
    if (Date.now() >= until) return;
    const { nextMs } = this.#quiet ? { nextMs: null } : await this.#news();
    const wanted = () => this.#paused || this.#asked > this.#answered;
    await condition(wanted, Math.max(1, Math.min(until - Date.now(), nextMs ?? Infinity)));
  }

  /**
   * One call of the API. Within its share polling goes before campaigns and syncs; beyond it, it takes what they leave. What
   * the account refuses is tried again later, or when somebody says so: a poller never ends by itself.
   */
  async #call<T>(call: (api: Api, input: PollCall) => Promise<T>, old = false): Promise<T> {
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      await condition(() => !this.#paused);
      const { run, tokenKey, callsPerMinute } = this.#turn as PollTurn;
      const lane = !old && this.#share.take(Date.now()) ? LANE.poll : LANE.backfill;
      const api = proxyActivities<Activities>({
        ...API_OPTIONS,
        taskQueue: apiQueue(workflowInfo().taskQueue),
        priority: callPriority(lane, tokenKey, callsPerMinute),
      });
      const before = this.#resumes;
      this.#underWay += 1;
      try {
        const result = await call(api, { ...this.#poller, run });
        if (this.#held !== null && this.#refused === 0) await this.#hold(null);
        return result;
      } catch (error) {
        if (isCancellation(error)) throw error;
        const reason = reasonOf(error);
        const [code = 'REFUSED'] = reason.split(':');
        log.warn('polling is held', { ...this.#poller, reason });
        this.#refused += 1;
        await this.#hold({ code, reason });
      } finally {
        this.#underWay -= 1;
      }
      try {
        await condition(() => this.#resumes !== before, wait);
      } finally {
        this.#refused -= 1;
      }
    }
  }

  async #hold(hold: { code: string; reason: string } | null): Promise<void> {
    this.#held = hold;
    if (hold !== null) this.#holds += 1;
    await ledger.holdPoller({ ...this.#poller, hold });
    this.#showPhase();
  }

  async #pause(act: OperatorAct): Promise<void> {
    this.#paused = true;
    await ledger.pausePoller({ ...this.#poller, ...act });
    this.#showPhase();
    await condition(() => this.#underWay === 0);
  }

  async #resume(act: OperatorAct): Promise<void> {
    await ledger.resumePoller({ ...this.#poller, ...act });
    this.#paused = false;
    this.#resumes += 1;
    this.#showPhase();
  }

  async #pollNow(): Promise<void> {
    const mine = ++this.#asked;
    const holds = this.#holds;
    // Whoever mended what held it up wants to see it now.
    this.#resumes += 1;
    await condition(() => this.#answered >= mine || this.#paused || this.#holds > holds);
    if (this.#answered >= mine) return;
    this.#answered = Math.max(this.#answered, mine);
    if (this.#paused) throw ApplicationFailure.nonRetryable('the poller was paused', 'PAUSED');
    throw ApplicationFailure.nonRetryable(this.#held?.reason ?? 'the account refuses it', 'HELD');
  }

  #showPhase(): void {
    const phase = this.#paused ? 'paused' : this.#held !== null ? 'held' : 'polling';
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value: phase }]);
  }
}

function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > MAX_HISTORY;
}
