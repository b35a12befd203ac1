// Workflows for operator queries and commands about the outbox. A worker reads the ledger, so they work wherever the
// ledger is.
import { log, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { OutboxCommand, OutboxEntry, OutboxFilter, SinkStatus } from '../src/contracts/wire/outbox.ts';
import { LEDGER_OPTIONS } from './policies.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export async function describeSinks(): Promise<SinkStatus[]> {
  return await ledger.describeSinks();
}

export async function listOutbox(filter: OutboxFilter): Promise<OutboxEntry[]> {
  return await ledger.listOutbox(filter);
}

/** Retries events and closes the circuits of their sinks. @returns the number of events */
export async function retryOutbox(command: OutboxCommand): Promise<number> {
  const { count, sinks } = await ledger.reopenOutbox(command);
  await ledger.wakeOutbox({ sinks });
  log.info('an operator retries events of the outbox', { by: command.by, count });
  return count;
}

/** Discards events permanently; the events after them continue. @returns the number of events */
export async function discardOutbox(command: OutboxCommand): Promise<number> {
  const { count, sinks } = await ledger.discardOutbox(command);
  await ledger.wakeOutbox({ sinks });
  log.info('an operator discarded events of the outbox', { by: command.by, count });
  return count;
}
