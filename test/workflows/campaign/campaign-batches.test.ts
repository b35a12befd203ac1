// Commands reach a batch in progress, which would otherwise continue for a minute.
import { expect, it } from 'vitest';
import {
  campaignProgressQuery,
  cancelCampaignUpdate,
  changeRateUpdate,
  pauseCampaignUpdate,
  resumeCampaignUpdate,
} from '../../../workflows/messages.ts';
import {
  campaignEnvironment,
  expectOnce,
  flowRuns,
  report,
  started,
  sumOf,
  token,
  untilPaused,
  untilRuns,
} from '../../support/campaigns/campaign-context.ts';
import { lateRefusals } from '../../support/reshaped/late-refusals.ts';
import { syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const context = syncContext();
const { inEnvironment } = context;
const BY = { by: 'ana', reason: 'lunch' };
it('FAULTS 23: a pause cancels waits for a slot, and so does a cancellation', async () => {
  await inEnvironment({ ...campaignEnvironment(60), rate: 60 }, async (environment) => {
    const { run, handle } = await started(environment, context.temporal.client);
    await untilRuns(environment, 2);
    await until('two batches are in progress', async () => {
      const { batches } = await handle.query(campaignProgressQuery);
      return batches === 2 ? true : null;
    });
    await handle.executeUpdate(pauseCampaignUpdate, { args: [BY] });
    // At 60 calls per minute, all slots take 58 s.
    const { length } = await flowRuns(environment);
    expect(length).toBeLessThan(30);
    const paused = 'select 1 from campaign_members where run_id = $1 and holder is not null';
    expect(await environment.db.query(paused, [run])).toEqual([]);
    await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
    await untilRuns(environment, length + 1);
    await handle.executeUpdate(cancelCampaignUpdate, { args: [BY] });
    await handle.result();
    const { total } = await report(environment, run);
    expect(total).toMatchObject({ unknown: 0, sending: 0, waiting: 0 });
    expect(total.triggered).toBe((await flowRuns(environment)).length);
    expect(total.triggered).toBeLessThan(60);
  });
});

it('a new rate applies to the batches in progress, faster or slower', async () => {
  const slow = { waves: { settle: '0s', callsPerMinute: 1 } };
  await inEnvironment(campaignEnvironment(30, { campaign: slow }), async (environment) => {
    const { handle } = await started(environment, context.temporal.client);
    await untilRuns(environment, 1);
    await until('two batches wait for their rate', async () => {
      const { batches } = await handle.query(campaignProgressQuery);
      return batches === 2 ? true : null;
    });
    const rate = (callsPerMinute: number | null) =>
      handle.executeUpdate(changeRateUpdate, { args: [{ ...BY, callsPerMinute }] });
    await rate(120);
    // At the old rate it would take eight minutes.
    await untilRuns(environment, 9);
    await rate(1);
    await until('the batches have the rate', async () => {
      const { batches, pacePerMinute } = await handle.query(campaignProgressQuery);
      return batches === 2 && pacePerMinute === 1 ? true : null;
    });
    const { length } = await flowRuns(environment);
    for (let n = 0; n < 20; n++) await handle.query(campaignProgressQuery);
    // One may have had its slot already.
    expect((await flowRuns(environment)).length).toBeLessThanOrEqual(length + 1);
    expect((await flowRuns(environment)).length).toBeLessThan(20);
    await rate(null);
    expect(await handle.result()).toMatchObject({ state: 'finished' });
    await expectOnce(environment, 30);
  });
});

it('a refusal pauses the campaign while other calls are under way; their refusals after the resume do not pause it again', async () => {
  const refusals = lateRefusals(/^POST \/v1\/flows\/trigger$/);
  await inEnvironment({ ...campaignEnvironment(200), shape: [refusals.rule] }, async (environment) => {
    const { handle } = await started(environment, context.temporal.client);
    await untilRuns(environment, 3);
    // More than one batch has under way, so both are refused.
    refusals.refuse(30);
    await untilPaused(handle);
    refusals.serve();
    await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
    await refusals.release();
    expect(await handle.result()).toMatchObject({ state: 'finished' });
    await expectOnce(environment, 200);
  });
});

it('FAULTS 12: a token revoked during a wave pauses the campaign with the reason; after the resume nobody is missed', async () => {
  await inEnvironment(campaignEnvironment(200), async (environment) => {
    await environment.panel.fault({ path: '^/v1/flows/trigger$', kind: 'delay', ms: 500 });
    const { run, handle } = await started(environment, context.temporal.client);
    await untilRuns(environment, 3);
    await environment.panel.patch({ tokens: token({ revoked: true }) });
    expect(await untilPaused(handle)).toContain('ERR_TOKEN_REVOKED');
    await until('no batch is in progress', async () => {
      const { batches } = await handle.query(campaignProgressQuery);
      return batches === 0 ? true : null;
    });
    // Those that were under way, or had begun when the first was refused.
    const refused = (await environment.panel.requests()).filter(({ status }) => status === 401);
    expect(refused.length).toBeLessThan(100);
    // The pause is written to the ledger without the workflow.
    const paused = await until('the ledger knows', async () => {
      const found = await report(environment, run);
      return found.paused === null ? null : found;
    });
    expect(paused.paused).toMatchObject({
      by: 'sluice',
      code: 'ERR_TOKEN_REVOKED',
      reason: expect.stringContaining('ERR_TOKEN_REVOKED'),
    });
    expect(paused.total).toMatchObject({ failed: {}, unknown: 0 });
    expect(sumOf(paused)).toBe(200);
    // Resumed too early: blocked again, which the run says, and nobody fails.
    await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
    expect(await untilPaused(handle)).toContain('ERR_TOKEN_REVOKED');
    const repeated = await until('the ledger knows', async () => (await report(environment, run)).paused);
    expect(repeated.again).toEqual({ by: 'ana', at: expect.any(String) });
    expect(Date.parse(repeated.at ?? '')).toBeGreaterThanOrEqual(Date.parse(repeated.again?.at ?? ''));
    await environment.panel.patch({ tokens: token({ revoked: false }) });
    await environment.panel.clearFaults();
    await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
    expect(await handle.result()).toMatchObject({ state: 'finished' });
    await expectOnce(environment, 200);
  });
});
