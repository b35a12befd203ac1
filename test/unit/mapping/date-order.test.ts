// The order of a date column is found over the whole file, before the first row is mapped; between two readings nothing is guessed.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SourceCursor } from '../../../src/core/source.ts';
import { MappingConfig } from '../../../src/mapping/config.ts';
import { compileMapping, describeDates } from '../../../src/mapping/index.ts';
import { type Folder, makeFolder } from '../connectors/sources/support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

/** Dates of the cards, row by row, read in pages of `limit` with the cursor as the ledger keeps it. */
async function dates(cells: readonly string[], more: Record<string, unknown> = {}, limit = 2) {
  const card = { pipeline: 'Sales', expectedCloseDate: ['Close', 'Fechamento'] };
  const mapping = compileMapping(MappingConfig.parse({ contact: { number: 'Phone' }, card, ...more }));
  const source = await folder.write(
    `Phone;Close\n${cells.map((cell) => `+5511987654321;${cell}\n`).join('')}`,
  );
  const found: (string | undefined)[] = [];
  const codes: string[] = [];
  const notes: string[] = [];
  let cursor: SourceCursor | null = null;
  do {
    const scan = cursor === null ? (mapping.scan() ?? undefined) : undefined;
    const page = await source.read(cursor, { limit, scan });
    if (cursor === null && page.scan !== undefined)
      notes.push(...describeDates(page.scan).map(({ reason }) => reason));
    for (const { values } of page.rows) {
      const result = await mapping.apply(values ?? {}, page.scan);
      if (!result.ok) throw new Error('the person was refused');
      found.push(result.record.card?.expectedCloseDate);
      codes.push(...result.warnings.map(({ code }) => code));
    }
    cursor = page.next && (JSON.parse(JSON.stringify(page.next)) as SourceCursor);
  } while (cursor !== null);
  return { found, codes, notes };
}

describe('a date column', () => {
  const twice = ['ambiguous_date', 'ambiguous_date'];
  const cases: [
    string,
    string[],
    Record<string, unknown>,
    (string | undefined)[],
    string[],
    RegExp | null,
  ][] = [
    [
      'day first, decided by its last row',
      ['01/02/2026', '03/04/2026', '31/12/2026'],
      {},
      ['2026-02-01', '2026-04-03', '2026-12-31'],
      [],
      null,
    ],
    ['month first', ['12/31/2026', '01/02/2026'], {}, ['2026-12-31', '2026-01-02'], [], null],
    [
      'no row that decides',
      ['01/02/2026', '03/04/2026'],
      {},
      [undefined, undefined],
      twice,
      /2 dates.*dateOrder/,
    ],
    [
      'the country is no evidence',
      ['01/02/2026'],
      { defaultCountry: 'BR' },
      [undefined],
      ['ambiguous_date'],
      /1 date /,
    ],
    [
      'rows that contradict each other',
      ['31/12/2026', '01/02/2026', '12/31/2026'],
      {},
      ['2026-12-31', undefined, '2026-12-31'],
      ['ambiguous_date'],
      /row 1 .*row 3/,
    ],
    [
      'configured',
      ['01/02/2026', '03/04/2026'],
      { dateOrder: 'mdy' },
      ['2026-01-02', '2026-03-04'],
      [],
      null,
    ],
    [
      'configured, with a row that does not fit',
      ['31/12/2026', '01/02/2026'],
      { dateOrder: 'mdy' },
      [undefined, '2026-01-02'],
      ['invalid_date'],
      null,
    ],
    [
      'ISO beside others',
      ['2026-12-01', '31/12/2026', '01/02/2026'],
      {},
      ['2026-12-01', '2026-12-31', '2026-02-01'],
      [],
      null,
    ],
    [
      'an unreadable one costs the field only',
      ['soon', '', '31/12/2026'],
      {},
      [undefined, undefined, '2026-12-31'],
      ['invalid_date'],
      null,
    ],
  ];
  it.each(cases)('%s', async (_, cells, more, expected, codes, note) => {
    for (const limit of [1, 100]) {
      const read = await dates(cells, more, limit);
      expect(read.found).toEqual(expected);
      expect(read.codes).toEqual(codes);
      expect(read.notes).toEqual(note === null ? [] : [expect.stringMatching(note)]);
    }
  });

  it('is never read in both orders, wherever the deciding row is', async () => {
    const date = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true });
    const input = fc.tuple(
      fc.array(date, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(input, async ([days, dayFirst, limit]) => {
        const iso = days.map((day) => day.toISOString().slice(0, 10));
        const cells = iso.map((text) => {
          const [year, month, day] = text.split('-');
          return dayFirst ? `${day}/${month}/${year}` : `${month}/${day}/${year}`;
        });
        const { found } = await dates(cells, {}, limit);
        for (const [at, text] of found.entries()) if (text !== undefined) expect(text).toBe(iso[at]);
        if (iso.some((text) => Number(text.slice(8)) > 12)) expect(found).toEqual(iso);
      }),
      { numRuns: 100 },
    );
  });
});
