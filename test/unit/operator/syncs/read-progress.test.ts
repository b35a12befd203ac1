// Progress of a sync: the counts of its workflow plus what its batches have reported since, each record once.
import type { WorkflowHandle } from '@temporalio/client';
import { defaultDataConverter, defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import type { BatchCounts, RunProgress } from '../../../../src/jobs/sync/contract/run.ts';
import { readProgress } from '../../../../src/jobs/sync/operator/read-progress.ts';

const NOW = {
  run: 'acme/leads/1',
  phase: 'syncing',
  paused: null,
  read: 9,
  readShare: 1,
  merged: 0,
  total: 9,
  done: 3,
  created: 2,
  updated: 1,
  failed: 0,
  unknown: 0,
  rejected: 0,
  cards: 2,
  stoppedSteps: [],
  totals: [],
  trouble: null,
} satisfies RunProgress;

const reported = (over: Partial<BatchCounts>): BatchCounts => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  unknown: 0,
  cards: 0,
  trouble: null,
  ...over,
});

/** A workflow with these batches under way, by what it knows and by what Temporal does. */
function handle(running: readonly string[], pending: Readonly<Record<string, BatchCounts | undefined>>) {
  const pendingActivities = Object.entries(pending).map(([activityId, details]) => ({
    activityId,
    heartbeatDetails:
      details === undefined ? null : { payloads: [defaultPayloadConverter.toPayload(details)] },
  }));
  return {
    client: {
      options: {
        loadedDataConverter: {
          ...defaultDataConverter,
          payloadCodecs: [],
          payloadConverter: defaultPayloadConverter,
        },
      },
    },
    describe: async () => ({ raw: { pendingActivities } }),
    query: async () => ({ ...NOW, running }),
  } as unknown as WorkflowHandle;
}

describe('the progress of a sync', () => {
  it('is that of its workflow and of each batch under way', async () => {
    const trouble = { failures: 3, reason: 'away' };
    const batches = {
      'batch-2': reported({ created: 2, cards: 3, unchanged: 1 }),
      'batch-3': reported({ failed: 1, trouble }),
    };
    const now = await readProgress(handle(['batch-2', 'batch-3'], batches));
    expect(now).toEqual({ ...NOW, done: 7, created: 4, cards: 5, failed: 1, trouble });
  });

  it('counts a batch once that has ended since its report', async () => {
    expect(await readProgress(handle([], { 'batch-2': reported({ created: 2 }) }))).toEqual(NOW);
  });

  it('counts nothing of a batch without a report', async () => {
    expect(await readProgress(handle(['batch-2', 'batch-3'], { 'batch-2': undefined }))).toEqual(NOW);
  });
});
