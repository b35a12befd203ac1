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
} from '../../support/campaign-context.ts';
import { lateRefusals } from '../../support/reshaped/late-refusals.ts';
import { syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const context = syncContext();
const { inEnvironment } = context;
const BY = { by: 'ana', reason: 'lunch' };
/** A command reaches a batch within this time. */
const SOON_MS = 2000;

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

it('FAULTS 23: a pause cancels waits for a slot and completes soon, and so does a cancellation', async () => {
  await inEnvironment({ ...campaignEnvironment(60), rate: 60 }, async (environment) => {
    const { run, handle } = await started(environment, context.temporal.client);
    await untilRuns(environment, 2);
    await until('two batches are in progress', async () => {
      const { batches } = await handle.query(campaignProgressQuery);
      return batches === 2 ? true : null;
    });
    expect(await took(() => handle.executeUpdate(pauseCampaignUpdate, { args: [BY] }))).toBeLessThan(SOON_MS);
    const { length } = await flowRuns(environment);
    const paused = 'select 1 from campaign_members where run_id = $1 and holder is not null';
    expect(await environment.db.query(paused, [run])).toEqual([]);
    await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
    await untilRuns(environment, length + 1);
    expect(await took(() => handle.executeUpdate(cancelCampaignUpdate, { args: [BY] }))).toBeLessThan(
      SOON_MS,
    );
    await handle.result();
    const { total } = await report(environment, run);
    expect(total).toMatchObject({ unknown: 0, sending: 0, waiting: 0 });
    expect(total.triggered).toBe((await flowRuns(environment)).length);
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
    const faster = async () => {
      await rate(120);
      await untilRuns(environment, 2);
    };
    expect(await took(faster)).toBeLessThan(SOON_MS);
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

it('a refusal pauses the campaign soon, however long the calls in progress take', async () => {
  await inEnvironment(campaignEnvironment(200), async (environment) => {
    await environment.panel.fault({ path: '^/v1/flows/trigger$', kind: 'delay', ms: 300, times: 3 });
    await environment.panel.fault({ path: '^/v1/flows/trigger$', kind: 'delay', ms: 8000, times: 20 });
    await environment.panel.fault({ path: '^/v1/flows/trigger$', kind: 'delay', ms: 1000 });
    const { handle } = await started(environment, context.temporal.client);
    await untilRuns(environment, 8);
    await environment.panel.patch({ tokens: token({ revoked: true }) });
    await environment.panel.clearFaults();
    await untilPaused(handle);
    const pausedAt = Date.now();
    const refusedAt = (await environment.panel.requests()).find(({ status }) => status === 401)?.at ?? '';
    expect(pausedAt - Date.parse(refusedAt)).toBeLessThan(SOON_MS);
    await environment.panel.patch({ tokens: token({ revoked: false }) });
    await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
    expect(await handle.result()).toMatchObject({ state: 'finished' });
    await expectOnce(environment, 200);
  });
});

it('a refusal that arrives after the resume does not pause the campaign again', async () => {
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
    const requests = await environment.panel.requests();
    const refusedAt = requests.find(({ status }) => status === 401)?.at ?? '';
    const lastAt = requests.at(-1)?.at ?? '';
    expect(Date.parse(lastAt) - Date.parse(refusedAt)).toBeLessThan(SOON_MS);
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
    await environment.panel.patch({ tokens: token({ revoked: false }) });
    await environment.panel.clearFaults();
    await handle.executeUpdate(resumeCampaignUpdate, { args: [BY] });
    expect(await handle.result()).toMatchObject({ state: 'finished' });
    await expectOnce(environment, 200);
  });
});
