// `sluice sync resolve`: records that the calls of rows whose outcome is unknown took effect.
import type { Command } from 'commander';
import { integer } from '../../../cli/lib/arguments.ts';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { EXIT } from '../../../cli/lib/exit.ts';
import { formatMany } from '../../../cli/lib/terminal/format.ts';

interface Options extends SessionOptions {
  readonly row: readonly number[];
  readonly run?: string;
  readonly reason: string;
  readonly json: boolean;
}

const parseRow = integer({ min: 1 });

export function registerSyncResolve(sync: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(sync.command('resolve').argument('<name>', 'name of the sync'))
    .description('record that the calls of rows whose outcome is unknown took effect; Sluice sends nothing')
    .requiredOption('--row <numbers...>', 'numbers of the rows, as `sluice sync rows` lists them', rowNumbers)
    .option('--run <id>', 'id of a run (default: the last run and its retries)')
    .option('--reason <text>', 'why, for the audit log', '')
    .option('--json', 'print the number of resolved rows as JSON', false)
    .action(async (name: string, { row: rows, run, reason, json, ...session }: Options) => {
      await withOperator(session, env, { command: `sluice sync resolve ${name}` }, async (client) => {
        const { resolved } = await client.call('POST /syncs/{sync}/resolve', {
          sync: name,
          run,
          rows,
          reason,
        });
        say(
          resolved === 0
            ? `none of these rows of "${name}" is unknown`
            : `${formatMany(resolved, 'row')} of "${name}" ${resolved === 1 ? 'counts' : 'count'} as done`,
        );
        if (json) process.stdout.write(`${JSON.stringify({ resolved })}\n`);
        return EXIT.ok;
      });
    });
}

const rowNumbers = (text: string, previous: readonly number[] = []) => [...previous, parseRow(text)];
