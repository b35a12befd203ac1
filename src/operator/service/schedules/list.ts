// Schedules as operators list them: the configuration's and the server's side by side.
import type { Client, ScheduleDescription } from '@temporalio/client';
import type { Job, ScheduleChange, ScheduleEntry } from '../../contract/schedules.ts';
import { scheduleIdOf } from './jobs.ts';
import {
  findSchedule,
  listScheduleNames,
  planSchedules,
  type ScheduledConfig,
  wantedSchedules,
} from './schedules.ts';

const NEXT_SHOWN = 3;

const STATE = {
  create: 'not-applied',
  update: 'differs',
  delete: 'not-configured',
  none: 'in-step',
} as const satisfies Record<ScheduleChange['change'], ScheduleEntry['state']>;

/** Schedules of one kind of job: those of the configuration, and those that only the server has. */
export async function listSchedules(
  client: Client,
  config: ScheduledConfig,
  job: Job,
): Promise<ScheduleEntry[]> {
  const jobs = [job];
  const changes = await planSchedules({ client, config, jobs });
  const ids = new Set(changes.map(scheduleIdOf));
  const foreign = (await listScheduleNames(client, jobs))
    .filter((name) => !ids.has(scheduleIdOf(name)))
    .map((name) => ({ ...name, change: 'delete' as const }));
  const wanted = new Map(wantedSchedules(config, jobs).map((one) => [scheduleIdOf(one), one.schedule]));
  const entries: ScheduleEntry[] = [];
  for (const { change, ...name } of [...changes, ...foreign]) {
    const found = await findSchedule(client, name);
    const scheduleId = scheduleIdOf(name);
    const own = wanted.get(scheduleId);
    if (found === null && own === undefined) continue;
    const cron = own?.cron ?? (found?.action.memo?.cron as string | string[] | undefined) ?? [];
    const timeZone = own?.timeZone ?? found?.spec.timezone ?? 'UTC';
    entries.push({
      ...name,
      scheduleId,
      state: STATE[change],
      cron: typeof cron === 'string' ? [cron] : [...cron],
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
function zoned(time: Date, timeZone: string): string {
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
