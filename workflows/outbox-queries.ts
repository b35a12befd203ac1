// What operators ask of the outbox: the ledger answers through a worker, so it works wherever the ledger is.
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

/** Gives events another try, and their sinks at once. @returns how many */
export async function retryOutbox(command: OutboxCommand): Promise<number> {
  const { count, sinks } = await ledger.reopenOutbox(command);
  await ledger.wakeOutbox({ sinks });
  log.info('events of the outbox are tried again', { by: command.by, count });
  return count;
}

/** Gives events up for good; those behind them go on. @returns how many */
export async function discardOutbox(command: OutboxCommand): Promise<number> {
  const { count, sinks } = await ledger.discardOutbox(command);
  await ledger.wakeOutbox({ sinks });
  log.info('events of the outbox are discarded', { by: command.by, count });
  return count;
}
