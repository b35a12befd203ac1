// `sluice refused list`: the open refused requests, one per line, newest first.
import type { Command } from 'commander';
import { withOperator } from '../../../../cli/lib/connect/connect.ts';
import { say } from '../../../../cli/lib/connect/lifetime.ts';
import { EXIT } from '../../../../cli/lib/exit.ts';
import { formatCount, formatMany, formatTime } from '../../../../cli/lib/terminal/format.ts';
import { printList } from '../../../../cli/lib/terminal/list.ts';
import type { Column } from '../../../../cli/lib/terminal/table.ts';
import type { RefusedRequestSummary } from '../../contract/refused-requests.ts';
import { filterOf, type ListOptions, withFilterOptions } from './refused-options.ts';

interface Options extends ListOptions {
  readonly all: boolean;
  readonly json: boolean;
}

export function registerRefusedList(refused: Command, env: NodeJS.ProcessEnv): void {
  withFilterOptions(refused.command('list'))
    .description('list the open refused requests, newest first')
    .option('--all', 'include replayed and discarded requests', false)
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      withOperator(options, env, { command: 'sluice refused list' }, async (client) => {
        const { all, json } = options;
        const filter = { ...filterOf(options), resolved: all };
        let total = 0;
        const { count } = await printList({
          json,
          limit: options.limit,
          columns: all ? ALL_COLUMNS : COLUMNS,
          async read(limit, before: string | undefined) {
            const page = await client.call('GET /refused-requests', { ...filter, limit, before });
            total = page.total;
            return { items: page.requests, next: page.next };
          },
        });
        say(
          `${formatMany(total, all ? 'refused request' : 'open refused request')}${count < total ? `, of which ${formatCount(count)} are listed` : ''}`,
        );
        if (total === 0)
          say('`sluice failures` also shows refusals without content, such as wrong signatures');
        return EXIT.ok;
      }),
    );
}

const REASON: Column<RefusedRequestSummary> = ['reason', 'left', ({ reason }) => reason, 'cut'];
const COLUMNS: readonly Column<RefusedRequestSummary>[] = [
  ['id', 'left', ({ id }) => id, 'keep'],
  ['first', 'left', ({ firstAt }) => formatTime(firstAt)],
  ['last', 'left', ({ lastAt }) => formatTime(lastAt), 'keep'],
  ['count', 'right', ({ count }) => formatCount(count)],
  ['route', 'left', ({ account, route }) => `${account}/${route}`],
  ['code', 'left', ({ code }) => code],
  REASON,
];
/** With those that somebody has handled. */
const ALL_COLUMNS: readonly Column<RefusedRequestSummary>[] = [
  ...COLUMNS.slice(0, -1),
  ['handled', 'left', ({ resolution }) => resolution?.how ?? ''],
  REASON,
];
