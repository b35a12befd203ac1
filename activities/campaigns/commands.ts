// Commands on a campaign run, by operators and by Sluice itself. Each is applied once, by its id, and is kept in the
// audit trail.

import { resumeInVain } from '../../src/core/blocked-again.ts';
import type { Pause } from '../../src/core/pause.ts';
import type { Queryable } from '../../src/core/sql/database.ts';
import {
  CampaignCommand,
  type CampaignCommandInput,
  type CampaignCommandResult,
} from '../../src/jobs/campaigns/contract/batches.ts';
import { addAudit, doneBefore, lastResume } from '../../src/jobs/campaigns/store/audit.ts';
import { campaignNews } from '../../src/jobs/campaigns/store/campaign-news.ts';
import {
  type CampaignRow,
  findCampaign,
  lockCampaign,
  moveCampaign,
  noteVerified,
} from '../../src/jobs/campaigns/store/campaigns.ts';
import {
  approveCampaign,
  cancelMembers,
  changePace,
  giveUpLost,
  haltCampaign,
  openAfterEvents,
  releaseCampaign,
} from '../../src/jobs/campaigns/store/commands.ts';
import { endWaves } from '../../src/jobs/campaigns/store/waves.ts';
import { doubtOfApproval } from '../../src/operator/store/identity/second-person.ts';
import { FLIGHT_SECONDS } from '../shared/api-call.ts';

import {
  type CommandContext,
  type CommandDeps,
  type Done,
  resolve,
  retry,
  skipWave,
} from './member-commands.ts';
import { demand, REFUSED, refuseCommand, refuseProblems, refuseUnlessPlanned } from './refusals.ts';
import { openAfterRun } from './trigger/after.ts';
import { AMBIGUOUS } from './trigger/outcome.ts';
import { FIRST_UNVERIFIED } from './trigger/verify.ts';

/** Code in the audit of a resume that ended a person's pause. */
const BY_PERSON = 'PAUSED';

/** @param wake wakes the delivery of sinks that have new events */
export function createCommandActivities(
  deps: CommandDeps,
  wake: (sinks: readonly string[]) => Promise<void>,
) {
  const { db, clock, log } = deps;
  return {
    /**
     * Applies a command to a run once and records it in the audit trail.
     * @throws ApplicationFailure (not retryable) with a type of {@link REFUSED}; nothing has changed then
     */
    async campaignCommand({
      run,
      command: given,
      id,
      withoutWorkflow = false,
    }: CampaignCommandInput): Promise<CampaignCommandResult> {
      const command = checked(given);
      const at = new Date(await clock.now());
      const found = await findCampaign(db, run);
      if (found === null)
        throw refuseCommand(REFUSED.noSuchRun, `the ledger has no run ${run} of a campaign`);
      const afterRun = settlesTriggered(command) ? await openAfterRun(db, found) : null;
      const { done, sinks } = await db.transaction(async (tx) => {
        const row = await lockCampaign(tx, run);
        const before = await doneBefore(tx, run, id);
        const sinks: readonly string[] = [];
        if (before !== null)
          return { done: { members: before, ...(await afterOf(tx, row, command)) }, sinks };
        const news = campaignNews(row, deps.announce(row.account));
        const done = await perform({ deps, tx, news, row, at, afterRun, withoutWorkflow }, command);
        const { by, action, reason } = command;
        await addAudit(tx, run, { id, by, action, reason, ...done }, at);
        const after = await afterOf(tx, row, command);
        return { done: { members: done.members, ...after }, sinks: await news.publish(tx) };
      });
      await wake(sinks);
      log.info({ run, action: command.action, members: done.members }, 'a command was applied to a campaign');
      return done;
    },
  };
}

function settlesTriggered(command: CampaignCommand): boolean {
  return command.action === 'resolve' && command.as === 'triggered';
}

/**
 * Returns the events that follow triggers settled by an operator. The response to an earlier attempt may have been
 * lost.
 */
async function afterOf(
  tx: Queryable,
  row: CampaignRow,
  command: CampaignCommand,
): Promise<Pick<CampaignCommandResult, 'after'>> {
  const after = settlesTriggered(command) ? await openAfterEvents(tx, row) : [];
  return after.length === 0 ? {} : { after };
}

function checked(given: CampaignCommand): CampaignCommand {
  const { success, data, error } = CampaignCommand.safeParse(given);
  const [issue] = error?.issues ?? [];
  if (!success)
    throw refuseCommand(REFUSED.invalid, `${issue?.path.join('.') || 'the command'}: ${issue?.message}`);
  if (data.action === 'resolve' && data.as === 'triggered' && data.again)
    throw refuseCommand(REFUSED.invalid, 'again: a flow that has run is not triggered again');
  return data;
}

async function perform(c: CommandContext, command: CampaignCommand): Promise<Done> {
  const { deps, tx, news, row, at } = c;
  const run = row.run_id;
  switch (command.action) {
    case 'approve':
      return await approve(deps, tx, row, command.by, at);
    case 'pause':
      demand(row, ['running']);
      await pause(c, command);
      return { members: 0 };
    case 'resume':
      demand(row, ['running']);
      if (!(await releaseCampaign(tx, run))) return { members: 0 };
      news.changed('resumed', { at, by: command.by, reason: command.reason });
      if (row.paused?.code === FIRST_UNVERIFIED)
        await noteVerified(tx, run, {
          how: 'operator',
          member: 0,
          reason: `${command.by} resumed the campaign`,
        });
      // A later refusal is compared with it.
      return { members: 0, details: { code: row.paused?.code ?? BY_PERSON } };
    case 'rate':
      demand(row, ['planned', 'running']);
      await changePace(tx, run, command.callsPerMinute ?? 0);
      return { members: 0, details: { callsPerMinute: command.callsPerMinute } };
    case 'cancel':
      return await cancel(c, command);
    case 'skipWave':
      return await skipWave(c);
    case 'retry':
      return await retry(c, command);
    case 'resolve':
      return await resolve(c, command);
  }
}

async function approve(
  deps: CommandDeps,
  tx: Queryable,
  row: CampaignRow,
  by: string,
  at: Date,
): Promise<Done> {
  refuseUnlessPlanned(deps, row);
  refuseProblems(row);
  const { planned_by: author, campaign } = row;
  const doubt = await doubtOfApproval(tx, deps.db.kind, { author, approver: by, campaign });
  if (doubt !== null) throw refuseCommand(doubt.code, doubt.reason);
  await approveCampaign(tx, row.run_id, by, at);
  return { members: 0 };
}

async function pause({ tx, news, row, at }: CommandContext, { by, reason, code }: Pause): Promise<void> {
  const again = code === undefined ? undefined : resumeInVain(code, await lastResume(tx, row.run_id));
  const paused = await haltCampaign(tx, row.run_id, { by, reason, code, at: at.toISOString(), again });
  if (paused !== null)
    news.changed('paused', { by: paused.by, reason: paused.reason, code: paused.code, at });
}

async function cancel({ tx, news, row, at }: CommandContext, { by, reason }: CampaignCommand): Promise<Done> {
  const run = row.run_id;
  // Cancelling again is not an error: the run stays cancelled.
  demand(row, ['planned', 'running', 'cancelled']);
  const members = await cancelMembers(tx, run, at);
  // Nothing of the run is in progress when it is cancelled. Rights that are still taken belong to workers that are
  // gone.
  await giveUpLost(tx, run, { seconds: FLIGHT_SECONDS, code: AMBIGUOUS }, at, news);
  await endWaves(tx, run, at);
  if (await moveCampaign(tx, run, ['planned', 'running'], 'cancelled', at))
    news.changed('cancelled', { at, by, reason });
  return { members };
}
