// Applies the configured schedules to the Temporal server, and reports the changes.
import type { Client } from '@temporalio/client';
import type { LoadedConfig } from '../../config/load.ts';
import { JOB_KINDS, type Job } from '../../runtime/scheduled-jobs.ts';
import {
  applySchedules,
  planSchedules,
  type ScheduleChange,
  ScheduleRefusedError,
} from '../../runtime/schedules.ts';
import { CliError, EXIT } from '../lib/exit.ts';

interface Opened {
  readonly config: LoadedConfig;
  readonly client: Client;
}

/**
 * Applies the configuration's schedules.
 * @param jobs kinds of jobs; without it, all
 * @throws CliError (usage) naming file and key when the server refuses one
 */
export async function applyOf(
  { client, config }: Opened,
  jobs: readonly Job[] = JOB_KINDS,
): Promise<ScheduleChange[]> {
  return await applySchedules({ client, config: config.config, jobs }).catch((error: unknown) => {
    if (!(error instanceof ScheduleRefusedError)) throw error;
    throw new CliError(
      EXIT.usage,
      `${config.file}  ${error.place}: the Temporal server refuses it: ${error.message}; change cron, timeZone or jitter and try again`,
      { cause: error },
    );
  });
}

const DONE = { create: 'created', update: 'updated', delete: 'deleted', none: 'unchanged' } as const;

export function describeChanges(changes: readonly ScheduleChange[]): string[] {
  return changes.map(
    ({ name, account, change }) => `schedule of ${name} (account ${account}): ${DONE[change]}`,
  );
}

/** Commands that would apply the configured schedules; none when the server has them. */
export async function toApply({ client, config }: Opened): Promise<string[]> {
  const changes = await planSchedules({ client, config: config.config });
  const jobs = JOB_KINDS.filter((each) =>
    changes.some(({ job, change }) => job === each && change !== 'none'),
  );
  return jobs.map((job) => `sluice ${job} schedule apply`);
}
