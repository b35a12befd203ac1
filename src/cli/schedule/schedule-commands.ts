// `sluice sync schedule …` and `sluice campaign schedule …`: the schedules of the configuration on the Temporal server.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { OperatorClient } from '../../operator/client/client.ts';
import type { Input, Output } from '../../operator/contract/index.ts';
import { BACKFILL_OVERLAPS, type Job, type ScheduleEntry } from '../../operator/contract/schedules.ts';
import { JOBS, namedBy } from '../../operator/service/schedules/jobs.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatMany, formatTime } from '../lib/terminal/format.ts';
import { printEntries, printJson } from '../lib/terminal/print.ts';
import { inZone } from '../lib/zone.ts';
import { describeChanges } from './apply-schedules.ts';
import { asJson, describeEntry } from './describe-schedule.ts';

type Options = SessionOptions & { readonly json: boolean };
type ReasonOptions = Options & { readonly reason: string };
type BackfillOptions = Options & {
  readonly from: Date;
  readonly to: Date;
  readonly overlap: NonNullable<Input<'POST /schedules/{job}/{name}/backfill'>['overlap']>;
};

/** @param parent the command of the job: `sync` or `campaign` */
export function registerSchedule(parent: Command, job: Job, env: NodeJS.ProcessEnv): void {
  const plural = JOBS[job].section;
  const schedule = parent.command('schedule').description(`apply, list and steer the schedules of ${plural}`);
  const run = (options: SessionOptions, verb: string, work: (client: OperatorClient) => Promise<number>) =>
    withOperator(
      options,
      env,
      { command: `sluice ${job} schedule ${verb}`, creates: verb === 'apply', configured: verb === 'apply' },
      work,
    );

  withSessionOptions(schedule.command('apply'))
    .description('create, update and delete schedules on the Temporal server to match the configuration')
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      run(options, 'apply', async (client) => {
        const { changes } = await client.call('POST /schedules/apply', { jobs: [job] });
        if (options.json) printEntries(changes.map(({ change, ...name }) => ({ ...namedBy(name), change })));
        else if (changes.length === 0) say('neither the configuration nor the server has a schedule');
        else for (const line of describeChanges(changes)) process.stdout.write(`${line}\n`);
        return EXIT.ok;
      }),
    );

  withSessionOptions(schedule.command('list'))
    .description('list the schedules of the configuration and the server, with their next times')
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      run(options, 'list', async (client) => {
        const schedules: ScheduleEntry[] = [];
        for (let after: string | null | undefined; after !== null; ) {
          const page: Output<'GET /schedules'> = await client.call('GET /schedules', { job, after });
          schedules.push(...page.schedules);
          after = page.next;
        }
        if (options.json) printEntries(schedules.map(asJson));
        else if (schedules.length === 0) say(`no ${job} has a schedule`);
        else
          for (const entry of schedules)
            process.stdout.write(`${describeEntry(entry, inZone(options, entry).timeZone).join('\n')}\n`);
        return EXIT.ok;
      }),
    );

  const each = (
    command: Command,
    verb: string,
    ask: (client: OperatorClient, name: string, options: ReasonOptions & BackfillOptions) => Promise<Done>,
  ) =>
    withSessionOptions(command)
      .option('--json', 'print the result as JSON', false)
      .action((name: string, options: ReasonOptions & BackfillOptions) =>
        run(options, `${verb} ${name}`, async (client) => {
          const { line, result } = await ask(client, name, options);
          if (options.json) printJson(result);
          else process.stdout.write(`${line}\n`);
          return EXIT.ok;
        }),
      );

  each(
    schedule
      .command('pause')
      .argument('<name>', `name of the ${job}`)
      .description('pause a schedule; times during the pause are skipped')
      .option('--reason <text>', 'reason, recorded with the schedule', ''),
    'pause',
    async (client, name, { reason }) => ({
      result: await client.call('POST /schedules/{job}/{name}/pause', { job, name, reason }),
      line: `the schedule of "${name}" is paused`,
    }),
  );

  each(
    schedule
      .command('resume')
      .argument('<name>', `name of the ${job}`)
      .description('resume a paused schedule')
      .option('--reason <text>', 'reason, recorded with the schedule', ''),
    'resume',
    async (client, name, options) => {
      const input = { job, name, reason: options.reason };
      const resumed = await client.call('POST /schedules/{job}/{name}/resume', input);
      const { next, timeZone, ...result } = inZone(options, resumed);
      const when = next === null ? 'it has no time to come' : `next ${formatTime(next, timeZone)}`;
      return { result, line: `the schedule of "${name}" continues; ${when}` };
    },
  );

  each(
    schedule
      .command('trigger')
      .argument('<name>', `name of the ${job}`)
      .description('start a scheduled run now'),
    'trigger',
    async (client, name) => {
      const { scheduleId, outcome, busy, overlap } = await client.call(
        'POST /schedules/{job}/{name}/trigger',
        { job, name },
      );
      const line = busy
        ? `a run of "${name}" is under way: ${WHEN_BUSY[overlap]} (overlap: ${overlap})`
        : `started; \`sluice ${job} status ${name}\` shows how far it is`;
      return { result: { scheduleId, outcome }, line };
    },
  );

  each(
    schedule
      .command('backfill')
      .argument('<name>', `name of the ${job}`)
      .description('start the runs of a past period now, for example after a long outage')
      .requiredOption(
        '--from <time>',
        'begin of the period, with offset: 2026-11-20T06:00:00-03:00',
        zonedTime,
      )
      .requiredOption('--to <time>', 'end of the period, with offset', zonedTime)
      .addOption(
        new Option(
          '--overlap <policy>',
          'skip: one run for the whole period; buffer-one: two runs; buffer-all: one run per scheduled time, one after the other',
        )
          .choices(BACKFILL_OVERLAPS)
          .default('skip'),
      ),
    'backfill',
    async (client, name, options) => {
      const { from, to, overlap } = options;
      if (to < from) throw new CliError(EXIT.usage, '--to is before --from; swap them');
      const span = { from: from.toISOString(), to: to.toISOString() };
      const input = { job, name, ...span, overlap };
      const filled = await client.call('POST /schedules/{job}/{name}/backfill', input);
      const { timeZone, ...result } = inZone(options, filled);
      const { scheduledTimes: times } = result;
      const when = `from ${formatTime(from, timeZone)} to ${formatTime(to, timeZone)}`;
      const line =
        times === 0
          ? `the schedule of "${name}" has no scheduled time ${when}`
          : `${formatMany(times, 'scheduled time')} ${when} ${times === 1 ? 'is' : 'are'} due now (overlap: ${overlap}); follow with \`sluice ${job} status ${name}\``;
      return { result, line };
    },
  );
}

/** The result of a command: `line` for people, the rest for `--json`. */
interface Done {
  readonly line: string;
  readonly result: object;
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
