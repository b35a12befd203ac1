// Among thousands of open workflows those whose batches fail are found, at a bounded number of requests for each refresh.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { createFailingWorkReader } from '../../../../src/operator/service/overview/failing-work.ts';

/** Open workflows of a Temporal server, by id, with the failed attempts of their activity. */
function server(workflows: Map<string, number>, type = 'LedgerError', message = 'secret') {
  const asked = { lists: 0, described: 0 };
  const client = {
    options: { namespace: 'test' },
    workflowService: {
      async listWorkflowExecutions(request: { pageSize: number; nextPageToken: Uint8Array | null }) {
        asked.lists++;
        const from = request.nextPageToken === null ? 0 : Number(Buffer.from(request.nextPageToken));
        const ids = [...workflows.keys()].slice(from, from + request.pageSize);
        const next = from + request.pageSize;
        return {
          executions: ids.map((workflowId) => ({ execution: { workflowId } })),
          nextPageToken: next < workflows.size ? Buffer.from(String(next)) : new Uint8Array(),
        };
      },
    },
    workflow: {
      getHandle: (id: string) => ({
        async describe() {
          asked.described++;
          const attempts = workflows.get(id);
          if (attempts === undefined) throw new WorkflowNotFoundError('gone', id, undefined);
          const lastFailure = { message, applicationFailureInfo: { type } };
          const pending = {
            activityType: { name: 'batch' },
            attempt: attempts + 1,
            lastFailure,
            lastAttemptCompleteTime: { seconds: Date.parse('2026-11-28T13:42:20Z') / 1000, nanos: 5e8 },
            nextAttemptScheduleTime: { seconds: Date.parse('2026-11-28T13:43:20Z') / 1000 },
          };
          return { raw: { pendingActivities: attempts === 0 ? [] : [pending] } };
        },
      }),
    },
  };
  return { client: client as unknown as Client, asked };
}

const healthy = (count: number) =>
  Array.from({ length: count }, (_, n) => [`crm-sync/acme/s${n}`, 0] as [string, number]);

it.each([
  ['the first', 0, 3000, 1],
  ['the 51st', 50, 60, 1],
  ['the 400th', 399, 3000, 1],
  ['the 401st', 400, 3000, 2],
  ['the last of 3,000', 2999, 3000, 8],
])('%s open workflow is found by its refresh', async (_, place, total, refreshes) => {
  const entries = healthy(total);
  entries.splice(place, 1, ['outbox/bus', 9]);
  const { client, asked } = server(new Map(entries));
  const reader = createFailingWorkReader();
  for (let n = 1; n < refreshes; n++) expect(await reader.read(client)).toEqual([]);
  const isPartial = total > refreshes * 400;
  expect(await reader.read(client)).toEqual([
    {
      account: null,
      kind: 'sink',
      name: 'bus',
      activity: 'batch',
      isLedgerAway: false,
      failedAt: '2026-11-28T13:42:20.500Z',
      nextAt: '2026-11-28T13:43:20.000Z',
      code: 'LedgerError',
      attempts: 9,
      workflows: 1,
      isPartial,
    },
  ]);
  expect(asked.described).toBeLessThanOrEqual(refreshes * 400);
  expect(asked.lists).toBeLessThanOrEqual(refreshes * 4);
});

it('what failed stays while it fails, and goes with its cause or its workflow', async () => {
  const workflows = new Map([['outbox/bus', 9], ['outbox/log', 5], ...healthy(2000)]);
  const { client } = server(workflows);
  const reader = createFailingWorkReader();
  const names = async () => (await reader.read(client)).map(({ name }) => name).sort();
  expect(await names()).toEqual(['bus', 'log']);
  // The cursor is far behind them now.
  expect(await names()).toEqual(['bus', 'log']);
  workflows.set('outbox/bus', 0);
  expect(await names()).toEqual(['log']);
  workflows.delete('outbox/log');
  expect(await names()).toEqual([]);
});

it('thousands of failing workflows cost no more than healthy ones, and all are counted in the end', async () => {
  const { client, asked } = server(
    new Map(Array.from({ length: 2000 }, (_, n) => [`outbox/bus/${n}`, 4] as [string, number])),
  );
  const reader = createFailingWorkReader();
  let found = await reader.read(client);
  for (let refreshes = 1; found[0]?.isPartial; refreshes++) {
    expect(asked.described).toBeLessThanOrEqual(refreshes * 400);
    expect(refreshes).toBeLessThan(20);
    found = await reader.read(client);
  }
  expect(found).toMatchObject([{ name: 'bus', workflows: 2000 }]);
});

it.each([
  ['TRANSPORT_REFUSED', 'GET /v1/tags: the connection was refused', 0],
  ['HTTP_503', 'GET /v1/tags answered 503 (unrecognised)', 0],
  ['ERR_INTERNAL', 'GET /v1/tags answered 500 ERR_INTERNAL', 0],
  ['INTERNAL', "TypeError in readTags; the worker's log has it", 1],
])('an activity that fails with %s: %s, is work that fails: %i', async (type, message, found) => {
  const { client } = server(new Map([['crm-sync/acme/leads', 6]]), type, message);
  expect(await createFailingWorkReader().read(client)).toHaveLength(found);
});

it.each([
  ["the ledger's database: connect ECONNREFUSED 127.0.0.1:5432 [ECONNREFUSED]; start it", true],
  ["the ledger's database: terminating connection [57P01]", true],
  ["the ledger's database: timeout exceeded when trying to connect", true],
  ["the ledger's database: invalid input syntax (value not shown) [22P02]", false],
  ["the ledger's database: column x does not exist [42703]", false],
])('%s: the database was away: %s', async (message, isLedgerAway) => {
  const { client } = server(new Map([['crm-sync/acme/leads', 6]]), 'LedgerError', message);
  expect(await createFailingWorkReader().read(client)).toMatchObject([{ kind: 'sync', isLedgerAway }]);
});

it.each([
  ['crm-sync/acme/leads', 'sync', 'leads'],
  ['scheduled-sync/acme/leads-2026-11-28T13:00:00Z', 'sync', 'leads'],
  ['campaign-plan/acme/spring', 'campaign', 'spring'],
  ['scheduled-campaign/acme/spring-2026-11-28T13:00:00Z', 'campaign', 'spring'],
  ['reactivation-campaign/acme/spring', 'campaign', 'spring'],
  ['conversation-polling/acme/chats', 'poller', 'chats'],
  ['lead-intake/acme/signup/abc', 'route', 'signup'],
  ['outbox/bus', 'sink', 'bus'],
  ['delivery/acme', 'delivery', 'acme'],
])('%s is the %s %s', async (id, kind, name) => {
  const { client } = server(new Map([[id, 6]]));
  expect(await createFailingWorkReader().read(client)).toMatchObject([{ kind, name }]);
});
