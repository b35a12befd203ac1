// The results of a run as CSV: one line per wave with the total, or one line per member.

import { csvLine } from '../../../core/csv.ts';
import type { ListedMember } from '../contract/campaign-members.ts';
import type { CampaignFigures, CampaignReport, WaveResult } from '../contract/report.ts';

type Cell = string | number | null;
type Columns<T> = readonly (readonly [title: string, cell: (row: T) => Cell])[];

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
  const columns: Columns<Row> = [
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
  yield csvLine(columns.map(([title]) => title));
  const rows: readonly Row[] = [
    ...waves.map((wave) => ({ run, wave, figures: wave })),
    { run, wave: null, figures: total },
  ];
  for (const row of rows) yield csvLine(columns.map(([, cell]) => cell(row)));
}

function codesOf(name: Codes, all: readonly CampaignFigures[]): string[] {
  return [...new Set(all.flatMap((figures) => Object.keys(figures[name])))].sort();
}

/** Personal values of a member are written only on request. */
export interface Personal {
  readonly numbers: boolean;
  readonly variables: boolean;
}

const MEMBER: Columns<ListedMember> = [
  ['member', ({ member }) => member],
  ['contact', ({ contact }) => contact],
  ['card', ({ card }) => card],
  ['part', ({ part }) => part],
  ['row', ({ row }) => row],
  ['wave', ({ wave }) => wave],
  ['state', ({ state }) => state],
  ['code', ({ code }) => code],
  ['reason', ({ reason }) => reason],
  ['ticket', ({ ticket }) => ticket],
  ['triggeredAt', ({ triggeredAt }) => triggeredAt],
  ['endedAt', ({ endedAt }) => endedAt],
  ['deliveredAt', ({ deliveredAt }) => deliveredAt],
  ['readAt', ({ readAt }) => readAt],
  ['repliedAt', ({ repliedAt }) => repliedAt],
  ['optedOutAt', ({ optedOutAt }) => optedOutAt],
  ['movedAt', ({ movedAt }) => movedAt],
  ['taggedAt', ({ taggedAt }) => taggedAt],
  // `sluice find` takes it.
  ['person', ({ person }) => person],
];

/** Formats members: the line of titles, and the line of each member. */
export function memberLines({ numbers, variables }: Personal): {
  readonly titles: string;
  line(member: ListedMember): string;
} {
  const columns: Columns<ListedMember> = [
    ...MEMBER,
    ...(numbers
      ? (['number', 'name', 'email'] as const).map((name) => [name, (of: ListedMember) => of[name]] as const)
      : []),
    // Variables differ between campaigns and are complete only after the last member, so they are one column of JSON.
    ...(variables
      ? [['variables', (of: ListedMember) => of.variables && JSON.stringify(of.variables)] as const]
      : []),
  ];
  return {
    titles: csvLine(columns.map(([title]) => title)),
    line: (member) => csvLine(columns.map(([, cell]) => cell(member))),
  };
}
