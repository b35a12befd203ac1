// On real Temporal: the service shows messages in another form. The poller is blocked and the campaign waits; after the
// override, with workers that have it, both go on: nothing is lost, and nothing is done twice.
import { expect, it } from 'vitest';
import { startPollers } from '../../src/app/pollers.ts';
import { MessagingClient } from '../../src/service/api-client/client.ts';
import { campaignProgressQuery, changeRateUpdate } from '../../workflows/messages.ts';
import {
  campaignEnvironment,
  flowRuns,
  numberOf,
  planned,
  report,
  startOptions,
  token,
} from '../support/campaigns/campaign-context.ts';
import type { Environment } from '../support/environment.ts';
import { eachMessage, rename, reshape } from '../support/reshaped/reshaped-service.ts';
import { syncContext } from '../support/sync-context.ts';
import { until } from '../support/until.ts';

const context = syncContext();
const SCOPES = ['contacts:write', 'connections:read', 'flows:trigger', 'conversations:read', 'messages:read'];
const INTERVAL = { min: '500ms', max: '1s' };

/** The workers' clients from now on, as after a restart with these assumptions. */
function restart(environment: Environment, baseUrl: string, assumptions: Record<string, string>): void {
  const { account } = environment.deps;
  const client = new MessagingClient({ baseUrl, token: 'svc_test_token', assumptions });
  Object.assign(environment.deps, {
    account: (name: string) => ({
      ...account(name),
      tokens: account(name).tokens.map((each) => ({ ...each, client })),
    }),
  });
}

it('a blocked poller and a blocked campaign continue after the override', async () => {
  const options = campaignEnvironment(5, {
    account: { tokens: token({ scopes: SCOPES }) },
    accountConfig: { optOut: { words: ['sair'] } },
    campaign: { waves: { size: 1, settle: '0s', callsPerMinute: 20 } },
  });
  const pollers = { reshaped: { account: 'acme', from: 'all', interval: INTERVAL } };
  await context.inEnvironment({ ...options, pollers }, async (environment) => {
    const { client } = context.temporal;
    const proxy = await reshape(environment.sandbox.baseUrl);
    const write = (n: number, body: string) =>
      environment.panel.inbound({ number: numberOf(n), body, connectionId: 1 });
    // One that runs already is woken, as by a worker that starts.
    const wake = () =>
      startPollers({ client, config: { pollers: pollers as never }, taskQueue: environment.workQueue });
    const poller = async () => {
      const [row] = await environment.db.query<{
        blocked: string | null;
        shape: object | null;
        polls: number;
      }>('select block_code as blocked, block_shape as shape, polls from pollers');
      return row;
    };
    const optedOut = async () => (await environment.db.query('select 1 from opt_outs')).length;
    try {
      restart(environment, proxy.baseUrl, {});
      await write(2, 'Sair');
      await wake();
      await until('the word was read', async () => ((await optedOut()) === 1 ? true : null));
      const { run, problems } = await planned(environment, client);
      expect(problems).toEqual([]);
      const handle = await client.workflow.start('reactivationCampaign', startOptions(environment, run));
      await until('one is triggered', async () => ((await flowRuns(environment)).length > 0 ? true : null));

      proxy.rules = [eachMessage((message) => rename(message, 'fromMe', 'outgoing'))];
      const first = (await flowRuns(environment))[0]?.contactId;
      const next = [1, 3, 4, 5].find((id) => id !== first) as number;
      for (const body of ['hi', 'hello', 'Sair']) await write(next, body);
      const { shape } = await until('it is blocked', async () => {
        const row = await poller();
        return row?.blocked === 'UNEXPECTED_SHAPE' ? row : null;
      });
      expect(shape).toMatchObject({ assumptions: ['message.fromMeField'] });
      const { waiting } = await until('the campaign waits', async () => {
        const progress = await handle.query(campaignProgressQuery);
        return progress.waiting?.blocked === undefined ? null : progress;
      });
      expect(waiting).toMatchObject({ why: 'replies', blocked: { code: 'REPLIES_UNREAD' } });
      const before = (await flowRuns(environment)).length;
      expect(await report(environment, run)).toMatchObject({
        state: 'running',
        blocked: { code: 'REPLIES_UNREAD' },
      });

      restart(environment, proxy.baseUrl, { 'message.fromMeField': 'outgoing' });
      await wake();
      await until('it polls', async () => ((await poller())?.blocked === null ? true : null));
      await until('the second word was read', async () => ((await optedOut()) === 2 ? true : null));
      expect((await flowRuns(environment)).length).toBe(before);
      // It would check again within 30 s: a command of an operator makes it check at once.
      await handle.executeUpdate(changeRateUpdate, {
        args: [{ by: 'ana', reason: 'mended', callsPerMinute: null }],
      });
      await handle.result();
      const reached = (await flowRuns(environment)).map(({ contactId }) => contactId).sort((a, b) => a - b);
      expect(new Set(reached).size).toBe(reached.length);
      expect(reached).not.toContain(2);
      expect(reached).not.toContain(next);
      expect(reached).toHaveLength(3);
    } finally {
      await proxy.close();
    }
  });
});
