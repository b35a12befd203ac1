// Commands on members of a run: skip a wave, retry failed members, resolve members whose outcome is unknown.

import type { Queryable } from '../../src/core/sql/database.ts';
import type { CampaignCommand, CampaignCommandResult } from '../../src/jobs/campaigns/contract/batches.ts';
import { waveOf } from '../../src/jobs/campaigns/rules/waves.ts';
import type { CampaignNews } from '../../src/jobs/campaigns/store/campaign-news.ts';
import { type CampaignRow, moveCampaign } from '../../src/jobs/campaigns/store/campaigns.ts';
import {
  otherRun,
  retryMembers,
  settleNotTriggered,
  settleTriggered,
  unknownMembers,
} from '../../src/jobs/campaigns/store/commands.ts';
import { skipMembers } from '../../src/jobs/campaigns/store/next.ts';
import {
  judgeWave,
  makeWave,
  openWave,
  unassigned,
  wavesSoFar,
} from '../../src/jobs/campaigns/store/waves.ts';
import { openRestore } from '../../src/protect/restore/restores.ts';
import type { Deps } from '../shared/deps.ts';
import { demand, REFUSED, refuseCommand } from './refusals.ts';
import { addAfterEvents } from './trigger/after.ts';

export interface Done extends CampaignCommandResult {
  /** Stored in the audit trail; contains no personal data. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What commands need. The operator API has no more of it. */
export type CommandDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'campaign' | 'announce'>;

export interface CommandContext {
  readonly deps: CommandDeps;
  readonly tx: Queryable;
  readonly news: CampaignNews;
  /** Locked. */
  readonly row: CampaignRow;
  readonly at: Date;
  /** Run that counts the calls of follow-up events; null if nothing follows a trigger. */
  readonly afterRun: string | null;
  /** No workflow would continue a run that the command reopens. */
  readonly withoutWorkflow: boolean;
}

/** Skips the rest of the open wave, or the whole next wave if none is open. Stop rules do not judge a skipped wave. */
export async function skipWave({ tx, news, row, at }: CommandContext): Promise<Done> {
  demand(row, ['running']);
  const run = row.run_id;
  const wave = (await openWave(tx, run))?.wave ?? (await makeNextWave(tx, row, at));
  const members = wave === null ? 0 : await skipMembers(tx, run, { wave }, 'WAVE_SKIPPED', at, news);
  if (wave === null || members === 0)
    throw refuseCommand(REFUSED.nothing, 'there is no wave to skip: no member is waiting in one');
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

export async function retry(
  c: CommandContext,
  { codes, by, reason }: Extract<CampaignCommand, { action: 'retry' }>,
): Promise<Done> {
  const { tx, row, at } = c;
  demand(row, ['running', 'finished']);
  refuseAfterEnd(row, at);
  await refuseAfterRestore(tx);
  const members = await retryMembers(tx, row.run_id, codes);
  if (members > 0) await reopen(c, by, reason);
  return { members, details: { codes } };
}

export async function resolve(
  c: CommandContext,
  { members: named, as, again, by, reason }: Extract<CampaignCommand, { action: 'resolve' }>,
): Promise<Done> {
  const { tx, news, row, at, afterRun } = c;
  demand(row, again ? ['running', 'finished'] : ['running', 'finished', 'cancelled']);
  if (again) {
    refuseAfterEnd(row, at);
    await refuseAfterRestore(tx);
  }
  const run = row.run_id;
  const unknown = await unknownMembers(tx, run, named);
  const ids = unknown.map(({ id }) => id);
  const others = named?.filter((id) => !ids.includes(id)) ?? [];
  if (others.length > 0) {
    const some = others.slice(0, 10).join(', ');
    throw refuseCommand(
      REFUSED.notUnknown,
      `${others.length} of these members are not unknown, for example ${some}; nothing has changed`,
    );
  }
  if (as === 'triggered') {
    await settleTriggered(tx, run, ids, at, news);
    for (const member of unknown) await addAfterEvents(tx, afterRun, row, member);
  } else {
    await settleNotTriggered(tx, run, { members: ids, again }, at, news);
    if (again && ids.length > 0) await reopen(c, by, reason);
  }
  return { members: ids.length, details: { as, again } };
}

/** Refuses a retry after the end of the campaign: the members could not be triggered any more. */
function refuseAfterEnd({ run_id: run, spec }: CampaignRow, at: Date): void {
  const { end } = spec.config;
  if (end !== undefined && at.getTime() >= Date.parse(end))
    throw refuseCommand(
      REFUSED.over,
      `the campaign of the run ${run} ended at ${end}, so no member can be triggered`,
    );
}

/** A retry after the backup may have triggered the members already, and the restored ledger has forgotten it. */
async function refuseAfterRestore(tx: Queryable): Promise<void> {
  const restored = await openRestore(tx);
  if (restored !== null)
    throw refuseCommand(
      REFUSED.restored,
      `the ledger was restored to ${restored.restoredTo} and does not know who was reached since: check these members in the service, then run \`sluice ledger end-restore\``,
    );
}

/** Sets a finished run to running again. @throws ApplicationFailure if another run exists by now */
async function reopen(
  { tx, news, row, at, withoutWorkflow }: CommandContext,
  by: string,
  reason: string,
): Promise<void> {
  if (row.state !== 'finished') return;
  const other = await otherRun(tx, row);
  if (other !== null)
    throw refuseCommand(
      REFUSED.otherRun,
      `the run ${row.run_id} has finished, and ${other.run} is ${other.state}; nothing has changed`,
    );
  if (withoutWorkflow)
    throw refuseCommand(
      REFUSED.otherRun,
      `another run of "${row.campaign}" has just ended: repeat the command`,
    );
  if (await moveCampaign(tx, row.run_id, ['finished'], 'running', at))
    news.changed('resumed', { at, by, reason });
}
