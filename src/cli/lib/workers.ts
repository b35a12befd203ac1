// A warning for commands that start work which other processes do.
import type { Client } from '@temporalio/client';
import { WORK_QUEUE } from '../../contracts/ids.ts';
import { hasWorkers } from '../../operator/service/syncs/begin.ts';
import { say } from './lifetime.ts';

export async function warnWithoutWorker(client: Client): Promise<void> {
  if (!(await hasWorkers(client))) sayNoWorker();
}

export function sayNoWorker(): void {
  say(
    `no worker serves the task queue "${WORK_QUEUE}" yet: the run waits until one is started (\`sluice worker\`)`,
  );
}
