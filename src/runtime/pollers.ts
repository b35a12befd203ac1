// Starts the workflows that run for the whole life of a configuration: pollers, outboxes and delivery checks.

import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Config } from '../contracts/config/config.ts';
import {
  DELIVERY_WORKFLOW,
  deliveryWorkflowId,
  OUTBOX_WORKFLOW,
  outboxWorkflowId,
  pollingIdentity,
  WORK_QUEUE,
} from '../contracts/ids.ts';
import type { PollerName } from '../contracts/wire/poll.ts';
import { startPoller, wakePoller } from '../operator/service/pollers/command.ts';
import { wakeWorkflow } from '../operator/service/wake.ts';
import { isRunning } from '../operator/service/workflows.ts';

export interface StartedPoller extends PollerName {
  /** False: the poller was running already. */
  readonly started: boolean;
}

export interface StartPollersOptions {
  readonly client: Client;
  readonly config: Pick<Config, 'pollers'>;
  /** @default "sluice" */
  readonly taskQueue?: string;
}

/** Starts the pollers of a configuration. */
export async function startPollers(options: StartPollersOptions): Promise<StartedPoller[]> {
  const { client, config, taskQueue = WORK_QUEUE } = options;
  const started: StartedPoller[] = [];
  for (const [name, { account }] of Object.entries(config.pollers)) {
    const poller = { account, poller: name };
    started.push({ ...poller, started: await startPoller(client, poller, taskQueue) });
  }
  return started;
}

/** Wakes the running pollers of a configuration. */
export async function wakePollers(client: Client, { pollers }: Pick<Config, 'pollers'>): Promise<void> {
  for (const [poller, { account }] of Object.entries(pollers)) await wakePoller(client, { account, poller });
}

/** Names of the configured pollers that don't run. */
export async function idlePollers(client: Client, { pollers }: Pick<Config, 'pollers'>): Promise<string[]> {
  const idle: string[] = [];
  for (const [poller, { account }] of Object.entries(pollers)) {
    const handle = client.workflow.getHandle(pollingIdentity({ account, poller }).workflowId);
    if (!(await isRunning(handle))) idle.push(poller);
  }
  return idle;
}

/** Stops the running pollers of a configuration; they keep their position. */
export async function stopPollers(client: Client, { pollers }: Pick<Config, 'pollers'>): Promise<void> {
  for (const [poller, { account }] of Object.entries(pollers)) {
    const handle = client.workflow.getHandle(pollingIdentity({ account, poller }).workflowId);
    await handle.cancel().catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
  }
}

/**
 * Starts or wakes the outboxes and delivery checks. Without this, a Temporal server that lost its state would leave
 * events in the ledger unsent. They end, or wait, when there is nothing to do.
 */
export async function wakeSenders(
  client: Client,
  { accounts, sinks }: Pick<Config, 'accounts' | 'sinks'>,
  taskQueue: string = WORK_QUEUE,
): Promise<void> {
  const published = new Set(
    Object.values(accounts).flatMap(({ announce }) => announce.map(({ sink }) => sink)),
  );
  for (const sink of Object.keys(sinks).filter((name) => published.has(name)))
    await wakeWorkflow(client, OUTBOX_WORKFLOW, outboxWorkflowId(sink), { sink }, taskQueue);
  for (const account of Object.keys(accounts))
    await wakeWorkflow(client, DELIVERY_WORKFLOW, deliveryWorkflowId(account), { account }, taskQueue);
}
