// Files of opt-outs: what a request gets of each row.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Time } from '../../../../src/core/endpoint.ts';
import { readOptOutFile } from '../../../../src/operator/service/opt-outs/file.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-optout-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(text: string, over: object = {}) {
  const path = join(folder, 'list.csv');
  writeFileSync(path, text);
  const pages = [];
  const columns = { number: 'phone', time: 'when', ...over };
  for await (const page of readOptOutFile({ path, baseDir: folder }, columns)) pages.push(page);
  return { rows: pages.flatMap(({ rows }) => rows), places: pages.flatMap(({ places }) => places) };
}

describe('a file of opt-outs', () => {
  it('gives number, time and evidence; a spreadsheet may have saved it', async () => {
    const text = "phone;when;why\r\n'+55 11 98765-4321;2026-01-02T03:04:05Z;SAIR\r\n0151 2345;x;\r\n";
    expect(await read(text, { evidence: 'why' })).toEqual({
      rows: [
        { number: '+55 11 98765-4321', at: '2026-01-02T03:04:05Z', evidence: 'SAIR' },
        { number: '0151 2345', at: 'x' },
      ],
      places: [1, 2],
    });
  });

  it.each([
    ['2026-01-02', '2026-01-02T00:00:00-03:00'],
    ['2026-01-02 10:20', '2026-01-02T10:20:00-03:00'],
    ['2026-01-02T10:20:30', '2026-01-02T10:20:30-03:00'],
    ['2026-01-02T10:20:30Z', '2026-01-02T10:20:30Z'],
    ['27/11/2026', '2026-11-27T00:00:00-03:00'],
    ['11.27.2026 10:20', '2026-11-27T10:20:00-03:00'],
    ['02/01/2026', '02/01/2026'],
    ['31/02/2026', '31/02/2026'],
    ['2026-02-31', '2026-02-31'],
    ['27/11/2026 1 pm', '27/11/2026 1 pm'],
    ['20261127', '20261127'],
  ])('with an offset, %s is %s; without one it stays what it is', async (given, expected) => {
    const text = `phone,when\n+5511987654321,${given}\n`;
    const [row] = (await read(text, { offset: '-03:00' })).rows;
    expect(row?.at).toBe(expected);
    // What this command writes is what the API reads.
    expect(Time.safeParse(row?.at).success).toBe(expected !== given || given.endsWith('Z'));
    expect((await read(text)).rows[0]?.at).toBe(given);
  });

  it.each([
    ['dmy', '02/01/2026', '2026-01-02T00:00:00-03:00'],
    ['mdy', '02/01/2026 10:20', '2026-02-01T10:20:00-03:00'],
    ['ymd', '26/02/01', '2026-02-01T00:00:00-03:00'],
    // A date that contradicts the order is wrong, even if another order would fit.
    ['mdy', '27/11/2026', '27/11/2026'],
    ['dmy', '2026-01-02', '2026-01-02T00:00:00-03:00'],
  ] as const)('in the order %s, %s is %s', async (dateOrder, given, expected) => {
    const text = `phone,when\n+5511987654321,${given}\n`;
    expect((await read(text, { offset: '-03:00', dateOrder })).rows[0]?.at).toBe(expected);
  });

  it('without the column is refused, and the error names those that it has', async () => {
    await expect(read('number,when\n+5511987654321,x\n')).rejects.toThrow(
      'the file has no column "phone"; it has number, when',
    );
  });

  it.each([
    [
      'names no value of a first line that is a row',
      '+5511987654321,2026-01-02\n',
      /its first line looks like a row$/,
    ],
    ['without a row is refused too', 'number,when\n', /no column "phone"/],
    [
      'with the column in other letters is refused',
      'Phone,when\n1,x\n',
      /no column "phone"; it has Phone, when$/,
    ],
  ])('%s', async (_what, text, message) => {
    await expect(read(text)).rejects.toMatchObject({ kind: 'invalid', code: 'NO_COLUMN' });
    await expect(read(text)).rejects.toThrow(message);
    await expect(read(text)).rejects.not.toThrow(/5511|2026/);
  });
});
