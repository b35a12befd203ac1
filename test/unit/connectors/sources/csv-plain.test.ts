// The short way through blocks without quotes must read what the parser reads, wherever blocks and pages end.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CellRow,
  type Dialect,
  splitCells,
  splitPlain,
  splitWithParser,
} from '../../../../src/connectors/sources/csv/csv-rows.ts';
import { propertyRuns } from '../../../support/runner/property-runs.ts';

const cell = fc.string({
  unit: fc.constantFrom('a', 'B', ' ', 'ç', '\u{1f600}', '\u0000', '\u2028', "'", '\\', ';', '\t'),
  maxLength: 4,
});
const ending = fc.constantFrom('\n', '\r\n', '\n\n', '\r\n\r\n', '\n \n');
const text = (endings: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.array(cell, { minLength: 1, maxLength: 4 }), endings), { maxLength: 8 }),
      cell,
    )
    .map(([rows, last]) => rows.map(([cells, end]) => cells.join(',') + end).join('') + last);

/** All rows of a text, read in blocks of `size` bytes and pages of `limit` rows. */
function readAll(split: typeof splitCells, bytes: Buffer, size: number, limit: number, dialect: Dialect) {
  const rows: CellRow[] = [];
  let grown = size;
  for (let offset = 0; offset < bytes.length; ) {
    const block = bytes.subarray(offset, offset + grown);
    const last = offset + block.length >= bytes.length;
    const { records, consumed, then } = split(block, { limit, last, full: false, row: 0 }, dialect);
    expect(records.length).toBeLessThanOrEqual(limit);
    rows.push(...records);
    offset += consumed;
    grown = then === 'grow' ? grown * 2 : size;
  }
  return rows;
}

describe('a block without quotes', () => {
  const dialect: Dialect = { delimiter: ',', encoding: 'utf-8', columns: 0 };
  const size = fc.integer({ min: 1, max: 40 });
  const limit = fc.integer({ min: 1, max: 5 });

  it('gives the rows that the parser gives, wherever blocks and pages end', () => {
    fc.assert(
      fc.property(text(ending), size, limit, (text, size, limit) => {
        const bytes = Buffer.from(text);
        const whole = readAll(splitWithParser, bytes, bytes.length + 1, 1000, dialect);
        expect(readAll(splitCells, bytes, size, limit, dialect)).toEqual(whole);
        const plain = splitPlain(bytes, { limit: 1000, last: true, full: false, row: 0 }, dialect);
        if (plain !== null) expect(plain.records).toEqual(whole);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it.each([
    ['a quote', 'a,"b"\nc\n'],
    ['a carriage return alone', 'a\rb\nc\n'],
    ['no whole row', 'a,b'],
  ])('%s is left to the parser', (_, text) => {
    expect(splitPlain(Buffer.from(text), { limit: 9, last: false, full: false, row: 0 }, dialect)).toBeNull();
  });
});

it('broken bytes are left to the parser', () => {
  const bytes = Buffer.from([0x61, 0xff, 0x0a]);
  expect(
    splitPlain(
      bytes,
      { limit: 9, last: true, full: false, row: 0 },
      { delimiter: ',', encoding: 'utf-8', columns: 0 },
    ),
  ).toBeNull();
});
