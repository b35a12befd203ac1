// Rows as CSV that a spreadsheet opens and does not run.
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Input } from '../../api/client.ts';
import type { Row } from './data.ts';

/** More rows do not fit well into a page. */
export const MAX_CSV_ROWS = 100_000;
const PAGE = 5000;

const COLUMNS = [
  'row',
  'status',
  'step',
  'code',
  'reason',
  'column',
  'attempts',
  'endedAt',
  'key',
] as const satisfies readonly (keyof Row)[];

export async function readRowsCsv(
  client: OperatorClient,
  filter: Input<'GET /syncs/{sync}/rows'>,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const lines = [COLUMNS.join(',')];
  for (let after: string | undefined; ; ) {
    const page = await client.call('GET /syncs/{sync}/rows', { ...filter, limit: PAGE, after });
    for (const row of page.rows) lines.push(COLUMNS.map((column) => cell(row[column])).join(','));
    if (page.next === null || lines.length > MAX_CSV_ROWS)
      return { text: `\uFEFF${lines.join('\r\n')}\r\n`, isCut: page.next !== null };
    after = page.next;
  }
}

/** A text that begins like a formula gets an apostrophe. */
function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
