// CSV that any reader takes, and that no spreadsheet runs.
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, readSafeCell } from '../../../src/core/csv.ts';

describe('csvLine', () => {
  it.each([
    [['a', 'b'], 'a,b\r\n'],
    [['a,b', 'say "hi"', 'two\nlines', 'cr\rlf'], '"a,b","say ""hi""","two\nlines","cr\rlf"\r\n'],
    [[null, '', 0, -5, true], ',,0,-5,true\r\n'],
    [['=HYPERLINK("http://x","y")'], '"\'=HYPERLINK(""http://x"",""y"")"\r\n'],
    [['+55 11', '-1', '@sum', '\tx', '\rx'], "'+55 11,'-1,'@sum,'\tx,\"'\rx\"\r\n"],
    [["'=1", ' =1', 'a=1'], "''=1,' =1,a=1\r\n"],
    [
      ['\n=1', '\u00a0=1', '\u200b=1', '\ufeff=1', '"=1'],
      '"\'\n\'=1",\'\u00a0=1,\'\u200b=1,\'\ufeff=1,"\'""=1"\r\n',
    ],
    [['＝1', '＋1', '－1', '＠1', '﹦1'], "'＝1,'＋1,'－1,'＠1,'﹦1\r\n"],
    // Excel reads `;` where a comma is the decimal sign: then a cell begins behind each of them.
    [['a;=1', 'a; +1', 'a;"=1', 'a\t@x', 'a\n-1'], `a;'=1,a;' +1,"a;'""=1",a\t'@x,"a\n'-1"\r\n`],
    [['+5511987654321', 'a-b', 'x@y.z', '5 - 3', 'a;b'], "'+5511987654321,a-b,x@y.z,5 - 3,a;b\r\n"],
  ])('%j → %j', (cells, line) => expect(csvLine(cells)).toBe(line));

  const SIGNS = '=+-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b';
  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...SIGNS, ';', '\t', '\r', '\n', ' ', "'", '"', ',', '\u200b'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    ),
    maxLength: 8,
  });

  it('is read back as it was, but for the apostrophes before what a spreadsheet would run', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 2, maxLength: 5 }), (row) => {
        const [read = []] = parse(csvLine(row), { record_delimiter: '\r\n', relax_column_count: true });
        const plain = (text: string) => text.replaceAll("'", '');
        expect(read.map(plain)).toEqual(row.map(plain));
        for (const [at, text] of row.entries())
          if (!/[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]|^[\t\r\n]/.test(text))
            expect(read[at]).toBe(text);
      }),
    );
  });

  it('has no cell that a spreadsheet runs, read by commas, semicolons or tabs', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 5 }), (row) => {
        for (const delimiter of [',', ';', '\t']) {
          const line = csvLine(row);
          const cells =
            delimiter === ','
              ? (parse(line, { record_delimiter: '\r\n', relax_column_count: true }) as string[][]).flat()
              : line.split(/[\r\n]/).flatMap((part) => part.split(delimiter));
          for (const each of cells) {
            const start = each.replace(/^["\s\p{Cc}\p{Cf}]+/u, '');
            // Read by another separator, a cell that follows a comma of ours is the middle of one.
            expect(SIGNS.includes(start[0] ?? ' ')).toBe(false);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is taken back by readSafeCell, to the letter', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [[read = '', ...others] = []] = parse(csvLine([text, 'x']), { record_delimiter: '\r\n' });
        expect(others).toEqual(['x']);
        fc.pre(!/^'[\t\r\n]/.test(text));
        expect(readSafeCell(read)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });
});
