// Why the calls of a workflow fail repeatedly. Without it, work whose service is away looks like work that goes on.
import type { WorkflowHandle } from '@temporalio/client';
import type { RunProgress } from '../../../contracts/wire/run.ts';

/** Number of failed attempts before they are reported: one lost answer is normal. */
const QUIET_FAILURES = 2;

/** Null when no activity fails repeatedly. */
export async function failing(handle: Pick<WorkflowHandle, 'describe'>): Promise<string | null> {
  const { raw } = await handle.describe().catch(() => ({ raw: null }));
  for (const { attempt, lastFailure } of raw?.pendingActivities ?? []) {
    const type = lastFailure?.applicationFailureInfo?.type;
    // A planned delay is not a failure, whatever the attempt count: the budget asks for it, and a 429.
    if (type == null || type === 'ComeBack' || (attempt ?? 0) <= QUIET_FAILURES) continue;
    return `retrying: ${lastFailure?.message ?? type} [${type}]`;
  }
  return null;
}

export function troubleOf({ trouble }: RunProgress): string | null {
  return trouble === null || trouble.failures <= QUIET_FAILURES ? null : `retrying: ${trouble.reason}`;
}
