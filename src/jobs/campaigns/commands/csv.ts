// The results of a run as CSV: one line per wave with the total, or one line per member.

import { type CsvColumns, type CsvTable, csvTable } from '../../../core/csv.ts';
import type { ListedMember } from '../contract/campaign-members.ts';
import { MEMBER_COLUMNS } from '../contract/member-columns.ts';
import type { CampaignFigures, CampaignReport, WaveResult } from '../contract/report.ts';

/** Counts without a column: the counts by code have one each. */
type Codes = 'excluded' | 'skipped' | 'failed';
const CODES: readonly Codes[] = ['excluded', 'skipped', 'failed'];
const COUNTS = [
  'audience',
  'eligible',
  'found',
  'holdout',
  'waiting',
  'sending',
  'triggered',
  'delivered',
  'read',
  'replied',
  'optedOut',
  'moved',
  'tagged',
  'unknown',
  'cancelled',
] as readonly Exclude<keyof CampaignFigures, Codes>[];

const DELIVERIES: readonly (typeof COUNTS)[number][] = ['delivered', 'read'];

interface Row {
  readonly run: string;
  /** Null: the total. */
  readonly wave: WaveResult | null;
  readonly figures: CampaignFigures;
}

/** Lines of the waves and of the total, titles first, with a column per code. */
export function* figureLines(report: CampaignReport): Generator<string> {
  const { run, total, waves } = report;
  const unknown = new Set<(typeof COUNTS)[number]>([
    ...(report.deliveries === 'known' ? [] : DELIVERIES),
    ...(report.replies === 'known' ? [] : (['replied'] as const)),
  ]);
  const columns: CsvColumns<Row> = [
    ['run', (row) => row.run],
    ['wave', ({ wave }) => wave?.wave ?? 'total'],
    ['kind', ({ wave }) => wave?.kind ?? null],
    ['startedAt', ({ wave }) => (wave === null ? report.startedAt : wave.startedAt)],
    ['endedAt', ({ wave }) => (wave === null ? report.finishedAt : wave.endedAt)],
    ['brokenRules', ({ wave }) => wave?.broken.map(({ code }) => code).join(' ') ?? null],
    ...COUNTS.map(
      (name) => [name, ({ figures }: Row) => (unknown.has(name) ? null : figures[name])] as const,
    ),
    ...CODES.flatMap((name) => [
      [name, ({ figures }: Row) => Object.values(figures[name]).reduce((a, b) => a + b, 0)] as const,
      // A code of a wave is also in the total, except for members that moved on to a later wave.
      ...codesOf(name, [total, ...waves]).map(
        (code) => [`${name} ${code}`, ({ figures }: Row) => figures[name][code] ?? 0] as const,
      ),
    ]),
  ];
  const { titles, line } = csvTable(columns);
  yield titles;
  const rows: readonly Row[] = [
    ...waves.map((wave) => ({ run, wave, figures: wave })),
    { run, wave: null, figures: total },
  ];
  for (const row of rows) yield line(row);
}

function codesOf(name: Codes, all: readonly CampaignFigures[]): string[] {
  return [...new Set(all.flatMap((figures) => Object.keys(figures[name])))].sort();
}

/** Personal values of a member are written only on request. */
export interface Personal {
  readonly numbers: boolean;
  readonly variables: boolean;
}

// `sluice find` takes the id of the person.
const MEMBER: CsvColumns<ListedMember> = [...MEMBER_COLUMNS, 'person' as const].map(
  (name) => [name, (of: ListedMember) => of[name]] as const,
);

/** Formats members: the line of titles, and the line of each member. */
export function memberLines({ numbers, variables }: Personal): CsvTable<ListedMember> {
  const columns: CsvColumns<ListedMember> = [
    ...MEMBER,
    ...(numbers
      ? (['number', 'name', 'email'] as const).map((name) => [name, (of: ListedMember) => of[name]] as const)
      : []),
    // Variables differ between campaigns and are complete only after the last member, so they are one column of JSON.
    ...(variables
      ? [['variables', (of: ListedMember) => of.variables && JSON.stringify(of.variables)] as const]
      : []),
  ];
  return csvTable(columns);
}
