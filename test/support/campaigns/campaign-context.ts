// A test environment with a campaign: contacts with a tag, a flow, and windows that are always open unless a test says otherwise.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import { campaignIdentity } from '../../../src/core/ids.ts';
import type { CampaignInput } from '../../../src/jobs/campaigns/contract/batches.ts';
import type { CampaignPlan } from '../../../src/jobs/campaigns/contract/plan.ts';
import type { CampaignReport } from '../../../src/jobs/campaigns/contract/report.ts';
import { reportOf } from '../../../src/jobs/campaigns/store/report.ts';
import { catchUp } from '../../../src/jobs/campaigns/store/results.ts';
import type { campaignPlan } from '../../../workflows/campaign-plan.ts';
import { campaignProgressQuery } from '../../../workflows/messages.ts';
import type { reactivationCampaign } from '../../../workflows/reactivation-campaign.ts';
import { account, type Environment, type EnvironmentOptions } from '../environment.ts';
import { type PanelFlowRun, panelOf } from '../panel.ts';
import { until } from '../until.ts';
import { ALL_DAY } from './windows.ts';

const NAME = { account: 'acme', campaign: 'winback' };

/** The entry `winback` of the configuration. */
export function winback(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    account: 'acme',
    flow: 1,
    connection: 1,
    audience: [{ from: 'contacts', tags: ['crm'] }],
    windows: { zone: 'account', days: ALL_DAY },
    waves: { settle: '0s' },
    ...over,
  };
}

/** Number of the contact `n`, from 1: no ninth digit, so no other form. */
export const numberOf = (n: number): string => `1415555${2000 + n}`;

/** The account's token, as the service has it. */
export const token = (over: object) => [
  {
    value: 'svc_test_token',
    scopes: ['contacts:write', 'cards:write', 'connections:read', 'flows:trigger', 'conversations:read'],
    ...over,
  },
];

/** What a test environment needs for a campaign to so many contacts. */
export function campaignEnvironment(
  members: number,
  over: {
    readonly campaign?: Record<string, unknown>;
    readonly account?: Record<string, unknown>;
    readonly accountConfig?: Record<string, unknown>;
  } = {},
): Omit<EnvironmentOptions, 'temporal' | 'db' | 'workflows'> {
  return {
    csv: '',
    account: account({
      tokens: token({}),
      flows: [{ id: 1, name: 'reactivate', active: true, published: true, nodes: 3 }],
      contacts: Array.from({ length: members }, (_, i) => ({
        id: i + 1,
        number: numberOf(i + 1),
        name: `Person ${i + 1}`,
        tagIds: [1],
      })),
      ...over.account,
    }),
    accountConfig: { timeZone: 'America/Sao_Paulo', ...over.accountConfig },
    campaigns: { winback: winback(over.campaign) },
  };
}

/** Plans the campaign. */
export async function planned(
  environment: Environment,
  client: Client,
  workflowId = `${environment.workQueue}/campaign-plan/${randomUUID()}`,
): Promise<CampaignPlan> {
  return await client.workflow.execute<typeof campaignPlan>('campaignPlan', {
    workflowId,
    taskQueue: environment.workQueue,
    args: [{ ...NAME, by: 'ana' }],
  });
}

/** What starts a planned run, or joins it. */
export function startOptions(environment: Environment, run: string) {
  return {
    workflowId: `${environment.workQueue}/${campaignIdentity(NAME).workflowId}`,
    taskQueue: environment.workQueue,
    args: [{ ...NAME, run, by: 'ana' }] as [CampaignInput],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
  };
}

/** Plans the campaign and starts it. */
export async function started(environment: Environment, client: Client) {
  const planWorkflow = `${environment.workQueue}/campaign-plan/${randomUUID()}`;
  const plan = await planned(environment, client, planWorkflow);
  const handle = await client.workflow.start<typeof reactivationCampaign>(
    'reactivationCampaign',
    startOptions(environment, plan.run),
  );
  return { plan, run: plan.run, handle, planWorkflow };
}

/** Runs that the service reports. */
export const flowRuns = ({ sandbox }: Pick<Environment, 'sandbox'>): Promise<PanelFlowRun[]> =>
  panelOf(sandbox.panelUrl).flowRuns();

export async function report(environment: Environment, run: string): Promise<CampaignReport> {
  await catchUp(environment.db, run, new Date());
  const found = await reportOf(environment.db, run);
  if (found === null) throw new Error(`there is no run ${run}`);
  return found;
}

/** What must hold of every report, whatever happened. */
export function sumOf({ total }: CampaignReport): number {
  const all = (table: Readonly<Record<string, number>>) => Object.values(table).reduce((a, b) => a + b, 0);
  const { excluded, skipped, failed, holdout, waiting, sending, triggered, unknown, cancelled } = total;
  return (
    all(excluded) + all(skipped) + all(failed) + holdout + waiting + sending + triggered + unknown + cancelled
  );
}

export type CampaignHandle = Awaited<ReturnType<typeof started>>['handle'];

export async function untilRuns(environment: Environment, count: number): Promise<void> {
  await until(`${count} flows have run`, async () =>
    (await flowRuns(environment)).length >= count ? true : null,
  );
}

/** Waits until the campaign has paused by itself; answers the reason. */
export async function untilPaused(handle: CampaignHandle): Promise<string> {
  return await until('the campaign has paused by itself', async () => {
    const { paused } = await handle.query(campaignProgressQuery);
    return paused?.by === 'sluice' ? paused.reason : null;
  });
}

/** Each of these contacts has one flow run, and nobody else has any. */
export async function expectOnce(environment: Environment, contacts: number): Promise<void> {
  const runs = (await flowRuns(environment)).map(({ contactId }) => contactId).sort((a, b) => a - b);
  expect(runs).toEqual(Array.from({ length: contacts }, (_, i) => i + 1));
}

/** Everything in a value as text; bytes are read as UTF-8, so that payloads are searched. */
export function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(textOf).join('\n');
}
