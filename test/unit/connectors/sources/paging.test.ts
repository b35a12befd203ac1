import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../support/runner/property-runs.ts';
import { type Folder, makeFolder, outcomes, readAll } from './support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const chunk = fc.constantFrom(
  '"',
  '""',
  ',',
  ';',
  '\t',
  '|',
  '\n',
  '\r\n',
  '\r',
  'a',
  'ção',
  '€',
  '李',
  '😀',
  ' ',
  "'",
  '=',
  'sep=;',
  '-1',
);
const cell = fc.array(chunk, { maxLength: 6 }).map((parts) => parts.join(''));
const delimiter = fc.constantFrom(',', ';', '\t', '|');
const lineEnd = fc.constantFrom('\n', '\r\n');

/** Quoted the way that RFC 4180 asks for, or always. */
const write = (text: string, separator: string, always: boolean) =>
  always || text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

describe('paging', () => {
  it('any content comes back exactly, at any page size', async () => {
    const file = fc.record({
      rows: fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 12 }),
      delimiter,
      lineEnd,
      always: fc.boolean(),
      bom: fc.boolean(),
      limit: fc.integer({ min: 1, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(file, async ({ rows, delimiter, lineEnd, always, bom, limit }) => {
        const lines = [['a', 'b', 'c'], ...rows].map((cells) =>
          cells.map((text) => write(text, delimiter, always)).join(delimiter),
        );
        const source = await folder.write(`${bom ? '\ufeff' : ''}${lines.join(lineEnd)}${lineEnd}`, {
          delimiter,
        });
        const expected = rows
          .filter((cells) => cells.some((text) => text.trim() !== ''))
          .map(([a, b, c]) => ({ a, b, c }));
        expect(outcomes(await readAll(source, limit))).toEqual(expected);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('any bytes at all give the same rows and numbers at any page size', async () => {
    const bytes = fc.array(fc.oneof(chunk, fc.constantFrom('\n', '\n', ',', '"', '\xe3')), { maxLength: 80 });
    const input = fc.tuple(
      bytes,
      fc.constantFrom('latin1', 'utf8'),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('csv', 'jsonl'),
    );
    await fc.assert(
      fc.asyncProperty(input, async ([parts, encoding, limit, type]) => {
        const data = Buffer.from(`a,b\n${parts.join('')}`, encoding as BufferEncoding);
        const source = await folder.write(data, { type: type as 'csv' });
        expect(await readAll(source, limit)).toEqual(await readAll(source, 1000));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('rows that straddle the blocks are read once, whole', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `${i},"${'né\n'.repeat(i % 150)}"`);
    const source = await folder.write(`n,text\n${lines.join('\n')}\n`);
    const expected = lines.map((_, i) => ({ n: String(i), text: 'né\n'.repeat(i % 150) }));
    expect(outcomes(await readAll(source, 700))).toEqual(expected);
    expect(outcomes(await readAll(source, 5000))).toEqual(expected);
  });

  it('a page of large rows ends before 10 MB', async () => {
    const source = await folder.write(`n,text\n${`1,${'x'.repeat(900_000)}\n`.repeat(20)}`);
    const page = await source.read(null, { limit: 500 });
    expect(page.rows.length).toBeLessThan(11);
    expect((await readAll(source, 500)).length).toBe(20);
  });
});
