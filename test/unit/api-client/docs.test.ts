// The tables of docs/reference/client.md are made from the code. To write them anew:
// UPDATE_DOCS=1 npx vitest run test/unit/api-client/docs.test.ts
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import {
  ASSUMPTIONS,
  KNOWN_ERROR_CODES,
  MessagingClient,
  OPEN_POINTS,
} from '../../../src/api-client/index.ts';

const GUIDE = resolve(import.meta.dirname, '../../../docs/reference/client.md');

const code = (text: string) => `\`${text}\``;

/** Columns padded as the formatter wants them. */
function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const cells = [head, ...rows].map((row) => row.map((text) => text.replaceAll('|', '\\|')));
  const widths = head.map((_title, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const [titles = [], ...body] = cells;
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const TABLES: Record<string, string> = {
  assumptions: table(
    ['key', 'not shown', 'where', 'default', 'because', 'used by'],
    Object.entries(ASSUMPTIONS).map(([key, entry]) => [
      code(key),
      entry.unknown,
      entry.section,
      code(JSON.stringify(entry.default)),
      entry.because,
      entry.usedBy,
    ]),
  ),
  'open points': table(
    ['not shown', 'where', 'what the client does'],
    OPEN_POINTS.map(({ unknown, section, handling }) => [unknown, section, handling]),
  ),
};

function withTables(guide: string): string {
  return Object.entries(TABLES).reduce((text, [name, rows]) => {
    const block = new RegExp(`(<!-- ${name}: [^>]*-->\n)[^]*?(<!-- /${name} -->)`);
    expect(text).toMatch(block);
    return text.replace(block, (_all, start: string, end: string) => `${start}\n${rows}\n\n${end}`);
  }, guide);
}

it('the tables of the guide are those of the code', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const current = withTables(guide);
  if (process.env.UPDATE_DOCS === '1') await writeFile(GUIDE, current);
  else expect(guide).toBe(current);
});

it('the guide names every method, and no code that the API does not have', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const client = new MessagingClient({ baseUrl: 'http://h/wapi', token: 't' });
  for (const [property, resource] of Object.entries(client)) {
    const rows = guide.split('\n').filter((row) => row.split('|')[1]?.includes(code(property)));
    expect(rows).toHaveLength(1);
    for (const method of Object.getOwnPropertyNames(Object.getPrototypeOf(resource))) {
      if (method !== 'constructor') expect(rows[0]).toContain(code(method));
    }
  }
  const codes: readonly string[] = KNOWN_ERROR_CODES;
  for (const [named] of guide.matchAll(/ERR_[A-Z_]+/g)) expect(codes).toContain(named);
});
