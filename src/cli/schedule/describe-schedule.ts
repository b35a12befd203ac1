// Schedules as text and JSON: the configuration's and the server's side by side.
import type { Client, ScheduleDescription } from '@temporalio/client';
import { type Job, type JobName, namedBy, scheduleIdOf } from '../../runtime/scheduled-jobs.ts';
import {
  findSchedule,
  listScheduleNames,
  planSchedules,
  type ScheduleChange,
  type ScheduledConfig,
  wantedSchedules,
} from '../../runtime/schedules.ts';
import { formatTime } from '../lib/format.ts';

const NEXT_SHOWN = 3;

export interface ScheduleEntry extends JobName {
  readonly scheduleId: string;
  /** Whether the server matches the configuration; `not-configured`: only the server has it. */
  readonly state: 'in-step' | 'differs' | 'not-applied' | 'not-configured';
  readonly cron: readonly string[];
  readonly timeZone: string;
  readonly paused: boolean;
  readonly note: string | null;
  /** Times in the schedule's own zone, as 2026-11-23T06:00:00-03:00. */
  readonly next: readonly string[];
  readonly last: { readonly at: string; readonly workflowId: string } | null;
  readonly taken: number;
  /**
   * Scheduled times that were skipped: a run was active, or the server was down for longer than the catch-up window.
   */
  readonly skippedForOverlap: number;
  readonly missedCatchUp: number;
}

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

const SAID: Readonly<Record<ScheduleEntry['state'], (job: Job) => string>> = {
  'in-step': () => '',
  differs: (job) => ` (the configuration says otherwise: \`sluice ${job} schedule apply\`)`,
  'not-applied': (job) => ` (not on the server yet: \`sluice ${job} schedule apply\`)`,
  'not-configured': () => ' (on the server only, not in this configuration)',
};

/** JSON for programs, with the name under its job, `sync` or `campaign`. */
export function asJson({ job, account, name, ...entry }: ScheduleEntry) {
  return { ...namedBy({ job, account, name }), ...entry };
}

export function describeEntry(entry: ScheduleEntry): string[] {
  const { job, account, name, cron, timeZone, state, paused, note, next, last } = entry;
  const at = (time: string) => formatTime(new Date(time), timeZone);
  const times = next.length === 0 ? 'none' : next.map(at).join(', ');
  const left = [
    ...(entry.skippedForOverlap > 0 ? [`${entry.skippedForOverlap} left out as a run was under way`] : []),
    ...(entry.missedCatchUp > 0 ? [`${entry.missedCatchUp} missed while the server was down`] : []),
  ];
  return [
    `${name} (account ${account}): ${cron.join(' and ')} in ${timeZone}${SAID[state](job)}`,
    ...(paused ? [`  ${note ?? 'paused'}`] : []),
    ...(state === 'not-applied' ? [] : [`  ${paused ? 'would be next' : 'next'}: ${times}`]),
    ...(last === null ? [] : [`  last: ${at(last.at)}, ${last.workflowId}`]),
    ...(left.length === 0 ? [] : [`  scheduled times: ${left.join(', ')}`]),
  ];
}
