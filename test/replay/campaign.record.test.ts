// Records the histories of a campaign and of its plan, which replay.test.ts replays like all others:
//   RECORD_CAMPAIGN=<number> npx vitest run --project workflows test/replay/campaign
import { join } from 'node:path';
import { describe, it } from 'vitest';
import {
  campaignProgressQuery,
  changeRateUpdate,
  pauseCampaignUpdate,
  resumeCampaignUpdate,
  retryFailedUpdate,
  skipWaveUpdate,
} from '../../workflows/messages.ts';
import { campaignEnvironment, started } from '../support/campaigns/campaign-context.ts';
import { untilEnded } from '../support/intake-context.ts';
import { syncContext } from '../support/sync-context.ts';
import { saveHistory } from '../support/temporal/save-history.ts';
import { until } from '../support/until.ts';

const number = process.env.RECORD_CAMPAIGN;
const context = syncContext();

describe.runIf(number)('recording', () => {
  it('keeps the histories of waves, a pause, a rate, a refusal, a retry, and what follows the triggers', async () => {
    const by = { by: 'test', reason: 'recording' };
    const options = campaignEnvironment(12, {
      campaign: {
        waves: { canary: 2, size: 4, settle: '1s', every: '2s' },
        after: { tags: ['vip'] },
        recheck: 'api',
        variables: { name: 'contact.name' },
      },
    });
    await context.inEnvironment(options, async (environment) => {
      const { client } = context.temporal;
      const trigger = '^/v1/flows/trigger$';
      await environment.panel.fault({ path: trigger, kind: 'delay', ms: 60 });
      const refusal = { error: 'no', code: 'ERR_CONTACT_NUMBER_IS_LID' };
      await environment.panel.fault({ path: trigger, kind: 'status', status: 400, body: refusal, times: 1 });
      const { handle, planWorkflow } = await started(environment, client);
      await handle.executeUpdate(pauseCampaignUpdate, { args: [by] });
      await handle.executeUpdate(changeRateUpdate, { args: [{ ...by, callsPerMinute: 300 }] });
      await handle.executeUpdate(resumeCampaignUpdate, { args: [by] });
      await until('a wave is waited for', async () => {
        const { waiting, wave } = await handle.query(campaignProgressQuery);
        return waiting !== null && wave === 1 ? true : null;
      });
      await handle.executeUpdate(retryFailedUpdate, { args: [{ ...by, codes: null }] });
      await until('the last wave is under way', async () => {
        const { wave } = await handle.query(campaignProgressQuery);
        return wave !== null && wave >= 3 ? true : null;
      });
      await environment.panel.patch({ flows: [{ id: 1, active: false }] });
      await handle.executeUpdate(skipWaveUpdate, { args: [by] });
      await environment.panel.patch({ flows: [{ id: 1, active: true }] });
      const { paused } = await handle.query(campaignProgressQuery);
      if (paused !== null) await handle.executeUpdate(resumeCampaignUpdate, { args: [by] });
      await handle.result();
      await untilEnded(environment);
      const file = (name: string) => join(import.meta.dirname, 'histories', `${name}-${number}.json`);
      // Every run of it: a Temporal server for tests asks early to continue as new.
      let runId: string | null | undefined = handle.firstExecutionRunId;
      for (let part = 1; runId; part++) {
        await saveHistory(
          context.temporal,
          handle.workflowId,
          file(`reactivation-campaign-part-${part}`),
          runId,
        );
        const { events } = await client.workflow.getHandle(handle.workflowId, runId).fetchHistory();
        runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      }
      await saveHistory(context.temporal, planWorkflow, file('campaign-plan'));
    });
  });
});
