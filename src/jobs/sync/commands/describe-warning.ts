// A warning of a run as a line, with the rows that it is about.

import { formatMany } from '../../../cli/lib/terminal/format.ts';
import type { RunWarning } from '../contract/run.ts';

export function describeWarning({ step, code, reason, people = 0, firstRows = [] }: RunWarning): string {
  const who =
    people === 0 ? '' : `; ${formatMany(people, 'person', 'people')}${describeRows(people, firstRows)}`;
  return `warning: ${step}: ${reason} [${code}]${who}`;
}

/** Nothing if no row is known: the people of earlier runs wait for the tag. */
export function describeRows(people: number, rows: readonly number[]): string {
  if (rows.length === 0) return '';
  const more = people > rows.length ? ', …' : '';
  return `, in ${rows.length === 1 && more === '' ? 'row' : 'rows'} ${rows.join(', ')}${more}`;
}
