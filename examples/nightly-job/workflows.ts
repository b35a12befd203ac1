import { proxyActivities } from '@temporalio/workflow';
import type { Counts, createActivities } from './activities.ts';

const { messageDue } = proxyActivities<ReturnType<typeof createActivities>>({
  // The people of one night, with waits for slots. A worker that died is noticed after the heartbeat timeout.
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '30 seconds',
});

/** Messages who is due on the day on which it runs, in UTC. */
export async function nightlyJob(day = new Date().toISOString().slice(0, 10)): Promise<Counts> {
  return await messageDue(day);
}
