// `sluice refused list`: the open refused requests, one per line, newest first.
import type { Command } from 'commander';
import { listCommand } from '../../../../cli/lib/route/list-command.ts';
import { formatCount, formatMany, formatTime } from '../../../../cli/lib/terminal/format.ts';
import { type Column, listOf } from '../../../../cli/lib/terminal/table.ts';
import { REFUSED_REQUESTS, type RefusedRequestSummary } from '../../contract/refused-requests.ts';
import { FILTER } from './refused-options.ts';

export function registerRefusedList(refused: Command, env: NodeJS.ProcessEnv): void {
  listCommand(refused, env, {
    name: 'list',
    about: 'list the open refused requests, newest first',
    contract: REFUSED_REQUESTS,
    route: 'GET /refused-requests',
    fields: { ...FILTER, resolved: ['--all', 'include replayed and discarded requests'] },
    items: 'requests',
    shown: (requests, page, { all }: { readonly all: boolean }) =>
      listOf(all ? ALL_COLUMNS : COLUMNS, requests, { page }),
    limit: {},
    says: ({ count, answer: { total } }, { all }) => [
      `${formatMany(total, all ? 'refused request' : 'open refused request')}${count < total ? `, of which ${formatCount(count)} are listed` : ''}`,
      ...(total === 0
        ? ['`sluice failures` also shows refusals without content, such as wrong signatures']
        : []),
    ],
  });
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
