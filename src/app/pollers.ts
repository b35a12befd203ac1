// Starts the workflows that run for the whole life of a configuration: pollers, outboxes and delivery checks.

import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import pLimit from 'p-limit';
import type { Config } from '../config/schema/config.ts';
import {
  DELIVERY_WORKFLOW,
  deliveryWorkflowId,
  OUTBOX_WORKFLOW,
  outboxWorkflowId,
  pollingIdentity,
  WORK_QUEUE,
} from '../core/ids.ts';
import type { PollerName } from '../jobs/conversations/contract/poll.ts';
import { startPoller, wakePoller } from '../jobs/conversations/operator/command.ts';
import { wakeWorkflow } from '../operator/service/wake.ts';
import { isRunning } from '../operator/service/workflows.ts';

/** Requests to Temporal at once. One after the other, a thousand accounts would keep a process from starting. */
const AT_ONCE = 16;

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
  return await each(Object.entries(config.pollers), async ([name, { account }]) => {
    const poller = { account, poller: name };
    return { ...poller, started: await startPoller(client, poller, taskQueue) };
  });
}

/** Wakes the running pollers of a configuration. */
export async function wakePollers(client: Client, { pollers }: Pick<Config, 'pollers'>): Promise<void> {
  await each(Object.entries(pollers), ([poller, { account }]) => wakePoller(client, { account, poller }));
}

/** Names of the configured pollers that don't run. */
export async function idlePollers(client: Client, { pollers }: Pick<Config, 'pollers'>): Promise<string[]> {
  const states = await each(Object.entries(pollers), async ([poller, { account }]) => {
    const handle = client.workflow.getHandle(pollingIdentity({ account, poller }).workflowId);
    return { poller, runs: await isRunning(handle) };
  });
  return states.flatMap(({ poller, runs }) => (runs ? [] : [poller]));
}

/** Stops the running pollers of a configuration; they keep their position. */
export async function stopPollers(client: Client, { pollers }: Pick<Config, 'pollers'>): Promise<void> {
  await each(Object.entries(pollers), async ([poller, { account }]) => {
    const handle = client.workflow.getHandle(pollingIdentity({ account, poller }).workflowId);
    await handle.cancel().catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
  });
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
  const senders = Object.keys(sinks).filter((name) => published.has(name));
  await each(senders, (sink) =>
    wakeWorkflow(client, OUTBOX_WORKFLOW, outboxWorkflowId(sink), { sink }, taskQueue),
  );
  await each(Object.keys(accounts), (account) =>
    wakeWorkflow(client, DELIVERY_WORKFLOW, deliveryWorkflowId(account), { account }, taskQueue),
  );
}

async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const limit = pLimit(AT_ONCE);
  return await Promise.all(items.map((item) => limit(() => work(item))));
}
