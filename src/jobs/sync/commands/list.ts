// `sluice sync list` and `sluice sync runs`: syncs with their last run, and runs with start, end and counts.
import type { Command } from 'commander';
import { listCommand } from '../../../cli/lib/route/list-command.ts';
import { formatCount, formatDuration, formatTime } from '../../../cli/lib/terminal/format.ts';
import type { Column } from '../../../cli/lib/terminal/table.ts';
import { SYNCS, type SyncEntry, type SyncRunSummary } from '../contract/runs.ts';
import { describeOutcomes } from './describe-run.ts';

export function registerSyncLists(sync: Command, env: NodeJS.ProcessEnv): void {
  listCommand(sync, env, {
    name: 'list',
    about: 'list syncs with their state, last run and next scheduled time',
    contract: SYNCS,
    route: 'GET /syncs',
    fields: { account: '--account <name>' },
    connecting: { mayBeEmpty: true },
    items: 'syncs',
    shown: SYNC_COLUMNS,
    limit: null,
    none: 'the configuration has no sync',
  });

  listCommand(sync, env, {
    name: 'runs',
    about: 'list the runs of a sync, newest first, with start, end and counts',
    contract: SYNCS,
    route: 'GET /syncs/{sync}/runs',
    arguments: [['sync', '<name>', 'name of the sync']],
    items: 'runs',
    shown: RUN_COLUMNS,
    limit: { usual: 20, most: 1000 },
    says: ({ input, count, more }) => [
      ...(count === 0 ? [`the sync "${input.sync}" has not run yet`] : []),
      ...(more ? ['there are older runs: see --limit'] : []),
    ],
  });
}

const time = (at: string | null) => (at === null ? '' : formatTime(at));

const SYNC_COLUMNS: readonly Column<SyncEntry>[] = [
  ['sync', 'left', ({ sync }) => sync, 'keep'],
  ['account', 'left', ({ account }) => account, 'drop'],
  ['state', 'left', ({ state }) => state],
  ['last run', 'left', ({ last }) => time(last?.startedAt ?? null), 'keep'],
  ['result', 'left', ({ last }) => (last === null ? 'never ran' : describeOutcomes(last)), 'cut'],
  ['next', 'left', ({ schedule }) => nextOf(schedule), 'drop'],
];

function nextOf(schedule: SyncEntry['schedule']): string {
  if (schedule === null) return '';
  if (schedule.paused === true) return 'paused';
  return schedule.next === null ? schedule.cron.join(' and ') : formatTime(schedule.next);
}

const RUN_COLUMNS: readonly Column<SyncRunSummary>[] = [
  ['run', 'left', ({ run }) => run, 'keep'],
  [
    'kind',
    'left',
    ({ kind, redoes }) => (redoes === null ? kind : `${redoes.what} of ${redoes.seq ?? 'another'}`),
    'drop',
  ],
  ['status', 'left', ({ status }) => status],
  ['start', 'left', ({ startedAt }) => time(startedAt), 'keep'],
  ['end', 'left', ({ finishedAt }) => time(finishedAt), 'drop'],
  [
    'took',
    'right',
    ({ startedAt, finishedAt }) =>
      finishedAt === null ? '' : formatDuration(Date.parse(finishedAt) - Date.parse(startedAt)),
  ],
  ['read', 'right', ({ read }) => formatCount(read), 'drop'],
  ['calls', 'right', ({ calls }) => formatCount(calls), 'drop'],
  ['result', 'left', (run) => describeOutcomes(run), 'cut'],
];
