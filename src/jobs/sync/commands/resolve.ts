// `sluice sync resolve`: records that the calls of rows whose outcome is unknown took effect.
import type { Command } from 'commander';
import { callCommand } from '../../../cli/lib/route/call-command.ts';
import { formatMany } from '../../../cli/lib/terminal/format.ts';
import { SYNCS } from '../contract/runs.ts';

export function registerSyncResolve(sync: Command, env: NodeJS.ProcessEnv): void {
  callCommand(sync, env, {
    name: 'resolve',
    about: 'record that the calls of rows whose outcome is unknown took effect; Sluice sends nothing',
    contract: SYNCS,
    route: 'POST /syncs/{sync}/resolve',
    arguments: [['sync', '<name>', 'name of the sync']],
    fields: {
      rows: ['--row <numbers...>', 'numbers of the rows, as `sluice sync rows` lists them'],
      run: ['--run <id>', 'id of a run (default: the last run and its retries)'],
      reason: ['--reason <text>', 'why, for the audit log'],
    },
    json: 'print the number of resolved rows as JSON',
    says: ({ resolved }, { input }) =>
      resolved === 0
        ? `none of these rows of "${input.sync}" is unknown`
        : `${formatMany(resolved, 'row')} of "${input.sync}" ${resolved === 1 ? 'counts' : 'count'} as done`,
  });
}
