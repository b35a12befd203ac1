// `sluice campaign plan`, `approve` and `start` as operators type them, against real workflows and a ledger; only the calls of
// the API are played.

import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createCampaignLedgerActivities } from '../../../activities/campaigns/index.ts';
import { apiQueue, WORK_QUEUE } from '../../../src/core/ids.ts';
import { saveCatalog } from '../../../src/core/store/catalog.ts';
import { registerCampaign } from '../../../src/jobs/campaigns/commands/campaign.ts';
import type { TriggerBatchInput, TriggerBatchResult } from '../../../src/jobs/campaigns/contract/batches.ts';
import type { CampaignPlan } from '../../../src/jobs/campaigns/contract/plan.ts';
import type { CampaignReport } from '../../../src/jobs/campaigns/contract/report.ts';
import { startRun } from '../../../src/jobs/campaigns/operator/start.ts';
import { getCampaign } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { createUser } from '../../../src/operator/store/identity/users.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { createDeps } from '../../../workers/compose.ts';
import { ALL_DAY } from '../../support/campaigns/windows.ts';
import { operatorContext } from '../../support/operator/context.ts';
import { runHere } from '../../support/runner/run-here.ts';
import { connectTestTemporal, type TestTemporal } from '../../support/temporal/temporal.ts';
import { workflowBundle } from '../../support/temporal/workflow-bundle.ts';

const campaign = (over: object = {}) => ({
  account: 'acme',
  flow: 1,
  connection: 1,
  windows: { days: ALL_DAY },
  waves: { settle: '0s' },
  audience: [{ from: 'source', source: 'people', number: 'phone' }],
  numberFormat: 'international',
  variables: { name: 'name' },
  // All campaigns of this file reach the same people.
  cap: { times: 100 },
  ...over,
});
const FILE = {
  version: 1,
  accounts: {
    acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:TOKEN'], timeZone: 'America/Sao_Paulo' },
  },
  sources: { people: { type: 'csv', path: './people.csv' } },
  campaigns: {
    back: campaign(),
    careful: campaign({ approval: 'second-person' }),
    broken: campaign({ connection: 9 }),
    doubtful: campaign(),
    later: campaign({ start: '2099-01-05T09:00:00-03:00' }),
  },
};
const CSV = 'phone,name\n14155552001,Canary One\n14155552002,Canary Two\n14155552003,Canary Three\n';

let temporal: TestTemporal;
let stop: () => Promise<void>;

beforeAll(async () => {
  temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
});
afterAll(async () => {
  await stop?.();
  await temporal.close();
});
const { db, operator, file, load } = operatorContext({
  yaml: FILE,
  files: { 'people.csv': CSV },
  env: { TOKEN: 'svc_test_CANARY' },
  temporal: () => temporal.client,
  once: true,
});

/** A batch of all who wait in a wave, and what is written down of them. */
async function triggerBatch({ run }: TriggerBatchInput): Promise<TriggerBatchResult> {
  const { campaign } = await getCampaign(db, run);
  const members = await db.query<{ id: number }>(
    "select id from campaign_members where run_id = $1 and state = 'waiting' and wave is not null order by id",
    [run],
  );
  const states = campaign === 'doubtful' ? (['failed', 'unknown'] as const) : [];
  for (const [n, { id }] of members.entries()) {
    const state = states[n] ?? 'triggered';
    const code = state === 'failed' ? 'ERR_NO_CONTACT_FOUND' : null;
    await db.query(
      'update campaign_members set state = $2, code = $3, sends = 1, ended_at = $4 where id = $1',
      [id, state, code, new Date()],
    );
  }
  const none = { stalled: false, refusal: null, after: [] };
  return { ...none, members: members.length, proved: true };
}

async function startWorkers(): Promise<void> {
  const { nativeConnection: connection, namespace } = temporal;
  const config = await load();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const { deps, close } = await createDeps({ config, db, log });
  const common = { connection, namespace };
  const work = await Worker.create({
    ...common,
    taskQueue: WORK_QUEUE,
    ...workflowBundle(),
    activities: createCampaignLedgerActivities(deps),
  });
  const readCampaignList = () =>
    saveCatalog(db, 'acme', 'connections', [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' }]);
  const api = await Worker.create({
    ...common,
    taskQueue: apiQueue(WORK_QUEUE),
    activities: { readCampaignList, triggerBatch },
  });
  const running = [work, api].map((worker) => ({ worker, ended: worker.run() }));
  stop = async () => {
    for (const { worker } of running) worker.shutdown();
    await Promise.all(running.map(({ ended }) => ended));
    await close();
  };
}

async function sluice(args: string) {
  const argv = ['campaign', ...args.split(' '), '--server', operator.server];
  return await runHere((program) => registerCampaign(program, {}), argv);
}

describe('without a worker', () => {
  it('a start without a worker says so, and what to do', async () => {
    const input = { account: 'acme', campaign: 'nobody', run: 'acme/+nobody/1', by: 'ana' };
    const { client } = temporal;
    await expect(startRun(client, input, { taskQueue: WORK_QUEUE, acceptMs: 300 })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/no worker has taken "nobody" within 0.3 s; .*`sluice dev`/),
    });
    await client.workflow.getHandle('reactivation-campaign/acme/nobody').terminate();
  });

  it('a mistyped name is an error before any query', async () => {
    for (const verb of ['plan', 'approve', 'start'])
      expect(await sluice(`${verb} bak`)).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(/no campaign "bak"; did you mean "back"/),
      });
  });
});

describe('with a worker', () => {
  beforeAll(() => startWorkers());

  it('a campaign is planned, started and watched to its end', async () => {
    expect(await sluice('start back --yes')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/no plan of "back" waits .*`sluice campaign plan back`/),
    });
    const plan = await sluice('plan back');
    expect(plan).toMatchObject({ code: 0 });
    expect(plan.stdout).toMatch(/^plan acme\/\+back\/1 of the campaign "back"/);
    expect(plan.stdout).toMatch(/\n {2}3 to be reached, 0 excluded, 0 in the control group\n/);
    expect(plan.stdout).toMatch(/\n`sluice campaign start back` starts it\n$/);
    expect(plan.stderr).toMatch(/plan back: 3 rows in/);

    expect(await sluice('start back')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/acme\/\+back\/1 of "back" will start, for 3 members\n.*add --yes/s),
    });
    const started = await sluice('start back --yes --reason spring --watch');
    expect(started).toMatchObject({
      code: 0,
      stdout: 'acme/+back/1 is finished: of 3 members 3 triggered, 0 skipped, 0 failed, 0 unknown\n',
    });
    expect(started.stderr).toMatch(/acme\/\+back\/1 has started\n/);
    const [audit] = await db.query("select by, reason from campaign_audit where action = 'start'");
    expect(audit).toMatchObject({ reason: 'spring' });
    expect((await sluice('start back --yes')).stderr).toMatch(/its newest run, acme\/\+back\/1, is finished/);
  });

  it('a plan with problems says why, and is not started', async () => {
    const plan = await sluice('plan broken --json');
    expect(plan.code).toBe(1);
    const { run, problems } = JSON.parse(plan.stdout) as CampaignPlan;
    expect(problems.map(({ code }) => code)).toEqual(['CONNECTION_NOT_FOUND']);
    const started = await sluice('start broken --yes');
    expect(started).toMatchObject({ code: 1, stdout: '' });
    expect(started.stderr).toMatch(/no connection 9.*\[CONNECTION_NOT_FOUND\]/);
    expect(started.stderr).toMatch(/a plan with this problem can't be started/);
    expect((await getCampaign(db, run)).state).toBe('planned');
  });

  it('a plan that needs approval waits for it, and an edit voids it', async () => {
    // The Unix user of this process: a plan of nobody could not be approved.
    const unixUser = userInfo().username;
    await createUser(db, {
      name: 'ana',
      displayName: 'Ana',
      role: 'operator',
      passwordHash: null,
      oidc: null,
      unixUser,
    });
    const plan = await sluice('plan careful');
    expect(plan.stdout).toMatch(/somebody else than .* approves it with `sluice campaign approve careful`/);
    expect(await sluice('start careful --yes')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/the plan of .* is not approved/),
    });
    // What is to be approved is shown, and nobody is asked who may not approve it.
    for (const verb of ['approve careful', 'approve careful --yes'])
      expect(await sluice(verb)).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /plan acme\/\+careful\/1 of .*, made by user:ana at .*made this plan: another person has to approve it/s,
        ),
      });
    const bia = operator.as({ identity: 'user:bia', role: 'approver', via: 'token' });
    const approval = { campaign: 'careful', run: 'acme/+careful/1' };
    expect(await bia.call('POST /campaigns/{campaign}/approve', approval)).toMatchObject({
      run: 'acme/+careful/1',
      approvedBy: 'user:bia',
    });
    await writeFile(
      file(),
      stringify({ ...FILE, campaigns: { ...FILE.campaigns, careful: campaign({ flow: 2 }) } }),
    );
    for (const verb of ['start careful --yes', 'approve careful --yes'])
      expect(await sluice(verb)).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(/the plan acme\/\+careful\/1 was made with another configuration/),
      });
    await writeFile(file(), stringify(FILE));
    const report = await sluice('start careful --yes --watch --json');
    expect(report.code).toBe(0);
    expect(JSON.parse(report.stdout) as CampaignReport).toMatchObject({
      run: 'acme/+careful/1',
      state: 'finished',
      approvedBy: 'user:bia',
      total: { triggered: 3 },
    });
  });

  it('a run with members whose outcome is unknown ends with exit code 7', async () => {
    expect(await sluice('plan doubtful')).toMatchObject({ code: 0 });
    const ended = await sluice('start doubtful --yes --watch');
    expect(ended).toMatchObject({ code: 7, stdout: expect.stringContaining('1 failed, 1 unknown') });
  });

  it('a start returns when it is accepted; a second one joins; no other plan or start is possible', async () => {
    expect((await sluice('plan later')).stdout).toMatch(/Mon 2099-01-05 .* 3 {2}09:00-09:00 {2}wave 1\n/);
    expect(await sluice('start later --yes')).toMatchObject({ code: 0, stdout: 'acme/+later/1\n' });
    const joined = await sluice('start later --yes --json');
    expect(JSON.parse(joined.stdout)).toMatchObject({ run: 'acme/+later/1', joined: true });
    expect(joined.stderr).toMatch(/acme\/\+later\/1 is under way/);
    expect(await sluice('plan later')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/the run acme\/\+later\/1 of the campaign is in progress/),
    });
    expect(await sluice('start later --yes --run acme/+later/9')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/no run acme\/\+later\/9/),
    });
    expect(await sluice('start later --yes --run acme/+back/1')).toMatchObject({ code: 2 });
    expect(await sluice('cancel later --yes')).toMatchObject({ code: 0 });
    expect(await sluice('start back --yes --run acme/+back/9')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/no run acme\/\+back\/9/),
    });
  });

  it('FAULTS 50: Temporal contains no personal data', async () => {
    for (const id of ['campaign-plan/acme/doubtful', 'reactivation-campaign/acme/doubtful']) {
      const text = textOf(await temporal.client.workflow.getHandle(id).fetchHistory());
      expect(text).toContain('acme/+doubtful/1');
      expect(text).not.toMatch(/1415555|Canary|CANARY/);
    }
  });
});

/** Everything in a value as text; bytes are read as UTF-8, so that payloads are searched. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(textOf).join('\n');
}
