// The order of things in the workflow of a campaign, whose activities are played: a command is written when all calls have ended,
// and a run never ends with a command half way.

import { Context } from '@temporalio/activity';
import type { WithStartWorkflowOperation as Operation } from '@temporalio/client';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiQueue } from '../../../src/core/ids.ts';
import { MEMBER_STATES } from '../../../src/jobs/campaigns/constants.ts';
import {
  type CampaignCommandInput,
  type CampaignCounts,
  type NextAction,
  type TriggerBatchResult,
} from '../../../src/jobs/campaigns/contract/batches.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import {
  campaignProgressQuery,
  changeRateUpdate,
  resolveUnknownUpdate,
  retryFailedUpdate,
  skipWaveUpdate,
} from '../../../workflows/messages.ts';
import type { reactivationCampaign } from '../../../workflows/reactivation-campaign.ts';
import { connectTestTemporal, type TestTemporal } from '../../support/temporal/temporal.ts';
import { startWorkflowWorker, type WorkflowWorker } from '../../support/temporal/workflow-worker.ts';
import { until } from '../../support/until.ts';

let temporal: TestTemporal;
let workflows: WorkflowWorker;
beforeAll(async () => {
  temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
  workflows = await startWorkflowWorker(temporal);
});
afterAll(async () => {
  await workflows?.stop();
  await temporal?.close();
});

const BY = { by: 'ana', reason: 'lunch' };
const counts = Object.fromEntries(MEMBER_STATES.map((state) => [state, 0])) as CampaignCounts;
const FACTS = { wave: 1, pacePerMinute: null, callsPerMinute: 120, counts };
const DONE: TriggerBatchResult = { members: 1, stalled: false, proved: true, refusal: null, after: [] };

/** What a test plays; all that happens is noted in its order. */
class Play {
  readonly log: string[] = [];
  /** Members wait for a batch. */
  waiting = true;
  /** Events that the end of the run hands over, once. */
  after: string[] = [];
  batch: () => Promise<TriggerBatchResult> = async () => DONE;

  get ledger() {
    return {
      openCampaign: async () => ({ tokenKey: 'token', callsPerMinute: 120, paused: null, after: [] }),
      decideNext: async (): Promise<NextAction> => ({
        ...FACTS,
        do: this.waiting ? 'triggerBatch' : 'finish',
      }),
      campaignCommand: async ({ command }: CampaignCommandInput) => {
        this.log.push(command.action);
        this.waiting = command.action === 'retry';
        return { members: 1 };
      },
      closeCampaign: async () => ({ closed: !this.waiting, after: this.after.splice(0) }),
    };
  }

  readonly triggerBatch = async (): Promise<TriggerBatchResult> => {
    this.log.push('batch begins');
    const result = await this.batch();
    this.waiting = false;
    this.log.push('batch ends');
    return result;
  };
}

async function playing(
  play: Play,
  work: (start: () => Operation<typeof reactivationCampaign>) => Promise<void>,
): Promise<void> {
  const common = { connection: temporal.nativeConnection, namespace: temporal.namespace };
  const { workQueue } = workflows;
  const soon = {
    maxHeartbeatThrottleInterval: '200 ms',
    defaultHeartbeatThrottleInterval: '200 ms',
  } as const;
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue: workQueue, activities: play.ledger }),
    Worker.create({
      ...common,
      ...soon,
      taskQueue: apiQueue(workQueue),
      activities: { triggerBatch: play.triggerBatch },
    }),
  ]);
  const running = workers.map((worker) => worker.run());
  const workflowId = temporal.taskQueue('campaign');
  const start = () =>
    new WithStartWorkflowOperation<typeof reactivationCampaign>('reactivationCampaign', {
      workflowId,
      taskQueue: workQueue,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [{ account: 'acme', campaign: 'win', run: 'acme/+win/1', by: 'ana' }],
    });
  try {
    await work(start);
  } finally {
    await workflows.endAll();
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
  }
}

async function begin(start: () => Operation<typeof reactivationCampaign>, play: Play) {
  const { options } = start();
  const handle = await temporal.client.workflow.start<typeof reactivationCampaign>(
    'reactivationCampaign',
    options,
  );
  await until('it is in progress', async () => play.log.length > 0 || null);
  return handle;
}

/** A batch whose call is answered a while after it was called off. */
async function answersLate(): Promise<TriggerBatchResult> {
  const { cancelled, heartbeat } = Context.current();
  const pulse = setInterval(() => heartbeat(), 100);
  await cancelled.catch(() => undefined);
  clearInterval(pulse);
  await new Promise((resolve) => setTimeout(resolve, 500));
  return DONE;
}

describe('a command on a campaign whose batch is in progress', () => {
  it.each([
    ['skipWave', skipWaveUpdate, {}],
    ['rate', changeRateUpdate, { callsPerMinute: 5 }],
    ['resolve', resolveUnknownUpdate, { members: null, as: 'triggered', again: false }],
  ] as const)('%s is written, and answered, when its calls have ended', async (action, update, over) => {
    const play = new Play();
    play.batch = answersLate;
    await playing(play, async (start) => {
      const handle = await begin(start, play);
      await handle.executeUpdate(update as typeof changeRateUpdate, { args: [{ ...BY, ...over } as never] });
      expect(play.log).toEqual(['batch begins', 'batch ends', action]);
      expect(await handle.result()).toMatchObject({ state: 'finished' });
    });
  });

  it('does not wait for a batch whose worker is gone, which pauses nothing', async () => {
    const play = new Play();
    let release = () => undefined as void;
    play.batch = async () => {
      if (play.log.length > 1) return DONE;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      throw new Error('nobody listens any more');
    };
    await playing(play, async (start) => {
      const handle = await begin(start, play);
      try {
        await handle.executeUpdate(changeRateUpdate, { args: [{ ...BY, callsPerMinute: 5 }] });
        expect((await handle.query(campaignProgressQuery)).paused).toBeNull();
        expect(await handle.result()).toMatchObject({ state: 'finished' });
        expect(play.log).not.toContain('pause');
      } finally {
        release();
      }
    });
  });
});

it('a retry at the very end of a run is applied', async () => {
  const play = new Play();
  play.after = Array.from({ length: 2000 }, (_, n) => `event${n}`);
  await playing(play, async (start) => {
    const handle = await begin(start, play);
    // The run has ended in the ledger, and its last events are handed over.
    await until('events are handed over', async () => {
      const { raw } = await handle.describe();
      return (raw.pendingChildren?.length ?? 0) > 0 ? true : null;
    });
    await temporal.client.workflow.executeUpdateWithStart(retryFailedUpdate, {
      startWorkflowOperation: start(),
      args: [{ ...BY, codes: null }],
    });
    await temporal.client.workflow.getHandle(handle.workflowId).result();
    expect(play.log.slice(2, 4)).toEqual(['retry', 'batch begins']);
  });
});
