// Takes the work of the task queue `nightly-job`. Start as many as you need.
import { fileURLToPath } from 'node:url';
import { createWorker } from 'sluice/worker';
import { createActivities } from './activities.ts';

const worker = await createWorker({
  config: process.env.SLUICE_CONFIG ?? 'sluice.yaml',
  taskQueue: 'nightly-job',
  workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
  activities: (sluice) =>
    createActivities(sluice, {
      account: process.env.ACCOUNT ?? 'acme',
      database: process.env.CRM_DATABASE_URL ?? '',
    }),
});
// SIGINT or SIGTERM: calls under way end first.
await worker.run();
