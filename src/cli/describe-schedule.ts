// Schedules as people and programs read them: the configuration's and the server's side by side.
import type { Client, ScheduleDescription } from '@temporalio/client';
import { syncScheduleId } from '../../workflows/messages.ts';
import type { Config } from '../contracts/config.ts';
import {
  findSchedule,
  listScheduleNames,
  planSchedules,
  type ScheduleChange,
  wantedSchedules,
} from '../runtime/schedules.ts';
import { formatTime } from './format.ts';

const NEXT_SHOWN = 3;

export interface ScheduleEntry {
  readonly account: string;
  readonly sync: string;
  readonly scheduleId: string;
  /** Whether the server has what the configuration says; `not-configured`: only the server has it. */
  readonly state: 'in-step' | 'differs' | 'not-applied' | 'not-configured';
  readonly cron: readonly string[];
  readonly timeZone: string;
  readonly paused: boolean;
  readonly note: string | null;
  /** Times in the schedule's own zone, as 2026-11-23T06:00:00-03:00. */
  readonly next: readonly string[];
  readonly last: { readonly at: string; readonly workflowId: string } | null;
  readonly taken: number;
  /** Turns that were left out: a run was under way, or the server was down for longer than the catch-up window. */
  readonly skippedForOverlap: number;
  readonly missedCatchUp: number;
}

const STATE = {
  create: 'not-applied',
  update: 'differs',
  delete: 'not-configured',
  none: 'in-step',
} as const satisfies Record<ScheduleChange['change'], ScheduleEntry['state']>;

export async function listSchedules(
  client: Client,
  config: Pick<Config, 'accounts' | 'syncs'>,
): Promise<ScheduleEntry[]> {
  const changes = await planSchedules({ client, config });
  const names = new Set(changes.map(({ account, sync }) => syncScheduleId(account, sync)));
  const foreign = (await listScheduleNames(client))
    .filter(({ account, sync }) => !names.has(syncScheduleId(account, sync)))
    .map((name) => ({ ...name, change: 'delete' as const }));
  const wanted = wantedSchedules(config);
  const entries: ScheduleEntry[] = [];
  for (const { account, sync, change } of [...changes, ...foreign]) {
    const found = await findSchedule(client, { account, sync });
    const own = wanted.find((each) => each.account === account && each.sync === sync)?.schedule;
    if (found === null && own === undefined) continue;
    const cron = own?.cron ?? (found?.action.memo?.cron as string | string[] | undefined) ?? [];
    const timeZone = own?.timeZone ?? found?.spec.timezone ?? 'UTC';
    entries.push({
      account,
      sync,
      scheduleId: syncScheduleId(account, sync),
      state: STATE[change],
      cron: typeof cron === 'string' ? [cron] : cron,
      timeZone,
      paused: found?.state.paused ?? own?.paused ?? false,
      note: found?.state.note || null,
      ...timesOf(found, timeZone),
    });
  }
  return entries;
}

function timesOf(found: ScheduleDescription | null, timeZone: string) {
  const last = found?.info.recentActions.at(-1);
  return {
    next: (found?.info.nextActionTimes ?? []).slice(0, NEXT_SHOWN).map((time) => zoned(time, timeZone)),
    last:
      last === undefined
        ? null
        : { at: zoned(last.takenAt, timeZone), workflowId: last.action.workflow.workflowId },
    taken: found?.info.numActionsTaken ?? 0,
    skippedForOverlap: found?.info.numActionsSkippedOverlap ?? 0,
    missedCatchUp: found?.info.numActionsMissedCatchupWindow ?? 0,
  };
}

/** `2026-11-23T06:00:00-03:00`: the same moment, by the clock of the zone. */
export function zoned(time: Date, timeZone: string): string {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(time);
  const offset = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(time)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return `${text.replace(' ', 'T')}${offset === undefined || /^GMT(\+00:00)?$/.test(offset) ? 'Z' : offset.slice('GMT'.length)}`;
}

const SAID = {
  'in-step': '',
  differs: ' (the configuration says otherwise: `sluice sync schedule apply`)',
  'not-applied': ' (not on the server yet: `sluice sync schedule apply`)',
  'not-configured': ' (on the server only, not in this configuration)',
} as const satisfies Record<ScheduleEntry['state'], string>;

export function describeEntry(entry: ScheduleEntry): string[] {
  const { account, sync, cron, timeZone, state, paused, note, next, last } = entry;
  const at = (time: string) => formatTime(new Date(time), timeZone);
  const times = next.length === 0 ? 'none' : next.map(at).join(', ');
  const left = [
    ...(entry.skippedForOverlap > 0 ? [`${entry.skippedForOverlap} left out as a run was under way`] : []),
    ...(entry.missedCatchUp > 0 ? [`${entry.missedCatchUp} missed while the server was down`] : []),
  ];
  return [
    `${sync} (account ${account}): ${cron.join(' and ')} in ${timeZone}${SAID[state]}`,
    ...(paused ? [`  ${note ?? 'paused'}`] : []),
    ...(state === 'not-applied' ? [] : [`  ${paused ? 'would be next' : 'next'}: ${times}`]),
    ...(last === null ? [] : [`  last: ${at(last.at)}, ${last.workflowId}`]),
    ...(left.length === 0 ? [] : [`  turns: ${left.join(', ')}`]),
  ];
}
