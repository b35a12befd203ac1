// What operators do to a run of a campaign, and Sluice itself: each once, by its id, and kept with who and why.
import { waveOf } from '../../src/campaigns/waves.ts';
import { CampaignAct, type CampaignActInput, type CampaignActResult } from '../../src/contracts/campaign.ts';
import {
  addAudit,
  approveCampaign,
  cancelMembers,
  changePace,
  doneBefore,
  giveUpLost,
  holdCampaign,
  openAfterEvents,
  otherRun,
  releaseCampaign,
  retryMembers,
  settleNotTriggered,
  settleTriggered,
  unknownMembers,
} from '../../src/ledger/campaign-acts.ts';
import { skipMembers } from '../../src/ledger/campaign-turn.ts';
import {
  endWaves,
  judgeWave,
  makeWave,
  openWave,
  unassigned,
  wavesSoFar,
} from '../../src/ledger/campaign-waves.ts';
import {
  type CampaignRow,
  findCampaign,
  lockCampaign,
  moveCampaign,
  noteVerified,
} from '../../src/ledger/campaigns.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import { FLIGHT_SECONDS } from '../api-call.ts';
import type { Deps } from '../deps.ts';
import { REFUSED, refuseAct, refuseUnlessPlanned } from './refuse-act.ts';
import { addAfterEvents, openAfterRun } from './trigger-after.ts';
import { AMBIGUOUS } from './trigger-outcome.ts';
import { FIRST_UNVERIFIED } from './trigger-verify.ts';

interface Done extends CampaignActResult {
  /** Kept in the audit; nothing personal. */
  readonly details?: Readonly<Record<string, unknown>>;
}

interface ActContext {
  readonly deps: Deps;
  readonly tx: Queryable;
  /** Locked. */
  readonly row: CampaignRow;
  readonly at: Date;
  /** Counts the calls that follow triggers; null: none do. */
  readonly afterRun: string | null;
}

export function createActActivities(deps: Deps) {
  const { db, clock, log } = deps;
  return {
    /**
     * Writes down what an operator, or Sluice itself, does to a run, once.
     * @throws ApplicationFailure (not retryable) of a type of {@link REFUSED}: nothing is changed then
     */
    async campaignAct({ run, act: given, id }: CampaignActInput): Promise<CampaignActResult> {
      const act = checked(given);
      const at = new Date(await clock.now());
      const found = await findCampaign(db, run);
      if (found === null) throw refuseAct(REFUSED.noSuchRun, `the ledger has no run ${run} of a campaign`);
      const afterRun = settlesTriggered(act) ? await openAfterRun(db, found) : null;
      const done = await db.transaction(async (tx) => {
        const row = await lockCampaign(tx, run);
        const before = await doneBefore(tx, run, id);
        if (before !== null) return { members: before, ...(await afterOf(tx, row, act)) };
        const done = await perform({ deps, tx, row, at, afterRun }, act);
        const { by, action, reason } = act;
        await addAudit(tx, run, { id, by, action, reason, ...done }, at);
        return { members: done.members, ...(await afterOf(tx, row, act)) };
      });
      log.info({ run, action: act.action, members: done.members }, 'an operator has acted on a campaign');
      return done;
    },
  };
}

function settlesTriggered(act: CampaignAct): boolean {
  return act.action === 'resolve' && act.as === 'triggered';
}

/** What follows triggers that an operator has found out about; the answer to the first attempt may have been lost. */
async function afterOf(
  tx: Queryable,
  row: CampaignRow,
  act: CampaignAct,
): Promise<Pick<CampaignActResult, 'after'>> {
  const after = settlesTriggered(act) ? await openAfterEvents(tx, row) : [];
  return after.length === 0 ? {} : { after };
}

function checked(given: CampaignAct): CampaignAct {
  const { success, data, error } = CampaignAct.safeParse(given);
  const [issue] = error?.issues ?? [];
  if (!success) throw refuseAct(REFUSED.invalid, `${issue?.path.join('.') || 'the act'}: ${issue?.message}`);
  if (data.action === 'resolve' && data.as === 'triggered' && data.again)
    throw refuseAct(REFUSED.invalid, 'again: a flow that did run is not triggered once more');
  return data;
}

async function perform(c: ActContext, act: CampaignAct): Promise<Done> {
  const { deps, tx, row, at } = c;
  const run = row.run_id;
  switch (act.action) {
    case 'approve':
      return await approve(deps, tx, row, act.by, at);
    case 'pause':
      demand(row, ['running']);
      await holdCampaign(tx, run, act);
      return { members: 0 };
    case 'resume':
      demand(row, ['running']);
      await releaseCampaign(tx, run);
      if (row.held?.reason.startsWith(FIRST_UNVERIFIED))
        await noteVerified(tx, run, { how: 'operator', member: 0, reason: `${act.by} let it go on` });
      return { members: 0 };
    case 'rate':
      demand(row, ['planned', 'running']);
      await changePace(tx, run, act.callsPerMinute ?? 0);
      return { members: 0, details: { callsPerMinute: act.callsPerMinute } };
    case 'cancel':
      return await cancel(c);
    case 'skipWave':
      return await skipWave(c);
    case 'retry':
      return await retry(c, act.codes);
    case 'resolve':
      return await resolve(c, act);
  }
}

/** @throws ApplicationFailure when the run is in another state */
function demand(
  { run_id: run, campaign, state }: CampaignRow,
  states: readonly CampaignRow['state'][],
): void {
  if (states.includes(state)) return;
  if (state === 'cancelled') throw refuseAct(REFUSED.cancelled, `the run ${run} was cancelled, and stays so`);
  if (state === 'finished') throw refuseAct(REFUSED.over, `the run ${run} has finished`);
  if (state === 'planned' || state === 'planning')
    throw refuseAct(
      REFUSED.notRunning,
      `the run ${run} is ${state}; \`sluice campaign start ${campaign}\` starts a plan`,
    );
  throw refuseAct(REFUSED.notRunning, `the run ${run} is ${state}, and was never started`);
}

async function approve(deps: Deps, tx: Queryable, row: CampaignRow, by: string, at: Date): Promise<Done> {
  refuseUnlessPlanned(deps, row);
  if (by === row.planned_by)
    throw refuseAct(REFUSED.samePerson, `${by} made this plan: somebody else has to approve it`);
  await approveCampaign(tx, row.run_id, by, at);
  return { members: 0 };
}

async function cancel({ tx, row, at }: ActContext): Promise<Done> {
  const run = row.run_id;
  // Once more is no mistake: it stays cancelled.
  demand(row, ['planned', 'running', 'cancelled']);
  const members = await cancelMembers(tx, run, at);
  // Nothing of the run is under way when it is cancelled; what is left is the right of somebody who is gone.
  await giveUpLost(tx, run, { seconds: FLIGHT_SECONDS, code: AMBIGUOUS }, at);
  await endWaves(tx, run, at);
  await moveCampaign(tx, run, ['planned', 'running'], 'cancelled', at);
  return { members };
}

/** The rest of the wave under way; between two waves all of the next one. No rule judges a wave that was skipped. */
async function skipWave({ tx, row, at }: ActContext): Promise<Done> {
  demand(row, ['running']);
  const run = row.run_id;
  const wave = (await openWave(tx, run))?.wave ?? (await makeNextWave(tx, row, at));
  const members = wave === null ? 0 : await skipMembers(tx, run, { wave }, 'WAVE_SKIPPED', at);
  if (wave === null || members === 0)
    throw refuseAct(REFUSED.nothing, `there is no wave to skip: nobody in one waits for their turn`);
  await judgeWave(tx, run, wave, [], at);
  return { members, details: { wave } };
}

async function makeNextWave(
  tx: Queryable,
  { run_id: run, spec }: CampaignRow,
  at: Date,
): Promise<number | null> {
  const { last, regular } = await wavesSoFar(tx, run);
  const left = await unassigned(tx, run);
  const wave = last + 1;
  const shape =
    left.atOnce === 0 && left.regular > 0
      ? waveOf(spec.config.waves, regular + 1)
      : { kind: 'retry' as const, size: null };
  return (await makeWave(tx, run, { wave, ...shape }, at)) === 0 ? null : wave;
}

async function retry({ tx, row, at }: ActContext, codes: readonly string[] | null): Promise<Done> {
  demand(row, ['running', 'finished']);
  refuseAfterEnd(row, at);
  const members = await retryMembers(tx, row.run_id, codes);
  if (members > 0) await reopen(tx, row, at);
  return { members, details: { codes } };
}

async function resolve(
  { tx, row, at, afterRun }: ActContext,
  { members: named, as, again }: Extract<CampaignAct, { action: 'resolve' }>,
): Promise<Done> {
  demand(row, again ? ['running', 'finished'] : ['running', 'finished', 'cancelled']);
  if (again) refuseAfterEnd(row, at);
  const run = row.run_id;
  const unknown = await unknownMembers(tx, run, named);
  const ids = unknown.map(({ id }) => id);
  const others = named?.filter((id) => !ids.includes(id)) ?? [];
  if (others.length > 0) {
    const some = others.slice(0, 10).join(', ');
    throw refuseAct(
      REFUSED.notUnknown,
      `${others.length} of these members are not unknown, for example ${some}: nothing was changed`,
    );
  }
  if (as === 'triggered') {
    await settleTriggered(tx, run, ids, at);
    for (const member of unknown) await addAfterEvents(tx, afterRun, row, member);
  } else {
    await settleNotTriggered(tx, run, { members: ids, again }, at);
    if (again && ids.length > 0) await reopen(tx, row, at);
  }
  return { members: ids.length, details: { as, again } };
}

/** Whoever waits after the end of the campaign is left out: nobody is tried again then. */
function refuseAfterEnd({ run_id: run, spec }: CampaignRow, at: Date): void {
  const { end } = spec.config;
  if (end !== undefined && at.getTime() >= Date.parse(end))
    throw refuseAct(
      REFUSED.over,
      `the campaign of the run ${run} ended at ${end}: nobody is triggered any more`,
    );
}

/** A run that has finished goes on. @throws ApplicationFailure when there is another one by now */
async function reopen(tx: Queryable, row: CampaignRow, at: Date): Promise<void> {
  if (row.state !== 'finished') return;
  const other = await otherRun(tx, row);
  if (other !== null)
    throw refuseAct(
      REFUSED.otherRun,
      `the run ${row.run_id} has finished, and ${other.run} is ${other.state} by now: nothing was changed`,
    );
  await moveCampaign(tx, row.run_id, ['finished'], 'running', at);
}
