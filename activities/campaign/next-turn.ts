// What a running campaign does next, out of its members, its waves and its calendar. One transaction; calls nothing.
import { type Calendar, compileCalendar } from '../../src/campaigns/calendar.ts';
import { waveOf } from '../../src/campaigns/waves.ts';
import type { CampaignTurn, TurnInput } from '../../src/contracts/campaign.ts';
import { durationMs } from '../../src/contracts/config-base.ts';
import type { CampaignConfig, WavesConfig } from '../../src/contracts/config-campaigns.ts';
import {
  freeStranded,
  lostMembers,
  nextMembers,
  type Standing,
  skipMembers,
  standing,
  waitingByZones,
  type ZoneGroup,
} from '../../src/ledger/campaign-turn.ts';
import {
  beginWave,
  endWave,
  makeWave,
  moveOn,
  openWave,
  unassigned,
  type WaveRow,
  type WavesSoFar,
  wavesSoFar,
} from '../../src/ledger/campaign-waves.ts';
import type { CampaignRow } from '../../src/ledger/campaigns.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import { judgeWaves, wavesDue } from './judge-waves.ts';

type Without<T> = T extends unknown ? Omit<T, 'wave' | 'pacePerMinute' | 'callsPerMinute' | 'counts'> : never;
/** The turn itself, without the figures beside it. */
export type Next = Without<CampaignTurn>;
type Wait = Extract<Next, { do: 'wait' }>;
type Trigger = Extract<Next, { do: 'trigger' }>;

/**
 * Whoever had the right to trigger is gone after so long: its flight is over within 60 s, and the next attempt of the same
 * call has settled the member by then.
 */
const LOST_SECONDS = 90;
const LOOK_AGAIN_MS = 30_000;
/** Settling a lost member is no trigger: no window holds it. */
const SETTLE_LOST_MS = 3_600_000;
/** Waves that end without anybody's turn, in one go; the rest is for the next turn. */
const EMPTY_WAVES = 10;

export interface TurnContext {
  readonly tx: Queryable;
  readonly run: CampaignRow;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly stamped: boolean;
  readonly calendar: Calendar;
}

export interface Decided {
  readonly next: Next;
  readonly wave: number | null;
  readonly standing: Standing;
}

/**
 * @param tx in which the run is locked
 * @param stamped whether results are as of now: waves are judged by them
 * @returns null: a wave has to be judged, and results are stamped first (not in here, as that takes time)
 */
export async function nextTurn(
  tx: Queryable,
  run: CampaignRow,
  input: TurnInput,
  now: number,
  stamped: boolean,
): Promise<Decided | null> {
  const { config } = run.spec;
  const c: TurnContext = { tx, run, now, stamped, calendar: compileCalendar(config.windows) };
  const decided = await decide(c, input);
  if (decided === 'stamp') return null;
  const after = await standing(tx, run.run_id);
  const wave = (await openWave(tx, run.run_id))?.wave ?? (await wavesSoFar(tx, run.run_id)).last;
  return { next: beforeEnd(decided, config, now), wave: wave === 0 ? null : wave, standing: after };
}

async function decide(c: TurnContext, input: TurnInput): Promise<Next | 'stamp'> {
  const { tx, run, now } = c;
  const { config } = run.spec;
  const id = run.run_id;
  if (run.state !== 'running') return { do: 'end' };
  if (run.held !== null) return held(run.held.reason);
  const startMs = config.start === undefined ? now : Date.parse(config.start);
  if (now < startMs) return { do: 'wait', untilMs: startMs, why: 'start' };
  if (config.end !== undefined && now >= Date.parse(config.end))
    await skipMembers(tx, id, {}, 'CAMPAIGN_ENDED', new Date(now));
  for (let empty = 0; empty < EMPTY_WAVES; empty++) {
    const due = await wavesDue(tx, run, now);
    if (due.length > 0) {
      if (!c.stamped) return 'stamp';
      const broken = await judgeWaves(tx, run, due, new Date(now));
      if (broken !== null) return { do: 'hold', ...broken };
    }
    const wave = await openWave(tx, id);
    if (wave !== null) {
      const next = await inWave(c, wave, input);
      if (next !== null) return next;
      await endWave(tx, id, wave.wave, new Date(now));
      continue;
    }
    if (input.after > 0) return { do: 'end' };
    const next = await betweenWaves(c, input);
    if (next !== null) return next;
  }
  return { do: 'wait', untilMs: now, why: 'every' };
}

/** What `hold` has said once is said again to whoever missed it. */
function held(reason: string): Next {
  const [, code = 'PAUSED', text = reason] = /^([A-Z][A-Z_]+): (.*)$/s.exec(reason) ?? [];
  return { do: 'hold', code, reason: text };
}

/** Nobody is begun after the end of the campaign, and whoever waits then is told by a turn. */
function beforeEnd(next: Next, { end }: CampaignConfig, now: number): Next {
  const endMs = end === undefined ? null : Date.parse(end);
  if (endMs === null || endMs <= now) return next;
  if (next.do === 'wait') return { ...next, untilMs: Math.min(next.untilMs, endMs) };
  return next.do === 'trigger' ? { ...next, closesMs: Math.min(next.closesMs, endMs) } : next;
}

/** @returns null: everybody in the wave has their outcome, or comes again in a later one */
async function inWave(c: TurnContext, wave: WaveRow, { after, limit }: TurnInput): Promise<Next | null> {
  const { tx, run, now, calendar } = c;
  const id = run.run_id;
  const at = new Date(now);
  const groups: ZoneGroup[] = [];
  const opensMs: number[] = [];
  const closing = new Map<string, number>();
  const never: string[] = [];
  for (const group of await waitingByZones(tx, id, wave.wave, at)) {
    const opening = calendar.at(zonesOf(run, group.zones), now);
    if (opening.open) closing.set(group.zones, opening.closesMs);
    else if (opening.opensMs === null) never.push(group.zones);
    else if (group.due > 0) opensMs.push(opening.opensMs);
    if (opening.open || opening.opensMs !== null) groups.push(group);
  }
  if (never.length > 0) await skipMembers(tx, id, { wave: wave.wave, zones: never }, 'NO_COMMON_WINDOW', at);
  if (closing.size > 0) {
    const zones = [...closing.keys()];
    const members = await nextMembers(tx, id, { wave: wave.wave, after, zones, limit }, at);
    if (members.length > 0) {
      if (after === 0) await beginIfFresh(c, wave);
      const closesMs = Math.min(...members.map((member) => closing.get(member.zones) ?? now));
      return { do: 'trigger', members: members.map((member) => member.id), closesMs };
    }
  }
  if (after > 0) return { do: 'end' };
  const lost = await settleLost(c, limit);
  if (lost !== null && lost.do !== 'wait') return lost;
  const waits: Wait[] = lost === null ? [] : [lost];
  if (opensMs.length > 0) waits.push({ do: 'wait', untilMs: Math.min(...opensMs), why: 'window' });
  if (waits.length > 0) {
    const times = groups.flatMap(({ first, last }) => (first === null || last === null ? [] : [first, last]));
    times.sort((one, other) => one.getTime() - other.getTime());
    const again = againMs(c, times[0] ?? null, times.at(-1) ?? null);
    if (again !== null) waits.push({ do: 'wait', untilMs: again, why: 'retry' });
    return soonest(waits);
  }
  // Only those are left whom a person served, and who come again later: a wave does not wait for them.
  await moveOn(tx, id, 'humanService', 'wave = $4', [wave.wave]);
  return null;
}

/** The wave begins with the first trigger, so that `every` and the forecast mean the same. */
async function beginIfFresh({ tx, run, now }: TurnContext, wave: WaveRow): Promise<void> {
  const { inWave: count } = await standing(tx, run.run_id);
  if (count(wave.wave, 'sending', 'triggered', 'failed', 'unknown') > 0) return;
  await beginWave(tx, run.run_id, wave.wave, new Date(now));
}

/** Members whose right to trigger somebody took and was not heard of again. Null: there are none. */
async function settleLost({ tx, run, now }: TurnContext, limit: number): Promise<Trigger | Wait | null> {
  const { counts } = await standing(tx, run.run_id);
  if (counts.sending === 0) return null;
  const members = await lostMembers(tx, run.run_id, { seconds: LOST_SECONDS, limit });
  if (members.length > 0) return { do: 'trigger', members, closesMs: now + SETTLE_LOST_MS };
  return { do: 'wait', untilMs: now + LOOK_AGAIN_MS, why: 'retry' };
}

/** @returns null: a wave was made */
async function betweenWaves(c: TurnContext, { limit }: TurnInput): Promise<Next | null> {
  const { tx, run, now } = c;
  const id = run.run_id;
  const at = new Date(now);
  const { waves: config } = run.spec.config;
  const stranded = (await standing(tx, id)).wavesWith('waiting');
  if (stranded.length > 0) await freeStranded(tx, id);
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
  const lost = await settleLost(c, limit);
  if (lost !== null && lost.do !== 'wait') return lost;
  if (lost !== null) waits.push(lost);
  return waits.length === 0 ? { do: 'end' } : soonest(waits);
}

/**
 * When members come again whom a person served: those that may do so within a quarter of the delay come together, or
 * each of them would be a wave. Null: there are none.
 */
function againMs({ run, now }: TurnContext, first: Date | null, last: Date | null): number | null {
  if (first === null || last === null) return null;
  const { humanService, end } = run.spec.config;
  const together = durationMs(humanService.retryAfter ?? '0s') / 4;
  const at = Math.min(first.getTime() + together, last.getTime());
  const tooLate = end !== undefined && at >= Date.parse(end);
  return Math.max(now, tooLate ? first.getTime() : at);
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

function soonest(waits: readonly Wait[]): Wait {
  return waits.reduce((one, other) => (other.untilMs < one.untilMs ? other : one));
}

function zonesOf(run: CampaignRow, zones: string): string[] {
  return zones === '' ? [run.spec.timeZone] : zones.split(',');
}
