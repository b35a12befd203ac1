// Schedules of the configuration at the start of a process, and changes as text.
import type { Client } from '@temporalio/client';
import type { LoadedConfig } from '../../../config/load.ts';
import { JOB_KINDS, type ScheduleChange } from '../../../operator/contract/schedules.ts';
import { planSchedules } from '../../../operator/service/schedules/schedules.ts';

const DONE = { create: 'created', update: 'updated', delete: 'deleted', none: 'unchanged' } as const;

export function describeChanges(changes: readonly ScheduleChange[]): string[] {
  return changes.map(
    ({ name, account, change }) => `schedule of ${name} (account ${account}): ${DONE[change]}`,
  );
}

/** Commands that would apply the configured schedules; none when the server has them. */
export async function toApply({
  client,
  config,
}: {
  readonly client: Client;
  readonly config: LoadedConfig;
}): Promise<string[]> {
  const changes = await planSchedules({ client, config: config.config });
  const jobs = JOB_KINDS.filter((each) =>
    changes.some(({ job, change }) => job === each && change !== 'none'),
  );
  return jobs.map((job) => `sluice ${job} schedule apply`);
}
