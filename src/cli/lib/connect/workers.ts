// A warning for commands that start work which other processes do.
import { WORK_QUEUE } from '../../../core/ids.ts';
import { say } from './lifetime.ts';

export function sayNoWorker(): void {
  say(
    `no worker serves the task queue "${WORK_QUEUE}" yet: the run waits until one is started (\`sluice worker\`)`,
  );
}
