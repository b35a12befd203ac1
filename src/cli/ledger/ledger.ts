// `sluice ledger`: the tables of the ledger, how long each kind of data stays in them, and backups.
import type { Command } from 'commander';
import { openLedger } from '../../app/ledger/ledger-database.ts';
import { versionOf } from '../../core/sql/migrations/migrations.ts';
import type { Output } from '../../operator/contract/index.ts';
import { SETTINGS } from '../../operator/contract/settings.ts';
import { say } from '../lib/connect/lifetime.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { callCommand } from '../lib/route/call-command.ts';
import { formatCount, formatTime } from '../lib/terminal/format.ts';
import { printLines } from '../lib/terminal/print.ts';
import { type Column, tableOf } from '../lib/terminal/table.ts';
import { registerBackup } from './backup.ts';

type Kind = Output<'GET /retention'>['kinds'][number];

export function registerLedger(program: Command, env: NodeJS.ProcessEnv): void {
  const ledger = program
    .command('ledger')
    .description("the ledger's tables, how long they keep data, and backups");
  registerBackup(ledger, env);
  callCommand(ledger, env, {
    name: 'retention',
    about: 'show how long each kind of data is kept, its size, and what was deleted last',
    contract: SETTINGS,
    route: 'GET /retention',
    json: 'print JSON',
    text: ({ kinds }) => tableOf(COLUMNS, kinds),
  });
  ledger
    .command('migrate')
    .description(
      'bring the tables of the PostgreSQL in DATABASE_URL up to date, as their owner; for workers whose role cannot',
    )
    .option('--json', 'print JSON', false)
    .action(async (options: { readonly json: boolean }) => {
      const url = env.DATABASE_URL;
      if (!url)
        throw new CliError(
          EXIT.usage,
          'sluice ledger migrate needs DATABASE_URL; an embedded ledger is migrated when it is opened',
        );
      const lost = (error: Error) => say(`the database dropped a connection: ${error.message}`);
      const db = await openLedger({ url, stateDir: '', onError: lost });
      try {
        const version = await versionOf(db);
        printLines([
          options.json ? JSON.stringify({ version }) : `the tables of the ledger are at version ${version}`,
        ]);
      } finally {
        await db.close();
      }
    });
}

const MIB = 1_048_576;

const COLUMNS: readonly Column<Kind>[] = [
  ['kind', 'left', ({ kind }) => kind],
  ['kept', 'right', ({ keeps }) => keeps],
  ['size', 'right', ({ tables }) => sizeOf(tables.reduce((sum, { bytes }) => sum + bytes, 0))],
  [
    'last pass',
    'left',
    ({ active, endedAt }) => (active ? 'now' : endedAt === null ? '–' : formatTime(endedAt)),
  ],
  ['deleted', 'right', ({ deleted }) => formatCount(deleted)],
  ['in all', 'right', ({ deletedEver }) => formatCount(deletedEver)],
  ['setting', 'left', ({ setting }) => setting, 'drop'],
  ['error', 'left', ({ error }) => error ?? '', 'drop'],
];

function sizeOf(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
