// kill -9 in every phase of a sync batch, with everything real: PostgreSQL, Temporal, the service over HTTP, workers as processes.

import { afterAll, expect, it } from 'vitest';
import { createApiActivities, createLedgerActivities } from '../../../activities/index.ts';
import { apiQueue } from '../../../src/core/ids.ts';
import type { crmSync } from '../../../workflows/crm-sync.ts';
import { account, MAPPING } from '../../support/environment.ts';
import { type KillContext, openKillContext, untilDead } from '../../support/kill/kill-context.ts';
import { effects } from '../../support/panel.ts';
import { plainRows } from '../../support/sync-context.ts';

const POINTS = [
  'after it was taken',
  'before it is marked as sent',
  'after the call of its contact',
  'before the outcome',
  'after the right to make its card',
  'after the call of its card',
];
const RESULT = 'before the result';
/** Fewer than make a first page of the account's contacts worth a call: each person is an upsert and a card. */
const PEOPLE = 16;

let context: KillContext | undefined;
afterAll(async () => await context?.close());

it('FAULTS 16: workers die in every phase of a batch, beside others that live → everybody once, with one card each', async () => {
  context = await openKillContext({
    account: account(),
    csv: plainRows(PEOPLE, 'New'),
    config: {
      sources: { leads: { type: 'csv', path: './leads.csv' } },
      mappings: { leads: MAPPING },
      // One place for each of the two batches.
      syncs: { leads: { account: 'acme', source: 'leads', mapping: 'leads', concurrency: 2 } },
    },
  });
  const { deps, panel, temporal, work, spawn } = context;
  const workQueue = await context.workflows();
  const taskQueue = apiQueue(workQueue);
  await work(workQueue, createLedgerActivities(deps));
  // The ledger is empty: its records are numbered from 1. The first few verify the writes.
  const points = Object.fromEntries([[0, RESULT], ...POINTS.map((point, n) => [n + 4, point] as const)]);
  const children = await spawn(POINTS.length + 1, { work: 'sync', taskQueue, points });
  const handle = await temporal.client.workflow.start<typeof crmSync>('crmSync', {
    workflowId: `${workQueue}/kill`,
    taskQueue: workQueue,
    args: [{ account: 'acme', sync: 'leads' }],
  });
  await untilDead(children);
  // Another worker goes on with what they left.
  await work(taskQueue, createApiActivities(deps));
  const outcome = { read: PEOPLE, created: PEOPLE, cards: PEOPLE, failed: 0, unknown: 0, pending: 0 };
  expect(await handle.result()).toMatchObject(outcome);
  const { contacts, cards } = await panel.account();
  expect(contacts).toHaveLength(PEOPLE);
  expect(new Set(cards.map(({ contactId }) => contactId)).size).toBe(PEOPLE);
  expect(effects(await panel.requests(), 'POST', /cards$/)).toHaveLength(PEOPLE);
}, 180_000);
