// Failures and warnings while an audience is read: failures end the plan; warnings report unreadable items and
// filters that the service ignored.

import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Queryable } from '../../../src/core/sql/database.ts';
import type { CampaignRow } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { addWarning } from '../../../src/jobs/sync/store/run-warnings.ts';
import { judge } from '../../shared/judge.ts';

/** Runs work whose refusals concern the whole plan. */
export async function asPlanFailure<T>(account: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw judge(account, thrown, 'readAudience', Context.current().info.attempt).failure;
  }
}

/**
 * @throws ApplicationFailure PLAN_OVER if the audience is no longer being read: a newer plan replaced it, or it is
 *   frozen
 */
export function requirePlanning({ run_id, state, planned_at }: CampaignRow): void {
  if (state === 'planning' && planned_at === null) return;
  const now = state === 'planning' ? 'frozen' : state;
  throw ApplicationFailure.nonRetryable(
    `the plan ${run_id} is ${now}, so its audience is no longer read`,
    'PLAN_OVER',
  );
}

/** Number of items per filter. */
export type Counts = Readonly<Record<string, number>>;

export function counted(
  counts: Counts,
  found: ReadonlyMap<number, string>,
  known: ReadonlySet<number>,
): Counts {
  const sums: Record<string, number> = { ...counts };
  for (const [id, filter] of found) if (!known.has(id)) sums[filter] = (sums[filter] ?? 0) + 1;
  return sums;
}

export async function warnOfFilters(
  tx: Queryable,
  { run_id: run, account }: CampaignRow,
  part: number,
  { others, unshown }: { readonly others: Counts; readonly unshown: Counts },
): Promise<void> {
  const warn = (code: string, filter: string, reason: string) =>
    addWarning(tx, run, { step: 'readAudience', subject: `${part}.${filter}`, code, reason });
  for (const [filter, items] of Object.entries(others)) {
    const where = `audience.${part}.${filter}`;
    const override =
      filter === 'title'
        ? `; if the parameter has another name, write accounts.${account}.assumptions: { cards.titleSearchParam: … }`
        : '';
    const reason = `the service returned ${itemsOf(items)} that ${items === 1 ? 'does' : 'do'} not match ${where}, so it seems to ignore this filter; Sluice leaves ${items === 1 ? 'it' : 'them'} out${override}`;
    await warn('FILTER_IGNORED', filter, reason);
  }
  for (const [filter, items] of Object.entries(unshown)) {
    const reason = `${itemsOf(items)} ${items === 1 ? 'lacks' : 'lack'} the field that audience.${part}.${filter} needs, so Sluice can't verify that the service applied the filter: check some of them before you start`;
    await warn('FILTER_UNVERIFIED', filter, reason);
  }
}

export async function warnOf(
  tx: Queryable,
  run: string,
  part: number,
  { unsteady, unreadable }: { unsteady: boolean; unreadable: number },
): Promise<void> {
  const warn = (code: string, reason: string) =>
    addWarning(tx, run, { step: 'readAudience', subject: String(part), code, reason });
  if (unsteady) {
    const reason = `the list of audience.${part} kept changing while it was read: some people may be missing; plan again when it is quiet`;
    await warn('AUDIENCE_UNSTEADY', reason);
  }
  if (unreadable > 0) {
    const reason = `${itemsOf(unreadable)} of audience.${part} can't be read, because ${unreadable === 1 ? 'it differs' : 'they differ'} from the API text; ${unreadable === 1 ? 'it is' : 'they are'} not in the audience`;
    await warn('AUDIENCE_UNREADABLE', reason);
  }
}

const itemsOf = (count: number): string => (count === 1 ? '1 item' : `${count} items`);
