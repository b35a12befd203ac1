// `sluice sync rows`: the outcome of each row of a run, as a list, as JSON or as CSV.
import type { Command } from 'commander';
import { collect, integer } from '../../../cli/lib/arguments.ts';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { formatMany } from '../../../cli/lib/terminal/format.ts';
import { openOutput } from '../../../cli/lib/terminal/output.ts';
import { type Column, listOf } from '../../../cli/lib/terminal/table.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Output as Answer } from '../../../operator/contract/index.ts';
import { UNKNOWN_TAG } from '../constants.ts';
import { ROW_STATUSES, type SyncRow } from '../contract/runs.ts';
import { describeHints } from './describe-hints.ts';
import { describeWarning } from './describe-warning.ts';
import { ROWS_CSV } from './rows-csv.ts';

type RowStatus = (typeof ROW_STATUSES)[number];
type Options = SessionOptions & { readonly [status in RowStatus]: boolean } & {
  readonly run?: string;
  readonly code: readonly string[];
  readonly row?: number;
  readonly limit?: number;
  readonly lines: boolean;
  readonly json: boolean;
  readonly csv?: string;
  readonly unmasked: boolean;
};

const PROBLEMS: readonly RowStatus[] = ['rejected', 'failed', 'unknown'];

const WHAT = {
  rejected: 'rows that could not be mapped',
  failed: 'records that the service refused',
  unknown: 'records with an unknown outcome',
  created: 'records that created a contact',
  updated: 'records that changed something',
  unchanged: 'records without a change',
  merged: 'rows merged into the row of the same person',
  pending: 'records that have not ended: the run is active or was cancelled',
} as const satisfies Record<RowStatus, string>;

export function registerSyncRows(sync: Command, env: NodeJS.ProcessEnv): void {
  const rows = withSessionOptions(sync.command('rows').argument('<name>', 'name of the sync')).description(
    'list rows of the last run and its retries (default: rejected, failed and unknown rows)',
  );
  for (const [status, what] of Object.entries(WHAT)) rows.option(`--${status}`, what, false);
  rows
    .option('--run <id>', 'id of a run (default: the last run)')
    .option('--code <code>', 'only rows with this code; repeatable', collect, [])
    .option('--row <number>', 'only the row with this number in the source', integer({ min: 0 }))
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1 }))
    .option('--lines', 'show the line of rejected rows in their CSV file; Sluice reads the file', false)
    .option('--json', 'print one JSON object per line', false)
    .option('--csv <file>', 'write CSV to this file, or to stdout with -')
    .option('--unmasked', 'show phone numbers, names, e-mail addresses and documents unmasked', false)
    .action(async (name: string, options: Options) => {
      if (options.json && options.csv !== undefined)
        throw new CliError(EXIT.usage, '--json and --csv are two forms of the same; choose one');
      await withOperator(options, env, { command: `sluice sync rows ${name}` }, (client) =>
        printRows(client, name, options),
      );
    });
}

type Page = Answer<'GET /syncs/{sync}/rows'>;

/** Rows of one request. */
const PAGE_ROWS = 1000;

async function printRows(client: OperatorClient, name: string, options: Options): Promise<number> {
  let page = await readPage(client, name, options, { left: leftOf(options, 0) });
  if (options.unmasked) say('personal data is shown in clear (--unmasked)');
  const { csv, json } = options;
  const output = openOutput(csv === '-' ? null : (csv ?? null), csv === undefined ? 'text' : 'csv');
  let rows = 0;
  let pages = 0;
  let wanted = csv === undefined || (await output.write(ROWS_CSV.titles));
  for (;;) {
    const listed = json
      ? page.rows.map(asJson)
      : csv === undefined
        ? listOf(COLUMNS, page.rows, { page: pages++ }).map((line) => `${line}\n`)
        : page.rows.map(ROWS_CSV.line);
    rows += page.rows.length;
    for (const line of listed) {
      if (!wanted) break;
      wanted = await output.write(line);
    }
    const left = leftOf(options, rows);
    if (page.next === null || left === 0 || !wanted) break;
    page = await readPage(client, name, options, { left, after: page.next });
  }
  await output.close();
  if (!wanted) return EXIT.ok;
  await sayRest(client, name, options, { page, rows });
  return EXIT.ok;
}

function leftOf({ limit = Number.POSITIVE_INFINITY }: Options, rows: number): number {
  return limit - rows;
}

async function readPage(
  client: OperatorClient,
  sync: string,
  options: Options,
  { left, after }: { left: number; after?: string },
): Promise<Page> {
  const { run, code, row, lines, unmasked } = options;
  const wanted = ROW_STATUSES.filter((status) => options[status]);
  // A command that names one row shows its outcome, whatever it is. People without a tag were written.
  const otherwise = row === undefined && !code.includes(UNKNOWN_TAG) ? PROBLEMS : ROW_STATUSES;
  return await client.call('GET /syncs/{sync}/rows', {
    sync,
    run,
    statuses: wanted.length === 0 ? otherwise : wanted,
    codes: code.length === 0 ? undefined : code,
    row,
    lines,
    limit: Math.min(PAGE_ROWS, left),
    after,
    unmask: unmasked,
  });
}

/** Says what the list itself does not show. */
async function sayRest(
  client: OperatorClient,
  sync: string,
  options: Options,
  { page, rows }: { page: Page; rows: number },
): Promise<void> {
  const { runs, status } = page;
  if (page.linesProblem !== null) say(`lines are not known: ${page.linesProblem}`);
  const [newest = ''] = runs;
  for (const run of runs.toReversed())
    for (let after: string | null | undefined; after !== null; ) {
      const found = await client.call('GET /syncs/{sync}/warnings', { sync, run, after });
      for (const warning of found.warnings) say(describeWarning(warning));
      after = found.next;
    }
  const of =
    runs.length === 1 ? newest : `${runs.at(-1)} and what its retries left, the last of them ${newest}`;
  say(`${formatMany(rows, 'finding')} in run ${of} (${status})`);
  for (const line of whatIsNotListed(page, rows, options)) say(line);
}

/** Rows that left no record of their own. */
function whatIsNotListed({ pruned, same }: Page, rows: number, options: Options): string[] {
  if (options.row !== undefined) {
    return rows > 0 ? [] : ['a row that is not listed had nothing to change, or was not read'];
  }
  const { unchanged, merged } = options;
  if (pruned && (unchanged || merged))
    return ['a later run has ended since: unchanged and merged rows of this one are only counted'];
  return unchanged && same > 0
    ? [`${formatMany(same, 'more person', 'more people')} had nothing to change; they are only counted`]
    : [];
}

const NUMBER = 'contact.number';

/** The number of a row that was rejected for it, as the source has it. */
function writtenNumber({ status, payload }: SyncRow): string | null {
  const value = status === 'rejected' ? payload?.[NUMBER] : null;
  return typeof value === 'string' ? value : null;
}

const COLUMNS: readonly Column<SyncRow>[] = [
  // Row 0 is a person who left the source of a mirror.
  ['row', 'left', ({ row, place }) => whereOf(row, place), 'keep'],
  ['outcome', 'left', ({ status }) => status],
  ['step', 'left', ({ step }) => step ?? ''],
  ['code', 'left', ({ code }) => code ?? ''],
  ['reason', 'left', whyOf, 'cut'],
];

function whereOf(row: number, place: SyncRow['place']): string {
  if (row === 0) return 'left the source';
  return place === null ? `row ${row}` : `row ${row} (line ${place.line}, spreadsheet ${place.sheetLine})`;
}

function whyOf(outcome: SyncRow): string {
  const { reason, column, missingTags } = outcome;
  const value = writtenNumber(outcome);
  const from = `${column === null ? '' : `column ${column}`}${value === null ? '' : ` (${value})`}`.trim();
  const hints = outcome.hints === null ? '' : ` (${describeHints(outcome.hints)})`;
  const lacking =
    missingTags.length === 0
      ? ''
      : `the account lacks ${formatMany(missingTags.length, 'tag')}: ${missingTags.join(', ')}`;
  const why = [reason ?? '', lacking].filter((part) => part !== '').join('; ');
  return `${from === '' ? '' : `${from}: `}${why}${hints}`;
}

function asJson({ status, step, ...outcome }: SyncRow): string {
  // `outcome` and `where` are the names that the run's report has for status and step.
  const { row, key, code, reason, changes: _unasked, ...more } = outcome;
  return `${JSON.stringify({ row, key, outcome: status, status, where: step, step, code, reason, ...more })}\n`;
}
