// Work that was started and that no worker has begun. The ledger does not know it yet, Temporal does.
import type { Client } from '@temporalio/client';
import { SEARCH_KEYS } from '../../../core/ids.ts';
import type { RunningRun, WaitingStart } from '../../contract/overview.ts';

/** Open workflows that are listed. */
const MOST = 200;

const QUERY =
  "ExecutionStatus = 'Running' AND WorkflowType IN ('crmSync', 'scheduledSync', 'campaignPlan', 'reactivationCampaign')";

/** First word of the job among the search attributes. */
const KINDS: Readonly<Record<string, WaitingStart['kind']>> = {
  'crm-sync': 'sync',
  'scheduled-sync': 'sync',
  'campaign-plan': 'plan',
  campaign: 'campaign',
};

/** Open workflows of runs, the oldest first. Costs one or two pages of the list. */
export async function readStarts(client: Client): Promise<WaitingStart[]> {
  const found: WaitingStart[] = [];
  let listed = 0;
  for await (const { typedSearchAttributes, startTime } of client.workflow.list({ query: QUERY })) {
    const account = typedSearchAttributes.get(SEARCH_KEYS.account);
    const [job = '', name] = typedSearchAttributes.get(SEARCH_KEYS.job)?.split('/') ?? [];
    const kind = KINDS[job];
    if (account !== undefined && name !== undefined && kind !== undefined)
      found.push({ kind, account, name, since: startTime.toISOString() });
    if (++listed === MOST) break;
  }
  return found.sort((a, b) => a.since.localeCompare(b.since));
}

/** Those that are not among the runs of the ledger. A planned campaign that was started is still to be begun. */
export function unbegun(starts: readonly WaitingStart[], running: readonly RunningRun[]): WaitingStart[] {
  const known = new Set(
    running.flatMap(({ kind, account, name, state }) => {
      const keys = kind !== 'campaign' ? ['sync'] : state === 'planned' ? ['plan'] : ['plan', 'campaign'];
      return keys.map((each) => JSON.stringify([each, account, name]));
    }),
  );
  return starts.filter(({ kind, account, name }) => !known.has(JSON.stringify([kind, account, name])));
}
