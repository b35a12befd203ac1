// Work whose batches fail again and again, as when a statement of the ledger raises an error. Temporal knows it: the
// ledger cannot record its own failure.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { accountOfWorkflow } from '../../../contracts/ids.ts';
import { failingActivity } from '../workflows.ts';

/** Open workflows of one job whose activity fails with one class of error. */
export interface FailingWork {
  /** Null: it works for several accounts, as a sink does. */
  readonly account: string | null;
  /** Sync, route, poller, campaign or sink. */
  readonly name: string;
  readonly activity: string;
  /** Class of the error, or its code. The message stays out: it may contain personal data. */
  readonly code: string;
  /** Failed attempts of the workflow that has most. */
  readonly attempts: number;
  readonly workflows: number;
}

/** Workflows that are described at a refresh, in the order of the server. Those behind them are not seen. */
const MOST = 50;

/** Costs a list of open workflows, and a description of each of at most {@link MOST}. */
export async function readFailingWork(client: Client): Promise<readonly FailingWork[]> {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) {
    ids.push(workflowId);
    if (ids.length === MOST) break;
  }
  const found = new Map<string, FailingWork>();
  for (const id of ids) {
    const failed = await failureOf(client, id);
    if (failed === null) continue;
    const account = accountOfWorkflow(id);
    // `crm-sync/{account}/{sync}`, `outbox/{sink}`, `delivery/{account}`.
    const words = id.split('/');
    const name = (account === null ? words[1] : words[2]) ?? words[0] ?? id;
    const { activity, type: code, attempts } = failed;
    const key = JSON.stringify([account, name, activity, code]);
    const before = found.get(key);
    found.set(key, {
      account,
      name,
      activity,
      code,
      attempts: Math.max(attempts, before?.attempts ?? 0),
      workflows: (before?.workflows ?? 0) + 1,
    });
  }
  return [...found.values()];
}

async function failureOf(client: Client, workflowId: string) {
  try {
    return failingActivity(await client.workflow.getHandle(workflowId).describe());
  } catch (error) {
    // It has ended since it was listed, and was removed.
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
