// `sluice account`: what the accounts of the configuration offer, with the ids that configurations need.
import type { Command } from 'commander';
import { ACCOUNTS, type AccountLists } from '../../operator/contract/accounts.ts';
import type { Output } from '../../operator/contract/index.ts';
import { callCommand } from '../lib/route/call-command.ts';
import { listCommand } from '../lib/route/list-command.ts';
import { formatCount, formatMany } from '../lib/terminal/format.ts';
import { type Column, lineWidth, tableOf } from '../lib/terminal/table.ts';

export function registerAccount(program: Command, env: NodeJS.ProcessEnv): void {
  const account = program.command('account').description('list accounts, and show what an account offers');

  listCommand(account, env, {
    name: 'list',
    about: 'list the accounts of the configuration',
    contract: ACCOUNTS,
    route: 'GET /accounts',
    connecting: { mayBeEmpty: true },
    items: 'accounts',
    shown: COLUMNS,
    limit: null,
  });

  callCommand(account, env, {
    name: 'show',
    about: 'show pipelines, stages, tags, connections, lost reasons, users, sources and flows with ids',
    contract: ACCOUNTS,
    route: 'POST /accounts/{account}/lists',
    arguments: [['account', '<name>', 'name of the account']],
    connecting: { mayBeEmpty: true },
    json: 'print JSON',
    text: describeLists,
    says: ({ calls }) => `read from the account with ${formatMany(calls, 'API call')}`,
  });
}

const COLUMNS: readonly Column<Output<'GET /accounts'>['accounts'][number]>[] = [
  ['account', 'left', ({ account }) => account, 'keep'],
  ['address', 'left', ({ baseUrl }) => baseUrl],
  ['tokens', 'right', ({ tokens }) => formatCount(tokens)],
  ['calls/min', 'right', ({ callsPerMinute }) => formatCount(callsPerMinute)],
  ['time zone', 'left', ({ timeZone }) => timeZone],
];

const INDENT = '  ';
type Named = AccountLists['tags']['items'][number];
const NAMED: readonly Column<Named>[] = [
  ['id', 'right', ({ id }) => String(id)],
  ['name', 'left', ({ name }) => name ?? '(the service shows no name)'],
];

export function describeLists(lists: AccountLists): string[] {
  const width = lineWidth(process.stdout) - INDENT.length;
  const stages = lists.pipelines.items.flatMap(({ id, name, stages }) =>
    stages.map((stage) => ({ pipeline: id, pipelineName: name, ...stage })),
  );
  const sections: [string, string | null, string[]][] = [
    [
      'Pipelines and stages',
      lists.pipelines.error,
      tableOf(
        [
          ['pipeline', 'right', ({ pipeline }) => String(pipeline)],
          ['name', 'left', ({ pipelineName }) => pipelineName],
          ['stage', 'right', ({ id }) => String(id)],
          ['name', 'left', ({ name }) => name],
          ['closes as', 'left', ({ isFinal, isWon }) => (isFinal ? (isWon === true ? 'won' : 'lost') : '')],
        ],
        stages,
        width,
      ),
    ],
    ['Tags', lists.tags.error, tableOf(NAMED, lists.tags.items, width)],
    [
      'Connections',
      lists.connections.error,
      tableOf(
        [
          ['id', 'right', ({ id }) => String(id)],
          ['name', 'left', ({ name }) => name],
          ['channel', 'left', ({ channel }) => channel],
          ['status', 'left', ({ status }) => status],
          ['default', 'left', ({ isDefault }) => (isDefault ? 'yes' : '')],
        ],
        lists.connections.items,
        width,
      ),
    ],
    ['Lost reasons', lists.lostReasons.error, tableOf(NAMED, lists.lostReasons.items, width)],
    [
      'Users, as named in the newest cards and conversations',
      lists.users.error,
      tableOf(NAMED, lists.users.items, width),
    ],
    [
      'Sources, as named in the newest cards',
      lists.sources.error,
      tableOf(NAMED, lists.sources.items, width),
    ],
    [
      'Flows that the configuration triggers; the service lists no flows',
      null,
      tableOf(
        [
          ['id', 'right', ({ id }) => String(id)],
          ['used by', 'left', ({ usedBy }) => usedBy.join(', ')],
        ],
        lists.flows,
        width,
      ),
    ],
  ];
  return sections.flatMap(([title, error, table], at) => [
    ...(at === 0 ? [] : ['']),
    title,
    ...(error === null ? (table.length > 1 ? table : ['none']) : [`not readable: ${error}`]).map(
      (line) => `${INDENT}${line}`,
    ),
  ]);
}
