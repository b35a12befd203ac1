// The commands that change a running campaign. What is under way ends first, within a second or two. Then the command is written
// to the ledger, once, and the ledger says what comes next.
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  currentUpdateInfo,
  log,
  proxyActivities,
  setHandler,
  uuid4,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type {
  CampaignAct,
  CampaignActResult,
  CampaignInput,
  CampaignProgress,
} from '../../src/contracts/wire/campaign.ts';
import {
  type CampaignOperatorAct,
  cancelCampaignUpdate,
  changeRateUpdate,
  type OperatorAct,
  pauseCampaignUpdate,
  resolveUnknownUpdate,
  resumeCampaignUpdate,
  retryFailedUpdate,
  skipWaveUpdate,
  validateAct,
} from '../messages.ts';
import { LEDGER_OPTIONS } from '../policies.ts';
import { reasonOf } from './refusals.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

/** The campaign that the commands are for. */
export interface Commanded {
  readonly input: CampaignInput;
  /** Commands may come before the run is open. */
  isOpen(): boolean;
  /** No batch is under way. */
  isIdle(): boolean;
  /** Ends what is under way, and asks the ledger anew. */
  decideAgain(): void;
  /** Events that follow triggers. */
  follow(events: readonly string[]): void;
}

export class CampaignCommands {
  readonly #campaign: Commanded;
  #paused: CampaignProgress['paused'] = null;
  #cancelled = false;
  /** Commands that wait for what is under way, or are being written. */
  #changing = 0;
  /** Commands are written down one after the other. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(campaign: Commanded) {
    this.#campaign = campaign;
    const validator = (act: CampaignOperatorAct) => this.#validate(act);
    setHandler(pauseCampaignUpdate, (act) => this.#pause(act), { validator });
    setHandler(resumeCampaignUpdate, (act) => this.#resume(act), { validator });
    setHandler(cancelCampaignUpdate, (act) => this.#cancel(act), { validator });
    setHandler(changeRateUpdate, (act) => this.#change({ ...act, action: 'rate' }), { validator });
    setHandler(skipWaveUpdate, (act) => this.#change({ ...act, action: 'skipWave' }), { validator });
    setHandler(retryFailedUpdate, (act) => this.#change({ ...act, action: 'retry' }), { validator });
    setHandler(resolveUnknownUpdate, (act) => this.#change({ ...act, action: 'resolve' }), { validator });
  }

  /** Who has paused the run, and why. */
  get paused(): CampaignProgress['paused'] {
    return this.#paused;
  }

  /** No batch may begin. */
  get blocksBatches(): boolean {
    return this.#paused !== null || this.#changing > 0;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** The run was paused before this workflow began. */
  restore(paused: CampaignProgress['paused']): void {
    this.#paused = paused;
  }

  /** Everything waits for somebody to act. The first reason stands. */
  async pauseItself(reason: string): Promise<void> {
    if (this.#paused !== null) return;
    const act = { by: 'sluice', reason };
    this.#hold(act);
    await CancellationScope.nonCancellable(() => this.#write({ ...act, action: 'pause' }));
  }

  /** The workflow itself was cancelled, as Temporal's own tools do it. */
  async cancelItself(): Promise<void> {
    const act = { by: 'temporal', reason: 'the workflow was cancelled' };
    if (this.#paused === null) this.#hold(act);
    await condition(() => this.#campaign.isIdle());
    if (this.#cancelled) return;
    await this.#write({ ...act, action: 'cancel' }).catch((error: unknown) =>
      log.warn('cancelled too late', { reason: reasonOf(error) }),
    );
  }

  async #pause(act: OperatorAct): Promise<CampaignActResult> {
    const result = await this.#holdFor(act, 'pause');
    const paused = this.#paused;
    await condition(() => this.#campaign.isIdle() || this.#paused !== paused);
    return result;
  }

  async #resume(act: OperatorAct): Promise<CampaignActResult> {
    const result = await this.#write({ ...act, action: 'resume' });
    log.info('resumed', { by: act.by });
    this.#paused = null;
    this.#campaign.decideAgain();
    return result;
  }

  async #cancel(act: OperatorAct): Promise<CampaignActResult> {
    const result = await this.#holdFor(act, 'cancel');
    this.#cancelled = true;
    this.#campaign.decideAgain();
    return result;
  }

  /** A member whose call is under way may wait again after it: the change is written when all calls have ended. */
  async #change(act: CampaignAct): Promise<CampaignActResult> {
    await condition(() => this.#campaign.isOpen());
    this.#changing += 1;
    try {
      this.#campaign.decideAgain();
      await condition(() => this.#campaign.isIdle());
      const result = await this.#write(act);
      this.#campaign.follow(result.after ?? []);
      return result;
    } finally {
      this.#changing -= 1;
    }
  }

  /** Nobody is begun any more from the first moment; a command that the ledger refuses leaves all as it was. */
  async #holdFor(act: OperatorAct, action: 'pause' | 'cancel'): Promise<CampaignActResult> {
    await condition(() => this.#campaign.isOpen());
    const before = this.#paused;
    if (before === null) this.#hold(act);
    try {
      if (action === 'cancel') await condition(() => this.#campaign.isIdle());
      return await this.#write({ ...act, action });
    } catch (error) {
      if (before === null) {
        this.#paused = null;
        this.#campaign.decideAgain();
      }
      throw error;
    }
  }

  /** What people write down as their reason may be about a person: no log has it. */
  #hold({ by, reason }: OperatorAct): void {
    log.warn('paused', { by });
    this.#paused = { by, reason };
    this.#campaign.decideAgain();
  }

  async #write(act: CampaignAct): Promise<CampaignActResult> {
    const { run } = this.#campaign.input;
    // The name of the update stays the same when the workflow is reset and its updates come again: nothing is done twice.
    const own = uuid4();
    const id = currentUpdateInfo()?.id ?? own;
    await condition(() => this.#campaign.isOpen());
    const written = this.#written.then(() => ledger.campaignAct({ run, act, id }));
    this.#written = written.catch(() => undefined);
    return await written;
  }

  /** Every run of the campaign has a workflow of this name: what is meant for one is not done to another. */
  #validate(act: CampaignOperatorAct): void {
    validateAct(act);
    const { run, campaign } = this.#campaign.input;
    if (act.run === undefined || act.run === run) return;
    const message = `the run ${run} of "${campaign}" is under way: nothing can be done to ${act.run} meanwhile`;
    throw ApplicationFailure.nonRetryable(message, 'ANOTHER_RUN');
  }
}
