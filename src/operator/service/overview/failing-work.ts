// Work whose batches fail again and again, as when a statement of the ledger raises an error. Temporal knows it: the
// ledger cannot record its own failure. Temporal has no list of such workflows, so each open one is described.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import pLimit from 'p-limit';
import { accountOfWorkflow } from '../../../core/ids.ts';
import type { Need } from '../../contract/overview.ts';
import { isPassing } from '../known-error.ts';
import { type FailingActivity, failingActivity } from '../workflows.ts';
import { isAwayCode } from './away-code.ts';

/** Open workflows of one job whose activity fails with one class of error. */
export interface FailingWork {
  /** Null: it works for several accounts, as a sink does. */
  readonly account: string | null;
  readonly kind: NonNullable<Need['work']>;
  /** Sync, route, poller, campaign or sink. */
  readonly name: string;
  readonly activity: string;
  /** Class of the error, or its code. The message stays out: it may contain personal data. */
  readonly code: string;
  /** The ledger's database did not answer. While it does, the next attempt may well succeed. */
  readonly isLedgerAway: boolean;
  /** When the latest attempt failed, and when the next one is due. Null: not known. */
  readonly failedAt: string | null;
  readonly nextAt: string | null;
  /** Failed attempts of the workflow that has most. */
  readonly attempts: number;
  /** Failing workflows that are known; at least as many exist. */
  readonly workflows: number;
  /** Whether there are open workflows that were not described yet. */
  readonly isPartial: boolean;
}

/** Workflows that a refresh describes. The next refresh goes on with those behind them. */
const MOST = 400;
/** Of them, those that failed before: beyond these, they are described when their page comes again. */
const MOST_KNOWN = 200;
/** Length of a page of the list of open workflows. */
const PAGE = 100;
const CONCURRENCY = 10;

type ListedPage = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>;

export interface FailingWorkReader {
  /** Costs up to four pages of the list of open workflows, and a description of each of at most {@link MOST}. */
  read(client: Client): Promise<readonly FailingWork[]>;
}

/** One reader a process: it remembers what fails, and where in the list it stopped. */
export function createFailingWorkReader(): FailingWorkReader {
  const known = new Map<string, FailingActivity>();
  let cursor: ListedPage['nextPageToken'] | null = null;
  let isPartial = true;

  return {
    async read(client) {
      const limit = pLimit(CONCURRENCY);
      const describe = (ids: readonly string[]) =>
        Promise.all(
          ids.map((id) =>
            limit(async () => {
              const failed = await failureOf(client, id);
              known.delete(id);
              if (failed !== null && !waitsForService(failed)) known.set(id, failed);
            }),
          ),
        );
      // The longest known first: each moves to the end when it is described.
      const again = new Set([...known.keys()].slice(0, MOST_KNOWN));
      await describe([...again]);
      for (let left = MOST - again.size; left >= PAGE; left -= PAGE) {
        const page: ListedPage = await client.workflowService.listWorkflowExecutions({
          namespace: client.options.namespace,
          query: "ExecutionStatus = 'Running'",
          pageSize: PAGE,
          nextPageToken: cursor,
        });
        const ids = page.executions.flatMap(({ execution }) => execution?.workflowId ?? []);
        await describe(ids.filter((id) => !again.has(id)));
        cursor = page.nextPageToken?.length ? page.nextPageToken : null;
        if (cursor !== null) continue;
        isPartial = false;
        break;
      }
      return byJob(known, isPartial);
    },
  };
}

/** The service is away, which the account's health shows: the work goes on by itself, and nobody finds its cause in a log. */
function waitsForService({ type, message }: FailingActivity): boolean {
  return isAwayCode(type) || / answered 5\d\d /.test(message ?? '');
}

const START_TIME = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** First word of a workflow's id. */
const KINDS: Readonly<Record<string, FailingWork['kind']>> = {
  'crm-sync': 'sync',
  'scheduled-sync': 'sync',
  'reactivation-campaign': 'campaign',
  'campaign-plan': 'campaign',
  'scheduled-campaign': 'campaign',
  'conversation-polling': 'poller',
  'lead-intake': 'route',
  outbox: 'sink',
  delivery: 'delivery',
};

/** The message of an error of the database ends with its code, if it has one, and with a way out. */
function isLedgerAway({ type, message }: Pick<FailingActivity, 'type' | 'message'>): boolean {
  if (type !== 'LedgerError' || message === null || !message.startsWith("the ledger's database: "))
    return false;
  const [, code = null] = / \[([A-Z0-9_]+)\](?:;|$)/.exec(message) ?? [];
  return isPassing(code);
}

const latest = (a: string | null, b: string | null) => (a !== null && b !== null && b > a ? b : (a ?? b));
const earliest = (a: string | null, b: string | null) => (a !== null && b !== null && b < a ? b : (a ?? b));

function byJob(known: ReadonlyMap<string, FailingActivity>, isPartial: boolean): FailingWork[] {
  const found = new Map<string, FailingWork>();
  for (const [id, { activity, type: code, attempts, message, failedAt, nextAt }] of known) {
    const account = accountOfWorkflow(id);
    // `crm-sync/{account}/{sync}`, `outbox/{sink}`, `delivery/{account}`.
    const words = id.split('/');
    // A schedule's server appends the time of the start.
    const name = ((account === null ? words[1] : words[2]) ?? account ?? id).replace(START_TIME, '');
    const key = JSON.stringify([account, name, activity, code]);
    const before = found.get(key);
    found.set(key, {
      account,
      kind: KINDS[words[0] ?? ''] ?? 'other',
      name,
      activity,
      code,
      isLedgerAway: isLedgerAway({ type: code, message }) && before?.isLedgerAway !== false,
      failedAt: latest(failedAt, before?.failedAt ?? null),
      // The first that is tried again shows whether the cause is gone.
      nextAt: earliest(nextAt, before?.nextAt ?? null),
      attempts: Math.max(attempts, before?.attempts ?? 0),
      workflows: (before?.workflows ?? 0) + 1,
      isPartial,
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
