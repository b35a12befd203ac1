// Schedules as operators see and steer them.

import type { Client, ScheduleDescription, ScheduleHandle } from '@temporalio/client';
import type { LoadedConfig } from '../../../config/load.ts';
import type { OverlapPolicy } from '../../../core/config/schedule.ts';
import { pageOf } from '../../../core/page.ts';
import type { Job, SCHEDULES, ScheduleChange } from '../../contract/schedules.ts';
import { OperatorError } from '../../error.ts';
import type { Caller } from '../caller.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import { JOBS, scheduleIdOf } from './jobs.ts';
import { listSchedules } from './list.ts';
import { applySchedules, findSchedule, OVERLAP, ScheduleRefusedError } from './schedules.ts';

const BACKFILL_OVERLAP = { skip: 'SKIP', 'buffer-one': 'BUFFER_ONE', 'buffer-all': 'BUFFER_ALL' } as const;

/** What a trigger does while a run is active, by the overlap policy. */
const WHEN_BUSY = { skip: 'skipped', 'buffer-one': 'waiting', 'cancel-other': 'started' } as const;

export function scheduleHandlers(deps: OperatorDeps): Handlers<keyof typeof SCHEDULES> {
  const find = async (job: Job, name: string) =>
    await findNamed({ client: await deps.temporal(), config: deps.config() }, job, name);
  return {
    'GET /schedules': async ({ job, limit, after }) => {
      const all = await listSchedules(await deps.temporal(), deps.config().config, job);
      const left = all.filter(({ scheduleId }) => after === undefined || scheduleId > after);
      const sorted = left.toSorted((a, b) => (a.scheduleId < b.scheduleId ? -1 : 1));
      const { page: schedules, next } = pageOf(sorted, limit, ({ scheduleId }) => scheduleId);
      return { schedules, next };
    },
    'POST /schedules/apply': async ({ jobs }) => ({
      changes: await applyConfigured({ client: await deps.temporal(), config: deps.config() }, jobs),
    }),
    'POST /schedules/{job}/{name}/pause': async ({ job, name, reason }, caller) => {
      const { handle } = await find(job, name);
      await handle.pause(noteOf('paused', caller, reason));
      return { scheduleId: handle.scheduleId, paused: true };
    },
    'POST /schedules/{job}/{name}/resume': async ({ job, name, reason }, caller) => {
      const { handle, description } = await find(job, name);
      await handle.unpause(noteOf('resumed', caller, reason));
      const next = description.info.nextActionTimes[0];
      return {
        scheduleId: handle.scheduleId,
        paused: false,
        next: next?.toISOString() ?? null,
        timeZone: zoneOf(description),
      };
    },
    'POST /schedules/{job}/{name}/trigger': async ({ job, name }) => {
      const { client, account, handle, description } = await find(job, name);
      const busy = await isRunning(client, JOBS[job].works(account, name));
      await handle.trigger(description.policies.overlap);
      const overlap = policyName(description);
      return { scheduleId: handle.scheduleId, busy, outcome: busy ? WHEN_BUSY[overlap] : 'started', overlap };
    },
    'POST /schedules/{job}/{name}/backfill': async ({ job, name, overlap, ...span }) => {
      const [from, to] = [new Date(span.from), new Date(span.to)];
      if (from > to)
        throw new OperatorError('invalid', 'from: it must not be after `to`', { code: 'BACKFILL_SPAN' });
      const { client, handle, description } = await find(job, name);
      const scheduledTimes = await scheduledTimesBetween(client, handle.scheduleId, from, to);
      if (scheduledTimes > 0)
        await handle.backfill({ start: from, end: to, overlap: BACKFILL_OVERLAP[overlap] });
      return { scheduleId: handle.scheduleId, scheduledTimes, timeZone: zoneOf(description) };
    },
  };
}

interface Place {
  readonly client: Client;
  readonly config: LoadedConfig;
}

/**
 * Applies the configuration's schedules.
 * @param jobs kinds of jobs; without it, all
 * @throws OperatorError naming the key when the server refuses one
 */
export async function applyConfigured(
  { client, config }: Place,
  jobs?: readonly Job[],
): Promise<ScheduleChange[]> {
  return await applySchedules({ client, config: config.config, jobs }).catch((error: unknown) => {
    if (!(error instanceof ScheduleRefusedError)) throw error;
    throw new OperatorError(
      'invalid',
      `${error.place}: the Temporal server refuses it: ${error.message}; change cron, timeZone or jitter and try again`,
      { code: 'SCHEDULE_REFUSED', cause: error },
    );
  });
}

interface Found {
  readonly client: Client;
  readonly account: string;
  readonly handle: ScheduleHandle;
  readonly description: ScheduleDescription;
}

async function findNamed({ client, config }: Place, job: Job, name: string): Promise<Found> {
  const { account } = job === 'sync' ? config.spec(name) : config.campaign(name);
  const { section } = JOBS[job];
  const description = await findSchedule(client, { job, account, name });
  if (description === null) {
    const has = config.config[section][name]?.schedule !== undefined;
    const way = has
      ? `bring it there with \`sluice ${job} schedule apply\``
      : `give it one in ${config.file} (${section}.${name}.schedule)`;
    throw new OperatorError(
      'notFound',
      `the ${job} "${name}" has no schedule on the Temporal server; ${way}`,
      {
        code: 'NO_SCHEDULE',
      },
    );
  }
  const handle = client.schedule.getHandle(scheduleIdOf({ job, account, name }));
  return { client, account, handle, description };
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

function noteOf(verb: string, { identity }: Caller, reason: string): string {
  return `${verb} by ${identity}${reason === '' ? '' : `: ${reason}`}`;
}

function zoneOf({ spec }: ScheduleDescription): string {
  return spec.timezone || 'UTC';
}
