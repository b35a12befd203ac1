// Whose turn it is in a wave, as far as windows are open.
import { zonesOfText } from '../../src/campaigns/zones.ts';
import type { TurnInput } from '../../src/contracts/campaign.ts';
import {
  hasBegun,
  skipMembers,
  waitingAfter,
  waitingByZones,
  type ZoneGroup,
} from '../../src/ledger/campaign-turn.ts';
import { beginWave, moveOn, type WaveRow } from '../../src/ledger/campaign-waves.ts';
import { againMs, type Next, settleLost, soonest, type TurnContext, type Wait } from './turn-context.ts';

/** Members looked at together where the windows of the first ones are closed. */
const READ_MORE = 5000;

/** @returns null: everybody in the wave has their outcome, or comes again in a later one */
export async function inWave(
  c: TurnContext,
  wave: WaveRow,
  { after, limit }: TurnInput,
): Promise<Next | null> {
  const { tx, run, now, calendar } = c;
  const id = run.run_id;
  const at = new Date(now);
  const open = await openMembers(c, wave, after, limit);
  if (open.members.length > 0) {
    // The wave begins with its first trigger, so that `every` and the forecast mean the same.
    if (after === 0 && !(await hasBegun(tx, id, wave.wave))) await beginWave(tx, id, wave.wave, at);
    return { do: 'trigger', ...open };
  }
  if (after > 0) return { do: 'end' };
  const groups: ZoneGroup[] = [];
  const opensMs: number[] = [];
  const never: string[] = [];
  for (const group of await waitingByZones(tx, id, wave.wave, at)) {
    const opening = calendar.at(zonesOfText(group.zones, run.spec.timeZone), now);
    if (!opening.open && opening.opensMs === null) never.push(group.zones);
    else groups.push(group);
    if (!opening.open && opening.opensMs !== null && group.due > 0) opensMs.push(opening.opensMs);
  }
  if (never.length > 0) await skipMembers(tx, id, { wave: wave.wave, zones: never }, 'NO_COMMON_WINDOW', at);
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

/** The next members of the wave whose windows are open, until the first of those closes. */
async function openMembers(
  { tx, run, now, calendar }: TurnContext,
  { wave }: WaveRow,
  after: number,
  limit: number,
): Promise<{ members: number[]; closesMs: number }> {
  const members: number[] = [];
  let closesMs = Number.POSITIVE_INFINITY;
  for (let from = after, size = limit; ; size = READ_MORE) {
    const read = await waitingAfter(tx, run.run_id, { wave, after: from, limit: size }, new Date(now));
    for (const { id, zones } of read) {
      const opening = calendar.at(zonesOfText(zones, run.spec.timeZone), now);
      if (!opening.open) continue;
      closesMs = Math.min(closesMs, opening.closesMs);
      if (members.push(id) === limit) break;
    }
    from = read.at(-1)?.id ?? from;
    if (members.length === limit || read.length < size) return { members, closesMs };
  }
}
