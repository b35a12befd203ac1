// A warning of a run as a line, with the rows that it is about.

import { formatMany } from '../../../cli/lib/terminal/format.ts';
import type { Lines } from '../contract/lines.ts';
import type { RunWarning } from '../contract/run.ts';

export function describeWarning({ step, code, reason, people = 0, firstRows = [] }: RunWarning): string {
  const who =
    people === 0 ? '' : `; ${formatMany(people, 'person', 'people')}${describeRows(people, firstRows)}`;
  return `warning: ${step}: ${reason} [${code}]${who}`;
}

/** Nothing if no row is known: the people of earlier runs wait for the tag. Of a file, its lines where all are known. */
export function describeRows(people: number, rows: readonly number[], lines: Lines = {}): string {
  if (rows.length === 0) return '';
  const more = people > rows.length ? ', …' : '';
  const known = rows.flatMap((row) => lines[row] ?? []);
  const [word, places] = known.length === rows.length ? ['line', known] : ['row', rows];
  return `, in ${word}${rows.length === 1 && more === '' ? '' : 's'} ${places.join(', ')}${more}`;
}
