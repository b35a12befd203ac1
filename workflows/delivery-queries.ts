// Workflow for operator queries about sent messages. A worker reads the ledger, so it works wherever the ledger is.
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { DeliveryEntry, DeliveryFilter } from '../src/contracts/wire/delivery.ts';
import { LEDGER_OPTIONS } from './policies.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export async function listDeliveries(filter: DeliveryFilter): Promise<DeliveryEntry[]> {
  return await ledger.listDeliveries(filter);
}
