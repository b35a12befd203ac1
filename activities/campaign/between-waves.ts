// Which wave comes after one that is over, and when.
import { waveOf } from '../../src/campaigns/waves.ts';
import type { TurnInput } from '../../src/contracts/campaign.ts';
import { durationMs } from '../../src/contracts/config-base.ts';
import type { WavesConfig } from '../../src/contracts/config-campaigns.ts';
import { freeStranded } from '../../src/ledger/campaign-turn.ts';
import { makeWave, unassigned, type WavesSoFar, wavesSoFar } from '../../src/ledger/campaign-waves.ts';
import { againMs, type Next, settleLost, soonest, type TurnContext, type Wait } from './turn-context.ts';

/** @returns null: a wave was made */
export async function betweenWaves(c: TurnContext, input: TurnInput): Promise<Next | null> {
  const { tx, run, now } = c;
  const id = run.run_id;
  const at = new Date(now);
  const { waves: config } = run.spec.config;
  const left = await unassigned(tx, id);
  const soFar = await wavesSoFar(tx, id);
  const wave = soFar.last + 1;
  const retryMs = left.atOnce > 0 ? now : againMs(c, left.first, left.last);
  if (retryMs !== null && retryMs <= now) {
    await makeWave(tx, id, { wave, kind: 'retry', size: null }, at);
    return null;
  }
  const waits: Wait[] = retryMs === null ? [] : [{ do: 'wait', untilMs: retryMs, why: 'retry' }];
  if (left.regular > 0) {
    const ready = readyForNext(config, soFar, now);
    if (ready === null) {
      await makeWave(tx, id, { wave, ...waveOf(config, soFar.regular + 1) }, at);
      return null;
    }
    return soonest([...waits, ready]);
  }
  const judged = judgedMs(config, soFar);
  if (judged !== null) waits.push({ do: 'wait', untilMs: judged, why: 'settle' });
  const lost = await settleLost(c, input.limit);
  if (lost !== null && lost.do !== 'wait') return lost;
  if (lost !== null) waits.push(lost);
  if (waits.length > 0) return soonest(waits);
  return (await freeStranded(tx, id)) > 0 ? await betweenWaves(c, input) : { do: 'end' };
}

/** When all waves will have been judged; null: they are. */
function judgedMs({ settle }: WavesConfig, { unjudged_ended: ended }: WavesSoFar): number | null {
  return ended === null ? null : ended.getTime() + durationMs(settle);
}

/** Null: the next wave may begin. */
function readyForNext(config: WavesConfig, soFar: WavesSoFar, now: number): Wait | null {
  const judged = judgedMs(config, soFar) ?? now;
  const every = soFar.regular_began === null ? now : soFar.regular_began.getTime() + durationMs(config.every);
  const untilMs = Math.max(judged, every);
  if (untilMs <= now) return null;
  return { do: 'wait', untilMs, why: every > judged ? 'every' : 'settle' };
}
