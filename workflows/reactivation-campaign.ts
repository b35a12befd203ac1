// A reactivation campaign: triggers a flow for each member of an audience, in waves, when and as fast as it may. Whose turn
// it is stands in the ledger; this workflow knows members by number, and sees to pace, pauses and operators.
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  currentUpdateInfo,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type {
  CampaignAct,
  CampaignActResult,
  CampaignInput,
  CampaignPhase,
  CampaignProgress,
  CampaignResult,
  CampaignTurn,
  MemberResult,
  MemberStep,
  OpenedCampaign,
} from '../src/contracts/campaign.ts';
import { answer } from './answer.ts';
import {
  type CampaignOperatorAct,
  campaignProgressQuery,
  cancelCampaignUpdate,
  changeRateUpdate,
  type OperatorAct,
  pauseCampaignUpdate,
  resolveUnknownUpdate,
  resumeCampaignUpdate,
  retryFailedUpdate,
  SEARCH_KEYS,
  skipWaveUpdate,
} from './messages.ts';
import { Pace } from './pace.ts';
import { API_OPTIONS, apiQueue, callPriority, LANE, LEDGER_OPTIONS } from './policies.ts';
import { reasonOf } from './refusals.ts';
import { type Calls, RunControl, validateAct } from './run-control.ts';

/** Members handed over by the ledger at once. */
const BATCH = 500;
/** The first hand-over is small: what the first answers teach about the token's limit counts from the second on. */
const FIRST_BATCH = 50;
/** What follows the triggers of so many members is handed to one workflow of events. */
const EVENTS_TOGETHER = 50;
/** Between two looks at a ledger that says it is time by a clock that differs from the engine's. */
const LEAST_WAIT_MS = 1000;
/** Between two looks whether calls of dead workers may be given up. */
const SETTLE_MS = 15_000;
/** Members whose calls get nowhere are tried again, ever later. */
const FIRST_STALL_MS = 5000;
const LAST_STALL_MS = 300_000;

/** A pass over 100,000 members takes a second or two; what a lost worker had in hand goes to another one soon. */
const ledger = proxyActivities<Activities>({ ...LEDGER_OPTIONS, startToCloseTimeout: '1 minute' });

type Trigger = Extract<CampaignTurn, { do: 'trigger' }>;
type Wait = Extract<CampaignTurn, { do: 'wait' }>;

export async function reactivationCampaign(input: CampaignInput): Promise<CampaignResult> {
  return await new Campaign(input).execute();
}

class Campaign {
  readonly #input: CampaignInput;
  readonly #control = new RunControl(null, () => this.#showPhase());
  readonly #pace = new Pace();
  #opened: OpenedCampaign | null = null;
  #phase: CampaignPhase = 'opening';
  #turn: CampaignTurn | null = null;
  #waiting: CampaignProgress['waiting'] = null;
  #cancelled = false;
  /** Acts of operators that change what comes next. */
  #changes = 0;
  /**
   * A flow was triggered since the run began or was held up. Until then members go one by one: what the account refuses
   * costs one call, not one for each that would be under way.
   */
  #proved = false;
  /** Members that got on: while a pass over the wave has any, the next one is worth it. */
  #answers = 0;
  /** Acts are written down one after the other. */
  #acts: Promise<unknown> = Promise.resolve();
  /** Events that follow triggers, and are to be handed over. */
  #events: string[] = [];

  constructor(input: CampaignInput) {
    this.#input = input;
    setHandler(campaignProgressQuery, () => this.#progress());
    const validator = (act: CampaignOperatorAct) => this.#validate(act);
    setHandler(pauseCampaignUpdate, (act) => this.#pause(act), { validator });
    setHandler(resumeCampaignUpdate, (act) => this.#resume(act), { validator });
    setHandler(cancelCampaignUpdate, (act) => this.#cancel(act), { validator });
    setHandler(changeRateUpdate, (act) => this.#change({ ...act, action: 'rate' }), { validator });
    setHandler(skipWaveUpdate, (act) => this.#change({ ...act, action: 'skipWave' }), { validator });
    setHandler(retryFailedUpdate, (act) => this.#change({ ...act, action: 'retry' }), { validator });
    setHandler(resolveUnknownUpdate, (act) => this.#change({ ...act, action: 'resolve' }), { validator });
  }

  /** Every run of the campaign has a workflow of this name: what is meant for one is not done to another. */
  #validate(act: CampaignOperatorAct): void {
    validateAct(act);
    const { run, campaign } = this.#input;
    if (act.run === undefined || act.run === run) return;
    const message = `the run ${run} of "${campaign}" is under way: nothing can be done to ${act.run} meanwhile`;
    throw ApplicationFailure.nonRetryable(message, 'ANOTHER_RUN');
  }

  async execute(): Promise<CampaignResult> {
    const { run } = this.#input;
    try {
      this.#opened = await ledger.openCampaign(this.#input);
      if (this.#opened.held !== null) this.#control.hold(this.#opened.held);
      upsertSearchAttributes([{ key: SEARCH_KEYS.run, value: run }]);
      this.#events.push(...this.#opened.after);
      await this.#triggerAll();
    } catch (error) {
      if (isCancellation(error) && this.#opened !== null) await this.#endCancelled();
      throw error;
    }
    if (this.#cancelled) await this.#settle();
    this.#enter('ended');
    await condition(allHandlersFinished);
    // Operators may have found out about triggers up to the last moment.
    await this.#handOver(1);
    return { run, state: this.#cancelled ? 'cancelled' : 'finished' };
  }

  /** Wave after wave, until every member has its outcome. */
  async #triggerAll(): Promise<void> {
    let limit = FIRST_BATCH;
    let stallMs = FIRST_STALL_MS;
    for (let after = 0, answersBefore = -1; ; ) {
      if (after === 0) await this.#control.idle();
      await this.#handOver(1);
      this.#enter('running');
      await condition(() => this.#cancelled || this.#control.held === null);
      if (this.#cancelled) return;
      await this.#continueWhenLong();
      const changes = this.#changes;
      const turn = await ledger.campaignTurn({ run: this.#input.run, after, limit });
      this.#turn = turn;
      this.#pace.set(turn.pacePerMinute);
      if (this.#control.held !== null || this.#changes !== changes) {
        after = 0;
        answersBefore = -1;
        continue;
      }
      if (turn.do === 'trigger') {
        if (after === 0) {
          // A whole pass in which nobody got on.
          if (this.#answers === answersBefore && !this.#control.askTookBack()) {
            await this.#rest({ untilMs: Date.now() + stallMs, why: 'retry' });
            stallMs = Math.min(stallMs * 2, LAST_STALL_MS);
          } else stallMs = FIRST_STALL_MS;
          answersBefore = this.#answers;
        }
        limit = BATCH;
        const last = await this.#trigger(turn);
        if (last === null) answersBefore = -1;
        after = last ?? 0;
        continue;
      }
      const passed = after > 0;
      after = 0;
      if (passed) continue;
      answersBefore = -1;
      if (turn.do === 'hold') await this.#hold(`${turn.code}: ${turn.reason}`);
      else if (turn.do === 'wait') await this.#rest(turn);
      else if (await this.#close(changes)) return;
      else if (this.#changes === changes) await this.#rest({ untilMs: Date.now() + stallMs, why: 'retry' });
    }
  }

  /** @returns the last member that was begun; null: their windows closed, or somebody wants something else */
  async #trigger(turn: Trigger): Promise<number | null> {
    const control = this.#control;
    const changes = this.#changes;
    const room = () => control.active < (this.#proved ? (this.#opened as OpenedCampaign).concurrency : 1);
    const broken = () => this.#cancelled || control.held !== null || this.#changes !== changes;
    let last: number | null = null;
    for (const member of turn.members) {
      await condition(() => broken() || room());
      for (
        let waitMs = this.#pace.take(Date.now());
        waitMs > 0 && !broken();
        waitMs = this.#pace.take(Date.now())
      )
        await condition(broken, waitMs);
      if (broken() || workflowInfo().continueAsNewSuggested) return null;
      if (Date.now() >= turn.closesMs) {
        // Nobody was begun: the clock of the ledger is a little behind.
        if (last === null) await this.#rest({ untilMs: Date.now(), why: 'window' });
        return null;
      }
      last = member;
      void control.during((calls) => this.#member(member, calls));
      await this.#handOver(EVENTS_TOGETHER);
    }
    return last;
  }

  /** One member, call by call, until it has its outcome or has to come again. */
  async #member(member: number, calls: Calls): Promise<void> {
    const { run } = this.#input;
    try {
      let step: MemberStep | null = (this.#opened as OpenedCampaign).first;
      while (step !== null) {
        if (this.#control.held !== null) return;
        const current: MemberStep = step;
        const result: MemberResult = await calls.make(() => this.#api()[current]({ run, member }));
        if (result.state !== 'waiting') this.#answers += 1;
        if (result.state === 'triggered') this.#proved = true;
        this.#events.push(...(result.after ?? []));
        step = result.next;
      }
    } catch (error) {
      // Taken back by a pause or a cancellation: it comes again.
      if (isCancellation(error) || calls.takenBack) return;
      await this.#hold(reasonOf(error));
    }
  }

  /** Everything waits for somebody to act. The first reason stands. */
  async #hold(reason: string): Promise<void> {
    if (this.#control.held !== null) return;
    const act = { by: 'sluice', reason };
    this.#control.hold(act);
    this.#proved = false;
    await CancellationScope.nonCancellable(() => this.#write({ ...act, action: 'pause' }));
  }

  async #pause(act: OperatorAct): Promise<CampaignActResult> {
    await this.#ready();
    const result = await this.#holdFor(act, 'pause');
    await this.#control.pause(act);
    return result;
  }

  async #resume(act: OperatorAct): Promise<CampaignActResult> {
    await this.#ready();
    const result = await this.#write({ ...act, action: 'resume' });
    this.#control.resume(act);
    return result;
  }

  async #cancel(act: OperatorAct): Promise<CampaignActResult> {
    await this.#ready();
    const result = await this.#holdFor(act, 'cancel');
    this.#cancelled = true;
    return result;
  }

  /** Nobody is begun any more from the first moment; an act that the ledger refuses leaves all as it was. */
  async #holdFor(act: OperatorAct, action: 'pause' | 'cancel'): Promise<CampaignActResult> {
    const before = this.#control.held;
    this.#control.hold(act);
    try {
      if (action === 'cancel') await this.#control.idle();
      return await this.#write({ ...act, action });
    } catch (error) {
      if (before === null) this.#control.resume(act);
      throw error;
    }
  }

  async #change(act: CampaignAct): Promise<CampaignActResult> {
    await this.#ready();
    const result = await this.#write(act);
    this.#events.push(...(result.after ?? []));
    this.#changes += 1;
    return result;
  }

  /** What operators do may come before the run is open. */
  async #ready(): Promise<void> {
    await condition(() => this.#opened !== null);
  }

  #write(act: CampaignAct): Promise<CampaignActResult> {
    const { run } = this.#input;
    // The name of the update stays the same when the workflow is reset and its updates are told again: nothing is done twice.
    const own = uuid4();
    const id = currentUpdateInfo()?.id ?? own;
    const written = this.#acts.then(() => ledger.campaignAct({ run, act, id }));
    this.#acts = written.catch(() => undefined);
    return written;
  }

  /** Hands what follows the triggers to the workflow of events, when there is so much of it. */
  async #handOver(least: number): Promise<void> {
    if (this.#events.length < least) return;
    const { account, campaign } = this.#input;
    const events = [...this.#events];
    await answer(account, `+${campaign}`, events);
    this.#events.splice(0, events.length);
  }

  /** Until then, or until an operator wants something else. */
  async #rest({ untilMs, why }: Pick<Wait, 'untilMs' | 'why'>): Promise<void> {
    const changes = this.#changes;
    this.#waiting = { until: new Date(untilMs).toISOString(), why };
    this.#enter('waiting');
    await condition(
      () => this.#cancelled || this.#control.held !== null || this.#changes !== changes,
      Math.max(LEAST_WAIT_MS, untilMs - Date.now()),
    );
    this.#waiting = null;
  }

  /** @returns whether the run has ended; an operator may have opened it again meanwhile */
  async #close(changes: number): Promise<boolean> {
    this.#enter('closing');
    await condition(allHandlersFinished);
    if (this.#cancelled) return true;
    if (this.#changes !== changes) return false;
    const closed = await ledger.closeCampaign({ run: this.#input.run });
    if (allHandlersFinished() && this.#changes === changes) return closed;
    await condition(allHandlersFinished);
    return this.#cancelled;
  }

  /** The workflow itself was cancelled, as the engine's own tools do it. */
  async #endCancelled(): Promise<void> {
    await CancellationScope.nonCancellable(async () => {
      const act = { by: 'temporal', reason: 'the workflow was cancelled' };
      this.#control.hold(act);
      await this.#control.idle();
      await this.#handOver(1);
      const late = (error: unknown) => log.warn('cancelled too late', { reason: reasonOf(error) });
      if (!this.#cancelled) await this.#write({ ...act, action: 'cancel' }).catch(late);
      await this.#settle();
    });
  }

  /** What is known of everybody is written down, also of calls whose worker died. */
  async #settle(): Promise<void> {
    while (!(await ledger.closeCampaign({ run: this.#input.run }))) await sleep(SETTLE_MS);
  }

  async #continueWhenLong(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested) return;
    await this.#control.idle();
    await this.#handOver(1);
    await condition(allHandlersFinished);
    if (this.#cancelled) return;
    const { account, campaign, run, by } = this.#input;
    // Whether somebody holds it is in the ledger.
    await continueAsNew<typeof reactivationCampaign>({ account, campaign, run, by });
  }

  /** API activities in the lane of campaigns, fair between tokens. */
  #api(): Activities {
    const { tokenKey, callsPerMinute } = this.#opened as OpenedCampaign;
    return proxyActivities<Activities>({
      ...API_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(LANE.campaign, tokenKey, this.#turn?.callsPerMinute ?? callsPerMinute),
    });
  }

  #enter(phase: CampaignPhase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#showPhase();
  }

  #showPhase(): void {
    const value = this.#control.held === null ? this.#phase : 'paused';
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value }]);
  }

  #progress(): CampaignProgress {
    return {
      run: this.#input.run,
      phase: this.#phase,
      paused: this.#control.held,
      wave: this.#turn?.wave ?? null,
      waiting: this.#waiting,
      underWay: this.#control.active,
      pacePerMinute: this.#turn?.pacePerMinute ?? null,
      counts: this.#turn?.counts ?? null,
    };
  }
}
