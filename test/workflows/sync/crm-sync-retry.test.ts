// A retry: records of the run before, from the payloads that the ledger kept, and never a second effect.

import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { crmSyncWorkflowId } from '../../../src/core/ids.ts';
import { LAST_RUN, RETRY_REFUSED, type RetryRequest } from '../../../src/jobs/sync/contract/retry.ts';
import type { crmSync } from '../../../workflows/crm-sync.ts';
import type { Environment } from '../../support/environment.ts';
import { effects } from '../../support/panel.ts';
import { plainRows, sumOf, syncContext } from '../../support/sync-context.ts';

const context = syncContext();

const retry = async (environment: Environment, over: Partial<RetryRequest> = {}) => {
  const request: RetryRequest = { from: LAST_RUN, codes: null, statuses: ['failed'], ...over };
  const handle = await context.temporal.client.workflow.start<typeof crmSync>('crmSync', {
    workflowId: `${environment.workQueue}/${crmSyncWorkflowId('acme', 'leads')}`,
    taskQueue: environment.workQueue,
    args: [{ account: 'acme', sync: 'leads', retry: request }],
  });
  return await handle.result();
};

const refuse = (code: string, times: number) => ({
  method: 'POST',
  path: '^/v1/contacts$',
  kind: 'status',
  status: 400,
  times,
  body: { error: code, code },
});

const creations = async (environment: Environment) =>
  effects(await environment.panel.requests(), 'POST', /^\/v1\/cards$/).length;

describe('a retry', () => {
  it('retries failed records, by code or all of them, without reading the source', async () => {
    await context.inEnvironment({ csv: plainRows(4) }, async (environment) => {
      await environment.panel.fault(refuse('ERR_CONTACT_NUMBER_IS_LID', 2));
      await environment.panel.fault(refuse('ERR_DUPLICATED_CONTACT', 1));
      expect(await environment.run()).toMatchObject({ read: 4, created: 1, failed: 3 });
      await environment.write('this is no source of leads any more\n');

      const one = await retry(environment, { codes: ['ERR_DUPLICATED_CONTACT'] });
      expect(one).toMatchObject({ run: 'acme/leads/2', read: 1, created: 1, rejected: 0, failed: 0 });
      await environment.panel.fault(refuse('ERR_CONTACT_NUMBER_IS_LID', 1));
      const two = await retry(environment);
      expect(two).toMatchObject({ run: 'acme/leads/3', read: 2, created: 1, failed: 1 });
      expect(sumOf(two)).toBe(two.read);
      expect(two.problems[0]?.code).toBe('ERR_CONTACT_NUMBER_IS_LID');
      expect(await retry(environment)).toMatchObject({ run: 'acme/leads/4', read: 1, created: 1, failed: 0 });
      expect((await environment.panel.account()).contacts).toHaveLength(4);

      const none = retry(environment);
      await expect(none).rejects.toThrow(WorkflowFailedError);
      await expect(none).rejects.toMatchObject({ cause: { cause: { type: RETRY_REFUSED.nothing } } });
      // The next run reads the source again, and finds all of them as they were sent.
      await environment.write(plainRows(4));
      expect(await environment.run()).toMatchObject({ run: 'acme/leads/5', read: 4, unchanged: 4, calls: 0 });
    });
  });

  it('of an unknown outcome checks first: an existing card is adopted, not created again', async () => {
    const unreadable = { requestId: 'r', count: 1, hasMore: false, cards: [{ title: 'without id' }] };
    await context.inEnvironment({ csv: plainRows(1, 'New'), settleSeconds: 0 }, async (environment) => {
      await environment.panel.fault({ method: 'POST', path: '^/v1/cards$', kind: 'reset-after', times: 1 });
      await environment.panel.fault({
        method: 'GET',
        path: '^/v1/cards$',
        kind: 'status',
        status: 200,
        body: unreadable,
      });
      expect(await environment.run()).toMatchObject({ read: 1, unknown: 1 });
      await environment.panel.clearFaults();
      expect(await retry(environment, { statuses: ['unknown'] })).toMatchObject({
        read: 1,
        unknown: 0,
        failed: 0,
      });
      expect(await creations(environment)).toBe(1);
    });
  });

  it('of an effect that never happened may send again, as often as the first time', async () => {
    await context.inEnvironment({ csv: plainRows(1, 'New'), settleSeconds: 0 }, async (environment) => {
      const lost = { method: 'POST', path: '^/v1/cards$', kind: 'reset-before' };
      await environment.panel.fault(lost);
      expect(await environment.run()).toMatchObject({ read: 1, unknown: 1 });
      await environment.panel.clearFaults();
      await environment.panel.fault({ ...lost, times: 1 });
      expect(await retry(environment, { statuses: ['unknown'] })).toMatchObject({
        read: 1,
        cards: 1,
        unknown: 0,
      });
      expect(await creations(environment)).toBe(1);
    });
  });
});
