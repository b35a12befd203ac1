// What failed, as operators see it: the ledger's failures, and dead letters of Kafka, which the ledger does not know.

import type { ClusterLetters } from '../../../jobs/events/operator/letters.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Period } from '../../store/call-log.ts';
import { jobOf } from './jobs.ts';

const NAMED_AMONG_SYNCS = new Set<Failure['kind']>(['run', 'record', 'row', 'member']);

export function failureOf(row: Failure): Failure {
  return { ...row, name: NAMED_AMONG_SYNCS.has(row.kind) ? jobOf(row.name).name : row.name };
}

/**
 * Dead letters of a period that nobody has replayed or discarded, by route and code.
 * @param accountOf null: the route is not configured any more; it belongs to all accounts
 */
export function deadLetterFailures(
  clusters: readonly ClusterLetters[],
  { account, since, until }: Period,
  accountOf: (route: string) => string | null,
): Failure[] {
  const groups = new Map<string, Failure>();
  for (const { route, code, reason, failedAt, resolution } of clusters.flatMap((each) => each.deadLetters)) {
    const at = new Date(failedAt).toISOString();
    const of = accountOf(route);
    if (resolution !== null || at < since || at >= until || (account !== null && of !== account)) continue;
    const key = JSON.stringify([route, code]);
    const before = groups.get(key);
    const isNewest = before === undefined || before.lastAt <= at;
    groups.set(key, {
      kind: 'dead letter',
      account: of ?? '',
      name: route,
      run: null,
      outcome: 'failed',
      code,
      reason: isNewest ? reason : before.reason,
      count: (before?.count ?? 0) + 1,
      firstAt: before === undefined || before.firstAt > at ? at : before.firstAt,
      lastAt: isNewest ? at : before.lastAt,
    });
  }
  return [...groups.values()];
}

export function problemsOf(clusters: readonly ClusterLetters[]): string[] {
  return clusters.flatMap(({ cluster, problem }) =>
    problem === null ? [] : [`the dead letters of the cluster ${cluster} cannot be read: ${problem}`],
  );
}
