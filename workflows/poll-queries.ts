// Workflow for operator queries about pollers. A worker reads the ledger, so it works wherever the ledger is.
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { PollersFilter } from '../activities/polling/index.ts';
import type { PollerName, PollerStatus, PollGap } from '../src/contracts/wire/poll.ts';
import { LEDGER_OPTIONS } from './policies.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export async function describePollers(
  filter: PollersFilter,
): Promise<{ pollers: PollerStatus[]; gaps: (PollGap & PollerName)[] }> {
  return await ledger.describePollers(filter);
}
