// Schedules as text and JSON.
import type { Job, ScheduleEntry } from '../../../operator/contract/schedules.ts';
import { namedBy } from '../../../operator/service/schedules/jobs.ts';
import { formatTime } from '../terminal/format.ts';

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

/** @param zone where its times are shown */
export function describeEntry(entry: ScheduleEntry, zone: string): string[] {
  const { job, account, name, cron, timeZone, state, paused, note, next, last } = entry;
  const at = (time: string) => formatTime(time, zone);
  const times = next.length === 0 ? 'none' : next.map(at).join(', ');
  const left = [
    ...(entry.skippedForOverlap > 0
      ? [`${entry.skippedForOverlap} skipped because a run was in progress`]
      : []),
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
