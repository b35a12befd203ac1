import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, makeFolder, outcomes, readAll } from './support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

describe('JSONL', () => {
  const cases: [string, string | Uint8Array, unknown[]][] = [
    ['objects', '{"a":1}\n{"a":{"b":[2]}}\n', [{ a: 1 }, { a: { b: [2] } }]],
    [
      'integers above 2^53, digit for digit, and what only resembles one',
      '{"a":9007199254740993,"b":[-12345678901234567890],"c":"12345678901234567890","d":1e21,"e":9007199254740991}\n',
      [
        {
          a: '9007199254740993',
          b: ['-12345678901234567890'],
          c: '12345678901234567890',
          d: 1e21,
          e: 9_007_199_254_740_991,
        },
      ],
    ],
    [
      'floats that rounding may have made, as they are written',
      '{"a":5.51199E+12,"b":5511990000000.0,"c":5511987654321.0,"d":1.5E7,"e":"5.51199E+12","f":5511990000000}\n',
      [
        {
          a: '5.51199E+12',
          b: '5511990000000.0',
          c: 5_511_987_654_321,
          d: 15_000_000,
          e: '5.51199E+12',
          f: 5_511_990_000_000,
        },
      ],
    ],
    ['blank lines, CRLF, mark, no last line end', '\ufeff{"a":1}\r\n\r\n  \n{"a":2}', [{ a: 1 }, { a: 2 }]],
    ['a mark where two files were joined', '{"a":1}\n\ufeff{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ['a line that is no JSON', '{"a":1}\n{"a":\n{"a":3}\n', [{ a: 1 }, 'malformed_row', { a: 3 }]],
    [
      'values that are no objects',
      '1\n"x"\nnull\n[1]\n{"a":1}\n',
      ['malformed_row', 'malformed_row', 'malformed_row', 'malformed_row', { a: 1 }],
    ],
    ['10,000 levels', `${deep(10_000)}\n{"a":1}\n`, ['malformed_row', { a: 1 }]],
    ['200,000 levels', `${deep(200_000)}\n{"a":1}\n`, ['malformed_row', { a: 1 }]],
    ['60 levels', `${deep(60)}\n`, [JSON.parse(deep(60))]],
    ['a line of 3 MB', `{"a":"${'x'.repeat(3_000_000)}"}\n{"a":1}\n`, ['malformed_row', { a: 1 }]],
    ['Latin-1', Buffer.from('{"a":"Jo\xe3o"}\n', 'latin1'), [{ a: 'João' }]],
    ['an empty file', '', []],
  ];
  it.each(cases)('%s', async (_, data, expected) => {
    const source = await folder.write(data, { type: 'jsonl' });
    expect(outcomes(await readAll(source))).toEqual(expected);
    expect(outcomes(await readAll(source, 1))).toEqual(expected);
  });

  it('a bad line keeps its row number', async () => {
    const source = await folder.write('{"a":1}\n\nx\n{"a":2}\n', { type: 'jsonl' });
    const rows = await readAll(source);
    expect(rows.map((r) => r.row)).toEqual([1, 2, 3]);
    expect(rows[1]?.problem).toMatchObject({ field: 'row', code: 'malformed_row', value: 'x' });
  });

  it('a JSON array over many lines is distinguished', async () => {
    const source = await folder.write('[\n{"a":1},\n{"a":2}\n]\n', { type: 'jsonl' });
    expect((await readAll(source))[0]?.problem?.reason).toContain('array');
  });

  it('an own __proto__ key stays a value', async () => {
    const source = await folder.write('{"__proto__":{"x":1}}\n', { type: 'jsonl' });
    const [row] = await readAll(source);
    expect(Object.keys(row?.values ?? {})).toEqual(['__proto__']);
    expect(row?.values?.x).toBeUndefined();
  });
});
