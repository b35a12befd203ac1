// Waves of a campaign: their sizes, and the stop rules that pause the campaign after a bad wave.

import type { StopRules, WavesConfig } from '../config.ts';
import type { PlanNote } from '../contract/plan.ts';
import type { CampaignFigures } from '../contract/report.ts';
import { plainNumber as n, percent } from './figures.ts';

export interface WaveShape {
  readonly kind: 'canary' | 'wave';
  /** Maximum number of members. */
  readonly size: number;
}

/** Results of a wave, in members. */
export interface WaveTally {
  /** Members that were due: triggered, failed, unknown, or in human service. */
  readonly tried: number;
  readonly triggered: number;
  readonly failed: number;
  readonly unknown: number;
  readonly humanService: number;
  readonly optedOut: number;
  readonly replied: number;
}

/**
 * Shape of the n-th configured wave, from 1. Waves of retried members are not counted. If a canary is configured, it
 * is the first wave, and the sizes begin after it.
 */
export function waveOf(waves: WavesConfig, n: number): WaveShape {
  if (!Number.isInteger(n) || n < 1) throw new RangeError(`waves are counted from 1, got ${n}`);
  if (waves.canary !== undefined && n === 1) return { kind: 'canary', size: waves.canary };
  const sizes = typeof waves.size === 'number' ? [waves.size] : waves.size;
  const place = n - (waves.canary === undefined ? 1 : 2);
  return { kind: 'wave', size: sizes[Math.min(place, sizes.length - 1)] as number };
}

/** Members of a wave that were due. */
export function triedOf({
  triggered,
  failed,
  unknown,
  skipped,
}: Pick<CampaignFigures, 'triggered' | 'failed' | 'unknown' | 'skipped'>): number {
  const refused = Object.values(failed).reduce((sum, count) => sum + count, 0);
  return triggered + refused + unknown + (skipped['HUMAN_SERVICE'] ?? 0);
}

/** Whether the stop rules count for a wave: of a few members, a share says nothing. */
export function isLargeEnough({ atLeast }: Pick<StopRules, 'atLeast'>, tried: number): boolean {
  return tried > 0 && tried >= atLeast;
}

/**
 * Returns the stop rules that a wave has broken, in the order of the configuration. Waves below `stop.atLeast` break
 * none.
 */
export function brokenRules(stop: StopRules, tally: WaveTally): PlanNote[] {
  const { tried } = tally;
  if (!isLargeEnough(stop, tried)) return [];
  const most = (code: string, limit: number | undefined, members: number, did: string): PlanNote[] => {
    if (limit === undefined || members / tried <= limit) return [];
    const reason = `${countOf(members, tried)} ${did}; the campaign stops above ${percent(limit)}`;
    return [{ code, reason, params: { members, tried, limitShare: limit } }];
  };
  const broken = [
    ...most('STOP_FAILED', stop.failed, tally.failed, 'failed'),
    ...most('STOP_UNKNOWN', stop.unknown, tally.unknown, 'have an unknown outcome'),
    ...most('STOP_HUMAN_SERVICE', stop.humanService, tally.humanService, 'were in human service'),
    ...most('STOP_OPT_OUT', stop.optOut, tally.optedOut, 'opted out'),
  ];
  if (stop.replies !== undefined && tally.replied / tried < stop.replies) {
    const reason = `${countOf(tally.replied, tried)} replied; the campaign stops below ${percent(stop.replies)}`;
    const params = { members: tally.replied, tried, limitShare: stop.replies };
    broken.push({ code: 'STOP_REPLIES', reason, params });
  }
  return broken;
}

function countOf(members: number, tried: number): string {
  return `${n(members)} of ${n(tried)} members (${percent(members / tried)})`;
}
