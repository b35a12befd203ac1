// Decides which members of the open wave are due, and which wave follows it.

import { durationMs } from '../../../src/core/config/base.ts';
import type { Queryable } from '../../../src/core/sql/database.ts';
import type { WavesConfig } from '../../../src/jobs/campaigns/config.ts';
import type { NextAction } from '../../../src/jobs/campaigns/contract/batches.ts';
import type { PlanNote } from '../../../src/jobs/campaigns/contract/plan.ts';
import { type Calendar, compileCalendar } from '../../../src/jobs/campaigns/rules/calendar.ts';
import { waveOf } from '../../../src/jobs/campaigns/rules/waves.ts';
import { zonesOfText } from '../../../src/jobs/campaigns/rules/zones.ts';
import type { CampaignNews } from '../../../src/jobs/campaigns/store/campaign-news.ts';
import type { CampaignRow } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { giveUpLost } from '../../../src/jobs/campaigns/store/commands.ts';
import {
  countMembers,
  freeStranded,
  hasBegun,
  skipMembers,
  waitingByZones,
  type ZoneGroup,
} from '../../../src/jobs/campaigns/store/next.ts';
import {
  beginWave,
  makeWave,
  moveOn,
  openWave,
  unassigned,
  type WaveRow,
  type WavesSoFar,
  wavesSoFar,
} from '../../../src/jobs/campaigns/store/waves.ts';
import { AMBIGUOUS } from '../trigger/outcome.ts';

type Without<T> = T extends unknown ? Omit<T, 'wave' | 'pacePerMinute' | 'callsPerMinute' | 'counts'> : never;
/** The action itself, without the figures that accompany it. */
export type Next = Without<NextAction>;
type Wait = Extract<Next, { do: 'waitUntil' }>;

export const CHECK_AGAIN_MS = 30_000;

export interface DecideContext {
  readonly tx: Queryable;
  readonly news: CampaignNews;
  /** Locked. */
  readonly run: CampaignRow;
  readonly calendar: Calendar;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** True if the results are current, so that waves can be judged. */
  readonly stamped: boolean;
  /** Why Sluice can't read what the campaign relies on; null if it can. */
  readonly unread: PlanNote | null;
  /** A call counts as ended when its worker has been silent for this long. */
  readonly flightSeconds: number;
}

/** @returns null if every member of the wave has its outcome, or returns in a later wave */
export async function inWave(c: DecideContext, { wave }: WaveRow): Promise<Next | null> {
  const { tx, run, now } = c;
  const id = run.run_id;
  const at = new Date(now);
  const { open, closed, never } = windowsNow(c, await waitingByZones(tx, id, wave, at));
  if (open.some(({ due }) => due > 0)) {
    // The wave begins with its first trigger, so that `every` means the same here and in the forecast.
    if (!(await hasBegun(tx, id, wave))) await beginWave(tx, id, wave, at);
    return { do: 'triggerBatch' };
  }
  if (never.length > 0) await skipMembers(tx, id, { wave, zones: never }, 'NO_COMMON_WINDOW', at, c.news);
  const waits: Wait[] = [];
  const opensMs = closed.flatMap(({ due, deferred, opensMs }) =>
    due > 0 || deferred !== null ? [opensMs] : [],
  );
  if (opensMs.length > 0) waits.push({ do: 'waitUntil', untilMs: Math.min(...opensMs), why: 'window' });
  const deferred = open.flatMap(({ deferred }) => (deferred === null ? [] : [deferred.getTime()]));
  if (deferred.length > 0) waits.push({ do: 'waitUntil', untilMs: Math.min(...deferred), why: 'retry' });
  const lost = await settleLost(c);
  if (lost !== null) waits.push(lost);
  if (waits.length > 0) {
    const times = [...open, ...closed].flatMap(({ first, last }) =>
      first === null || last === null ? [] : [first, last],
    );
    times.sort((one, other) => one.getTime() - other.getTime());
    const again = againMs(c, times[0] ?? null, times.at(-1) ?? null);
    if (again !== null) waits.push({ do: 'waitUntil', untilMs: again, why: 'retry' });
    return soonest(waits);
  }
  // Only members that a person is serving are left. They return in a later wave, so this wave does not wait for them.
  await moveOn(tx, id, 'humanService', 'wave = $4', [wave]);
  return null;
}

/**
 * Returns the zones of the open wave's waiting members whose windows are open now, and when the first window closes.
 */
export async function openNow(c: Windows): Promise<{ zones: string[]; closesMs: number }> {
  const { tx, run, now } = c;
  const wave = await openWave(tx, run.run_id);
  const groups = wave === null ? [] : await waitingByZones(tx, run.run_id, wave.wave, new Date(now));
  const { open } = windowsNow(c, groups);
  const { end } = run.spec.config;
  const closesMs = [...open.map((each) => each.closesMs), ...(end === undefined ? [] : [Date.parse(end)])];
  return { zones: open.map(({ zones }) => zones), closesMs: Math.min(...closesMs) };
}

interface Windows extends Pick<DecideContext, 'tx' | 'calendar' | 'now'> {
  readonly run: Pick<CampaignRow, 'run_id' | 'spec'>;
}

/** Groups members by their windows: open now, open later, never open. */
function windowsNow({ run, calendar, now }: Windows, groups: readonly ZoneGroup[]) {
  const open: (ZoneGroup & { readonly closesMs: number })[] = [];
  const closed: (ZoneGroup & { readonly opensMs: number })[] = [];
  const never: string[] = [];
  for (const group of groups) {
    const opening = calendar.at(zonesOfText(group.zones, run.spec.timeZone), now);
    if (opening.open) open.push({ ...group, closesMs: opening.closesMs });
    else if (opening.opensMs === null) never.push(group.zones);
    else closed.push({ ...group, opensMs: opening.opensMs });
  }
  return { open, closed, never };
}

/**
 * Settles members whose right to trigger belongs to a lost worker: once their calls must have ended, their outcome is
 * unknown.
 * @returns the wait until then; null if no such member is left
 */
async function settleLost({ tx, news, run, now, flightSeconds }: DecideContext): Promise<Wait | null> {
  const id = run.run_id;
  if ((await countMembers(tx, id)).sending === 0) return null;
  await giveUpLost(tx, id, { seconds: flightSeconds, code: AMBIGUOUS }, new Date(now), news);
  if ((await countMembers(tx, id)).sending === 0) return null;
  return { do: 'waitUntil', untilMs: now + CHECK_AGAIN_MS, why: 'retry' };
}

/**
 * When to retry the members that a person was serving. Members due within a quarter of the delay are retried
 * together, so that they share a wave.
 * @returns null if there are none
 */
function againMs({ run, now }: DecideContext, first: Date | null, last: Date | null): number | null {
  if (first === null || last === null) return null;
  const { humanService, end } = run.spec.config;
  const together = durationMs(humanService.retryAfter ?? '0s') / 4;
  const at = Math.min(first.getTime() + together, last.getTime());
  const tooLate = end !== undefined && at >= Date.parse(end);
  return Math.max(now, tooLate ? first.getTime() : at);
}

function soonest(waits: readonly Wait[]): Wait {
  return waits.reduce((one, other) => (other.untilMs < one.untilMs ? other : one));
}

/** @returns null if a wave was made */
export async function betweenWaves(c: DecideContext): Promise<Next | null> {
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
  const waits: Wait[] = retryMs === null ? [] : [{ do: 'waitUntil', untilMs: retryMs, why: 'retry' }];
  if (left.regular > 0) {
    const ready = readyForNext(config, soFar, now);
    if (ready === null) {
      await makeWave(tx, id, { wave, ...waveOf(config, soFar.regular + 1) }, at);
      return null;
    }
    return soonest([...waits, ready]);
  }
  const judged = judgedMs(config, soFar);
  if (judged !== null) waits.push({ do: 'waitUntil', untilMs: judged, why: 'settle' });
  const lost = await settleLost(c);
  if (lost !== null) waits.push(lost);
  if (waits.length > 0) return soonest(waits);
  return (await freeStranded(tx, id)) > 0 ? await betweenWaves(c) : { do: 'finish' };
}

/** When all ended waves can be judged; null if they have been. */
function judgedMs({ settle }: WavesConfig, { unjudged_ended: ended }: WavesSoFar): number | null {
  return ended === null ? null : ended.getTime() + durationMs(settle);
}

/** Returns what the next wave waits for; null if it may begin. */
function readyForNext(config: WavesConfig, soFar: WavesSoFar, now: number): Wait | null {
  const judged = judgedMs(config, soFar) ?? now;
  const every = soFar.regular_began === null ? now : soFar.regular_began.getTime() + durationMs(config.every);
  const untilMs = Math.max(judged, every);
  if (untilMs <= now) return null;
  return { do: 'waitUntil', untilMs, why: every > judged ? 'every' : 'settle' };
}

export type Calendars = (campaign: Pick<CampaignRow, 'digest' | 'spec'>) => Calendar;

/** Caches a calendar per campaign configuration; runs with the same configuration share it. */
export function keepCalendars(): Calendars {
  const calendars = new Map<string, Calendar>();
  return ({ digest, spec }) => {
    const known = calendars.get(digest);
    if (known !== undefined) return known;
    const calendar = compileCalendar(spec.config.windows);
    calendars.set(digest, calendar);
    return calendar;
  };
}
