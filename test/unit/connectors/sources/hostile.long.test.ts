// Files as people and systems write them, each with its outcome. The rule above all: nothing inside a cell becomes a row.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../support/runner/property-runs.ts';
import { type Folder, makeFolder, outcomes, readAll } from './support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const BAD = 'malformed_row';
const EVE = '5511999999999,Eve,vip';
const row = (Phone: string, Name: string, Note = '') => ({ Phone, Name, Note });
const bia = row('5511988887777', 'Bia', 'ok');
const file = (...lines: string[]) => `Phone,Name,Note\n5511988887777,Bia,ok\n${lines.join('\n')}`;

/** Rows, and the codes of what the source says about itself. */
async function read(data: string | Uint8Array, limit: number) {
  const source = await folder.write(data);
  const first = await source.read(null, { limit });
  const rows = await readAll(source, limit);
  return { rows, notes: (first.notes ?? []).map(({ code }) => code), columns: first.columns };
}

describe('quotes', () => {
  const big = 'x'.repeat(1000);
  const cases: [string, string, unknown[]][] = [
    [
      'a note of several lines',
      file(`1,Ana,"one\n\ntwo, three"`),
      [bia, row('1', 'Ana', 'one\n\ntwo, three')],
    ],
    [
      'a note that holds a whole row',
      file(`1,Ana,"see\n${EVE}\nend"`, '2,Eva,x'),
      [bia, BAD, row('2', 'Eva', 'x')],
    ],
    [
      'a note that holds a whole row, below a line that completes its own',
      file(`1,"Ana,x\n${EVE}\n3,c,d",y`, '2,Eva,x'),
      [bia, BAD, row('2', 'Eva', 'x')],
    ],
    ['a quote that is never closed', file(`1,"Ana,x`, EVE, '2,Eva,x'), [bia, BAD]],
    ['a file cut off inside a note', file(`1,Ana,"see\n${EVE}`), [bia, BAD]],
    [
      'a note that does not double its quotes',
      file(`1,Ana,"he said "hi" and`, EVE, 'bye"', '2,Eva,x'),
      [bia, BAD],
    ],
    ['text behind a closing quote', file('1,Ana,"a" b', EVE), [bia, BAD]],
    [
      'a stray quote that swallows rows up to the next one',
      file('1,"Ana,x', '5511977776666,Iva,y', '3,"Eva",z'),
      [bia, BAD],
    ],
    [
      'two stray quotes around rows',
      file('1,"Ana,x', '5511977776666,Iva,y', '3,Eva",z', '4,Zoe,w'),
      [bia, BAD, row('4', 'Zoe', 'w')],
    ],
    [
      'a stray quote above a note: inside and outside would be swapped',
      file('1,"Ana,x', '5511977776666,Iva,y', `3,"`, EVE, 'end",z'),
      [bia, BAD],
    ],
    [
      'the same with a separator behind the quote',
      file('1,"Ana,x', '5511977776666,Iva,",y', EVE, 'end",z'),
      [bia, BAD],
    ],
    ['a quoted cell behind blanks', file('1, "Silva, Ana", x'), [bia, row('1', 'Silva, Ana', 'x')]],
    ['a quoted cell of several lines behind blanks', file(`1,Ana, "see`, EVE, 'end"'), [bia, BAD]],
    ['blanks before a quote in the middle of a line', file(`1, "see`, EVE, 'end",x'), [bia, BAD]],
    ['inches', file('1,5" pipe,"x"', '2,Eva,x'), [bia, BAD]],
    [
      'inches in a file without quoted cells',
      file('1,5" pipe,x', '2,Eva,6"'),
      [bia, row('1', '5" pipe', 'x'), row('2', 'Eva', '6"')],
    ],
    ['inches in a row of the wrong length', file('1,5" pipe', '2,Eva,x'), [bia, BAD, row('2', 'Eva', 'x')]],
    [
      'a cell of 63 kB with line breaks',
      file(`1,Ana,"${`${big}\n`.repeat(63)}"`, '2,Eva,x'),
      [bia, row('1', 'Ana', `${big}\n`.repeat(63)), row('2', 'Eva', 'x')],
    ],
    [
      'a cell of 70 kB with line breaks',
      file(`1,Ana,"${`${big}\n`.repeat(70)}"`, '2,"Eva",x'),
      [bia, BAD, row('2', 'Eva', 'x')],
    ],
    [
      'a cell of 70 kB without line breaks',
      file(`1,Ana,"${big.repeat(70)}"`),
      [bia, row('1', 'Ana', big.repeat(70))],
    ],
    ['a line of 2 MB, with a note at its end', file(`1,${big.repeat(2000)},"see`, EVE, 'end"'), [bia, BAD]],
    [
      'a row of several lines that is too short',
      file(`1,"Ana\nb"`, '2,"Eva",y'),
      [bia, BAD, row('2', 'Eva', 'y')],
    ],
    [
      'notes that begin with a line break',
      file('1,Ana,"a\nb"', '2,"","\nc"', '3,Zoe,"d"'),
      [bia, row('1', 'Ana', 'a\nb'), row('2', '', '\nc'), row('3', 'Zoe', 'd')],
    ],
  ];
  it.each(cases)('%s', async (_, data, expected) => {
    for (const limit of [1, 2, 1000]) {
      const { rows } = await read(data, limit);
      expect(outcomes(rows)).toEqual(expected);
      expect(rows.some(({ values }) => values?.Name === 'Eve')).toBe(false);
    }
  });

  it('names the row where it begins, what is not read, and how much that is', async () => {
    const { rows, notes } = await read(file('1,Ana,x', '2,"Eva,y', ...Array<string>(5000).fill(EVE)), 10_000);
    expect(rows.at(-1)?.problem?.reason).toMatch(/begins in row 3 .*row 3 to the end of the file/);
    expect(notes).toEqual(['NOT_READ']);
  });

  it('a stray quote anywhere never makes a row that was not one', async () => {
    const text = fc.stringMatching(/^[a-z ]{0,6}$/);
    const note = fc.tuple(text, text).map(([a, b]) => `"${a}\n${EVE}\n${b}"`);
    const line = fc
      .tuple(fc.constant('5511977776666'), text, fc.oneof(text, note))
      .map((cells) => cells.join(','));
    const input = fc.tuple(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      fc.integer({ min: 1, max: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(input, async ([lines, place, limit]) => {
        const clean = file(...lines);
        const at = 'Phone,Name,Note\n'.length + (place % (clean.length - 16));
        const { rows } = await read(`${clean.slice(0, at)}"${clean.slice(at)}`, limit);
        for (const { values } of rows) expect(values?.Phone).not.toBe('5511999999999');
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('shapes', () => {
  const cases: [string, string, unknown[], string[]][] = [
    ['cells that Excel drops at the end', file('1', '2,Eva'), [bia, row('1', ''), row('2', 'Eva')], []],
    [
      'separators at the end',
      file('1,Ana,x,', '2,Eva,y,, ,'),
      [bia, row('1', 'Ana', 'x'), row('2', 'Eva', 'y')],
      [],
    ],
    ['too many cells', file('1,Ana,x,y', '2,Eva,y'), [bia, BAD, row('2', 'Eva', 'y')], []],
    ['a count below the table', file('1,Ana,x', '', 'Total: 1234'), [bia, row('1', 'Ana', 'x')], ['FOOTER']],
    ['a sum in a row', file('1,Ana,x', 'Total,,1.234'), [bia, row('1', 'Ana', 'x')], ['FOOTER']],
    [
      'what reports of Salesforce write below',
      file(
        '1,Ana,x',
        '',
        '"Grand Totals (2 records)"',
        '"","",""',
        '"Confidential Information - Do Not Distribute"',
        '"Copyright (c) 2000-2026 salesforce.com, inc. All rights reserved."',
        '',
      ),
      [bia, row('1', 'Ana', 'x')],
      ['FOOTER'],
    ],
    [
      'an export date',
      file('1,Ana,x', 'Exportado em 20/11/2026 10:00:00'),
      [bia, row('1', 'Ana', 'x')],
      ['FOOTER'],
    ],
    [
      'a note behind a blank line',
      file('1,Ana,x', '', 'bold: priority'),
      [bia, row('1', 'Ana', 'x')],
      ['FOOTER'],
    ],
    [
      'a note without a blank line is a row',
      file('1,Ana,x', 'bold'),
      [bia, row('1', 'Ana', 'x'), row('bold', '')],
      [],
    ],
    [
      'a number alone is a row',
      file('1,Ana,x', '', '5511977776666'),
      [bia, row('1', 'Ana', 'x'), row('5511977776666', '')],
      [],
    ],
    [
      'a person called Total is a row',
      file('Total,Ana,5511977776666'),
      [bia, row('Total', 'Ana', '5511977776666')],
      [],
    ],
    [
      'a total in the middle is a row',
      file('Total: 2', '1,Ana,x'),
      [bia, row('Total: 2', ''), row('1', 'Ana', 'x')],
      [],
    ],
    [
      'titles above the header',
      'Lista de contatos, novembro\nGerado em 20/11/2026\n\nPhone;Name;Note\n1;Ana;x\n2;Eva;\n',
      [row('1', 'Ana', 'x'), row('2', 'Eva', '')],
      ['TITLE'],
    ],
    ['a title above one column only', 'Phone\n1\n2\n', [{ Phone: '1' }, { Phone: '2' }], []],
    ['NUL bytes', file('1,A\u0000na,x'), [bia, row('1', 'A\u0000na', 'x')], []],
    ['a header only', 'Phone,Name,Note\n', [], []],
  ];
  it.each(cases)('%s', async (_, data, expected, notes) => {
    for (const [limit, text] of [
      [1, data],
      [1000, data],
      [2, data.replaceAll('\n', '\r\n')],
    ] as const) {
      const found = await read(text, limit);
      expect(outcomes(found.rows)).toEqual(expected);
      expect(found.notes).toEqual(notes);
    }
  });

  it('no tolerance moves a value into another column', async () => {
    const cell = fc.stringMatching(/^[a-z0-9 ]{0,4}$/);
    const lines = fc.array(fc.array(cell, { minLength: 1, maxLength: 6 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom(',', ';', '\t'), async (lines, delimiter) => {
        const text = [['A', 'B', 'C', 'D'], ...lines].map((cells) => cells.join(delimiter)).join('\n');
        const source = await folder.write(text, { delimiter } as { delimiter: ',' });
        const kept = lines.filter((cells) => cells.some((value) => value.trim() !== ''));
        for (const { row, values } of await readAll(source)) {
          for (const [at, name] of ['A', 'B', 'C', 'D'].entries())
            if (values !== null) expect(values[name]).toBe(kept[row - 1]?.[at] ?? '');
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

describe('what is no table', () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const cases: [string, string | Uint8Array, RegExp][] = [
    [
      'an HTML table, as "xls" often is',
      '<html><body><table><tr><td>Nome</td></tr></table>',
      /HTML.*xls.*CSV UTF-8/,
    ],
    ['the same in UTF-16', utf16('<table border=1><tr><td>Nome</td></tr></table>'), /HTML/],
    ['a login page', '\ufeff<!DOCTYPE html>\n<html><form>Senha <input></form></html>', /login page.*sign in/],
    ['a comment above the page', '<!-- saved from url -->\n<html></html>', /HTML/],
    ['XML', '<?xml version="1.0"?>\n<Workbook></Workbook>', /XML/],
    ['xlsx', Buffer.from('PK\u0003\u0004\u0014\u0000', 'latin1'), /xlsx.*CSV UTF-8/],
    ['xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), /old Excel workbook.*CSV UTF-8/],
    ['gz', Buffer.from([0x1f, 0x8b, 8, 0]), /gzip.*unpack/],
    ['pdf', '%PDF-1.7\n…', /PDF.*CSV/],
    ['any other binary data', Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 37) % 32)), /binary/],
  ];
  it.each(cases)('%s', async (_, data, message) => {
    for (const type of ['csv', 'jsonl'] as const) {
      const source = await folder.write(data, { type });
      await expect(source.read(null, { limit: 1 })).rejects.toMatchObject({ code: 'format', message });
    }
  });
});
