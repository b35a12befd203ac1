// Does one step after another, each once.
import { proxyActivities, sleep } from '@temporalio/workflow';

const { step } = proxyActivities<{ step(count: number): Promise<void> }>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
});

export async function steps(count: number): Promise<void> {
  for (let done = 0; done < count; done++) {
    await step(done);
    await sleep(100);
  }
}
