// `sluice optout import`: opt-outs of another system, out of a CSV file.
import { type Command, Option } from 'commander';
import { neutralLine } from '../../observe/neutral.ts';
import type { Output } from '../../operator/contract/index.ts';
import { DateOrder, Offset, type RejectedRow } from '../../operator/contract/opt-outs.ts';
import { readOptOutFile, rejectedOf } from '../../operator/service/opt-outs/file.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatMany } from '../lib/terminal/format.ts';

interface Options extends SessionOptions {
  readonly account: string;
  readonly number: string;
  readonly time: string;
  readonly evidence?: string;
  readonly country?: string;
  readonly offset?: string;
  readonly dateOrder?: DateOrder;
  readonly yes: boolean;
  readonly json: boolean;
  readonly reason: string;
}

type Answer = Output<'POST /opt-outs/{account}/import'>;

export function registerImport(optOut: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(optOut.command('import').argument('<file>', 'CSV file with a header'))
    .description('import opt-outs of another system; without --yes, show what would be recorded')
    .requiredOption('--account <name>', 'account of the opt-outs')
    .requiredOption('--number <column>', 'column of the phone numbers')
    .requiredOption('--time <column>', 'column of the times when people opted out')
    .option('--evidence <column>', 'column of what shows it')
    .option(
      '--country <code>',
      'ISO 3166 code of the country for numbers without country code, for example BR',
    )
    .option(
      '--offset <offset>',
      'offset of times without one, for example -03:00 (default: they are rejected)',
    )
    .addOption(
      new Option(
        '--date-order <order>',
        'order of dates such as 01/02/2026 (default: those that can be read in two ways are rejected)',
      ).choices(DateOrder.options),
    )
    .option('--yes', 'record the opt-outs', false)
    .option('--reason <text>', 'reason, recorded in the audit log', '')
    .option('--json', 'print one JSON object per rejected row; the last line is the result', false)
    .action((file: string, options: Options) => {
      if (options.offset !== undefined && !Offset.safeParse(options.offset).success)
        throw new CliError(EXIT.usage, '--offset has the form -03:00 or Z, and is at most 14:00');
      return withOperator(options, env, { command: 'sluice optout import' }, async (client) => {
        const { account, country, reason, yes, json } = options;
        const total = { added: 0, known: 0, withdrawn: 0, rejected: 0 };
        for await (const page of readOptOutFile({ path: file, baseDir: process.cwd() }, options)) {
          const answer: Answer =
            page.rows.length === 0
              ? { added: 0, known: 0, withdrawn: 0, rejected: [] }
              : await client.call('POST /opt-outs/{account}/import', {
                  account,
                  country,
                  rows: [...page.rows],
                  dryRun: !yes,
                  reason,
                });
          const rejected = rejectedOf(page, answer.rejected);
          total.added += answer.added;
          total.known += answer.known;
          total.withdrawn += answer.withdrawn;
          total.rejected += rejected.length;
          for (const each of rejected)
            process.stdout.write(json ? `${JSON.stringify(each)}\n` : `${describe(each)}\n`);
        }
        if (json) process.stdout.write(`${JSON.stringify({ ...total, dryRun: !yes })}\n`);
        else process.stdout.write(`${summary(total, yes)}\n`);
        if (!yes) say('nothing was recorded; add --yes to record the opt-outs');
        return total.rejected > 0 ? EXIT.failedRecords : EXIT.ok;
      });
    });
}

const describe = ({ row, code, reason }: RejectedRow) => neutralLine(`row ${row}: ${reason} [${code}]`);

function summary(
  {
    added,
    known,
    withdrawn,
    rejected,
  }: Readonly<Record<'added' | 'known' | 'withdrawn' | 'rejected', number>>,
  yes: boolean,
): string {
  return [
    `${formatMany(added, 'opt-out')} ${yes ? 'recorded' : 'to record'}`,
    `${known} known`,
    `${withdrawn} older than a withdrawal`,
    `${rejected} rejected`,
  ].join(', ');
}
