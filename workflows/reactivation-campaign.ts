// Workflow of a reactivation campaign: it triggers a flow for every member of an audience, in throttled waves. The
// ledger decides what comes next; the workflow does it and asks again.

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { campaignRoute, SEARCH_KEYS } from '../src/core/ids.ts';
import type {
  CampaignInput,
  CampaignPhase,
  CampaignProgress,
  CampaignResult,
  NextAction,
  OpenedCampaign,
} from '../src/jobs/campaigns/contract/batches.ts';
import { campaignProgressQuery, haltSignal } from './messages.ts';
import { LEDGER_OPTIONS } from './policies.ts';
import { answer } from './shared/answer.ts';
import { CampaignCommands, type Commanded } from './shared/campaign-commands.ts';
import { TriggerBatches } from './shared/trigger-batches.ts';

/** Maximum number of events that one event workflow is started for. */
const MAX_EVENTS_PER_WORKFLOW = 200;
/** Minimum wait, because the ledger's clock may differ from Temporal's. */
const LEAST_WAIT_MS = 1000;
/** Delay between two checks whether the calls of killed workers have ended. */
const SETTLE_MS = 15_000;

/**
 * A pass over 100,000 members takes 1 to 2 s. The short timeout hands the work of a lost worker to another one soon.
 */
const ledger = proxyActivities<Activities>({ ...LEDGER_OPTIONS, startToCloseTimeout: '1 minute' });

type Trigger = Extract<NextAction, { do: 'triggerBatch' }>;
type Wait = Extract<NextAction, { do: 'waitUntil' }>;
type Pause = Extract<NextAction, { do: 'pause' }>;

export async function reactivationCampaign(input: CampaignInput): Promise<CampaignResult> {
  const campaign = new Campaign(input);
  try {
    await campaign.open();
    for (let ended = false; !ended; ) {
      const next = await campaign.decideNext();
      switch (next.do) {
        case 'triggerBatch':
          await campaign.triggerBatches(next);
          break;
        case 'waitUntil':
          await campaign.waitUntil(next);
          break;
        case 'pause':
          await campaign.pause(next);
          break;
        case 'finish':
          ended = await campaign.finish();
          break;
        case 'cancel':
          await campaign.settle();
          ended = true;
      }
    }
  } catch (error) {
    if (isCancellation(error)) await campaign.endCancelled();
    throw error;
  }
  return campaign.result();
}

class Campaign implements Commanded {
  readonly input: CampaignInput;
  readonly #commands: CampaignCommands;
  #opened: OpenedCampaign | null = null;
  #phase: CampaignPhase = 'opening';
  #next: NextAction | null = null;
  #waiting: CampaignProgress['waiting'] = null;
  /** Counts commands that change what comes next. */
  #changes = 0;
  readonly #batches: TriggerBatches;
  /** Follow-up events of triggers that no event workflow has taken over yet. */
  #events: string[] = [];

  constructor(input: CampaignInput) {
    this.input = input;
    this.#commands = new CampaignCommands(this);
    this.#batches = new TriggerBatches(input.run, this.#commands);
    setHandler(campaignProgressQuery, () => this.#progress());
    setHandler(haltSignal, ({ code, reason, resumes }) => this.#batches.refuse({ code, reason }, resumes));
  }

  async open(): Promise<void> {
    this.#opened = await ledger.openCampaign(this.input);
    this.#commands.restore(this.#opened.paused);
    this.#events.push(...this.#opened.after);
    upsertSearchAttributes([{ key: SEARCH_KEYS.run, value: this.input.run }]);
  }

  /** Asks the ledger what comes next, as soon as the run is not paused. */
  async decideNext(): Promise<NextAction | { do: 'cancel' }> {
    for (;;) {
      await this.#handOver();
      this.#enter('running');
      await condition(() => this.#commands.cancelled || !this.#commands.blocksBatches);
      if (this.#commands.cancelled) return { do: 'cancel' };
      await this.#continueWhenLong();
      const changes = this.#changes;
      this.#next = await ledger.decideNext({ run: this.input.run });
      if (this.#changes === changes) return this.#next;
    }
  }

  async pause({ code, reason }: Pause): Promise<void> {
    await this.#commands.pauseItself({ code, reason });
  }

  async triggerBatches(next: Trigger): Promise<void> {
    const changes = this.#changes;
    const { tokenKey } = this.#opened as OpenedCampaign;
    const { idleMs, after } = await this.#batches.trigger(tokenKey, next);
    this.#events.push(...after);
    if (idleMs !== null && this.#changes === changes)
      await this.waitUntil({ untilMs: Date.now() + idleMs, why: 'retry' });
  }

  /** Waits until then, or until a command. */
  async waitUntil({ untilMs, why, blocked }: Pick<Wait, 'untilMs' | 'why' | 'blocked'>): Promise<void> {
    const changes = this.#changes;
    this.#waiting = { until: new Date(untilMs).toISOString(), why, ...(blocked && { blocked }) };
    this.#enter('waiting');
    await condition(() => this.#changes !== changes, Math.max(LEAST_WAIT_MS, untilMs - Date.now()));
    this.#waiting = null;
  }

  /** @returns whether the run has ended; a command may have reopened it meanwhile */
  async finish(): Promise<boolean> {
    const changes = this.#changes;
    this.#enter('closing');
    await this.#quiet();
    if (this.#changes !== changes) return false;
    const closed = await this.#close();
    await this.#quiet();
    if (this.#changes !== changes) return false;
    if (!closed) await this.waitUntil({ untilMs: Date.now() + SETTLE_MS, why: 'retry' });
    return closed;
  }

  /**
   * Waits until no command is in progress and all events are handed over. The workflow ends right after this: a
   * command that arrives in between would change a run that no workflow works on.
   */
  async #quiet(): Promise<void> {
    do {
      await this.#handOver();
      await condition(allHandlersFinished);
    } while (this.#events.length > 0);
  }

  result(): CampaignResult {
    this.#enter('ended');
    return { run: this.input.run, state: this.#commands.cancelled ? 'cancelled' : 'finished' };
  }

  isOpen(): boolean {
    return this.#opened !== null;
  }

  isIdle(): boolean {
    return this.#batches.underWay === 0;
  }

  decideAgain(): void {
    this.#changes += 1;
    this.#batches.callOff();
    this.#showPhase();
  }

  follow(events: readonly string[]): void {
    this.#events.push(...events);
  }

  /** Starts event workflows for the follow-up events of triggers. */
  async #handOver(): Promise<void> {
    const { account, campaign } = this.input;
    while (this.#events.length > 0) {
      const events = this.#events.slice(0, MAX_EVENTS_PER_WORKFLOW);
      await answer(account, campaignRoute(campaign), events, { lane: 'campaign' });
      this.#events.splice(0, MAX_EVENTS_PER_WORKFLOW);
    }
  }

  async endCancelled(): Promise<void> {
    if (this.#opened === null) return;
    await CancellationScope.nonCancellable(async () => {
      await this.#commands.cancelItself();
      await this.settle();
    });
  }

  /** Closes the run once the outcome of every member is recorded, including calls whose worker crashed. */
  async settle(): Promise<void> {
    while (!(await this.#close())) await sleep(SETTLE_MS);
    await this.#quiet();
  }

  async #close(): Promise<boolean> {
    const { closed, after } = await ledger.closeCampaign({ run: this.input.run });
    this.#events = [...new Set([...this.#events, ...after])];
    return closed;
  }

  /** Continues as new without state: the ledger records whether the run is paused. */
  async #continueWhenLong(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested) return;
    await this.#quiet();
    if (!this.#commands.cancelled) await continueAsNew<typeof reactivationCampaign>(this.input);
  }

  #enter(phase: CampaignPhase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#showPhase();
  }

  #showPhase(): void {
    const value = this.#commands.paused === null ? this.#phase : 'paused';
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value }]);
  }

  #progress(): CampaignProgress {
    return {
      run: this.input.run,
      phase: this.#phase,
      paused: this.#commands.paused,
      wave: this.#next?.wave ?? null,
      waiting: this.#waiting,
      batches: this.#batches.underWay,
      pacePerMinute: this.#next?.pacePerMinute ?? null,
      counts: this.#next?.counts ?? null,
    };
  }
}
