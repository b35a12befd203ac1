// Rows of a file are found again where an editor and a spreadsheet show them.
import { appendFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CsvSource } from '../../../../src/connectors/sources/config.ts';
import { csvSource } from '../../../../src/connectors/sources/csv/csv.ts';
import { locateRows } from '../../../../src/connectors/sources/csv/csv-lines.ts';
import { type Folder, makeFolder } from './support.ts';

const CONFIG: CsvSource = { type: 'csv', path: 'file.csv', encoding: 'auto', delimiter: 'auto' };

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

async function locate(text: string | Buffer, rows: readonly number[]) {
  await writeFile(join(folder.path, CONFIG.path), text);
  const { file } = await csvSource(CONFIG, folder.path).read(null, { limit: 1 });
  if (file === undefined) throw new Error('a CSV source has a fingerprint');
  const found = await locateRows(CONFIG, folder.path, { rows, seen: file });
  return found.rows.map(({ row, line, sheetLine, values }) => [row, line, sheetLine, values?.['Name']]);
}

describe('lines', () => {
  const plain = 'Name,Phone\nBia,1\nAna,2\nEva,3\n';
  const cases: [string, string | Buffer, number[], unknown[]][] = [
    [
      'a plain file',
      plain,
      [1, 3],
      [
        [1, 2, 2, 'Bia'],
        [3, 4, 4, 'Eva'],
      ],
    ],
    ['CRLF', plain.replaceAll('\n', '\r\n'), [2], [[2, 3, 3, 'Ana']]],
    [
      'UTF-16',
      Buffer.from(`\ufeff${plain.replace('Bia', '\u010aa\u0a0a')}`, 'utf16le'),
      [2],
      [[2, 3, 3, 'Ana']],
    ],
    [
      'blank lines',
      'Name,Phone\n\nBia,1\n,\n\nAna,2\n',
      [1, 2],
      [
        [1, 3, 3, 'Bia'],
        [2, 6, 6, 'Ana'],
      ],
    ],
    ['the last line without an end', 'Name,Phone\nBia,1\nAna,2', [2], [[2, 3, 3, 'Ana']]],
    [
      'cells with line breaks',
      'Name,Phone\n"Bia\nLima",1\nAna,2\n"E\r\nv\na",3\nIda,4\n',
      [1, 2, 3, 4],
      [
        [1, 2, 2, 'Bia\nLima'],
        [2, 4, 3, 'Ana'],
        [3, 5, 4, 'E\r\nv\na'],
        [4, 8, 5, 'Ida'],
      ],
    ],
    ['only the row below them', 'Name,Phone\n"Bia\nLima",1\nAna,2\n', [2], [[2, 4, 3, 'Ana']]],
    [
      'a row with too many cells',
      'Name,Phone\nBia,1,2,3\nAna,2\n',
      [1, 2],
      [
        [1, 2, 2, undefined],
        [2, 3, 3, 'Ana'],
      ],
    ],
    ['a row that is not there', plain, [3, 9], [[3, 4, 4, 'Eva']]],
  ];
  it.each(cases)('of %s', async (_, text, rows, expected) => {
    expect(await locate(text, rows)).toEqual(expected);
  });

  it('of rows far below, past more than one block of the file', async () => {
    const rows = Array.from({ length: 60_000 }, (_, at) => `Person ${at + 1},${at + 1}`);
    rows[9] = '"Person\n10",10';
    expect(await locate(`Name,Phone\n${rows.join('\n')}\n`, [9, 10, 50_000])).toEqual([
      [9, 10, 10, 'Person 9'],
      [10, 11, 11, 'Person\n10'],
      [50_000, 50_002, 50_001, 'Person 50000'],
    ]);
  });
});

it('a file that has changed since is refused', async () => {
  await writeFile(join(folder.path, CONFIG.path), 'Name\nBia\n');
  const { mtimeMs, size } = await stat(join(folder.path, CONFIG.path));
  await appendFile(join(folder.path, CONFIG.path), 'Ana\n');
  const seen = { size, mtimeMs, head: '' };
  await expect(locateRows(CONFIG, folder.path, { rows: [1], seen })).rejects.toMatchObject({
    code: 'changed',
  });
});
