// Records a history of the workflow that schedules start, which replay.test.ts replays like all others:
//   RECORD_SCHEDULED=<name> npx vitest run --project workflows test/replay/scheduled-sync

import { join } from 'node:path';
import { describe, it } from 'vitest';
import { crmSyncWorkflowId, scheduledSyncWorkflowId } from '../../src/core/ids.ts';
import type { crmSync } from '../../workflows/crm-sync.ts';
import { pauseUpdate } from '../../workflows/messages.ts';
import type { scheduledSync } from '../../workflows/scheduled-sync.ts';
import { plainRows, syncContext } from '../support/sync-context.ts';
import { saveHistory } from '../support/temporal/save-history.ts';

const name = process.env.RECORD_SCHEDULED;
const context = syncContext();

describe.runIf(name)('recording', () => {
  it('keeps the history of a scheduled run that met a run, cancelled it, waited and ran', async () => {
    await context.inEnvironment({ csv: plainRows(1) }, async ({ workQueue: taskQueue }) => {
      const { client } = context.temporal;
      const other = await client.workflow.start<typeof crmSync>('crmSync', {
        workflowId: crmSyncWorkflowId('acme', 'leads'),
        taskQueue,
        args: [{ account: 'acme', sync: 'leads' }],
      });
      await other.executeUpdate(pauseUpdate, { args: [{ by: 'test', reason: 'recording' }] });
      const handle = await client.workflow.start<typeof scheduledSync>('scheduledSync', {
        workflowId: scheduledSyncWorkflowId('acme', 'leads'),
        taskQueue,
        args: [{ account: 'acme', sync: 'leads', overlap: 'cancel-other' }],
      });
      await handle.result();
      const file = join(import.meta.dirname, 'histories', `${name}.json`);
      await saveHistory(context.temporal, handle.workflowId, file);
    });
  });
});
