// Judges the waves of a campaign once people have had time to answer: one that breaks a stop rule holds the campaign.
import { brokenRules } from '../../src/campaigns/waves.ts';
import type { PlanNote } from '../../src/contracts/campaign.ts';
import { durationMs } from '../../src/contracts/config-base.ts';
import { holdCampaign } from '../../src/ledger/campaign-acts.ts';
import { countMembers } from '../../src/ledger/campaign-turn.ts';
import { judgeWave, waveOutcomes, wavesToJudge } from '../../src/ledger/campaign-waves.ts';
import type { CampaignRow } from '../../src/ledger/campaigns.ts';
import type { Queryable } from '../../src/ledger/database.ts';

export const STOP_RULE = 'STOP_RULE';

/** Waves whose time has come: their results have to be stamped before they are judged. */
export async function wavesDue(
  tx: Queryable,
  { run_id: run, spec }: CampaignRow,
  now: number,
): Promise<number[]> {
  return await wavesToJudge(tx, run, new Date(now - durationMs(spec.config.waves.settle)));
}

/**
 * Judges waves. The hold is written down with the verdict: should the answer be lost, the next
 * turn finds it.
 * @returns why the campaign is held now; null: it goes on, as nothing is broken or nobody is left to be spared
 */
export async function judgeWaves(
  tx: Queryable,
  run: CampaignRow,
  ended: readonly number[],
  at: Date,
): Promise<PlanNote | null> {
  const { stop } = run.spec.config;
  const id = run.run_id;
  const reasons: string[] = [];
  for (const wave of ended) {
    const outcomes = await waveOutcomes(tx, id, wave);
    const tried = outcomes.triggered + outcomes.failed + outcomes.unknown + outcomes.humanService;
    const broken = brokenRules(stop, { ...outcomes, tried });
    await judgeWave(tx, id, wave, broken, at);
    reasons.push(...broken.map(({ reason }) => `wave ${wave}: ${reason}`));
  }
  if (reasons.length === 0 || (await countMembers(tx, id)).waiting === 0) return null;
  const reason = reasons.join('; ');
  await holdCampaign(tx, id, { by: 'sluice', reason: `${STOP_RULE}: ${reason}` });
  return { code: STOP_RULE, reason };
}
