// Reads what the ledger and Temporal store of accepted events. Every event with a 202 must exist exactly once.

import type { Client } from '@temporalio/client';
import { SEARCH_KEYS } from '../../src/core/ids.ts';
import type { Database } from '../../src/core/sql/database.ts';
import type { LeadIntakeInput } from '../../src/jobs/events/contract/intake.ts';

/** Number of histories read in parallel. */
const AT_ONCE = 16;

export interface Window {
  readonly events: number;
  /** From the first to the last. */
  readonly seconds: number;
}

/**
 * Events of a route that the ledger has accepted, and the time that took by the ledger's clock.
 * @param from number of events to skip at the beginning
 */
export async function acceptedOf(db: Database, route: string, from = 0): Promise<Window> {
  const [row] = await db.query<Window>(
    `select count(*)::int as events,
            coalesce(extract(epoch from max(accepted_at) - min(received_at)), 0)::float8 as seconds
       from (select * from events where route = $1 order by seq offset $2) as e where accepted_at is not null`,
    [route, from],
  );
  return row as Window;
}

/** How often each event of a route is in the input of a workflow, and how many workflows there are. */
async function startedOf(client: Client, account: string, route: string) {
  const query = `${SEARCH_KEYS.account.name} = '${account}' and ${SEARCH_KEYS.job.name} = 'route/${route}'`;
  const times = new Map<string, number>();
  const waiting: { workflowId: string; runId: string }[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query, pageSize: 1000 }))
    waiting.push({ workflowId, runId });
  const workflows = waiting.length;
  const read = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const { events } = await client.workflow.getHandle(one.workflowId, one.runId).fetchHistory();
      const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
      const input = JSON.parse(Buffer.from(payload?.data ?? []).toString()) as LeadIntakeInput;
      for (const event of input.events) times.set(event, (times.get(event) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
  return { times, workflows };
}

export interface Balance {
  /** Accepted by the ingress, but not in the ledger or in no workflow. */
  readonly lost: number;
  /** In more than one workflow. */
  readonly duplicates: number;
  readonly workflows: number;
}

/** @param accepted events for which the sender of this route got a 202 */
export async function balanceOf(
  { db, client }: { db: Database; client: Client },
  account: string,
  route: string,
  accepted: number,
): Promise<Balance> {
  const { times, workflows } = await startedOf(client, account, route);
  const rows = await db.query<{ id: string }>(
    "select id from events where route = $1 and state <> 'received'",
    [route],
  );
  const missing = rows.filter(({ id }) => !times.has(id)).length;
  return {
    lost: Math.max(0, accepted - rows.length) + missing,
    duplicates: [...times.values()].filter((each) => each > 1).length,
    workflows,
  };
}
