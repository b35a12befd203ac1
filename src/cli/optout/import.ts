// `sluice optout import`: opt-outs of another system, out of a CSV file.
import type { Command } from 'commander';
import { csvSource } from '../../connectors/sources/csv/csv.ts';
import { readSafeCell } from '../../core/csv.ts';
import type { SourceCursor } from '../../core/source.ts';
import { neutralLine } from '../../observe/neutral.ts';
import type { Input, Output } from '../../operator/contract/index.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatMany } from '../lib/terminal/format.ts';

/** Rows of a request. */
const MOST_ROWS = 10_000;
/** `2026-11-20`, `2026-11-20 06:00` or `2026-11-20T06:00:00`. */
const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?)?$/;

interface Options extends SessionOptions {
  readonly account: string;
  readonly number: string;
  readonly time: string;
  readonly evidence?: string;
  readonly country?: string;
  readonly offset?: string;
  readonly yes: boolean;
  readonly json: boolean;
  readonly reason: string;
}

type Answer = Output<'POST /opt-outs/{account}/import'>;
type Rejected = Answer['rejected'][number];

export interface ReadRows {
  readonly rows: Input<'POST /opt-outs/{account}/import'>['rows'];
  /** The number in the file of each of `rows`. */
  readonly places: readonly number[];
  /** Rows that are no rows of a table. */
  readonly rejected: readonly Rejected[];
}

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
    .option('--yes', 'record the opt-outs', false)
    .option('--reason <text>', 'reason, recorded in the audit log', '')
    .option('--json', 'print one JSON object per rejected row; the last line is the result', false)
    .action((file: string, options: Options) => {
      if (options.offset !== undefined && !/^(?:Z|[+-]\d\d:\d\d)$/.test(options.offset))
        throw new CliError(EXIT.usage, '--offset has the form -03:00 or Z');
      return withOperator(options, env, { command: 'sluice optout import' }, async (client) => {
        const { account, country, reason, yes, json } = options;
        const total = { added: 0, known: 0, withdrawn: 0, rejected: 0 };
        for await (const { rows, places, rejected } of readFile(file, options)) {
          const answer: Answer =
            rows.length === 0
              ? { added: 0, known: 0, withdrawn: 0, rejected: [] }
              : await client.call('POST /opt-outs/{account}/import', {
                  account,
                  country,
                  rows,
                  dryRun: !yes,
                  reason,
                });
          const refused = answer.rejected.map((each) => ({ ...each, row: places[each.row - 1] ?? each.row }));
          total.added += answer.added;
          total.known += answer.known;
          total.withdrawn += answer.withdrawn;
          total.rejected += refused.length + rejected.length;
          for (const each of [...rejected, ...refused].sort((a, b) => a.row - b.row))
            process.stdout.write(json ? `${JSON.stringify(each)}\n` : `${describe(each)}\n`);
        }
        if (json) process.stdout.write(`${JSON.stringify({ ...total, dryRun: !yes })}\n`);
        else process.stdout.write(`${summary(total, yes)}\n`);
        if (!yes) say('nothing was recorded; add --yes to record the opt-outs');
        return total.rejected > 0 ? EXIT.failedRecords : EXIT.ok;
      });
    });
}

const describe = ({ row, code, reason }: Rejected) => neutralLine(`row ${row}: ${reason} [${code}]`);

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

/**
 * The rows of the file, as many as a request takes at a time.
 * @throws SourceError for a file that is no table; CliError (usage) for a column that it does not have
 */
export async function* readFile(
  path: string,
  { number, time, evidence, offset }: Pick<Options, 'number' | 'time' | 'evidence' | 'offset'>,
): AsyncGenerator<ReadRows> {
  const source = csvSource({ type: 'csv', path, encoding: 'auto', delimiter: 'auto' }, process.cwd());
  let cursor: SourceCursor | null = null;
  do {
    const page = await source.read(cursor, { limit: MOST_ROWS });
    const rows: ReadRows['rows'] = [];
    const places: number[] = [];
    const rejected: Rejected[] = [];
    for (const { row, values, problem } of page.rows) {
      if (values === null) {
        rejected.push({
          row,
          code: problem?.code ?? 'malformed_row',
          reason: problem?.reason ?? 'the row cannot be read',
        });
        continue;
      }
      const cell = (column: string) => {
        if (Object.hasOwn(values, column)) return readSafeCell(String(values[column] ?? ''));
        const columns = Object.keys(values).join(', ');
        throw new CliError(EXIT.usage, neutralLine(`the file has no column "${column}"; it has ${columns}`));
      };
      const note = evidence === undefined ? '' : cell(evidence);
      rows.push({
        number: cell(number),
        at: timeOf(cell(time).trim(), offset),
        ...(note === '' ? {} : { evidence: note }),
      });
      places.push(row);
    }
    yield { rows, places, rejected };
    cursor = page.next;
  } while (cursor !== null);
}

/** Adds the offset to a time without one. A day begins at midnight. */
function timeOf(text: string, offset: string | undefined): string {
  const [, day, clock = '00:00', seconds = ':00'] = LOCAL_TIME.exec(text) ?? [];
  return day === undefined || offset === undefined ? text : `${day}T${clock}${seconds}${offset}`;
}
