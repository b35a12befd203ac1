// Starts and ends the workflows that belong to entries which a reload added or removed.
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import type { ResolvedConfig } from '../config/resolved-config.ts';
import { startPollers, stopPollers, wakePollers, wakeSenders } from './pollers.ts';

export interface CarryOverOptions {
  readonly client: Client;
  readonly before: ResolvedConfig;
  readonly after: ResolvedConfig;
}

/**
 * Starts the outboxes and delivery checks of new accounts and sinks, and wakes pollers that changed: they wait, and
 * would see the change a wait later.
 */
export async function carryOverWork({ client, before, after }: CarryOverOptions): Promise<void> {
  await wakePollers(client, { pollers: changedIn(before.pollers, after.pollers) });
  const accounts = changedIn(before.accounts, after.accounts);
  const sinks = changedIn(before.sinks, after.sinks);
  if (Object.keys({ ...accounts, ...sinks }).length === 0) return;
  await wakeSenders(client, { accounts: after.accounts, sinks: after.sinks });
}

/**
 * Starts the pollers that are new in a configuration, and stops those that it no longer has. A poller that an operator
 * stopped stays stopped.
 * @returns the names of the pollers that started
 */
export async function carryOverPollers({ client, before, after }: CarryOverOptions): Promise<string[]> {
  const only = (some: ResolvedConfig, others: ResolvedConfig) => ({
    pollers: Object.fromEntries(
      Object.entries(some.pollers).filter(([name, { account }]) => others.pollers[name]?.account !== account),
    ),
  });
  await stopPollers(client, only(before, after));
  const started = await startPollers({ client, config: only(after, before) });
  return started.map(({ poller }) => poller);
}

function changedIn<T>(before: Record<string, T>, after: Record<string, T>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(after).filter(([name, entry]) => !isDeepStrictEqual(entry, before[name])),
  );
}
