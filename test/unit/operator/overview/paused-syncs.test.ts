// Which of the running syncs are paused, as their workflows answer it.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { crmSyncWorkflowId } from '../../../../src/core/ids.ts';
import { readPausedSyncs } from '../../../../src/operator/service/overview/paused-syncs.ts';
import type { RunningRow } from '../../../../src/operator/store/overview/work.ts';

interface Workflow {
  readonly status?: string;
  readonly phase?: string;
  /** Undefined: no worker answers. */
  readonly paused?: object;
}

/** A Temporal server with these workflows of syncs of the account acme. */
function clientOf(syncs: Readonly<Record<string, Workflow>>): Client {
  const workflows = new Map(
    Object.entries(syncs).map(([sync, workflow]) => [crmSyncWorkflowId('acme', sync), workflow]),
  );
  const handleOf = (id: string) => ({
    client: { options: { loadedDataConverter: { payloadCodecs: [] } } },
    async describe() {
      const workflow = workflows.get(id);
      if (workflow === undefined) throw new WorkflowNotFoundError('not found', id, undefined);
      const { status = 'RUNNING', phase = 'paused' } = workflow;
      return { status: { name: status }, typedSearchAttributes: { get: () => phase }, raw: {} };
    },
    async query() {
      const paused = workflows.get(id)?.paused;
      if (paused === undefined) throw new Error('no worker answers');
      return { paused, running: [] };
    },
  });
  return { workflow: { getHandle: handleOf } } as unknown as Client;
}

const row = (sync: string, over: Partial<RunningRow> = {}) =>
  ({ run: `acme/${sync}/1`, kind: 'sync', account: 'acme', sync, ...over }) as RunningRow;

it.each([
  ['a person paused', { paused: { by: 'user:ana', reason: 'lunch' } }, ['user:ana', 'lunch', null]],
  [
    'Sluice paused',
    { paused: { by: 'sluice', reason: 'no scope', code: 'ERR_SCOPE' } },
    ['sluice', 'no scope', 'ERR_SCOPE'],
  ],
  ['no worker answers for', {}, [null, null, null]],
])('a sync that %s is listed with what is known', async (_, workflow, [by, reason, code]) => {
  const found = await readPausedSyncs(clientOf({ leads: workflow }), [row('leads')]);
  expect([...found]).toEqual([
    ['acme/leads/1', { run: 'acme/leads/1', account: 'acme', sync: 'leads', by, reason, code }],
  ]);
});

it('what runs, what has ended, what Temporal does not know and campaigns are not listed', async () => {
  const client = clientOf({
    busy: { phase: 'syncing' },
    ended: { status: 'COMPLETED' },
    '+spring': { paused: { by: 'user:ana', reason: '' } },
  });
  const rows = [row('busy'), row('ended'), row('gone'), row('+spring', { kind: 'campaign' })];
  expect([...(await readPausedSyncs(client, rows))]).toEqual([]);
});

it('an error of Temporal is not taken for "not paused"', async () => {
  const client = {
    workflow: { getHandle: () => ({ describe: async () => await Promise.reject(new Error('unavailable')) }) },
  } as unknown as Client;
  await expect(readPausedSyncs(client, [row('leads')])).rejects.toThrow('unavailable');
});
