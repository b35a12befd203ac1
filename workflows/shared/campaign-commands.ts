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
  CampaignCommand,
  CampaignCommandResult,
  CampaignInput,
  CampaignProgress,
} from '../../src/contracts/wire/campaign.ts';
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

  /** Everything waits for an operator. The first reason stands. */
  async pauseItself(reason: string): Promise<void> {
    if (this.#paused !== null) return;
    const command = { by: 'sluice', reason };
    this.#setPause(command);
    await CancellationScope.nonCancellable(() => this.#write({ ...command, action: 'pause' }));
  }

  /** The workflow itself was cancelled, as Temporal's own tools do it. */
  async cancelItself(): Promise<void> {
    const command = { by: 'temporal', reason: 'the workflow was cancelled' };
    if (this.#paused === null) this.#setPause(command);
    await condition(() => this.#campaign.isIdle());
    if (this.#cancelled) return;
    await this.#write({ ...command, action: 'cancel' }).catch((error: unknown) =>
      log.warn('cancelled too late', { reason: reasonOf(error) }),
    );
  }

  async #pause(command: OperatorCommand): Promise<CampaignCommandResult> {
    const result = await this.#pauseFor(command, 'pause');
    const paused = this.#paused;
    await condition(() => this.#campaign.isIdle() || this.#paused !== paused);
    return result;
  }

  async #resume(command: OperatorCommand): Promise<CampaignCommandResult> {
    const result = await this.#write({ ...command, action: 'resume' });
    log.info('resumed', { by: command.by });
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

  /** A member whose call is under way may wait again after it: the change is written when all calls have ended. */
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

  /** Nobody is begun any more from the first moment; a command that the ledger refuses leaves all as it was. */
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

  /** What people write down as their reason may be about a person: no log has it. */
  #setPause({ by, reason }: OperatorCommand): void {
    log.warn('paused', { by });
    this.#paused = { by, reason };
    this.#campaign.decideAgain();
  }

  async #write(command: CampaignCommand): Promise<CampaignCommandResult> {
    const { run } = this.#campaign.input;
    // The name of the update stays the same when the workflow is reset and its updates come again: nothing is done twice.
    const own = uuid4();
    const id = currentUpdateInfo()?.id ?? own;
    await condition(() => this.#campaign.isOpen());
    const written = this.#written.then(() => ledger.campaignCommand({ run, command, id }));
    this.#written = written.catch(() => undefined);
    return await written;
  }

  /** Every run of the campaign has a workflow of this name: what is meant for one is not done to another. */
  #validate(command: CampaignOperatorCommand): void {
    validateCommand(command);
    const { run, campaign } = this.#campaign.input;
    if (command.run === undefined || command.run === run) return;
    const message = `the run ${run} of "${campaign}" is under way: nothing can be done to ${command.run} meanwhile`;
    throw ApplicationFailure.nonRetryable(message, 'ANOTHER_RUN');
  }
}
