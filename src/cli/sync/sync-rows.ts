// `sluice sync rows`: the outcome of each row of a run, as a list, as JSON or as CSV.
import type { Command } from 'commander';
import type { CrmRecord } from '../../contracts/wire/record.ts';
import type { Database } from '../../ledger/database.ts';
import {
  findRun,
  type OutcomeFilter,
  ROW_STATUSES,
  type RowOutcome,
  type RowStatus,
  readOutcomes,
} from '../../ledger/sync/outcomes.ts';
import { newestRuns } from '../../ledger/sync/retries.ts';
import { listWarnings } from '../../ledger/sync/run-warnings.ts';
import { type RunRow } from '../../ledger/sync/runs.ts';
import { maskRecord, maskValue } from '../../observability/masking.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { collect, integer } from '../lib/arguments.ts';
import { csvLine } from '../lib/csv.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatMany } from '../lib/format.ts';
import { openLedgerAlone } from '../lib/ledger-alone.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { type Output, openOutput } from '../lib/output.ts';
import { openConfig, type SessionOptions, withSessionOptions } from '../lib/session.ts';
import { tabbed } from '../lib/table.ts';

type Options = SessionOptions & { readonly [status in RowStatus]: boolean } & {
  readonly run?: string;
  readonly code: readonly string[];
  readonly row?: number;
  readonly limit?: number;
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
    .option('--json', 'print one JSON object per line', false)
    .option('--csv <file>', 'write CSV to this file, or to stdout with -')
    .option('--unmasked', 'show phone numbers, names, e-mail addresses and documents unmasked', false)
    .action(async (name: string, options: Options) => {
      process.exitCode = await runCommand((shutdown) => printRows(name, options, env, shutdown));
    });
}

async function printRows(
  name: string,
  options: Options,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<number> {
  if (options.json && options.csv !== undefined)
    throw new CliError(EXIT.usage, '--json and --csv are two forms of the same; choose one');
  const { account } = (await openConfig(options.config, env)).spec(name);
  const db = await openLedgerAlone('sluice sync rows', options.state, env, shutdown);
  const runs = options.run === undefined ? await newestRuns(db, account, name) : [options.run];
  const [newest] = runs;
  const run = newest === undefined ? null : await findRun(db, account, name, newest);
  if (run === null) {
    const what = options.run === undefined ? 'has not run yet' : `has no run ${options.run}`;
    throw new CliError(EXIT.notFound, `the sync "${name}" ${what}`);
  }
  if (options.unmasked) say('personal data is shown in clear (--unmasked)');
  const output = openOutput(
    options.csv === '-' ? null : (options.csv ?? null),
    options.csv === undefined ? 'text' : 'csv',
  );
  const { rows, ended } = await printOutcomes(db, runs, options, output);
  await output.close();
  if (!ended) return EXIT.ok;
  for (const id of runs.toReversed())
    for (const { step, code, reason } of await listWarnings(db, id))
      say(`warning: ${step}: ${reason} [${code}]`);
  const of =
    runs.length === 1 ? run.id : `${runs.at(-1)} and what its retries left, the last of them ${run.id}`;
  say(`${formatMany(rows, 'finding')} in run ${of} (${run.status})`);
  for (const line of whatIsNotListed(run, rows, options)) say(line);
  return EXIT.ok;
}

/** Rows that left no record of their own. */
function whatIsNotListed(run: RunRow, rows: number, options: Options): string[] {
  if (options.row !== undefined) {
    return rows > 0 ? [] : ['a row that is not listed had nothing to change, or was not read'];
  }
  const { created, updated, unchanged, merged } = options;
  if (run.counts !== null && (created || updated || unchanged || merged))
    return [
      'a later run has ended since: of this one only rejected, failed and unknown rows are kept, and counts',
    ];
  return unchanged && run.rows_same > 0
    ? [
        `${formatMany(run.rows_same, 'more person', 'more people')} had nothing to change; they are only counted`,
      ]
    : [];
}

async function printOutcomes(
  db: Database,
  runs: readonly string[],
  options: Options,
  output: Output,
): Promise<{ rows: number; ended: boolean }> {
  const { limit = Number.POSITIVE_INFINITY, json, csv, unmasked } = options;
  const form = json ? asJson : csv === undefined ? asText : asCsv;
  let rows = 0;
  let ended = csv === undefined || (await output.write(csvLine(CSV_COLUMNS)));
  for await (const outcome of readOutcomes(db, runs, filterOf(options))) {
    if (rows >= limit || !ended) break;
    rows++;
    ended = await output.write(form(unmasked ? outcome : maskOutcome(outcome)));
  }
  return { rows, ended };
}

function filterOf(options: Options): OutcomeFilter {
  const wanted = ROW_STATUSES.filter((status) => options[status]);
  // A command that names one row shows its outcome, whatever it is.
  const otherwise = options.row === undefined ? PROBLEMS : ROW_STATUSES;
  return {
    statuses: wanted.length === 0 ? otherwise : wanted,
    codes: options.code.length === 0 ? null : options.code,
    row: options.row ?? null,
  };
}

export function maskOutcome(outcome: RowOutcome): RowOutcome {
  const { status, payload, other } = outcome;
  const { key } = maskRecord({ key: outcome.key }) as Pick<RowOutcome, 'key'>;
  return {
    ...outcome,
    key,
    payload:
      status === 'rejected'
        ? maskedValues(payload as RefusedValues)
        : (maskRecord(payload) as RowOutcome['payload']),
    other: other === null ? null : { row: other.row, payload: maskedValues(other.payload) },
  };
}

type RefusedValues = Readonly<Record<string, string>> | null;

/** Values that were refused, by their place: a row whose cells slid puts a phone into any of them. */
function maskedValues(values: RefusedValues): RefusedValues {
  if (values === null) return null;
  return Object.fromEntries(Object.entries(values).map(([place, value]) => [place, maskValue(place, value)]));
}

const NUMBER = 'contact.number';

/** The number of a row that was rejected for it, as the source has it. */
function writtenNumber({ status, payload }: RowOutcome): string | null {
  const value =
    status === 'rejected' ? (payload as Readonly<Record<string, unknown>> | null)?.[NUMBER] : null;
  return typeof value === 'string' ? value : null;
}

function asText(outcome: RowOutcome): string {
  const { row, status, step, code, reason, column } = outcome;
  // Row 0 is a person who left the source of a mirror.
  const where = row === 0 ? 'left the source' : `row ${row}`;
  const value = writtenNumber(outcome);
  const from = `${column === null ? '' : `column ${column}`}${value === null ? '' : ` (${value})`}`.trim();
  const why = `${from === '' ? '' : `${from}: `}${reason ?? ''}`;
  return `${tabbed([where, status, step ?? '', code ?? '', why])}\n`;
}

function asJson({ status, step, ...outcome }: RowOutcome): string {
  // `outcome` and `where` are the names that the run's report has for status and step.
  const { row, key, code, reason, ...more } = outcome;
  return `${JSON.stringify({ row, key, outcome: status, status, where: step, step, code, reason, ...more })}\n`;
}

const CSV_COLUMNS = [
  'row',
  'status',
  'step',
  'code',
  'reason',
  'column',
  'attempts',
  'created',
  'cardCreated',
  'endedAt',
  'key',
  'name',
  'email',
  'document',
  'tags',
  'pipeline',
  'stage',
  'payload',
  'otherRow',
  'otherPayload',
];

const json = (value: object | null) => (value === null ? null : JSON.stringify(value));

function asCsv(outcome: RowOutcome): string {
  const {
    row,
    status,
    step,
    code,
    reason,
    column,
    attempts,
    created,
    cardCreated,
    endedAt,
    key,
    payload,
    other,
  } = outcome;
  const record = isRecord(payload) ? payload : null;
  const { contact, tags = [], card } = record ?? {};
  return csvLine([
    row,
    status,
    step,
    code,
    reason,
    column,
    attempts,
    created,
    cardCreated,
    endedAt?.toISOString() ?? null,
    key,
    contact?.name ?? null,
    contact?.email ?? null,
    contact?.document ?? null,
    tags.join('|'),
    card?.pipeline ?? null,
    card?.stage ?? null,
    json(payload),
    other?.row ?? null,
    json(other?.payload ?? null),
  ]);
}

function isRecord(payload: RowOutcome['payload']): payload is CrmRecord {
  return payload !== null && typeof payload.contact === 'object';
}
