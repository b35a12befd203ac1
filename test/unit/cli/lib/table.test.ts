import { describe, expect, it } from 'vitest';
import { type Column, lineWidth, listOf, tableOf } from '../../../../src/cli/lib/terminal/table.ts';
import { cutTo, padTo, widthOf } from '../../../../src/cli/lib/terminal/width.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly count: number;
  readonly why: string;
}
const COLUMNS: readonly Column<Row>[] = [
  ['id', 'left', ({ id }) => id, 'keep'],
  ['name', 'left', ({ name }) => name],
  ['count', 'right', ({ count }) => String(count)],
  ['reason', 'left', ({ why }) => why, 'cut'],
];
const ROWS: readonly Row[] = [
  { id: 'run-2026-11-23-0000000001', name: 'José Antônio da Silva', count: 9, why: 'x'.repeat(150) },
  { id: 'run-2', name: '山田太郎', count: 12_345, why: 'short' },
];
const terminal = (columns: number) => ({ isTTY: true, columns });

describe('width of a text', () => {
  it.each([
    ['plain', 5],
    ['José', 4],
    ['Jose\u0301', 4],
    ['山田太郎', 8],
    ['한국어', 6],
    ['ｶﾅ', 2],
    ['Ａ', 2],
    ['😀', 2],
    ['👍🏽', 2],
    ['🇧🇷', 2],
    ['❤️', 2],
    ['❤', 1],
    ['1️⃣', 2],
    ['…', 1],
    ['┃█', 2],
    ['', 0],
  ])('%s takes %i cells', (text, cells) => {
    expect(widthOf(text)).toBe(cells);
    expect(padTo(text, 10, 'left')).toBe(text + ' '.repeat(10 - cells));
  });

  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['山田太郎', 6, '山田…'],
    ['a山田', 4, 'a山…'],
    ['ab cd', 4, 'ab…'],
    ['Jose\u0301 Maria', 5, 'Jose\u0301…'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
  ])('%s cut to %i cells is %s', (text, cells, cut) => {
    expect(cutTo(text, cells)).toBe(cut);
    expect(widthOf(cut)).toBeLessThanOrEqual(cells);
  });
});

describe('a table', () => {
  it.each([80, 120, 200])('fits %i columns, and cuts the least important column first', (width) => {
    const lines = tableOf(COLUMNS, ROWS, width);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(lines[1]).toContain('run-2026-11-23-0000000001  José Antônio da Silva');
    expect(lines[1]).toMatch(/      9  x+…$/);
    expect(lines[2]).toMatch(/山田太郎 +12345  short$/);
  });

  it('cuts the other columns when that is not enough, and ids and numbers never', () => {
    expect(tableOf(COLUMNS, ROWS, 55)).toEqual([
      'id                         name         count  reason',
      'run-2026-11-23-0000000001  José Antôn…      9  xxxxxxx…',
      'run-2                      山田太郎     12345  short',
    ]);
  });

  it('leaves out columns that may be dropped, the last one first, before it cuts others', () => {
    const columns: readonly Column<Row>[] = [
      ['id', 'left', ({ id }) => id, 'keep'],
      ['name', 'left', ({ name }) => name, 'drop'],
      ['count', 'right', ({ count }) => String(count), 'drop'],
      ['reason', 'left', ({ why }) => why, 'cut'],
    ];
    const titles = (width: number) => tableOf(columns, ROWS, width)[0]?.split(/ +/);
    expect(titles(80)).toEqual(['id', 'name', 'count', 'reason']);
    expect(titles(60)).toEqual(['id', 'name', 'reason']);
    expect(titles(40)).toEqual(['id', 'reason']);
    expect(tableOf(columns, ROWS, 40)[1]).toBe('run-2026-11-23-0000000001  xxxxxxxxxxxx…');
  });

  it('cuts the line where nothing else gives way', () => {
    for (const line of tableOf(COLUMNS, ROWS, 30)) expect(widthOf(line)).toBeLessThanOrEqual(30);
  });

  it('cuts nothing without a terminal', () => {
    expect(lineWidth({})).toBe(Number.POSITIVE_INFINITY);
    expect(lineWidth(terminal(0))).toBe(80);
    expect(tableOf(COLUMNS, ROWS, lineWidth({}))[1]).toContain('x'.repeat(150));
  });

  it('has no line break or control character of a cell', () => {
    const rows = [{ id: 'a', name: 'b\nc\u001b[31m', count: 1, why: '' }];
    expect(tableOf(COLUMNS, rows, 80)[1]).toContain('b\\u000ac\\u001b[31m');
  });
});

describe('a list', () => {
  it('is a table with titles on a terminal', () => {
    const lines = listOf(COLUMNS, ROWS, { stream: terminal(80) });
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^id +name +count +reason$/);
    const second = listOf(COLUMNS, ROWS, { stream: terminal(80), page: 1 });
    expect(second).toEqual(lines.slice(1));
  });

  it('has tabs elsewhere, so that awk reads it', () => {
    expect(listOf(COLUMNS, ROWS, { stream: {}, page: 1 })).toHaveLength(2);
    expect(listOf(COLUMNS, ROWS, { stream: {} })).toEqual([
      'id\tname\tcount\treason',
      `run-2026-11-23-0000000001\tJosé Antônio da Silva\t9\t${'x'.repeat(150)}`,
      'run-2\t山田太郎\t12345\tshort',
    ]);
  });

  it('has no titles without entries', () => {
    expect(listOf(COLUMNS, [], { stream: terminal(80) })).toEqual([]);
  });
});
