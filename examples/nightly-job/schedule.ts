// Makes the schedule: each night at 01:00 UTC. Run it once.
import { Client, Connection } from '@temporalio/client';

const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
const client = new Client({ connection, namespace: process.env.TEMPORAL_NAMESPACE });
await client.schedule.create({
  scheduleId: 'nightly-job',
  spec: { calendars: [{ hour: 1 }] },
  action: { type: 'startWorkflow', workflowType: 'nightlyJob', taskQueue: 'nightly-job' },
});
await connection.close();
