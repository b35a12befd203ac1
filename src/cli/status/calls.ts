// `sluice calls`: which calls Sluice made, and what they were spent on.
import type { Command } from 'commander';
import { type LoggedCall, OVERVIEW, type Spending } from '../../operator/contract/overview.ts';
import { callCommand } from '../lib/route/call-command.ts';
import { listCommand } from '../lib/route/list-command.ts';
import { formatCount, formatDuration, formatMany, formatTime } from '../lib/terminal/format.ts';
import { type Column, tableOf } from '../lib/terminal/table.ts';
import { limitOf, PERIOD } from './period.ts';

interface OutcomeOptions {
  readonly failed: boolean;
  readonly lost: boolean;
}

export function registerCalls(program: Command, env: NodeJS.ProcessEnv): void {
  const calls = program
    .command('calls')
    .description('show which API calls Sluice made, and what they were spent on');

  listCommand(calls, env, {
    name: 'list',
    about: 'list API calls, newest first',
    contract: OVERVIEW,
    route: 'GET /calls',
    fields: {
      ...PERIOD,
      run: ['--run <id>', 'only calls of this run'],
      request: ['--request <id>', 'only the call with this request id of the service'],
      status: ['--status <number>', 'only calls with this HTTP status'],
      unmask: ['--unmasked', 'show numbers; the audit log records it'],
    },
    flags: (command) =>
      command
        .option(
          '--failed',
          'only calls without success: refused, or with a lost answer; a 429 is not one',
          false,
        )
        .option('--lost', 'only calls whose answer was lost', false),
    input: (given, { failed, lost }: OutcomeOptions) => ({
      ...given,
      outcome: lost ? ('lost' as const) : failed ? ('failed' as const) : undefined,
    }),
    items: 'calls',
    shown: CALLS,
    limit: { usual: 100, most: 1000 },
    one: 'call',
  });

  callCommand(calls, env, {
    name: 'spending',
    about: 'show which syncs, campaigns, pollers and routes spent the calls, the largest first',
    contract: OVERVIEW,
    route: 'GET /spending',
    fields: { ...PERIOD, limit: limitOf(20) },
    flags: (command) => command.option('--by-run', 'count each run by itself', false),
    input: (given, { byRun }: { readonly byRun: boolean }) => ({
      ...given,
      by: byRun ? ('run' as const) : ('job' as const),
    }),
    json: 'print JSON',
    text: ({ items }) => tableOf(SPENDING, items),
    says: (spent) => `${formatMany(spent.calls, 'call')} since ${formatTime(spent.since)}`,
  });
}

const CALLS: readonly Column<LoggedCall>[] = [
  ['time', 'left', ({ at }) => formatTime(at), 'keep'],
  ['call', 'left', ({ method, route }) => `${method} ${route}`],
  ['status', 'right', ({ status }) => (status === null ? 'lost' : String(status))],
  ['code', 'left', ({ code }) => code ?? ''],
  ['lane', 'left', ({ lane }) => lane, 'drop'],
  ['waited', 'right', ({ waitMs }) => formatDuration(waitMs), 'drop'],
  ['took', 'right', ({ tookMs }) => formatDuration(tookMs), 'drop'],
  ['person', 'left', ({ person }) => person ?? ''],
  ['run', 'left', ({ run }) => run, 'cut'],
  ['request', 'left', ({ requestId }) => requestId ?? ''],
];

const SPENDING: readonly Column<Spending>[] = [
  ['what', 'left', ({ kind }) => kind],
  ['name', 'left', ({ name, run }) => run ?? name, 'keep'],
  ['account', 'left', ({ account }) => account],
  ['calls', 'right', ({ calls }) => formatCount(calls)],
  ['share', 'right', ({ share }) => `${(share * 100).toFixed(1)} %`],
  ['429', 'right', ({ limited }) => formatCount(limited), 'drop'],
  ['failed', 'right', ({ failed }) => formatCount(failed), 'drop'],
  ['mean wait', 'right', ({ waitMs }) => formatDuration(waitMs), 'drop'],
];
