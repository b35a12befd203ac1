// Reasons of rows that contradict each other name two rows. Readers get the lines of the file where they are known, and
// the case of the reason, so that the console can say it in its language.
import type { NoteParams } from '../../../core/endpoint.ts';
import type { Lines } from '../contract/lines.ts';
import { CONFLICT } from '../store/row-problems.ts';

const ROWS = /\brow(s?) (\d+)(?: and (\d+))?/g;
const CASE =
  /(?<what>[Rr]ows|lines) (?<first>\d+) and (?<second>\d+) have this number and different (?<field>documents|names|e-mail addresses)[,;] (?<end>so every row|Sluice left out|Sluice merged)/;
const FIELDS: Readonly<Record<string, string>> = {
  documents: 'documents',
  names: 'names',
  'e-mail addresses': 'emails',
};
const ENDS: Readonly<Record<string, string>> = {
  'so every row': 'rejected',
  'Sluice left out': 'left',
  'Sluice merged': 'merged',
};

interface Reason {
  readonly code: string | null;
  readonly reason: string | null;
}

/** Rows that the reason names. */
export function rowsInReason({ code, reason }: Reason): number[] {
  if (code !== CONFLICT || reason === null) return [];
  return [...reason.matchAll(ROWS)].flatMap(([, , first, second]) =>
    [first, second].flatMap((row) => (row === undefined ? [] : [Number(row)])),
  );
}

/** The reason with lines in place of rows. One line that is not known leaves all rows, so that no sentence mixes them. */
export function reasonWithLines<T extends Reason>(given: T, lines: Lines): T {
  const { reason } = given;
  const rows = rowsInReason(given);
  if (reason === null || rows.length === 0 || rows.some((row) => lines[row] === undefined)) return given;
  const lined = reason.replace(ROWS, (_, many: string, first: string, second: string | undefined) =>
    [`line${many} ${lines[first]}`, ...(second === undefined ? [] : [lines[second]])].join(' and '),
  );
  return { ...given, reason: lined };
}

/** Undefined: rows do not contradict each other, or the sentence is another one. */
export function conflictCase({ code, reason }: Reason): NoteParams | undefined {
  const found = code === CONFLICT && reason !== null ? CASE.exec(reason)?.groups : undefined;
  if (found === undefined) return undefined;
  const { what = '', first = '', second = '', field = '', end = '' } = found;
  return {
    which: [`${what}_${FIELDS[field]}`.toLowerCase(), ENDS[end] ?? ''],
    first: Number(first),
    second: Number(second),
  };
}
