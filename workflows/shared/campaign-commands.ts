// Commands that change a running campaign. The work in progress ends first, within 1 to 2 s. Then the command is
// written to the ledger once, and the ledger decides what comes next.
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
import type { Pause } from '../../src/core/pause.ts';
import type {
  CampaignCommand,
  CampaignCommandResult,
  CampaignInput,
  CampaignProgress,
} from '../../src/jobs/campaigns/contract/batches.ts';
import type { PlanNote } from '../../src/jobs/campaigns/contract/plan.ts';
import {
  type CampaignOperatorCommand,
  cancelCampaignUpdate,
  changeRateUpdate,
  type OperatorCommand,
  pauseCampaignUpdate,
  resolveUnknownUpdate,
  resumeCampaignUpdate,
  retryFailedUpdate,
  skipWaveUpdate,
  validateCommand,
} from '../messages.ts';
import { LEDGER_OPTIONS } from '../policies.ts';
import { reasonOf } from './refusals.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

/** The campaign that the commands apply to. */
export interface Commanded {
  readonly input: CampaignInput;
  /** False until the ledger has opened the run; commands may arrive before. */
  isOpen(): boolean;
  /** True if no batch is in progress. */
  isIdle(): boolean;
  /** Ends the work in progress and asks the ledger again. */
  decideAgain(): void;
  /** Adds follow-up events of triggers. */
  follow(events: readonly string[]): void;
}

export class CampaignCommands {
  readonly #campaign: Commanded;
  #paused: CampaignProgress['paused'] = null;
  #cancelled = false;
  #resumes = 0;
  /** Number of commands that wait for work in progress to end, or are being written. */
  #changing = 0;
  /** Serializes the writing of commands. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(campaign: Commanded) {
    this.#campaign = campaign;
    const validator = (command: CampaignOperatorCommand) => this.#validate(command);
    setHandler(pauseCampaignUpdate, (command) => this.#pause(command), { validator });
    setHandler(resumeCampaignUpdate, (command) => this.#resume(command), { validator });
    setHandler(cancelCampaignUpdate, (command) => this.#cancel(command), { validator });
    setHandler(changeRateUpdate, (command) => this.#change({ ...command, action: 'rate' }), { validator });
    setHandler(skipWaveUpdate, (command) => this.#change({ ...command, action: 'skipWave' }), { validator });
    setHandler(retryFailedUpdate, (command) => this.#change({ ...command, action: 'retry' }), { validator });
    setHandler(resolveUnknownUpdate, (command) => this.#change({ ...command, action: 'resolve' }), {
      validator,
    });
  }

  /** Who or what has paused the run, and why. */
  get paused(): CampaignProgress['paused'] {
    return this.#paused;
  }

  /** True if no batch may begin. */
  get blocksBatches(): boolean {
    return this.#paused !== null || this.#changing > 0;
  }

  /** How often the run has been resumed. */
  get resumes(): number {
    return this.#resumes;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Restores a pause from before this workflow began. */
  restore(paused: CampaignProgress['paused']): void {
    this.#paused = paused;
  }

  /** Pauses the run for a reason of Sluice's own, such as a stop rule or a refusal. The first reason is kept. */
  async pauseItself({ code, reason }: PlanNote): Promise<void> {
    if (this.#paused !== null) return;
    const pause = { by: 'sluice', reason, code };
    this.#setPause(pause);
    await CancellationScope.nonCancellable(() => this.#write({ ...pause, action: 'pause' }));
  }

  /** Cancels the run because the workflow was cancelled with Temporal's own tools. */
  async cancelItself(): Promise<void> {
    const command = { by: 'temporal', reason: 'the workflow was cancelled' };
    if (this.#paused === null) this.#setPause(command);
    await condition(() => this.#campaign.isIdle());
    if (this.#cancelled) return;
    await this.#write({ ...command, action: 'cancel' }).catch((error: unknown) =>
      log.warn('the cancellation came too late', { reason: reasonOf(error) }),
    );
  }

  async #pause(command: OperatorCommand): Promise<CampaignCommandResult> {
    const result = await this.#pauseFor(command, 'pause');
    const paused = this.#paused;
    await condition(() => this.#campaign.isIdle() || this.#paused !== paused);
    return result;
  }

  async #resume(command: OperatorCommand): Promise<CampaignCommandResult> {
    await condition(() => this.#campaign.isOpen());
    const result = await this.#write({ ...command, action: 'resume' });
    log.info('an operator resumed the campaign', { by: command.by });
    if (this.#paused !== null) this.#resumes += 1;
    this.#paused = null;
    this.#campaign.decideAgain();
    return result;
  }

  async #cancel(command: OperatorCommand): Promise<CampaignCommandResult> {
    const result = await this.#pauseFor(command, 'cancel');
    this.#cancelled = true;
    this.#campaign.decideAgain();
    return result;
  }

  /** Writes a change after all calls have ended, because a member whose call is in progress may wait again after it. */
  async #change(command: CampaignCommand): Promise<CampaignCommandResult> {
    await condition(() => this.#campaign.isOpen());
    this.#changing += 1;
    try {
      this.#campaign.decideAgain();
      await condition(() => this.#campaign.isIdle());
      const result = await this.#write(command);
      this.#campaign.follow(result.after ?? []);
      return result;
    } finally {
      this.#changing -= 1;
    }
  }

  /** Stops starting members at once. If the ledger refuses the command, the run continues as before. */
  async #pauseFor(command: OperatorCommand, action: 'pause' | 'cancel'): Promise<CampaignCommandResult> {
    await condition(() => this.#campaign.isOpen());
    const before = this.#paused;
    if (before === null) this.#setPause(command);
    try {
      if (action === 'cancel') await condition(() => this.#campaign.isIdle());
      return await this.#write({ ...command, action });
    } catch (error) {
      if (before === null) {
        this.#paused = null;
        this.#campaign.decideAgain();
      }
      throw error;
    }
  }

  /** The log leaves out the reason, because an operator may write about a person. */
  #setPause({ by, reason, code }: Pause): void {
    log.warn('the campaign is paused', { by });
    this.#paused = code === undefined ? { by, reason } : { by, reason, code };
    this.#campaign.decideAgain();
  }

  async #write(command: CampaignCommand): Promise<CampaignCommandResult> {
    const { run } = this.#campaign.input;
    // The update id survives a reset of the workflow, so a repeated update is not applied twice.
    const own = uuid4();
    const id = currentUpdateInfo()?.id ?? own;
    await condition(() => this.#campaign.isOpen());
    const written = this.#written.then(() => ledger.campaignCommand({ run, command, id }));
    this.#written = written.catch(() => undefined);
    return await written;
  }

  /** Every run of a campaign has the same workflow id, so a command that names another run is refused. */
  #validate(command: CampaignOperatorCommand): void {
    validateCommand(command);
    const { run, campaign } = this.#campaign.input;
    if (command.run === undefined || command.run === run) return;
    const message = `the run ${run} of "${campaign}" is in progress, so no command can be applied to ${command.run}`;
    throw ApplicationFailure.nonRetryable(message, 'ANOTHER_RUN');
  }
}
