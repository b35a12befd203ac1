// Whole campaigns on a real Temporal server: what the ledger reports is what the service ran, whatever happens on the way.
import { WithStartWorkflowOperation, WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { listMembers } from '../../../src/jobs/campaigns/store/roll.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import {
  campaignProgressQuery,
  cancelCampaignUpdate,
  changeRateUpdate,
  pauseCampaignUpdate,
  resolveUnknownUpdate,
  resumeCampaignUpdate,
  retryFailedUpdate,
  skipWaveUpdate,
} from '../../../workflows/messages.ts';
import type { reactivationCampaign } from '../../../workflows/reactivation-campaign.ts';
import {
  campaignEnvironment,
  expectOnce,
  flowRuns,
  numberOf,
  planned,
  report,
  started,
  startOptions,
  sumOf,
  textOf,
  untilPaused,
  untilRuns,
} from '../../support/campaigns/campaign-context.ts';
import { untilEnded } from '../../support/intake-context.ts';
import { syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const context = syncContext();
const { inEnvironment } = context;
const BY = { by: 'ana', reason: 'lunch' };
const TRIGGER = '^/v1/flows/trigger$';
const SLOW = { path: TRIGGER, kind: 'delay', ms: 150 };
describe('a campaign', () => {
  it('triggers each member once, in waves, moves their cards and tags them', async () => {
    const cards = [1, 2, 3].map((id) => ({
      id,
      contactId: id,
      pipelineId: 1,
      stageId: 11,
      title: `Card ${id}`,
    }));
    const options = campaignEnvironment(7, {
      account: { cards },
      campaign: {
        audience: [
          { from: 'cards', pipeline: 'Sales', stage: 'New' },
          { from: 'contacts', tags: ['crm'] },
        ],
        variables: { name: 'contact.name' },
        waves: { canary: 2, size: 3, settle: '0s' },
        after: { stage: { pipeline: 'Sales', stage: 'Talking' }, tags: ['vip'] },
      },
    });
    await inEnvironment(options, async (environment) => {
      const { plan, run, handle } = await started(environment, context.temporal.client);
      expect(plan).toMatchObject({ audience: 7, eligible: 7, merged: 3, problems: [] });
      expect(await handle.result()).toEqual({ run, state: 'finished' });
      await expectOnce(environment, 7);
      expect(new Set((await flowRuns(environment)).map(({ variables }) => variables.name))).toEqual(
        new Set([1, 2, 3, 4, 5, 6, 7].map((n) => `Person ${n}`)),
      );
      await untilEnded(environment);
      const found = await report(environment, run);
      expect(found.total).toMatchObject({ audience: 7, eligible: 7, triggered: 7, tagged: 7, moved: 3 });
      expect(found.waves.map(({ kind, audience, triggered }) => [kind, audience, triggered])).toEqual([
        ['canary', 2, 2],
        ['wave', 3, 3],
        ['wave', 2, 2],
      ]);
      const { contacts, cards: after } = await environment.panel.account();
      expect(contacts.every(({ tagIds }) => tagIds.includes(1) && tagIds.includes(2))).toBe(true);
      expect(after.map(({ stageId }) => stageId)).toEqual([12, 12, 12]);
    });
  });

  it('FAULTS 20: two concurrent starts are one run; an edited or ended plan does not start', async () => {
    await inEnvironment(campaignEnvironment(6), async (environment) => {
      const { client } = context.temporal;
      const plan = await planned(environment, client);
      await environment.panel.fault({ ...SLOW, ms: 1500 });
      const start = () =>
        client.workflow.start<typeof reactivationCampaign>(
          'reactivationCampaign',
          startOptions(environment, plan.run),
        );
      const [one, two] = await Promise.all([start(), start()]);
      expect(one.firstExecutionRunId).toBe(two.firstExecutionRunId);
      await until(
        'it runs',
        async () => (await one.query(campaignProgressQuery)).phase === 'running' || null,
      );
      await expect(planned(environment, client)).rejects.toMatchObject({
        cause: { cause: { type: 'RUN_OPEN' } },
      });
      expect(await one.result()).toMatchObject({ state: 'finished' });
      // Once more: everybody has an outcome.
      expect(await (await start()).result()).toMatchObject({ state: 'finished' });
      await expectOnce(environment, 6);
    });
  });

  it.each([
    [
      'switched off',
      { flows: [{ id: 1, active: false }] },
      { flows: [{ id: 1, active: true }] },
      'ERR_FLOW_NOT_EXECUTABLE',
    ],
    [
      'on a connection of another channel',
      { connections: [{ id: 1, channel: 'facebook' }] },
      { connections: [{ id: 1, channel: 'waba' }] },
      'ERR_UNSUPPORTED_CHANNEL',
    ],
  ])('a flow %s pauses it instead of failing its members', async (_, off, on, code) => {
    await inEnvironment(campaignEnvironment(5), async (environment) => {
      const { client } = context.temporal;
      const plan = await planned(environment, client);
      await environment.panel.patch(off);
      const handle = await client.workflow.start<typeof reactivationCampaign>(
        'reactivationCampaign',
        startOptions(environment, plan.run),
      );
      expect(await untilPaused(handle)).toContain(code);
      expect((await report(environment, plan.run)).total).toMatchObject({ waiting: 5, failed: {} });
      // What all of them would be refused for costs one call.
      const tried = (await environment.panel.requests()).filter(({ path }) => path === '/v1/flows/trigger');
      expect(tried).toHaveLength(1);
      await environment.panel.patch(on);
      await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
      await handle.result();
      await expectOnce(environment, 5);
    });
  });
});

describe('operators', () => {
  it('FAULTS 23: after a pause completes nothing is sent; resume repeats nothing', async () => {
    await inEnvironment(campaignEnvironment(60), async (environment) => {
      await environment.panel.fault(SLOW);
      const { run, handle } = await started(environment, context.temporal.client);
      await untilRuns(environment, 2);
      // A reset workflow gets its updates again, with the same ids: the ledger applies none of them twice.
      await handle.executeUpdate(pauseCampaignUpdate, { args: [BY], updateId: 'lunch-time' });
      const audit = await environment.db.query("select id from campaign_audit where action = 'pause'");
      expect(audit).toEqual([{ id: 'lunch-time' }]);
      const before = await environment.panel.requests();
      // A command on another run of the campaign.
      const other = { ...BY, run: `${run}9` };
      await expect(handle.executeUpdate(resumeCampaignUpdate, { args: [other] })).rejects.toMatchObject({
        cause: { type: 'ANOTHER_RUN' },
      });
      expect((await report(environment, run)).paused).toEqual({ ...BY, at: expect.any(String) });
      for (let n = 0; n < 40; n++) await handle.query(campaignProgressQuery);
      expect(await environment.panel.requests()).toEqual(before);
      await environment.panel.clearFaults();
      await handle.executeUpdate(resumeCampaignUpdate, { args: [{ ...BY, run }] });
      expect(await handle.result()).toMatchObject({ state: 'finished' });
      await expectOnce(environment, 60);
    });
  });

  it('FAULTS 25: a cancelled run stays cancelled, with exact counts', async () => {
    await inEnvironment(
      campaignEnvironment(12, { campaign: { waves: { size: 4, settle: '0s' } } }),
      async (environment) => {
        await environment.panel.fault(SLOW);
        const { client } = context.temporal;
        const { run, handle } = await started(environment, client);
        await untilRuns(environment, 1);
        await handle.executeUpdate(cancelCampaignUpdate, { args: [BY] });
        expect(await handle.result()).toEqual({ run, state: 'cancelled' });
        const runs = await flowRuns(environment);
        const found = await report(environment, run);
        expect(found).toMatchObject({ state: 'cancelled' });
        expect(found.total).toMatchObject({ triggered: runs.length, waiting: 0, sending: 0, unknown: 0 });
        expect(found.total.cancelled).toBe(12 - runs.length);
        const again = await client.workflow.start<typeof reactivationCampaign>(
          'reactivationCampaign',
          startOptions(environment, run),
        );
        await expect(again.result()).rejects.toThrow(WorkflowFailedError);
        expect(await flowRuns(environment)).toEqual(runs);
      },
    );
  });

  it('FAULTS 25: so does one whose workflow is cancelled with the tools of Temporal', async () => {
    await inEnvironment(campaignEnvironment(8), async (environment) => {
      await environment.panel.fault(SLOW);
      const { run, handle } = await started(environment, context.temporal.client);
      await untilRuns(environment, 1);
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
      const found = await report(environment, run);
      expect(found).toMatchObject({ state: 'cancelled' });
      expect(found.total.triggered).toBe((await flowRuns(environment)).length);
      expect(sumOf(found)).toBe(8);
    });
  });

  it('FAULTS 22: continues as new in time; updates around that moment are kept, and nobody is triggered twice', async () => {
    const members = 160;
    await inEnvironment(
      campaignEnvironment(members, { campaign: { waves: { size: 70, settle: '0s' } } }),
      async (environment) => {
        const { run, handle } = await started(environment, context.temporal.client);
        const first = (await handle.describe()).runId;
        let commands = 0;
        for (let at = 20; at < members; at += 20) {
          await until('more flows', async () => ((await flowRuns(environment)).length >= at ? true : null));
          const command = { by: 'ana', reason: `at ${at}` };
          const failed = (error: Error) => error;
          const paused = await handle.executeUpdate(pauseCampaignUpdate, { args: [command] }).catch(failed);
          // It may be over meanwhile.
          if (paused instanceof Error) break;
          const { length } = await flowRuns(environment);
          await handle.executeUpdate(changeRateUpdate, {
            args: [{ ...command, callsPerMinute: at % 40 === 0 ? null : 60_000 }],
          });
          expect(await flowRuns(environment)).toHaveLength(length);
          await handle.executeUpdate(resumeCampaignUpdate, { args: [command] });
          commands += 3;
        }
        expect(await handle.result()).toMatchObject({ state: 'finished' });
        expect((await handle.describe()).runId).not.toBe(first);
        await expectOnce(environment, members);
        const [audit] = await environment.db.query<{ n: number }>(
          "select count(*)::int as n from campaign_audit where run_id = $1 and action in ('pause', 'rate', 'resume')",
          [run],
        );
        expect(audit?.n).toBe(commands);
      },
    );
  });

  it('failed members are retried and unknown ones resolved, also in a finished run', async () => {
    await inEnvironment(campaignEnvironment(4), async (environment) => {
      const { client } = context.temporal;
      await environment.panel.fault({ path: TRIGGER, kind: 'reset-after', times: 1 });
      await environment.panel.fault({
        path: TRIGGER,
        kind: 'status',
        status: 400,
        body: { error: 'no', code: 'ERR_CONTACT_NUMBER_IS_LID' },
        times: 1,
      });
      const { run, handle } = await started(environment, client);
      await handle.result();
      const found = await report(environment, run);
      expect(found.total).toMatchObject({
        triggered: 2,
        unknown: 1,
        failed: { ERR_CONTACT_NUMBER_IS_LID: 1 },
      });
      const start = () =>
        new WithStartWorkflowOperation<typeof reactivationCampaign>(
          'reactivationCampaign',
          startOptions(environment, run),
        );
      const retry = start();
      await client.workflow.executeUpdateWithStart(retryFailedUpdate, {
        startWorkflowOperation: retry,
        args: [{ ...BY, codes: ['ERR_CONTACT_NUMBER_IS_LID'] }],
      });
      await (await retry.workflowHandle()).result();
      expect((await report(environment, run)).total).toMatchObject({ triggered: 3, unknown: 1, failed: {} });
      const resolve = start();
      await client.workflow.executeUpdateWithStart(resolveUnknownUpdate, {
        startWorkflowOperation: resolve,
        args: [{ ...BY, members: null, as: 'triggered', again: false }],
      });
      await (await resolve.workflowHandle()).result();
      expect((await report(environment, run)).total).toMatchObject({ triggered: 4, unknown: 0 });
      await expectOnce(environment, 4);
    });
  });

  it('a skipped wave triggers nobody, and the next one continues', async () => {
    await inEnvironment(
      campaignEnvironment(9, { campaign: { waves: { size: 3, settle: '0s', every: '30m' } } }),
      async (environment) => {
        const { run, handle } = await started(environment, context.temporal.client);
        await until('the first wave is over', async () => {
          const { waiting } = await handle.query(campaignProgressQuery);
          return waiting?.why === 'every' ? true : null;
        });
        expect(await handle.executeUpdate(skipWaveUpdate, { args: [BY] })).toEqual({ members: 3 });
        await handle.executeUpdate(cancelCampaignUpdate, { args: [BY] });
        await handle.result();
        expect((await report(environment, run)).total).toMatchObject({
          triggered: 3,
          skipped: { WAVE_SKIPPED: 3 },
          cancelled: 3,
        });
      },
    );
  });

  it('FAULTS 50: Temporal, logs and operator output contain no personal data and no token, whatever fails', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'trace', destination: { write: (text) => lines.push(text) } });
    const options = campaignEnvironment(9, {
      campaign: { variables: { name: 'contact.name' }, recheck: 'api', after: { tags: ['vip'] } },
    });
    await inEnvironment({ ...options, log, deadlineMs: 500 }, async (environment) => {
      const { client } = context.temporal;
      const error = `Person 1 ${numberOf(1)} svc_test_token Kanarien`;
      const answers = [
        { kind: 'status', status: 422, body: { error, code: 'ERR_CONTACT_NUMBER_IS_LID' } },
        { kind: 'status', status: 400, body: { error, code: error } },
        { kind: 'status', status: 500, body: error },
        { kind: 'status', status: 200, body: error },
        { kind: 'hang' },
        { kind: 'status', status: 404, body: { error, code: 'ERR_FLOW_NOT_FOUND' } },
      ];
      for (const fault of answers) await environment.panel.fault({ path: TRIGGER, times: 1, ...fault });
      const checks = { path: '^/v1/contacts/1$', times: 1, kind: 'status', status: 400 };
      await environment.panel.fault({ ...checks, body: { error, code: error } });
      const { run, plan, handle, planWorkflow } = await started(environment, client);
      // The first refusal without a listed code pauses it, and so does the flow that is gone.
      for (let paused = true; paused; ) {
        paused = await until('it is paused, or over', async () => {
          const { phase, paused } = await handle.query(campaignProgressQuery);
          if (phase === 'ended') return 'no';
          return paused?.by === 'sluice' ? 'yes' : null;
        }).then((answer) => answer === 'yes');
        if (paused) await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
      }
      await handle.result();
      await untilEnded(environment);
      const { total } = await report(environment, run);
      expect(total.unknown).toBeGreaterThan(0);
      expect(Object.values(total.failed)).not.toEqual([]);
      const reported: Record<string, string> = { logs: lines.join(''), plan: JSON.stringify(plan) };
      for await (const { workflowId } of client.workflow.list({
        query: `TaskQueue = "${environment.workQueue}"`,
      })) {
        const its = client.workflow.getHandle(workflowId);
        reported[workflowId] = textOf(await its.fetchHistory()) + textOf((await its.describe()).raw);
      }
      expect(Object.keys(reported)).toEqual(expect.arrayContaining([handle.workflowId, planWorkflow]));
      for (const table of ['campaigns', 'campaign_audit', 'campaign_waves', 'run_warnings', 'runs'])
        reported[table] = JSON.stringify(await environment.db.query(`select * from ${table}`));
      reported.members = JSON.stringify(
        await listMembers(environment.db, { run, after: 0, limit: 100, variables: false }),
        (name, value: unknown) => (name === 'number' ? undefined : value),
      );
      // Each would be seen where it may be.
      expect(reported[handle.workflowId]).toContain('ERR_FLOW_NOT_FOUND');
      expect(reported.logs).toContain('the answer to a trigger was lost');
      for (const [where, text] of Object.entries(reported))
        expect([where, /1415555|Person \d|svc_test|Kanarien/.exec(text)?.[0]]).toEqual([where, undefined]);
    });
  });

  it('FAULTS 46: human service is an outcome; too much of it stops the campaign', async () => {
    const served = [1, 2, 3].map((id) => ({
      id,
      contactId: id,
      connectionId: 1,
      status: 'open',
      chatbot: false,
      userId: 1,
      queueId: null,
      messages: [{ id: `m${id}`, body: 'hi', fromMe: false }],
    }));
    const options = campaignEnvironment(6, {
      account: { users: [{ id: 1, name: 'Ana' }], conversations: served },
      campaign: { waves: { size: 5, settle: '0s' }, stop: { humanService: 0.1, atLeast: 2 } },
    });
    await inEnvironment(options, async (environment) => {
      const { run, handle } = await started(environment, context.temporal.client);
      expect(await untilPaused(handle)).toMatch(/^STOP_RULE: wave 1: .*40 %|40%/);
      await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
      await handle.result();
      const found = await report(environment, run);
      expect(found.total).toMatchObject({ triggered: 3, skipped: { HUMAN_SERVICE: 3 } });
      expect(found.waves[0]?.broken).toMatchObject([{ code: 'STOP_HUMAN_SERVICE' }]);
      const tickets = await environment.db.query<{ ticket_id: number }>(
        "select ticket_id from campaign_members where code = 'HUMAN_SERVICE' order by ticket_id",
      );
      expect(tickets.map(({ ticket_id }) => ticket_id)).toEqual([1, 2, 3]);
    });
  });
});
