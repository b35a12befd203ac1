// What a run belongs to, by its name among the names of syncs.

import {
  campaignRoute,
  draftRunId,
  isCampaignRoute,
  operatorRunId,
  pollerSyncName,
  routeSyncName,
} from '../../../core/ids.ts';
import { type LaneName, laneName } from '../../../core/lanes.ts';
import type { SyncConfig } from '../../../jobs/sync/config.ts';
import type { Spending } from '../../contract/overview.ts';
import type { SpendingRow } from '../../store/call-log.ts';
import type { FailingWork } from './failing-work.ts';

export type Job = Pick<Spending, 'kind' | 'name'>;

/** Calls that follow a campaign's triggers belong to the campaign. */
export function jobOf(sync: string): Job {
  const rest = sync.slice(1);
  if (isCampaignRoute(sync)) return { kind: 'campaign', name: rest };
  if (sync.startsWith('~@')) return { kind: 'delivery', name: rest.slice(1) };
  if (sync.startsWith('~')) return { kind: 'poller', name: rest };
  if (sync.startsWith('=')) return { kind: 'other', name: rest };
  if (!sync.startsWith('@')) return { kind: 'sync', name: sync };
  return isCampaignRoute(rest) ? { kind: 'campaign', name: rest.slice(1) } : { kind: 'route', name: rest };
}

/** The name of a job among the names of syncs. Null: it has no runs, or their name is not known. */
export function runNameOf(kind: FailingWork['kind'], name: string): string | null {
  if (kind === 'sync') return name;
  if (kind === 'campaign') return campaignRoute(name);
  if (kind === 'poller') return pollerSyncName(name);
  return kind === 'route' ? routeSyncName(name) : null;
}

/** @param sync null: the ledger does not know the run, as it is a dry run, too old, or none that begins and ends */
function jobOfRun({ account, run, sync }: Pick<SpendingRow, 'account' | 'run' | 'sync'>): Job {
  if (sync !== null) return jobOf(sync);
  if (run === operatorRunId(account)) return { kind: 'command', name: 'commands of operators' };
  if (run === draftRunId(account)) return { kind: 'preview', name: 'previews of audiences' };
  const [of, name = '', , more] = run.split('/');
  return of === account && name !== '' && more === undefined ? jobOf(name) : { kind: 'other', name: run };
}

/** Sums rows of runs and lanes by job or by run, the largest first. */
export function sumSpending(
  rows: readonly SpendingRow[],
  by: 'job' | 'run',
  syncs: Readonly<Record<string, Pick<SyncConfig, 'account' | 'lane'>>>,
): Spending[] {
  const total = rows.reduce((sum, { calls }) => sum + calls, 0);
  const sums = new Map<string, Omit<Spending, 'lanes'> & { lanes: Partial<Record<LaneName, number>> }>();
  for (const row of rows) {
    const job = jobOfRun(row);
    const run = by === 'run' ? row.run : null;
    const key = JSON.stringify([row.account, job.kind, job.name, run]);
    const before = sums.get(key);
    const lane = laneName(row.lane);
    const own = job.kind === 'sync' ? syncs[job.name] : undefined;
    const calls = (before?.calls ?? 0) + row.calls;
    sums.set(key, {
      account: row.account,
      kind: job.kind,
      name: job.name,
      run,
      calls,
      lanes: { ...before?.lanes, [lane]: (before?.lanes[lane] ?? 0) + row.calls },
      nextLane: own?.account === row.account ? own.lane : null,
      share: calls / total,
      limited: (before?.limited ?? 0) + row.limited,
      failed: (before?.failed ?? 0) + row.failed,
      waitMs: (before?.waitMs ?? 0) + row.waitMs,
    });
  }
  return [...sums.values()]
    .map((sum) => ({ ...sum, waitMs: Math.round(sum.waitMs / sum.calls) }))
    .sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
}
