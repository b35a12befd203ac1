// `sluice sync schedule …` and `sluice campaign schedule …`: the schedules of the configuration on the Temporal server.
import { type Command, InvalidArgumentError } from 'commander';
import { type Job, SCHEDULES } from '../../../operator/contract/schedules.ts';
import { JOBS, namedBy } from '../../../operator/service/schedules/jobs.ts';
import { CliError, EXIT } from '../exit.ts';
import { callCommand } from '../route/call-command.ts';
import { listCommand } from '../route/list-command.ts';
import { formatMany, formatTime } from '../terminal/format.ts';
import { inZone } from '../zone.ts';
import { describeChanges } from './apply-schedules.ts';
import { asJson, describeEntry } from './describe-schedule.ts';

interface BackfillOptions {
  readonly from: Date;
  readonly to: Date;
}

const REASON = { reason: ['--reason <text>', 'reason, recorded with the schedule'] } as const;

/** @param parent the command of the job: `sync` or `campaign` */
export function registerSchedule(parent: Command, job: Job, env: NodeJS.ProcessEnv): void {
  const plural = JOBS[job].section;
  const schedule = parent.command('schedule').description(`apply, list and steer the schedules of ${plural}`);
  const contract = SCHEDULES;
  /** What the commands on one schedule share. */
  const one = {
    contract,
    arguments: [['name', '<name>', `name of the ${job}`]],
    input: (given: object) => ({ ...given, job }),
    json: 'print the result as JSON',
  } as const;

  callCommand(schedule, env, {
    name: 'apply',
    about: 'create, update and delete schedules on the Temporal server to match the configuration',
    contract,
    route: 'POST /schedules/apply',
    input: () => ({ jobs: [job] }),
    connecting: { creates: true, configured: true },
    json: 'print one JSON object per line',
    asJson: ({ changes }) => changes.map(({ change, ...name }) => ({ ...namedBy(name), change })),
    text: ({ changes }) => describeChanges(changes),
    says: ({ changes }) =>
      changes.length === 0 ? 'neither the configuration nor the server has a schedule' : [],
  });

  listCommand(schedule, env, {
    name: 'list',
    about: 'list the schedules of the configuration and the server, with their next times',
    contract,
    route: 'GET /schedules',
    input: () => ({ job }),
    items: 'schedules',
    asJson,
    shown: (schedules, _, options) =>
      schedules.flatMap((entry) => describeEntry(entry, inZone(options, entry).timeZone)),
    limit: null,
    none: `no ${job} has a schedule`,
  });

  callCommand(schedule, env, {
    ...one,
    name: 'pause',
    about: 'pause a schedule; times during the pause are skipped',
    route: 'POST /schedules/{job}/{name}/pause',
    fields: REASON,
    text: (_, { input: { name } }) => `the schedule of "${name}" is paused`,
  });

  callCommand(schedule, env, {
    ...one,
    name: 'resume',
    about: 'resume a paused schedule',
    route: 'POST /schedules/{job}/{name}/resume',
    fields: REASON,
    asJson: ({ scheduleId, paused }) => ({ scheduleId, paused }),
    text(resumed, { input: { name }, options }) {
      const { next, timeZone } = inZone(options, resumed);
      const when = next === null ? 'it has no time to come' : `next ${formatTime(next, timeZone)}`;
      return `the schedule of "${name}" continues; ${when}`;
    },
  });

  callCommand(schedule, env, {
    ...one,
    name: 'trigger',
    about: 'start a scheduled run now',
    route: 'POST /schedules/{job}/{name}/trigger',
    asJson: ({ scheduleId, outcome }) => ({ scheduleId, outcome }),
    text: ({ busy, overlap }, { input: { name } }) =>
      busy
        ? `a run of "${name}" is under way: ${WHEN_BUSY[overlap]} (overlap: ${overlap})`
        : `started; \`sluice ${job} status ${name}\` shows how far it is`,
  });

  callCommand(schedule, env, {
    ...one,
    name: 'backfill',
    about: 'start the runs of a past period now, for example after a long outage',
    route: 'POST /schedules/{job}/{name}/backfill',
    flags: withSpan,
    fields: {
      overlap: [
        '--overlap <policy>',
        'skip: one run for the whole period; buffer-one: two runs; buffer-all: one run per scheduled time, one after the other',
      ],
    },
    input(given, { from, to }: BackfillOptions) {
      if (to < from) throw new CliError(EXIT.usage, '--to is before --from; swap them');
      return { ...given, job, from: from.toISOString(), to: to.toISOString() };
    },
    asJson: ({ scheduleId, scheduledTimes }) => ({ scheduleId, scheduledTimes }),
    text(filled, { input: { name, from, to, overlap }, options }) {
      const { timeZone, scheduledTimes: times } = inZone(options, filled);
      const when = `from ${formatTime(from, timeZone)} to ${formatTime(to, timeZone)}`;
      return times === 0
        ? `the schedule of "${name}" has no scheduled time ${when}`
        : `${formatMany(times, 'scheduled time')} ${when} ${times === 1 ? 'is' : 'are'} due now (overlap: ${overlap}); follow with \`sluice ${job} status ${name}\``;
    },
  });
}

function withSpan(command: Command): Command {
  return command
    .requiredOption('--from <time>', 'begin of the period, with offset: 2026-11-20T06:00:00-03:00', zonedTime)
    .requiredOption('--to <time>', 'end of the period, with offset', zonedTime);
}

const WHEN_BUSY = {
  skip: 'this scheduled run is skipped',
  'buffer-one': 'the next begins after it',
  'cancel-other': 'it is cancelled, and a new one begins',
} as const;

function zonedTime(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('write a time with its zone: 2026-11-20T06:00:00-03:00, or …Z for UTC.');
  return time;
}
