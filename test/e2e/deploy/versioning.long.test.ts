// Changed workflow code under runs in flight, with a real server: a sync ends on the code that it began with, a campaign and a
// poller move to the new code, and new runs begin on it.
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGrpcServiceError, type WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorkers, type Workers } from '../../../workers/compose.ts';
import { campaignEnvironment, token, winback } from '../../support/campaigns/campaign-context.ts';
import { MAPPING } from '../../support/environment.ts';
import { type KillContext, openKillContext } from '../../support/kill/kill-context.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { until } from '../../support/until.ts';

const ROWS = 40;
const MEMBERS = 12;
const csvFrom = (number: number) =>
  ['phone,name,email,tags,company,stage,plan']
    .concat(Array.from({ length: ROWS }, (_, n) => `119${number + n},Lead ${n},,,,,`))
    .join('\n');
const scopes = [
  'contacts:write',
  'cards:write',
  'connections:read',
  'conversations:read',
  'messages:read',
  'flows:trigger',
];
/** gRPC: the version has not polled yet, or not on every queue. */
const NOT_YET = new Set([5, 9]);

let context: KillContext;
let first: string;
let second: string;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-versions-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const early = join(dir, 'early.csv');
  await writeFile(early, csvFrom(81_000_000));
  const syncOf = { account: 'acme', source: 'leads', mapping: 'leads' };
  const { account } = campaignEnvironment(MEMBERS, { account: { tokens: token({ scopes }) } });
  context = await openKillContext({
    account: account ?? {},
    accountConfig: { timeZone: 'America/Sao_Paulo' },
    csv: csvFrom(80_000_000),
    config: {
      sources: { early: { type: 'csv', path: early }, leads: { type: 'csv', path: './leads.csv' } },
      mappings: { leads: MAPPING },
      syncs: { early: { ...syncOf, source: 'early' }, leads: syncOf, more: syncOf },
      pollers: { inbox: { account: 'acme' } },
      campaigns: { winback: winback() },
    },
  });
  ends.push(() => context.close());
  const dist = await buildOnce();
  first = await readFile(join(dist, 'workflow-bundle.js'), 'utf8');
  second = await changedCode(dist);
});
afterAll(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/**
 * The workflow code of the next release. A sync and a campaign write a memo first, which no history of the former code has. The
 * campaign does so behind `patched`, because runs in flight come to this code.
 */
async function changedCode(dist: string): Promise<string> {
  const folder = join(dist, `workflows-${randomUUID()}`);
  ends.push(() => rm(folder, { recursive: true, force: true }));
  await cp(join(dist, 'workflows'), folder, { recursive: true });
  await change(join(folder, 'crm-sync.js'), 'crmSync', "write({ code: 'second' });");
  await change(
    join(folder, 'reactivation-campaign.js'),
    'reactivationCampaign',
    "if (isPatched('memo')) write({ code: 'second' });",
  );
  const logger = new DefaultLogger('ERROR');
  return (await bundleWorkflowCode({ workflowsPath: join(folder, 'index.js'), logger })).code;
}

async function change(file: string, type: string, statement: string): Promise<void> {
  const before = await readFile(file, 'utf8');
  const after = before.replace(
    new RegExp(`export async function ${type}\\(\\w+\\) \\{`),
    `import { patched as isPatched, upsertMemo as write } from '@temporalio/workflow';\n$&\n    ${statement}`,
  );
  expect(after).not.toBe(before);
  await writeFile(file, after);
}

/** A deployment of its own, on a queue of its own. */
function createDeployment() {
  const { deps, temporal } = context;
  const { client, namespace, nativeConnection: connection } = temporal;
  const workQueue = `versions-${randomUUID()}`;
  const deploymentName = `sluice-${randomUUID()}`;

  async function work(code: string, buildId: string | null): Promise<Workers> {
    const workers = await startWorkers({
      connection,
      namespace,
      deps,
      workQueue,
      workflows: { workflowBundle: { code } },
      version: buildId === null ? null : { deploymentName, buildId },
    });
    ends.push(() => workers.stop());
    return workers;
  }
  const describe = async (handle: WorkflowHandle) => {
    const { raw, status, memo } = await handle.describe();
    const { workflowExecutionInfo, pendingActivities } = raw;
    const isWorking = (pendingActivities?.length ?? 0) > 0;
    return { info: workflowExecutionInfo?.versioningInfo, status: status.name, memo, isWorking };
  };
  return {
    work,
    /** Starts workers of this version, and makes it the current one. */
    async ship(buildId: string, code: string): Promise<Workers> {
      const workers = await work(code, buildId);
      await until(`${buildId} is the current version`, () =>
        client.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId }).then(
          () => true,
          (error: unknown) => {
            if (isGrpcServiceError(error) && NOT_YET.has(error.code)) return false;
            throw error;
          },
        ),
      );
      return workers;
    },
    start: (workflowType: string, input: object) =>
      client.workflow.start(workflowType, {
        workflowId: `${workQueue}/${randomUUID()}`,
        taskQueue: workQueue,
        args: [{ account: 'acme', ...input }],
      }),
    describe,
    versionOf: async (handle: WorkflowHandle) => (await describe(handle)).info?.deploymentVersion?.buildId,
  };
}

it('runs in flight go on when workers get their first version, and none of them is pinned to it', async () => {
  const { panel } = context;
  const { work, ship, start, describe, versionOf } = createDeployment();
  const before = await work(first, null);
  await panel.fault({ method: 'POST', path: '.*', kind: 'delay', ms: 5000 });
  const sync = await start('crmSync', { sync: 'early' });
  const poller = await start('conversationPolling', { poller: 'inbox' });
  await until('the sync has begun', async () => (await describe(sync)).isWorking);
  expect(await versionOf(sync)).toBeUndefined();

  const after = await ship('first', first);
  await before.stop();
  await panel.clearFaults();
  expect(await sync.result()).toMatchObject({ read: ROWS, rejected: 0, failed: 0, unknown: 0 });
  await until('the poller has the version', async () => (await versionOf(poller)) === 'first');
  const AUTO_UPGRADE = 2;
  for (const run of [sync, poller]) expect((await describe(run)).info?.behavior).toBe(AUTO_UPGRADE);
  await poller.terminate();
  await after.stop();
});

it('a sync in flight ends on its code; a campaign and a poller move to the new code, on which new runs begin', async () => {
  const { panel, flowRuns } = context;
  const { ship, start, describe, versionOf } = createDeployment();
  await ship('first', first);
  const plan = await start('campaignPlan', { campaign: 'winback', by: 'ana' });
  const { run } = (await plan.result()) as { run: string };
  // Slow enough that the runs outlive the shipping.
  await panel.fault({ method: 'POST', path: '.*', kind: 'delay', ms: 15_000 });
  const poller = await start('conversationPolling', { poller: 'inbox' });
  ends.push(() => poller.terminate());
  const inFlight = await start('crmSync', { sync: 'leads' });
  const campaign = await start('reactivationCampaign', { campaign: 'winback', run, by: 'ana' });
  const begun = [poller, inFlight, campaign];
  await until('all have begun', async () =>
    (await Promise.all(begun.map(versionOf))).every((version) => version === 'first'),
  );

  await ship('second', second);
  for (const each of begun) expect((await describe(each)).status).toBe('RUNNING');
  const next = await start('crmSync', { sync: 'more' });
  await panel.clearFaults();
  expect(await inFlight.result()).toMatchObject({ read: ROWS, rejected: 0, failed: 0, unknown: 0 });
  expect(await campaign.result()).toMatchObject({ run, state: 'finished' });
  await next.result();
  await until('the poller runs on the new code', async () => (await versionOf(poller)) === 'second');

  expect(await Promise.all([inFlight, next, campaign].map(versionOf))).toEqual(['first', 'second', 'second']);
  expect((await describe(poller)).status).toBe('RUNNING');
  // Only what began on the new code has its memo: the campaign that moved to it passed by the change.
  expect((await describe(next)).memo).toHaveProperty('code', 'second');
  for (const each of begun) expect((await describe(each)).memo).not.toHaveProperty('code');
  // Nothing was done twice on the way.
  expect([...(await flowRuns()).values()]).toEqual(Array.from({ length: MEMBERS }, () => 1));

  // The proof that the version mattered: the new code cannot continue the sync.
  const history = await inFlight.fetchHistory();
  await expect(Worker.runReplayHistory({ workflowBundle: { code: second } }, history)).rejects.toThrow(
    /[Nn]ondeterminism|TMPRL1100/,
  );
  await Worker.runReplayHistory({ workflowBundle: { code: first } }, history);
});
