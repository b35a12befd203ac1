// `sluice sync list` and `sluice sync runs`: syncs with their last run, and runs with start, end and counts.
import type { Command } from 'commander';
import { integer } from '../../../cli/lib/arguments.ts';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { EXIT } from '../../../cli/lib/exit.ts';
import { formatCount, formatDuration, formatTime } from '../../../cli/lib/terminal/format.ts';
import { printList } from '../../../cli/lib/terminal/list.ts';
import type { Column } from '../../../cli/lib/terminal/table.ts';
import type { SyncEntry, SyncRunSummary } from '../contract/runs.ts';
import { describeOutcomes } from './describe-run.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly limit: number;
  readonly account?: string;
}

const LIMIT = 20;

export function registerSyncLists(sync: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(sync.command('list'))
    .description('list syncs with their state, last run and next scheduled time')
    .option('--account <name>', 'only syncs of this account')
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      withOperator(options, env, { command: 'sluice sync list', mayBeEmpty: true }, async (client) => {
        const { account, json } = options;
        const { count } = await printList({
          json,
          columns: SYNC_COLUMNS,
          async read(_, after: string | undefined) {
            const { syncs: items, next } = await client.call('GET /syncs', { account, after });
            return { items, next };
          },
        });
        if (count === 0) say('the configuration has no sync');
        return EXIT.ok;
      }),
    );

  withSessionOptions(sync.command('runs').argument('<name>', 'name of the sync'))
    .description('list the runs of a sync, newest first, with start, end and counts')
    .option('--limit <count>', 'maximum number of runs', integer({ min: 1, max: 1000 }), LIMIT)
    .option('--json', 'print one JSON object per line', false)
    .action((name: string, options: Options) =>
      withOperator(options, env, { command: `sluice sync runs ${name}` }, async (client) => {
        const { count, more } = await printList({
          json: options.json,
          limit: options.limit,
          columns: RUN_COLUMNS,
          async read(limit) {
            const { runs: items, next } = await client.call('GET /syncs/{sync}/runs', { sync: name, limit });
            return { items, next };
          },
        });
        if (count === 0) say(`the sync "${name}" has not run yet`);
        if (more) say('there are older runs: see --limit');
        return EXIT.ok;
      }),
    );
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
  ['kind', 'left', ({ kind }) => kind, 'drop'],
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
