// Schedules of syncs on the Temporal server: brought in step with the configuration, and described.
import { type Client, type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client';
import {
  SCHEDULE_PREFIX,
  SEARCH_KEYS,
  scheduledSyncWorkflowId,
  syncScheduleId,
} from '../../workflows/messages.ts';
import { WORK_QUEUE } from '../../workflows/policies.ts';
import type { ScheduledSyncInput, scheduledSync } from '../../workflows/scheduled-sync.ts';
import type { Config } from '../contracts/config.ts';
import { durationMs } from '../contracts/config-base.ts';
import { type OverlapPolicy, type ScheduleConfig } from '../contracts/config-schedule.ts';
import { shortHash } from '../ledger/short-hash.ts';

/** Server-side names of the overlap policies. */
export const OVERLAP = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'cancel-other': 'CANCEL_OTHER',
} as const satisfies Record<OverlapPolicy, string>;

/** Marks a pause that the configuration asked for: one that an operator made has another note. */
const PAUSED_BY_CONFIG = 'paused in the configuration';

export interface SyncName {
  readonly account: string;
  readonly sync: string;
}

export interface WantedSchedule extends SyncName {
  readonly schedule: ScheduleConfig;
}

/** Thrown when the server refuses what stands in the configuration. */
export class ScheduleRefusedError extends Error {
  override readonly name = 'ScheduleRefusedError';
  readonly sync: string;
  constructor(sync: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.sync = sync;
  }
}

/** The schedules that a configuration asks for. */
export function wantedSchedules(config: Pick<Config, 'syncs'>): WantedSchedule[] {
  return Object.entries(config.syncs).flatMap(([sync, { account, schedule }]) =>
    schedule === undefined ? [] : [{ account, sync, schedule }],
  );
}

export interface ScheduleChange extends SyncName {
  readonly change: 'create' | 'update' | 'delete' | 'none';
}

interface SchedulesOptions {
  readonly client: Client;
  readonly config: Pick<Config, 'accounts' | 'syncs'>;
  /** @default "sluice" */
  readonly taskQueue?: string;
}

/** What has to change on the server, without changing it. Schedules of accounts that the configuration does not have are not its own. */
export async function planSchedules(options: SchedulesOptions): Promise<ScheduleChange[]> {
  const { client, config, taskQueue = WORK_QUEUE } = options;
  const changes: ScheduleChange[] = [];
  const wanted = wantedSchedules(config);
  for (const { account, sync, schedule } of wanted) {
    const found = await findSchedule(client, { account, sync });
    const digest = digestOf({ account, sync, schedule }, taskQueue);
    const change = found === null ? 'create' : found.action.memo?.digest === digest ? 'none' : 'update';
    changes.push({ account, sync, change });
  }
  for (const name of await listScheduleNames(client)) {
    const kept = wanted.some(({ account, sync }) => account === name.account && sync === name.sync);
    if (kept || !Object.hasOwn(config.accounts, name.account)) continue;
    // The list lags behind: what was just deleted may still be in it.
    if ((await findSchedule(client, name)) !== null) changes.push({ ...name, change: 'delete' });
  }
  return changes;
}

/**
 * Brings the server's schedules in step with the configuration. One that is in step is not touched: times that it
 * still has to make up for stay its own.
 * @throws ScheduleRefusedError naming the sync
 */
export async function applySchedules(options: SchedulesOptions): Promise<ScheduleChange[]> {
  const { client, config, taskQueue = WORK_QUEUE } = options;
  const changes = await planSchedules(options);
  for (const { account, sync, change } of changes) {
    const handle = client.schedule.getHandle(syncScheduleId(account, sync));
    if (change === 'delete') await handle.delete();
    const schedule = config.syncs[sync]?.schedule;
    if (change === 'none' || change === 'delete' || schedule === undefined) continue;
    const definition = define({ account, sync, schedule }, taskQueue);
    try {
      if (change === 'create') {
        await client.schedule.create<typeof scheduledSync>({
          ...definition,
          scheduleId: handle.scheduleId,
          state: stateOf(schedule, null),
        });
      } else {
        await handle.update<typeof scheduledSync>((previous) => ({
          ...definition,
          state: stateOf(schedule, previous.state),
        }));
      }
    } catch (error) {
      // The SDK turns a schedule that the server can't read into a TypeError.
      if (!(error instanceof TypeError)) throw error;
      throw new ScheduleRefusedError(sync, error.message, { cause: error });
    }
  }
  return changes;
}

function define(wanted: WantedSchedule, taskQueue: string) {
  const { account, sync, schedule } = wanted;
  const { cron, timeZone, overlap, catchUpWindow, jitter } = schedule;
  const input: ScheduledSyncInput = { account, sync, overlap };
  return {
    spec: {
      cronExpressions: typeof cron === 'string' ? [cron] : cron,
      timezone: timeZone,
      ...(jitter === undefined ? {} : { jitter: durationMs(jitter) }),
    },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'scheduledSync' as const,
      workflowId: scheduledSyncWorkflowId(account, sync),
      taskQueue,
      args: [input] as [ScheduledSyncInput],
      typedSearchAttributes: [
        { key: SEARCH_KEYS.account, value: account },
        { key: SEARCH_KEYS.job, value: `scheduled-sync/${sync}` },
      ],
      staticSummary: `Schedule of the CRM sync "${sync}" into the account "${account}"`,
      // The server gives the times back in another form: this tells whether it has those of the configuration.
      memo: { digest: digestOf(wanted, taskQueue), cron, timeZone },
    },
    policies: { overlap: OVERLAP[overlap], catchupWindow: durationMs(catchUpWindow) },
  };
}

function digestOf({ account, sync, schedule }: WantedSchedule, taskQueue: string): string {
  const { cron, timeZone, overlap, catchUpWindow, jitter = null, paused } = schedule;
  const parts = [account, sync, taskQueue, cron, timeZone, overlap, catchUpWindow, jitter, paused];
  return shortHash(JSON.stringify(parts));
}

/** A pause by an operator outlives a change of the configuration; one of the configuration ends with it. */
function stateOf(schedule: ScheduleConfig, previous: ScheduleDescription['state'] | null) {
  if (schedule.paused) return { paused: true, note: PAUSED_BY_CONFIG };
  if (previous?.paused === true && previous.note !== PAUSED_BY_CONFIG) {
    return { paused: true, ...(previous.note === undefined ? {} : { note: previous.note }) };
  }
  return { paused: false };
}

/** Null when the server has none. */
export async function findSchedule(client: Client, name: SyncName): Promise<ScheduleDescription | null> {
  try {
    return await client.schedule.getHandle(syncScheduleId(name.account, name.sync)).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

/** All schedules of syncs on the server, of any configuration. A new one may be missing for a moment. */
export async function listScheduleNames(client: Client): Promise<SyncName[]> {
  const names: SyncName[] = [];
  for await (const { scheduleId } of client.schedule.list()) {
    const [account, sync, more] = scheduleId.slice(SCHEDULE_PREFIX.length).split('/');
    if (!scheduleId.startsWith(SCHEDULE_PREFIX) || more !== undefined) continue;
    if (account !== undefined && sync !== undefined) names.push({ account, sync });
  }
  return names;
}
