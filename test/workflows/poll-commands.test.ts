// `sluice poll` as operators type it, against real workflows and a ledger; only the calls of the API are played.

import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPollControlActivities } from '../../activities/conversations/index.ts';
import type { Deps } from '../../activities/shared/deps.ts';
import { startPollers } from '../../src/app/pollers.ts';
import { Config } from '../../src/config/schema/config.ts';
import { apiQueue, pollingIdentity, WORK_QUEUE } from '../../src/core/ids.ts';
import { registerPoll } from '../../src/jobs/conversations/commands/poll.ts';
import type { PollBatchInput, PollBatchResult } from '../../src/jobs/conversations/contract/poll.ts';
import { commandPoller } from '../../src/jobs/conversations/operator/command.ts';
import { countMessages, endSweep, noteGap } from '../../src/jobs/conversations/store/poll-progress.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes.ts';
import {
  pausePollingUpdate,
  pollNowUpdate,
  resumePollingUpdate,
  wakeSignal,
} from '../../workflows/messages.ts';
import { operatorContext } from '../support/operator/context.ts';
import { runHere } from '../support/runner/run-here.ts';
import { connectTestTemporal, type TestTemporal } from '../support/temporal/temporal.ts';
import { workflowBundle } from '../support/temporal/workflow-bundle.ts';

const FILE = {
  version: 1,
  accounts: { acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:TOKEN'] } },
  pollers: {
    main: { account: 'acme', connection: 1, interval: { min: '1h', max: '1h' } },
    spare: { account: 'acme', connection: 2, interval: { min: '1h', max: '1h' } },
  },
};
const config = Config.parse(FILE);
const MAIN = { account: 'acme', poller: 'main' };

let temporal: TestTemporal;
/** What the next poll finds: a number of messages, or a refusal. `killed`: its worker never responds. */
let news: number | 'revoked' | 'killed' = 0;
/** Lets the workers of killed batches shut down. */
let bury: () => void = () => undefined;
let batchBegun: () => void = () => undefined;
/** Delays the answer of `beginPoll` after it has read the ledger. */
let afterBegin: () => Promise<void> = async () => undefined;
const failures = { list: 0, read: 0, history: 0, readOld: 0 };

beforeAll(async () => {
  temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
});
afterAll(async () => {
  await temporal.close();
});
const { db, operator } = operatorContext({
  yaml: FILE,
  env: { TOKEN: 'svc_test_CANARY' },
  temporal: () => temporal.client,
  once: true,
});

async function pollBatch({ account, poller, pollInMs }: PollBatchInput): Promise<PollBatchResult> {
  const idle = { calls: 1, block: null };
  const end = { pollInMs: 3_600_000, oldInMs: null, intervalMs: 3_600_000, failures, old: idle };
  if (news === 'killed') {
    batchBegun();
    await new Promise<void>((resolve) => {
      bury = resolve;
    });
    throw new Error('nobody hears this');
  }
  if (news === 'revoked') {
    const code = 'ERR_TOKEN_REVOKED';
    const block = { code, reason: `${code}: the token was revoked`, shape: null };
    return { ...end, polls: 0, news: { calls: 0, block } };
  }
  // A command that arrives between two batches begins one in which no poll is due.
  if (pollInMs > 0) return { ...end, pollInMs, polls: 0, news: { calls: 0, block: null } };
  await countMessages(db, { account, poller }, news);
  const sweep = { watermark: new Date(), complete: true, news: news > 0, settled: false, readDownTo: null };
  await endSweep(db, { account, poller }, sweep);
  return { ...end, polls: 1, news: idle };
}

async function startWorkers() {
  const { nativeConnection: connection, namespace } = temporal;
  const deps: Pick<Deps, 'db' | 'log' | 'budget' | 'account' | 'poller'> = {
    db,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined } as never,
    budget: { pace: async () => 120 } as never,
    account: () => ({ tokens: [{ key: 'k', client: { assumptions: {} } }], tokenKey: 'k' }) as never,
    poller: (_account, poller) => config.pollers[poller] as never,
  };
  const control = createPollControlActivities(deps as Deps);
  const common = { connection, namespace };
  const work = await Worker.create({
    ...common,
    taskQueue: WORK_QUEUE,
    ...workflowBundle(),
    activities: {
      ...control,
      async beginPoll(poller: Parameters<typeof control.beginPoll>[0]) {
        const start = await control.beginPoll(poller);
        await afterBegin();
        return start;
      },
    },
  });
  const api = await Worker.create({
    ...common,
    taskQueue: apiQueue(WORK_QUEUE),
    activities: { pollBatch },
  });
  const running = [work, api].map((worker) => ({ worker, ended: worker.run() }));
  return async () => {
    for (const { worker } of running) worker.shutdown();
    await Promise.all(running.map(({ ended }) => ended));
  };
}

async function sluice(args: string) {
  const argv = [...args.split(' '), '--server', operator.server];
  const ended = await runHere((program) => registerPoll(program, {}), argv);
  return {
    ...ended,
    json: () =>
      ended.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
  };
}

describe('without a worker', () => {
  it('a command ends as unavailable, and says what to do; the status needs none', async () => {
    await startPollers({ client: temporal.client, config: { pollers: { spare: config.pollers.spare! } } });
    const spare = { account: 'acme', poller: 'spare' };
    const command = (handle: WorkflowHandle) =>
      handle.startUpdate(resumePollingUpdate, {
        args: [{ by: 'ana', reason: '' }],
        waitForStage: 'ACCEPTED',
      });
    await expect(commandPoller(temporal.client, spare, command, 500)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/^no worker answered .* `sluice dev`/),
    });
    expect((await sluice('poll status spare --json')).code).toBe(0);
    await temporal.client.workflow.getHandle('conversation-polling/acme/spare').terminate();
  });
});

describe('with a worker', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await startWorkers();
  });
  afterAll(() => stop());

  it('a poller is started once, shown, polled, paused, resumed and stopped; it keeps its position', async () => {
    expect(await sluice('poll status --json').then(({ json }) => json())).toMatchObject([
      { ...MAIN, state: 'stopped', startedAt: null, polls: 0 },
      { poller: 'spare', state: 'stopped' },
    ]);
    expect((await sluice('poll now main')).code).toBe(3);

    expect((await sluice('poll start main')).stdout).toBe('main (account acme): started\n');
    expect((await sluice('poll start --json main')).json()).toEqual([
      { poller: 'main', account: 'acme', started: false },
    ]);

    expect((await sluice('poll now main')).stdout).toBe('main was polled: nothing new\n');
    news = 3;
    expect(await sluice('poll now main')).toMatchObject({
      code: 0,
      stdout: 'main was polled: 3 new messages\n',
    });
    news = 0;
    expect((await sluice('poll now acme/main --json')).json()).toEqual([{ ...MAIN, messages: 0 }]);

    expect(await sluice('poll pause main --reason lunch')).toMatchObject({
      code: 0,
      stdout: 'main is paused; continue with `sluice poll resume main`\n',
    });
    const paused = await sluice('poll status main');
    expect(paused.stdout).toMatch(/^main +acme +paused .*\n {2}paused by .+: lunch\n$/m);
    expect(await sluice('poll now main')).toMatchObject({
      code: 5,
      stderr: 'the poller is paused: `sluice poll resume main` lets it go on',
    });
    expect((await sluice('poll resume main')).stdout).toBe('main continues\n');

    expect(await sluice('poll stop main --reason moving')).toMatchObject({
      code: 0,
      stdout: 'main has stopped; continue with `sluice poll start main`\n',
    });
    expect(await sluice('poll stop main')).toMatchObject({
      code: 3,
      stderr: 'the poller "main" is not running; `sluice poll start main` starts it',
    });
    expect((await sluice('poll status main --json')).json()).toMatchObject([
      { state: 'stopped', messages: 3, startedAt: expect.any(String), trouble: null },
    ]);
    const history = await temporal.client.workflow.getHandle('conversation-polling/acme/main').fetchHistory();
    const reasons = (history.events ?? []).map(
      (one) => one.workflowExecutionCancelRequestedEventAttributes?.cause,
    );
    expect(reasons.filter(Boolean)).toEqual([expect.stringMatching(/^stopped by .+: moving$/)]);
  });

  it('a refusal of the account is reported with its code, and shown until it is resolved', async () => {
    news = 'revoked';
    await sluice('poll start main');
    expect(await sluice('poll now main')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('"main" could not be polled: ERR_TOKEN_REVOKED'),
    });
    expect((await sluice('poll status main')).stdout).toMatch(
      /^main +acme +blocked .*\n {2}blocked: .*revoked/m,
    );
    news = 0;
    expect((await sluice('poll now main')).code).toBe(0);
    expect((await sluice('poll status main')).stdout).not.toContain('blocked');
    await sluice('poll stop main');
  });

  it('a pause completes although the worker of the batch is killed, and the poller continues after it', async () => {
    await startPollers({ client: temporal.client, config: { pollers: { main: config.pollers.main! } } });
    const begun = new Promise<void>((resolve) => {
      batchBegun = resolve;
    });
    news = 'killed';
    const handle = temporal.client.workflow.getHandle(pollingIdentity(MAIN).workflowId);
    await handle.signal(wakeSignal);
    await begun;
    // The batch ends as timed out: nothing hears of the cancellation.
    await handle.executeUpdate(pausePollingUpdate, { args: [{ by: 'ana', reason: '' }] });
    bury();
    news = 0;
    await handle.executeUpdate(resumePollingUpdate, { args: [{ by: 'ana', reason: '' }] });
    await handle.executeUpdate(pollNowUpdate);
    expect(await handle.describe()).toMatchObject({ status: { name: 'RUNNING' } });
  });

  it('FAULTS 23: a resume counts although the poller, just started again, reads the pause from before it', async () => {
    const by = { by: 'ana', reason: '' };
    const handle = temporal.client.workflow.getHandle(pollingIdentity(MAIN).workflowId);
    await startPollers({ client: temporal.client, config: { pollers: { main: config.pollers.main! } } });
    await handle.executeUpdate(pausePollingUpdate, { args: [by] });
    await handle.cancel();
    await handle.result().catch(() => undefined);
    let answer = () => undefined as void;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const read = new Promise<void>((resolve) => {
      afterBegin = async () => {
        resolve();
        await answered;
      };
    });
    await startPollers({ client: temporal.client, config: { pollers: { main: config.pollers.main! } } });
    await read;
    await handle.executeUpdate(resumePollingUpdate, { args: [by] });
    answer();
    afterBegin = async () => undefined;
    await handle.executeUpdate(pollNowUpdate);
    expect((await sluice('poll status main --json')).json()).toMatchObject([{ state: 'polling' }]);
  });

  it('gaps are listed one per line, for the named pollers', async () => {
    await noteGap(db, MAIN, { code: 'LIST_GAP', reason: 'the pages do not join', before: new Date(0) });
    await noteGap(db, MAIN, { code: 'UNREADABLE', reason: 'of another shape', conversation: 77 });
    const { stdout, stderr } = await sluice('poll gaps main');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').slice(2, 3)),
    ).toEqual([['where'], ['conversation 77'], ['list of conversations']]);
    expect(stderr).toContain('2 gaps');
    expect((await sluice('poll gaps spare --json')).stdout).toBe('');
    expect((await sluice('poll gaps main --json --limit 1')).json()).toMatchObject([
      { ...MAIN, conversation: 77 },
    ]);
  });

  it.each(['start mian', 'gaps mian', 'pause mian'])(
    'a mistyped name ends with not found and the nearest one: %s',
    async (args) => {
      const { code, stderr } = await sluice(`poll ${args}`);
      expect(code).toBe(3);
      expect(stderr).toContain('there is no poller "mian"; did you mean "main"?');
    },
  );
});
