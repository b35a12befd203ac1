// CSV that any reader takes, and that no spreadsheet runs.
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../src/cli/csv.ts';

describe('csvLine', () => {
  it.each([
    [['a', 'b'], 'a,b\r\n'],
    [['a,b', 'say "hi"', 'two\nlines', 'cr\rlf'], '"a,b","say ""hi""","two\nlines","cr\rlf"\r\n'],
    [[null, '', 0, -5, true], ',,0,-5,true\r\n'],
    [['=HYPERLINK("http://x","y")'], '"\'=HYPERLINK(""http://x"",""y"")"\r\n'],
    [['+55 11', '-1', '@sum', '\tx', '\rx'], "'+55 11,'-1,'@sum,'\tx,\"'\rx\"\r\n"],
    [["'=1", ' =1', 'a=1'], "'=1, =1,a=1\r\n"],
  ])('%j → %j', (cells, line) => expect(csvLine(cells)).toBe(line));

  it('is read back as it was, but for the apostrophe before formulas', () => {
    const cells = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(cells, (row) => {
        const [read] = parse(csvLine(row), { record_delimiter: '\r\n', relax_column_count: true });
        const safe = row.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text));
        expect(read).toEqual(safe);
      }),
    );
  });
});
