// Corrected rows: a run over them alone, for which nobody else is gone and the run before stays the last.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crmSyncWorkflowId } from '../../../src/core/ids.ts';
import { LAST_RUN, RETRY_REFUSED } from '../../../src/jobs/sync/contract/retry.ts';
import { openRun } from '../../../src/jobs/sync/store/runs.ts';
import type { crmSync } from '../../../workflows/crm-sync.ts';
import type { Environment } from '../../support/environment.ts';
import { HEADER, plainRow, plainRows, syncContext } from '../../support/sync-context.ts';

const context = syncContext();

async function start(environment: Environment, input: Parameters<typeof crmSync>[0]) {
  const handle = await context.temporal.client.workflow.start<typeof crmSync>('crmSync', {
    workflowId: `${environment.workQueue}/${crmSyncWorkflowId('acme', 'leads')}`,
    taskQueue: environment.workQueue,
    args: [input],
  });
  return await handle.result();
}

async function correct(environment: Environment, csv: string) {
  const folder = join(environment.deps.baseDir ?? '', 'data');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'leads.corrections.csv'), csv);
  return await start(environment, { account: 'acme', sync: 'leads', corrections: 'leads.corrections.csv' });
}

const MIRROR = { mode: 'mirror', vanished: 'remove-tags' };
const tagged = (n: number) => plainRow(n).replace(',,,,,', ',,crm,,,');

describe('corrected rows of a mirror', () => {
  it('are synced, and nobody else counts as gone', async () => {
    const csv = `${HEADER}${tagged(0)}${tagged(1)}none,Person 2,,crm,,,\n`;
    await context.inEnvironment({ csv, sync: MIRROR }, async (environment) => {
      expect(await environment.run()).toMatchObject({ read: 3, created: 2, rejected: 1 });
      const fixed = await correct(environment, HEADER + tagged(2));
      expect(fixed).toMatchObject({ run: 'acme/leads/2', read: 1, created: 1, rejected: 0 });
      expect(fixed.vanished ?? 0).toBe(0);
      const { contacts } = await environment.panel.account();
      expect(contacts.map(({ tagIds }) => tagIds)).toEqual([[1], [1], [1]]);
      // The person belongs to the mirror: without the row, the next whole run lets them go.
      await environment.write(HEADER + tagged(0) + tagged(1));
      expect(await environment.run()).toMatchObject({ unchanged: 2, vanished: 1 });
    });
  });
});

it('the failed records of the run before can be retried after them', async () => {
  await context.inEnvironment({ csv: plainRows(2) }, async (environment) => {
    const body = { error: 'ERR_DUPLICATED_CONTACT', code: 'ERR_DUPLICATED_CONTACT' };
    await environment.panel.fault({
      method: 'POST',
      path: '^/v1/contacts$',
      kind: 'status',
      status: 400,
      times: 1,
      body,
    });
    expect(await environment.run()).toMatchObject({ created: 1, failed: 1 });
    expect(await correct(environment, HEADER + plainRow(7))).toMatchObject({ created: 1 });
    const retry = { from: LAST_RUN, codes: null, statuses: ['failed'] as const };
    expect(await start(environment, { account: 'acme', sync: 'leads', retry })).toMatchObject({
      read: 1,
      created: 1,
    });
  });
});

it('they do not continue a run of the whole source that was interrupted', async () => {
  await context.inEnvironment({ csv: plainRows(2) }, async (environment) => {
    await openRun(environment.db, environment.deps.spec('acme', 'leads'));
    await expect(correct(environment, HEADER + plainRow(7))).rejects.toMatchObject({
      cause: { cause: { type: RETRY_REFUSED.open } },
    });
    expect((await environment.panel.account()).contacts).toEqual([]);
  });
});
