// Schedules of syncs and campaigns on the Temporal server: applies the configuration and describes the schedules.

import { type Client, type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client';
import type { scheduledCampaign } from '../../../../workflows/scheduled-campaign.ts';
import type { scheduledSync } from '../../../../workflows/scheduled-sync.ts';
import type { Config } from '../../../config/schema/config.ts';
import { durationMs } from '../../../core/config/base.ts';
import type { OverlapPolicy, ScheduleConfig } from '../../../core/config/schedule.ts';
import { parseScheduleId, SEARCH_KEYS, scheduledJobName, WORK_QUEUE } from '../../../core/ids.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';
import { encryptingKeyId } from '../../../protect/codec/encryption-codec.ts';
import { JOB_KINDS, type Job, type ScheduleChange } from '../../contract/schedules.ts';
import { JOBS, type JobName, namedBy, scheduleIdOf } from './jobs.ts';

/** Server-side names of the overlap policies. */
export const OVERLAP = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'cancel-other': 'CANCEL_OTHER',
} as const satisfies Record<OverlapPolicy, string>;

/** Marks a pause from the configuration. A pause by an operator has another note. */
const PAUSED_BY_CONFIG = 'paused in the configuration';

/** The parts of a configuration that schedules depend on. */
export type ScheduledConfig = Pick<Config, 'accounts' | 'syncs' | 'campaigns'>;

export interface WantedSchedule extends JobName {
  readonly schedule: ZonedSchedule;
}

/** A schedule with its time zone. */
type ZonedSchedule = ScheduleConfig & { readonly timeZone: string };

/** Thrown when the server refuses a configured schedule. */
export class ScheduleRefusedError extends Error {
  override readonly name = 'ScheduleRefusedError';
  /** Path of the entry, for example `syncs.leads.schedule`. */
  readonly place: string;
  constructor(place: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }
}

/** The schedules of a configuration. The time zone is that of the schedule, else of its account, else UTC. */
export function wantedSchedules(config: ScheduledConfig, jobs: readonly Job[] = JOB_KINDS): WantedSchedule[] {
  return jobs.flatMap((job) =>
    Object.entries(config[JOBS[job].section]).flatMap(([name, { account, schedule }]) => {
      if (schedule === undefined) return [];
      const timeZone = schedule.timeZone ?? config.accounts[account]?.timeZone ?? 'UTC';
      return [{ job, account, name, schedule: { ...schedule, timeZone } }];
    }),
  );
}

interface SchedulesOptions {
  readonly client: Client;
  readonly config: ScheduledConfig;
  /** Kinds of jobs. @default all */
  readonly jobs?: readonly Job[];
  /** @default "sluice" */
  readonly taskQueue?: string;
}

/**
 * Compares the server with the configuration and changes nothing. It ignores schedules of accounts that the
 * configuration lacks.
 */
export async function planSchedules(options: SchedulesOptions): Promise<ScheduleChange[]> {
  const { client, config, jobs = JOB_KINDS, taskQueue = WORK_QUEUE } = options;
  const changes: ScheduleChange[] = [];
  const wanted = wantedSchedules(config, jobs);
  const place = { taskQueue, keyId: await encryptingKeyId(client.options.loadedDataConverter) };
  for (const { job, account, name, schedule } of wanted) {
    const found = await findSchedule(client, { job, account, name });
    const digest = digestOf({ job, account, name, schedule }, place);
    const change = found === null ? 'create' : found.action.memo?.digest === digest ? 'none' : 'update';
    changes.push({ job, account, name, change });
  }
  const kept = new Set(wanted.map(scheduleIdOf));
  for (const name of await listScheduleNames(client, jobs)) {
    if (kept.has(scheduleIdOf(name)) || !Object.hasOwn(config.accounts, name.account)) continue;
    // The list lags behind: it may still contain a deleted schedule.
    if ((await findSchedule(client, name)) !== null) changes.push({ ...name, change: 'delete' });
  }
  return changes;
}

/**
 * Makes the server's schedules match the configuration. A schedule that matches is not touched, so that it keeps the
 * times that it still has to catch up on.
 * @throws ScheduleRefusedError naming the entry of the configuration
 */
export async function applySchedules(options: SchedulesOptions): Promise<ScheduleChange[]> {
  const { client, config, jobs = JOB_KINDS, taskQueue = WORK_QUEUE } = options;
  const wanted = new Map(wantedSchedules(config, jobs).map((one) => [scheduleIdOf(one), one]));
  const place = { taskQueue, keyId: await encryptingKeyId(client.options.loadedDataConverter) };
  const changes = await planSchedules(options);
  for (const { change, ...name } of changes) {
    const handle = client.schedule.getHandle(scheduleIdOf(name));
    if (change === 'delete') await handle.delete();
    const own = wanted.get(handle.scheduleId);
    if (change === 'none' || change === 'delete' || own === undefined) continue;
    const definition = define(own, place);
    try {
      if (change === 'create') {
        await client.schedule.create<ScheduledWorkflow>({
          ...definition,
          scheduleId: handle.scheduleId,
          state: stateOf(own.schedule, null),
        });
      } else {
        await handle.update<ScheduledWorkflow>((previous) => ({
          ...definition,
          state: stateOf(own.schedule, previous.state),
        }));
      }
    } catch (error) {
      // The SDK turns a schedule that the server can't read into a TypeError.
      if (!(error instanceof TypeError)) throw error;
      const place = `${JOBS[name.job].section}.${name.name}.schedule`;
      throw new ScheduleRefusedError(place, error.message, { cause: error });
    }
  }
  return changes;
}

type ScheduledWorkflow = typeof scheduledSync | typeof scheduledCampaign;

/** What a schedule depends on beside its configuration. */
interface Place {
  readonly taskQueue: string;
  /** Key that encrypts its input. Otherwise a rotated key would be needed as long as the schedule exists. */
  readonly keyId: string | null;
}

/** Builds the action of a schedule: its workflow, with the name of the job and the overlap policy. */
function define(wanted: WantedSchedule, place: Place) {
  const { job, account, name, schedule } = wanted;
  const { workflowType, workflowId, summary } = JOBS[job];
  const { cron, timeZone, overlap, catchUpWindow, jitter } = schedule;
  return {
    spec: {
      cronExpressions: typeof cron === 'string' ? [cron] : cron,
      timezone: timeZone,
      ...(jitter === undefined ? {} : { jitter: durationMs(jitter) }),
    },
    action: {
      type: 'startWorkflow' as const,
      workflowType,
      workflowId: workflowId(account, name),
      taskQueue: place.taskQueue,
      args: [{ ...namedBy(wanted), overlap }] as Parameters<ScheduledWorkflow>,
      typedSearchAttributes: [
        { key: SEARCH_KEYS.account, value: account },
        { key: SEARCH_KEYS.job, value: scheduledJobName(job, name) },
      ],
      staticSummary: summary(account, name),
      // The server returns the times in another form, so this digest says whether it has those of the configuration.
      memo: { digest: digestOf(wanted, place), cron, timeZone },
    },
    policies: { overlap: OVERLAP[overlap], catchupWindow: durationMs(catchUpWindow) },
  };
}

function digestOf({ account, name, schedule }: WantedSchedule, { taskQueue, keyId }: Place): string {
  const { cron, timeZone, overlap, catchUpWindow, jitter = null, paused } = schedule;
  const parts = [account, name, taskQueue, cron, timeZone, overlap, catchUpWindow, jitter, paused];
  if (keyId !== null) parts.push(keyId);
  return shortHash(JSON.stringify(parts));
}

/** A pause by an operator outlives a change of the configuration. A pause in the configuration ends with it. */
function stateOf(schedule: ScheduleConfig, previous: ScheduleDescription['state'] | null) {
  if (schedule.paused) return { paused: true, note: PAUSED_BY_CONFIG };
  if (previous?.paused === true && previous.note !== PAUSED_BY_CONFIG) {
    return { paused: true, ...(previous.note === undefined ? {} : { note: previous.note }) };
  }
  return { paused: false };
}

/** Null when the server has none. */
export async function findSchedule(client: Client, name: JobName): Promise<ScheduleDescription | null> {
  try {
    return await client.schedule.getHandle(scheduleIdOf(name)).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

/** All schedules of these jobs on the server, of any configuration. A new one may be missing for a moment. */
export async function listScheduleNames(
  client: Client,
  jobs: readonly Job[] = JOB_KINDS,
): Promise<JobName[]> {
  const names: JobName[] = [];
  for await (const { scheduleId } of client.schedule.list()) {
    const name = parseScheduleId(scheduleId);
    if (name !== null && jobs.includes(name.job)) names.push(name);
  }
  return names;
}
