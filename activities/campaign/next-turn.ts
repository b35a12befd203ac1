// What a running campaign does next, out of its members, its waves and its calendar. One transaction; calls nothing.
import type { Calendar } from '../../src/campaigns/calendar.ts';
import type { CampaignCounts, TurnInput } from '../../src/contracts/campaign.ts';
import type { CampaignConfig } from '../../src/contracts/config-campaigns.ts';
import { countMembers, skipMembers } from '../../src/ledger/campaign-turn.ts';
import { endWave, openWave, wavesSoFar } from '../../src/ledger/campaign-waves.ts';
import type { CampaignRow } from '../../src/ledger/campaigns.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import { betweenWaves } from './between-waves.ts';
import { inWave } from './in-wave.ts';
import { judgeWaves, wavesDue } from './judge-waves.ts';
import type { Next, TurnContext } from './turn-context.ts';

/** Waves that end without anybody's turn, in one go; the rest is for the next turn. */
const EMPTY_WAVES = 10;

export interface Decided {
  readonly next: Next;
  readonly wave: number | null;
  readonly counts: CampaignCounts;
}

/**
 * @param tx in which the run is locked
 * @param stamped whether results are as of now: waves are judged by them
 * @returns null: a wave has to be judged, and results are stamped first (not in here, as that takes time)
 */
export async function nextTurn(
  tx: Queryable,
  run: CampaignRow,
  calendar: Calendar,
  input: TurnInput,
  now: number,
  stamped: boolean,
): Promise<Decided | null> {
  const { config } = run.spec;
  const c: TurnContext = { tx, run, now, stamped, calendar };
  const decided = await decide(c, input);
  if (decided === 'stamp') return null;
  const counts = await countMembers(tx, run.run_id);
  const wave = (await openWave(tx, run.run_id))?.wave ?? (await wavesSoFar(tx, run.run_id)).last;
  return { next: beforeEnd(decided, config, now), wave: wave === 0 ? null : wave, counts };
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
