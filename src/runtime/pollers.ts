// Starts the workflows that run for the whole life of a configuration: pollers, outboxes and delivery checks.

import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { conversationPolling } from '../../workflows/conversation-polling.ts';
import { wakeSignal } from '../../workflows/messages.ts';
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

export interface StartedPoller extends PollerName {
  /** False: the poller was running already. */
  readonly started: boolean;
}

export interface StartPollersOptions {
  readonly client: Client;
  readonly config: Pick<Config, 'pollers'>;
  /** Only these pollers. @default all of the configuration */
  readonly names?: readonly string[];
  /** @default "sluice" */
  readonly taskQueue?: string;
}

/** Starts pollers. A poller that runs continues, with the current configuration of the workers. */
export async function startPollers(options: StartPollersOptions): Promise<StartedPoller[]> {
  const { client, config, names, taskQueue = WORK_QUEUE } = options;
  const started: StartedPoller[] = [];
  for (const [name, { account }] of Object.entries(config.pollers)) {
    if (names !== undefined && !names.includes(name)) continue;
    const poller = { account, poller: name };
    const isNew = await client.workflow
      .start<typeof conversationPolling>('conversationPolling', {
        ...pollingIdentity(poller),
        taskQueue,
        args: [poller],
      })
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
          throw error;
        },
      );
    if (!isNew) await wakePoller(client, poller);
    started.push({ ...poller, started: isNew });
  }
  return started;
}

/** Wakes a blocked poller: the worker that has just started may have another configuration. */
async function wakePoller(client: Client, poller: PollerName): Promise<void> {
  const handle = client.workflow.getHandle(pollingIdentity(poller).workflowId);
  await handle.signal(wakeSignal).catch((error: unknown) => {
    // It has ended meanwhile.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
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
    const runs = await handle.describe().then(
      ({ status }) => status.name === 'RUNNING',
      (error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      },
    );
    if (!runs) idle.push(poller);
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
  const common = { taskQueue, signal: wakeSignal, signalArgs: [] as [] };
  for (const sink of Object.keys(sinks).filter((name) => published.has(name)))
    await client.workflow.signalWithStart(OUTBOX_WORKFLOW, {
      ...common,
      workflowId: outboxWorkflowId(sink),
      args: [{ sink }],
    });
  for (const account of Object.keys(accounts))
    await client.workflow.signalWithStart(DELIVERY_WORKFLOW, {
      ...common,
      workflowId: deliveryWorkflowId(account),
      args: [{ account }],
    });
}
