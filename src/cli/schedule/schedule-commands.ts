// `sluice sync schedule …` and `sluice campaign schedule …`: the schedules of the configuration on the Temporal server.
import type { Client, ScheduleDescription, ScheduleHandle } from '@temporalio/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LoadedConfig } from '../../config/load.ts';
import type { OverlapPolicy } from '../../contracts/config/config-schedule.ts';
import { JOBS, type Job, namedBy, scheduleIdOf } from '../../runtime/scheduled-jobs.ts';
import { findSchedule, OVERLAP } from '../../runtime/schedules.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatMany, formatTime } from '../lib/format.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { connectClient, openConfig, type SessionOptions, withSessionOptions } from '../lib/session.ts';
import { applyOf, describeChanges } from './apply-schedules.ts';
import { asJson, describeEntry, listSchedules } from './describe-schedule.ts';

type Options = SessionOptions & { readonly json: boolean };
type ReasonOptions = Options & { readonly reason: string };
type BackfillOptions = Options & {
  readonly from: Date;
  readonly to: Date;
  readonly overlap: BackfillOverlap;
};

/** A backfill's times are all due at once: what to do with the second and later ones. */
const BACKFILL_OVERLAP = { skip: 'SKIP', 'buffer-one': 'BUFFER_ONE', 'buffer-all': 'BUFFER_ALL' } as const;
type BackfillOverlap = keyof typeof BACKFILL_OVERLAP;

interface Opened {
  readonly config: LoadedConfig;
  readonly client: Client;
}

/** @param parent the command of the job: `sync` or `campaign` */
export function registerSchedule(parent: Command, job: Job, env: NodeJS.ProcessEnv): void {
  const jobs = [job];
  const plural = JOBS[job].section;
  const schedule = parent.command('schedule').description(`apply, list and steer the schedules of ${plural}`);

  const open = async (options: SessionOptions, shutdown: Shutdown): Promise<Opened> => {
    const config = await openConfig(options.config, env);
    return { config, client: await connectClient(options.state, env, shutdown) };
  };

  withSessionOptions(schedule.command('apply'))
    .description('create, update and delete schedules on the Temporal server to match the configuration')
    .option('--json', 'print the changes as JSON', false)
    .action(async (options: Options) => {
      process.exitCode = await runCommand(async (shutdown) => {
        const changes = await applyOf(await open(options, shutdown), jobs);
        if (options.json)
          print({ changes: changes.map(({ change, ...name }) => ({ ...namedBy(name), change })) });
        else if (changes.length === 0) say('neither the configuration nor the server has a schedule');
        else for (const line of describeChanges(changes)) process.stdout.write(`${line}\n`);
        return EXIT.ok;
      });
    });

  withSessionOptions(schedule.command('list'))
    .description('list the schedules of the configuration and the server, with their next times')
    .option('--json', 'print the schedules as JSON', false)
    .action(async (options: Options) => {
      process.exitCode = await runCommand(async (shutdown) => {
        const { client, config } = await open(options, shutdown);
        const schedules = await listSchedules(client, config.config, job);
        if (options.json) print({ schedules: schedules.map(asJson) });
        else if (schedules.length === 0) say(`no ${job} has a schedule`);
        else for (const entry of schedules) process.stdout.write(`${describeEntry(entry).join('\n')}\n`);
        return EXIT.ok;
      });
    });

  const each = (
    command: Command,
    operatorCommand: (found: Found, options: ReasonOptions & BackfillOptions) => Promise<Done>,
  ) =>
    withSessionOptions(command)
      .option('--json', 'print the result as JSON', false)
      .action(async (name: string, options: ReasonOptions & BackfillOptions) => {
        process.exitCode = await runCommand(async (shutdown) => {
          const found = await find(await open(options, shutdown), job, name);
          const { line, ...result } = await operatorCommand(found, options);
          if (options.json) print({ scheduleId: found.handle.scheduleId, ...result });
          else process.stdout.write(`${line}\n`);
          return EXIT.ok;
        });
      });

  each(
    schedule
      .command('pause')
      .argument('<name>', `name of the ${job}`)
      .description('pause a schedule; times during the pause are skipped')
      .option('--reason <text>', 'reason, recorded with the schedule', ''),
    async ({ handle, name }, { reason }) => {
      await handle.pause(noteOf('paused', reason));
      return { paused: true, line: `the schedule of "${name}" is paused` };
    },
  );

  each(
    schedule
      .command('resume')
      .argument('<name>', `name of the ${job}`)
      .description('resume a paused schedule')
      .option('--reason <text>', 'reason, recorded with the schedule', ''),
    async ({ handle, name, description }, { reason }) => {
      await handle.unpause(noteOf('resumed', reason));
      const next = description.info.nextActionTimes[0];
      const when = next === undefined ? 'it has no time to come' : `next ${shown(next, description)}`;
      return { paused: false, line: `the schedule of "${name}" continues; ${when}` };
    },
  );

  each(
    schedule
      .command('trigger')
      .argument('<name>', `name of the ${job}`)
      .description('start a scheduled run now'),
    async ({ client, handle, name, account, description }) => {
      const busy = await isRunning(client, JOBS[job].works(account, name));
      await handle.trigger(description.policies.overlap);
      const overlap = policyName(description);
      if (!busy) {
        const line = `started; \`sluice ${job} status ${name}\` shows how far it is`;
        return { outcome: 'started', line };
      }
      const [outcome, then] = WHEN_BUSY[overlap];
      return { outcome, line: `a run of "${name}" is under way: ${then} (overlap: ${overlap})` };
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
          .choices(Object.keys(BACKFILL_OVERLAP))
          .default('skip'),
      ),
    async ({ client, handle, name, description }, { from, to, overlap }) => {
      if (to < from) throw new CliError(EXIT.usage, '--to is before --from; swap them');
      const scheduledTimes = await scheduledTimesBetween(client, handle.scheduleId, from, to);
      const span = `from ${shown(from, description)} to ${shown(to, description)}`;
      if (scheduledTimes === 0)
        return { scheduledTimes, line: `the schedule of "${name}" has no scheduled time ${span}` };
      await handle.backfill({ start: from, end: to, overlap: BACKFILL_OVERLAP[overlap] });
      return {
        scheduledTimes,
        line: `${formatMany(scheduledTimes, 'scheduled time')} ${span} ${scheduledTimes === 1 ? 'is' : 'are'} due now (overlap: ${overlap}); follow with \`sluice ${job} status ${name}\``,
      };
    },
  );
}

interface Found {
  readonly client: Client;
  readonly name: string;
  readonly account: string;
  readonly handle: ScheduleHandle;
  readonly description: ScheduleDescription;
}

/** The result of a command: `line` for people, the rest for `--json`. */
type Done = Readonly<Record<string, unknown>> & { readonly line: string };

const WHEN_BUSY = {
  skip: ['skipped', 'this scheduled run is left out'],
  'buffer-one': ['waiting', 'the next begins after it'],
  'cancel-other': ['started', 'it is cancelled, and a new one begins'],
} as const;

async function find({ client, config }: Opened, job: Job, name: string): Promise<Found> {
  const { account } = job === 'sync' ? config.spec(name) : config.campaign(name);
  const { section } = JOBS[job];
  const description = await findSchedule(client, { job, account, name });
  if (description === null) {
    const has = config.config[section][name]?.schedule !== undefined;
    const way = has
      ? `bring it there with \`sluice ${job} schedule apply\``
      : `give it one in ${config.file} (${section}.${name}.schedule)`;
    throw new CliError(EXIT.notFound, `the ${job} "${name}" has no schedule on the Temporal server; ${way}`);
  }
  const handle = client.schedule.getHandle(scheduleIdOf({ job, account, name }));
  return { client, name, account, handle, description };
}

function policyName({ policies }: ScheduleDescription): OverlapPolicy {
  const known = (Object.keys(OVERLAP) as OverlapPolicy[]).find((key) => OVERLAP[key] === policies.overlap);
  return known ?? 'skip';
}

/** @param workflowIds any of them is enough */
async function isRunning(client: Client, workflowIds: readonly string[]): Promise<boolean> {
  const [one] = await client.workflowService
    .listWorkflowExecutions({
      namespace: client.options.namespace,
      pageSize: 1,
      query: `WorkflowId in (${workflowIds.map((id) => `'${id}'`).join(', ')}) and ExecutionStatus = 'Running'`,
    })
    .then(({ executions }) => executions ?? []);
  return one !== undefined;
}

async function scheduledTimesBetween(
  client: Client,
  scheduleId: string,
  from: Date,
  to: Date,
): Promise<number> {
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    namespace: client.options.namespace,
    scheduleId,
    // This call excludes the first moment of the span; the backfill itself includes it.
    startTime: timestamp(new Date(from.getTime() - 1000)),
    endTime: timestamp(to),
  });
  return startTime?.length ?? 0;
}

function timestamp(date: Date) {
  return { seconds: Math.floor(date.getTime() / 1000) as never, nanos: (date.getTime() % 1000) * 1_000_000 };
}

function noteOf(verb: string, reason: string): string {
  return `${verb} by ${operatorName()}${reason === '' ? '' : `: ${reason}`}`;
}

function shown(time: Date, { spec }: ScheduleDescription): string {
  return formatTime(time, spec.timezone || 'UTC');
}

function zonedTime(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('write a time with its zone: 2026-11-20T06:00:00-03:00, or …Z for UTC.');
  return time;
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
