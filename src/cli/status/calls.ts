// `sluice calls`: which calls Sluice made, and what they were spent on.
import type { Command } from 'commander';
import type { LoggedCall, Spending } from '../../operator/contract/overview.ts';
import { integer } from '../lib/arguments.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { EXIT } from '../lib/exit.ts';
import { formatCount, formatDuration, formatMany, formatTime } from '../lib/terminal/format.ts';
import { printList } from '../lib/terminal/list.ts';
import { printLines } from '../lib/terminal/print.ts';
import { type Column, tableOf } from '../lib/terminal/table.ts';
import { type PeriodOptions, periodOf, withPeriod } from './period.ts';

interface ListOptions extends PeriodOptions {
  readonly run?: string;
  readonly request?: string;
  readonly status?: number;
  readonly failed: boolean;
  readonly lost: boolean;
  readonly unmasked: boolean;
}

export function registerCalls(program: Command, env: NodeJS.ProcessEnv): void {
  const calls = program
    .command('calls')
    .description('show which API calls Sluice made, and what they were spent on');

  withPeriod(calls.command('list'), 100)
    .description('list API calls, newest first')
    .option('--run <id>', 'only calls of this run')
    .option('--request <id>', 'only the call with this request id of the service')
    .option('--status <number>', 'only calls with this HTTP status', integer({ min: 100, max: 599 }))
    .option('--failed', 'only calls without success: refused, or with a lost answer; a 429 is not one', false)
    .option('--lost', 'only calls whose answer was lost', false)
    .option('--unmasked', 'show numbers; the audit log records it', false)
    .action((options: ListOptions) =>
      withOperator(options, env, { command: 'sluice calls list' }, async (client) => {
        const { run, request, status, failed, lost, unmasked: unmask, limit } = options;
        const outcome = lost ? ('lost' as const) : failed ? ('failed' as const) : undefined;
        const input = { ...periodOf(options), run, request, status, outcome, unmask };
        const { count, more } = await printList({
          json: options.json,
          limit,
          columns: CALLS,
          async read(size, before: string | undefined) {
            const { calls: items, next } = await client.call('GET /calls', { ...input, limit: size, before });
            return { items, next };
          },
        });
        say(`${formatMany(count, 'call')}${more ? ', and there are more: see --limit' : ''}`);
        return EXIT.ok;
      }),
    );

  withPeriod(calls.command('spending'), 20)
    .description('show which syncs, campaigns, pollers and routes spent the calls, the largest first')
    .option('--by-run', 'count each run by itself', false)
    .action((options: PeriodOptions & { readonly byRun: boolean }) =>
      withOperator(options, env, { command: 'sluice calls spending' }, async (client) => {
        const by = options.byRun ? ('run' as const) : ('job' as const);
        const spent = await client.call('GET /spending', { ...periodOf(options), by, limit: options.limit });
        if (options.json) printLines([JSON.stringify(spent)]);
        else printLines(tableOf(SPENDING, spent.items));
        say(`${formatMany(spent.calls, 'call')} since ${formatTime(spent.since)}`);
        return EXIT.ok;
      }),
    );
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
