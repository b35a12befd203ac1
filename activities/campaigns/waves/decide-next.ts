// Decides what a running campaign does next, from its members, its waves and its calendar. It runs in one transaction
// and makes no call.

import { durationMs } from '../../../src/core/config/base.ts';
import type { CampaignConfig } from '../../../src/jobs/campaigns/config.ts';
import type { CampaignCounts } from '../../../src/jobs/campaigns/contract/batches.ts';
import type { PlanNote } from '../../../src/jobs/campaigns/contract/plan.ts';
import { brokenRules } from '../../../src/jobs/campaigns/rules/waves.ts';
import { noteBlocked } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { haltCampaign } from '../../../src/jobs/campaigns/store/commands.ts';
import { countMembers, skipMembers } from '../../../src/jobs/campaigns/store/next.ts';
import {
  endWave,
  judgeWave,
  openWave,
  waveOutcomes,
  wavesSoFar,
  wavesToJudge,
} from '../../../src/jobs/campaigns/store/waves.ts';
import { betweenWaves, CHECK_AGAIN_MS, type DecideContext, inWave, type Next } from './next-in-waves.ts';

const STOP_RULE = 'STOP_RULE';
/** Number of waves without a triggerable member that one decision ends; the next decision ends the rest. */
const EMPTY_WAVES = 10;

export interface Decided {
  readonly next: Next;
  readonly wave: number | null;
  readonly counts: CampaignCounts;
}

/**
 * @returns null if a wave must be judged first: the caller updates the results outside the transaction, as that takes
 *   time
 */
export async function decideNext(c: DecideContext): Promise<Decided | null> {
  const { tx, run, now } = c;
  const next = await decide(c);
  if (next === 'stamp') return null;
  const counts = await countMembers(tx, run.run_id);
  const wave = (await openWave(tx, run.run_id))?.wave ?? (await wavesSoFar(tx, run.run_id)).last;
  return { next: beforeEnd(next, run.spec.config, now), wave: wave === 0 ? null : wave, counts };
}

async function decide(c: DecideContext): Promise<Next | 'stamp'> {
  const { tx, news, run, now } = c;
  const { config } = run.spec;
  const id = run.run_id;
  if (run.state !== 'running') return { do: 'finish' };
  if (run.paused !== null)
    return { do: 'pause', code: run.paused.code ?? 'PAUSED', reason: run.paused.reason };
  if (run.unverified !== null) return { do: 'triggerBatch' };
  const startMs = config.start === undefined ? now : Date.parse(config.start);
  if (now < startMs) return { do: 'waitUntil', untilMs: startMs, why: 'start' };
  if (config.end !== undefined && now >= Date.parse(config.end))
    await skipMembers(tx, id, {}, 'CAMPAIGN_ENDED', new Date(now), news);
  const blocked = (await isStillToReach(c)) ? c.unread : null;
  await noteBlocked(tx, id, blocked);
  if (blocked !== null) return { do: 'waitUntil', untilMs: now + CHECK_AGAIN_MS, why: 'replies', blocked };
  for (let empty = 0; empty < EMPTY_WAVES; empty++) {
    const due = await wavesToJudge(tx, id, new Date(now - durationMs(config.waves.settle)));
    if (due.length > 0) {
      if (!c.stamped) return 'stamp';
      const broken = await judgeWaves(c, due);
      if (broken !== null) return { do: 'pause', ...broken };
    }
    const wave = await openWave(tx, id);
    if (wave !== null) {
      const next = await inWave(c, wave);
      if (next !== null) return next;
      await endWave(tx, id, wave.wave, new Date(now));
      continue;
    }
    const next = await betweenWaves(c);
    if (next !== null) return next;
  }
  return { do: 'waitUntil', untilMs: now, why: 'every' };
}

/** While replies can't be read, no member is triggered and no wave is judged by replies. */
async function isStillToReach({ tx, run, unread }: DecideContext): Promise<boolean> {
  if (unread === null) return false;
  const { waiting, found } = await countMembers(tx, run.run_id);
  return waiting + found > 0;
}

/** Limits a wait to the end of the campaign, when the members that still wait are skipped. */
function beforeEnd(next: Next, { end }: CampaignConfig, now: number): Next {
  const endMs = end === undefined ? null : Date.parse(end);
  if (endMs === null || endMs <= now || next.do !== 'waitUntil') return next;
  return { ...next, untilMs: Math.min(next.untilMs, endMs) };
}

/**
 * Judges waves after people have had time to reply. The pause is stored with the verdict, so the next decision finds
 * it even if this response is lost.
 * @returns why the campaign is paused; null if it continues because no rule is broken, or because no member is waiting
 */
async function judgeWaves(
  { tx, news, run, now }: DecideContext,
  ended: readonly number[],
): Promise<PlanNote | null> {
  const { stop } = run.spec.config;
  const id = run.run_id;
  const reasons: string[] = [];
  for (const wave of ended) {
    const outcomes = await waveOutcomes(tx, id, wave);
    const tried = outcomes.triggered + outcomes.failed + outcomes.unknown + outcomes.humanService;
    const broken = brokenRules(stop, { ...outcomes, tried });
    await judgeWave(tx, id, wave, broken, new Date(now));
    reasons.push(...broken.map(({ reason }) => `wave ${wave}: ${reason}`));
  }
  if (reasons.length === 0 || (await countMembers(tx, id)).waiting === 0) return null;
  const reason = `${STOP_RULE}: ${reasons.join('; ')}`;
  const at = new Date(now);
  // Each verdict is about another wave, so that it never repeats the one before a resume.
  const paused = await haltCampaign(tx, id, { by: 'sluice', code: STOP_RULE, reason, at: at.toISOString() });
  if (paused !== null) news.changed('paused', { by: 'sluice', code: STOP_RULE, reason: paused.reason, at });
  return { code: STOP_RULE, reason };
}
