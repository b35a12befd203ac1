// Judges the waves of a campaign once people have had time to answer: one that breaks a stop rule holds the campaign.
import { brokenRules } from '../../src/campaigns/waves.ts';
import type { PlanNote } from '../../src/contracts/campaign.ts';
import { durationMs } from '../../src/contracts/config-base.ts';
import { holdCampaign } from '../../src/ledger/campaign-acts.ts';
import { stampResults } from '../../src/ledger/campaign-results.ts';
import { standing } from '../../src/ledger/campaign-turn.ts';
import { judgeWave, waveOutcomes, wavesToJudge } from '../../src/ledger/campaign-waves.ts';
import type { CampaignRow } from '../../src/ledger/campaigns.ts';
import type { Queryable } from '../../src/ledger/database.ts';

export const STOP_RULE = 'STOP_RULE';

/**
 * Judges all waves whose time has come. The hold is written down with the verdict: should the answer be lost, the next
 * turn finds it.
 * @returns why the campaign is held now; null: it goes on, as nothing is broken or nobody is left to be spared
 */
export async function judgeWaves({
  tx,
  run,
  now,
}: {
  readonly tx: Queryable;
  readonly run: CampaignRow;
  readonly now: number;
}): Promise<PlanNote | null> {
  const { waves, stop } = run.spec.config;
  const id = run.run_id;
  const at = new Date(now);
  const ended = await wavesToJudge(tx, id, new Date(now - durationMs(waves.settle)));
  if (ended.length === 0) return null;
  await stampResults(tx, id, at);
  const reasons: string[] = [];
  for (const wave of ended) {
    const outcomes = await waveOutcomes(tx, id, wave);
    const tried = outcomes.triggered + outcomes.failed + outcomes.unknown + outcomes.humanService;
    const broken = brokenRules(stop, { ...outcomes, tried });
    await judgeWave(tx, id, wave, broken, at);
    reasons.push(...broken.map(({ reason }) => `wave ${wave}: ${reason}`));
  }
  if (reasons.length === 0 || (await standing(tx, id)).counts.waiting === 0) return null;
  const reason = reasons.join('; ');
  await holdCampaign(tx, id, { by: 'sluice', reason: `${STOP_RULE}: ${reason}` });
  return { code: STOP_RULE, reason };
}
