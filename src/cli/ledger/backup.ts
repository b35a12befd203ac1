// Commands for backup and restore of the ledger.
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { openLedger } from '../../app/ledger/ledger-database.ts';
import { acquireFolderLock } from '../../core/lock/folder-lock.ts';
import type { RestoreCounts } from '../../protect/restore/restores.ts';
import { markRestored } from '../../protect/restore/suspect.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatCount } from '../lib/terminal/format.ts';
import { printLines } from '../lib/terminal/print.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
}

export function registerBackup(ledger: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(ledger.command('backup'))
    .description('copy the embedded ledger, also while Sluice runs; PostgreSQL has tools of its own')
    .option('--json', 'print JSON', false)
    .action((options: Options) =>
      withOperator(options, env, { command: 'sluice ledger backup' }, async (client) => {
        const backup = await client.call('POST /ledger/backup', {});
        printLines([options.json ? JSON.stringify(backup) : backup.folder]);
        return EXIT.ok;
      }),
    );
  withSessionOptions(ledger.command('end-restore'))
    .description('end a restore after you have checked what happened since the backup')
    .option('--json', 'print JSON', false)
    .action((options: Options) =>
      withOperator(options, env, { command: 'sluice ledger end-restore' }, async (client) => {
        const ended = await client.call('POST /ledger/end-restore', {});
        printLines([
          options.json
            ? JSON.stringify(ended)
            : `the restore to ${ended.restoredTo} has ended; campaigns may be planned`,
        ]);
        return EXIT.ok;
      }),
    );
  withSessionOptions(ledger.command('restore'))
    .description(
      'replace the embedded ledger by a backup, and mark what may have gone on since; nothing may run',
    )
    .argument('<folder>', 'as `sluice ledger backup` printed it')
    .option('--json', 'print JSON', false)
    .action(async (folder: string, { state, json }: Options) => {
      if (env.DATABASE_URL)
        throw new CliError(
          EXIT.usage,
          'the ledger is on PostgreSQL: restore it with the tools of that server, then run `sluice ledger restored --to TIME`',
        );
      const { BackupError, restoreLedger } = await import('../../app/ledger/ledger-backup.ts');
      const stateDir = resolve(state);
      const lock = await acquireFolderLock(stateDir, { command: 'sluice ledger restore' }, say);
      try {
        const restored = await restoreLedger(resolve(folder), stateDir).catch((error: unknown) => {
          throw error instanceof BackupError ? new CliError(EXIT.notFound, error.message) : error;
        });
        const { takenAt, counts, replaced } = restored;
        if (replaced !== null) say(`the files that were there before are in ${replaced}`);
        printRestored(takenAt, counts, json);
      } finally {
        await lock.release();
      }
    });
  ledger
    .command('restored')
    .description(
      'mark the PostgreSQL ledger in DATABASE_URL as restored from a backup; run it before any process starts',
    )
    .requiredOption('--to <time>', 'the moment of the backup, as 2026-11-23T10:00:00Z', timeOf)
    .option('--json', 'print JSON', false)
    .action(async ({ to, json }: { readonly to: Date; readonly json: boolean }) => {
      const url = env.DATABASE_URL;
      if (!url)
        throw new CliError(
          EXIT.usage,
          'sluice ledger restored needs DATABASE_URL; restore an embedded ledger with `sluice ledger restore`',
        );
      const lost = (error: Error) => say(`the database dropped a connection: ${error.message}`);
      const db = await openLedger({ url, stateDir: '', onError: lost });
      try {
        printRestored(to.toISOString(), await markRestored(db, to), json);
      } finally {
        await db.close();
      }
    });
}

function timeOf(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('use a time with its zone, as 2026-11-23T10:00:00Z');
  if (time.getTime() > Date.now()) throw new InvalidArgumentError('this time has not come yet');
  return time;
}

function printRestored(restoredTo: string, counts: RestoreCounts, json: boolean): void {
  const { runs, events, campaigns, members } = counts;
  printLines(
    json
      ? [JSON.stringify(Object.assign({ restoredTo }, counts))]
      : [
          `restored to ${restoredTo}`,
          `runs of syncs ended           ${formatCount(runs)}`,
          `events to read back           ${formatCount(events)}`,
          `campaigns ended               ${formatCount(campaigns)}`,
          `members with unknown outcome  ${formatCount(members)}`,
        ],
  );
}
