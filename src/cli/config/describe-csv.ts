// What `sluice init --csv` recognized, and the first rows as they would be written, without personal data in clear.
import { maskRecord, maskValue } from '../../observe/masking.ts';
import type { ColumnGuess, Preview } from '../../recognize/index.ts';
import { formatMany } from '../lib/terminal/format.ts';
import { type Column, tableOf } from '../lib/terminal/table.ts';
import type { CsvInit } from './init-csv.ts';

const MAX_COLUMNS = 40;

export function describeCsvInit({ recognized, preset, preview }: CsvInit): string[] {
  const { delimiter, encoding, columns, notes, country } = recognized;
  const separator = delimiter === '\t' ? 'tab' : `"${delimiter}"`;
  const sure = encoding.confidence < 1 ? ` (${percent(encoding.confidence)} sure)` : '';
  const known = columns.filter(({ guess }) => guess !== null).slice(0, MAX_COLUMNS);
  const left = columns.filter((column) => !known.includes(column)).map(({ name }) => name);
  return [
    `${formatMany(columns.length, 'column')}, separator ${separator}, encoding ${encoding.name}${sure}`,
    ...(recognized.preset === null
      ? []
      : [`export of ${recognized.preset.name} (${percent(recognized.preset.confidence)} sure)`]),
    ...(preset === null ? [] : [`mapping of ${preset}: see mapping.yaml`]),
    ...(country.country === null
      ? []
      : [`numbers without a country code: ${country.country} (${percent(country.confidence)} sure)`]),
    ...notes.map(({ code, reason }) => `${reason} [${code}]`),
    '',
    ...tableOf(GUESSES, known),
    ...(left.length === 0 ? [] : [`${formatMany(left.length, 'column')} not used: ${listOf(left)}`]),
    '',
    ...describePreview(preview),
  ];
}

/** As many names as people read. */
function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_COLUMNS).join(', ');
  return names.length > MAX_COLUMNS ? `${shown}, and ${names.length - MAX_COLUMNS} more` : shown;
}

const GUESSES: readonly Column<ColumnGuess>[] = [
  ['column', 'left', ({ name }) => name],
  ['is', 'left', ({ guess }) => guess ?? ''],
  ['sure', 'right', ({ confidence }) => percent(confidence)],
  ['values', 'right', ({ filled }) => String(filled)],
  ['sample', 'left', (column) => sampleOf(column)[0] ?? ''],
];

const ROWS: readonly Column<Preview['records'][number]>[] = [
  ['row', 'right', ({ row }) => String(row)],
  ['number', 'left', ({ record }) => contactOf(record).number ?? ''],
  ['name', 'left', ({ record }) => contactOf(record).name ?? ''],
  ['E-MAIL', 'left', ({ record }) => contactOf(record).email ?? ''],
  ['document', 'left', ({ record }) => contactOf(record).document ?? ''],
  ['tags', 'left', ({ record }) => record.tags.join(', ')],
  ['stage', 'left', ({ record }) => String(record.card?.stage ?? '')],
];

const PROBLEMS: readonly Column<Preview['problems'][number]>[] = [
  ['count', 'right', ({ count }) => String(count)],
  ['field', 'left', ({ field }) => field],
  ['code', 'left', ({ code }) => code],
  ['rows', 'left', ({ rows, count }) => `${rows.join(', ')}${count > rows.length ? ', …' : ''}`],
  ['reason', 'left', ({ reason }) => reason],
];

function describePreview({ rows, whole, mapped, rejected, records, problems }: Preview): string[] {
  const first = whole ? '' : 'the first ';
  return [
    `of ${first}${formatMany(rows, 'row')}, ${formatMany(mapped, 'row')} would be synced and ${rejected} rejected`,
    ...(records.length === 0 ? [] : tableOf(ROWS, records)),
    ...(problems.length === 0 ? [] : ['', 'rejected', ...tableOf(PROBLEMS, problems)]),
  ];
}

/** The same as data. */
export function reportOf({ recognized, preset, preview }: CsvInit) {
  return {
    recognized: {
      ...recognized,
      columns: recognized.columns.map((column) => ({ ...column, samples: sampleOf(column) })),
    },
    preset,
    preview: {
      ...preview,
      records: preview.records.map(({ row, record }) => ({ row, record: maskRecord(record) })),
    },
  };
}

const FIELDS: Readonly<Record<string, string>> = {
  number: 'contact.number',
  name: 'contact.name',
  firstName: 'contact.name',
  lastName: 'contact.name',
  email: 'contact.email',
  document: 'contact.document',
  tags: 'tags',
  stage: 'card.stage',
  pipeline: 'card.pipeline',
};

/** Words such as stages are shown; what may name a person is masked. */
function sampleOf({ guess, samples }: ColumnGuess): readonly string[] {
  return samples.map((sample) => maskValue(FIELDS[guess ?? ''] ?? 'value', sample));
}

function contactOf(record: Preview['records'][number]['record']): Readonly<Record<string, string>> {
  const { contact } = maskRecord(record) as { readonly contact: Readonly<Record<string, string>> };
  return contact;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
