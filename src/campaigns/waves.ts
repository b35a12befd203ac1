// Waves of a campaign: how large each is, and when one has gone so badly that somebody has to look.

import type { StopRules, WavesConfig } from '../contracts/config/config-campaigns.ts';
import type { PlanNote } from '../contracts/wire/campaign.ts';
import { plainNumber as n, percent } from './figures.ts';

export interface WaveShape {
  readonly kind: 'canary' | 'wave';
  /** Members at most. */
  readonly size: number;
}

/** What came of a wave, in members. */
export interface WaveTally {
  /** Whose turn it was: triggered, refused, unknown, or in human service. */
  readonly tried: number;
  readonly triggered: number;
  readonly failed: number;
  readonly unknown: number;
  readonly humanService: number;
  readonly optedOut: number;
  readonly replied: number;
}

/**
 * The n-th wave of those that the configuration asks for, from 1 (retries of failed members are waves beside them). With a
 * canary, that is the first, and the sizes begin behind it.
 */
export function waveOf(waves: WavesConfig, n: number): WaveShape {
  if (!Number.isInteger(n) || n < 1) throw new RangeError(`waves are counted from 1, got ${n}`);
  if (waves.canary !== undefined && n === 1) return { kind: 'canary', size: waves.canary };
  const sizes = typeof waves.size === 'number' ? [waves.size] : waves.size;
  const place = n - (waves.canary === undefined ? 1 : 2);
  return { kind: 'wave', size: sizes[Math.min(place, sizes.length - 1)] as number };
}

/** The rules that a wave has broken, in the order of the configuration; none of a wave smaller than `stop.atLeast`. */
export function brokenRules(stop: StopRules, tally: WaveTally): PlanNote[] {
  const { tried } = tally;
  if (tried === 0 || tried < stop.atLeast) return [];
  const most = (code: string, limit: number | undefined, members: number, did: string): PlanNote[] => {
    if (limit === undefined || members / tried <= limit) return [];
    return [
      { code, reason: `${countOf(members, tried)} ${did}; the campaign stops above ${percent(limit)}` },
    ];
  };
  const broken = [
    ...most('STOP_FAILED', stop.failed, tally.failed, 'failed'),
    ...most('STOP_UNKNOWN', stop.unknown, tally.unknown, 'have an unknown outcome'),
    ...most('STOP_HUMAN_SERVICE', stop.humanService, tally.humanService, 'were in human service'),
    ...most('STOP_OPT_OUT', stop.optOut, tally.optedOut, 'opted out'),
  ];
  if (stop.replies !== undefined && tally.replied / tried < stop.replies) {
    const reason = `${countOf(tally.replied, tried)} replied; the campaign stops below ${percent(stop.replies)}`;
    broken.push({ code: 'STOP_REPLIES', reason });
  }
  return broken;
}

function countOf(members: number, tried: number): string {
  return `${n(members)} of ${n(tried)} members (${percent(members / tried)})`;
}
