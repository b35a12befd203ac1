// The rows of a run as CSV: one line per row.
import { type CsvTable, csvTable } from '../../../core/csv.ts';
import type { CrmRecord } from '../../../core/record.ts';
import { HINT_COLUMNS, type HintCells, hintCells } from '../contract/hint-columns.ts';
import type { SyncRow } from '../contract/runs.ts';

interface Line {
  readonly row: SyncRow;
  /** Empty: the payload is none. */
  readonly record: Partial<CrmRecord>;
  readonly hints: HintCells;
}

const PLAIN = [
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
] as const satisfies readonly (keyof SyncRow)[];

const json = (value: object | null) => (value === null ? null : JSON.stringify(value));

const { titles, line } = csvTable<Line>([
  ...PLAIN.map((name) => [name, ({ row }: Line) => row[name]] as const),
  ['name', ({ record: { contact } }) => contact?.name ?? null],
  ['email', ({ record: { contact } }) => contact?.email ?? null],
  ['document', ({ record: { contact } }) => contact?.document ?? null],
  ['tags', ({ record: { tags = [] } }) => tags.join('|')],
  ['pipeline', ({ record: { card } }) => card?.pipeline ?? null],
  ['stage', ({ record: { card } }) => card?.stage ?? null],
  ['payload', ({ row }) => json(row.payload)],
  ['otherRow', ({ row }) => row.other?.row ?? null],
  ['otherPayload', ({ row }) => json(row.other?.payload ?? null)],
  ['line', ({ row }) => row.place?.line ?? null],
  ['sheetLine', ({ row }) => row.place?.sheetLine ?? null],
  ['missingTags', ({ row }) => row.missingTags.join('|')],
  ...HINT_COLUMNS.map((name) => [name, ({ hints }: Line) => hints[name]] as const),
]);

export const ROWS_CSV: CsvTable<SyncRow> = {
  titles,
  line: (row) => line({ row, record: isRecord(row.payload) ? row.payload : {}, hints: hintCells(row) }),
};

function isRecord(payload: unknown): payload is CrmRecord {
  return payload !== null && typeof (payload as Partial<CrmRecord>).contact === 'object';
}
