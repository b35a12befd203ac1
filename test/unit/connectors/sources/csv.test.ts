import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSource } from '../../../../src/connectors/sources/index.ts';
import { type Folder, makeFolder, outcomes, readAll } from './support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const row = (name: string, phone: string) => ({ Name: name, Phone: phone });

describe('two exports joined in one file', () => {
  const first = 'Name,Phone\nBia,1\n';
  const cases: [string, string | Uint8Array, number][] = [
    ['other columns', `${first}\ufeffPhone,Name\n2,Ana\n`, 2],
    ['the same columns', `\ufeff${first}\ufeff${first}`, 2],
    ['a quoted header', `${first}\ufeff"Phone","Name"\n2,Ana\n`, 2],
    ['quoted cells above', `Name,Phone\n"Bia","1"\n"Eva","3"\n\ufeffPhone,Name\n2,Ana\n`, 3],
    ['UTF-16', Buffer.from(`\ufeff${first}\ufeffPhone,Name\n2,Ana\n`, 'utf16le'), 2],
  ];
  it.each(cases)('%s: reading stops and names the row of the mark', async (_, data, at) => {
    const source = await folder.write(data);
    const expected = { code: 'format', message: expect.stringContaining(`beginning of row ${at},`) };
    for (const limit of [1, 1000]) await expect(readAll(source, limit)).rejects.toMatchObject(expected);
  });
});

describe('dialects', () => {
  const cases: [string, string | Uint8Array, unknown[]][] = [
    ['comma', 'Name,Phone\nBia,1\n', [row('Bia', '1')]],
    [
      'semicolon with decimal commas',
      'Name;Phone\nBia;1,5\nAna;2,5\n',
      [row('Bia', '1,5'), row('Ana', '2,5')],
    ],
    ['tab', 'Name\tPhone\nBia, x\t1\n', [row('Bia, x', '1')]],
    ['pipe, no line end at the end', 'Name|Phone\nBia|1', [row('Bia', '1')]],
    ['CRLF', 'Name,Phone\r\nBia,1\r\nAna,2\r\n', [row('Bia', '1'), row('Ana', '2')]],
    ['old Mac line ends', 'Name,Phone\rBia,1\rAna,2', [row('Bia', '1'), row('Ana', '2')]],
    ['UTF-8 mark', '\ufeffName,Phone\nBia,1\n', [row('Bia', '1')]],
    ['UTF-8 mark and quoted header', '\ufeff"Name","Phone"\n"Bia","1"\n', [row('Bia', '1')]],
    ['sep= line', 'sep=;\r\nName;Phone\r\nBia,x;1\r\n', [row('Bia,x', '1')]],
    ['sep= line behind a mark', '\ufeff"sep=|"\nName|Phone\nBia|1\n', [row('Bia', '1')]],
    [
      'separator inside quotes',
      '"Name","Phone"\n"a;b;c","1"\n"d;e;f","2"\n',
      [row('a;b;c', '1'), row('d;e;f', '2')],
    ],
    ['blank and separator-only lines', '\n;;\nName;Phone\n\nBia;1\n;\n\r\n', [row('Bia', '1')]],
    ['quoted line ends and doubled quotes', 'Name,Phone\n"B""i""\r\na",1\n', [row('B"i"\r\na', '1')]],
    [
      'quotes as plain text in cells without quotes',
      'Name\tPhone\n5" pipe\t1\nAna "Nina"\t2\n',
      [row('5" pipe', '1'), row('Ana "Nina"', '2')],
    ],
    ['Latin-1', Buffer.from('Name;Phone\nJo\xe3o;1\n', 'latin1'), [row('João', '1')]],
    [
      'windows-1252 dashes',
      Buffer.from('Name;Phone\nJo\xe3o \x96 \x80;1\n', 'latin1'),
      [row('João – €', '1')],
    ],
    ['header only', 'Name,Phone\n', []],
    ['one column', 'Phone\n1\n2\n', [{ Phone: '1' }, { Phone: '2' }]],
    ['separator at the line end', 'Name;Phone\nBia;1;\n', [row('Bia', '1')]],
  ];
  it.each(cases)('%s', async (_, data, expected) => {
    const source = await folder.write(data);
    expect(outcomes(await readAll(source))).toEqual(expected);
  });

  it('repeated, blank and dangerous header names stay apart', async () => {
    const source = await folder.write('Email,,Email,__proto__,Email (2)\na,b,c,d,e\n');
    expect(outcomes(await readAll(source))).toEqual([
      { Email: 'a', 'column 2': 'b', 'Email (2)': 'c', 'column 4': 'd', 'Email (2) (2)': 'e' },
    ]);
  });

  it('a file that turns Latin-1 after 5 MB of ASCII keeps its accents', async () => {
    const ascii = `${'x'.repeat(999)};1\n`.repeat(5000);
    const source = await folder.write(Buffer.from(`Name;Phone\n${ascii}Jo\xe3o;2\n`, 'latin1'));
    expect((await readAll(source)).at(-1)?.values).toEqual(row('João', '2'));
  });

  it('a sequence that straddles the blocks of the encoding scan is still UTF-8', async () => {
    const head = 'Name;Phone\n';
    const fill = 'x'.repeat(1024 * 1024 - head.length - 1);
    const source = await folder.write(`${head}${fill}ã;1\nJoão;2\n`);
    expect((await readAll(source)).at(-1)?.values).toEqual(row('João', '2'));
  });

  it('a UTF-8 file with one broken row reports that row and keeps the accents of the others', async () => {
    const parts = ['Name;Phone\nJoão;1\nJo', Buffer.from([0xe3]), 'o;2\nZoé;3\nConceição;4\n'];
    const source = await folder.write(Buffer.concat(parts.map((part) => Buffer.from(part))));
    const expected = [row('João', '1'), 'bad_encoding', row('Zoé', '3'), row('Conceição', '4')];
    expect(outcomes(await readAll(source))).toEqual(expected);
    expect(outcomes(await readAll(source, 1))).toEqual(expected);
  });
});

describe('bad rows are reported and reading continues', () => {
  const cases: [string, string, unknown[]][] = [
    ['long', 'Name,Phone\nBia,1,x\nAna,2\n', ['malformed_row', row('Ana', '2')]],
    ['last line broken', 'Name,Phone\nAna,2\n"Bia,1', [row('Ana', '2'), 'malformed_row']],
  ];
  it.each(cases)('%s', async (_, data, expected) => {
    const source = await folder.write(data);
    expect(outcomes(await readAll(source))).toEqual(expected);
    expect(outcomes(await readAll(source, 1))).toEqual(expected);
  });

  it('row numbers count bad rows too', async () => {
    const source = await folder.write('Name,Phone\nBia,1,2\nAna,2\nx,3,4\nEva,4\n');
    expect((await readAll(source)).map((r) => r.row)).toEqual([1, 2, 3, 4]);
  });

  it('a row of 3 MB is reported, cut short, and the next one is read', async () => {
    const source = await folder.write(`Name,Phone\n${'x'.repeat(3_000_000)},1\nAna,2\n`);
    const rows = await readAll(source);
    expect(outcomes(rows)).toEqual(['malformed_row', row('Ana', '2')]);
    expect(rows[0]?.problem?.value?.length).toBe(200);
  });
});

describe('what is no source at all', () => {
  const files: [string, Uint8Array, string, RegExp][] = [
    ['a workbook', Buffer.from('PK\u0003\u0004abc'), 'format', /workbook.*CSV UTF-8/],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'format', /unpack/],
    ['an empty file', Buffer.alloc(0), 'no_header', /empty/],
    ['a broken header', Buffer.from('"Name,Phone\nBia,1\n'), 'no_header', /quote/],
  ];
  it.each(files)('%s', async (_, data, code, message) => {
    const source = await folder.write(data);
    const error = await source.read(null, { limit: 1 }).catch((e: unknown) => e);
    expect(error).toMatchObject({ name: 'SourceError', code, message: expect.stringMatching(message) });
  });

  it('a missing file is named as the configuration writes it', async () => {
    const source = openSource(
      { type: 'csv', path: './no/such.csv', encoding: 'auto', delimiter: 'auto' },
      { baseDir: folder.path },
    );
    await expect(source.read(null, { limit: 1 })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('"./no/such.csv"'),
    });
  });

  it.each(['csv', 'jsonl'] as const)('a folder, a pipe or a device is no %s file', async (type) => {
    await mkdir(join(folder.path, 'dir'), { recursive: true });
    const pipe = join(folder.path, `${type}-pipe`);
    execFileSync('mkfifo', [pipe]);
    // Messages name a path from the folder of the configuration, as its file does.
    for (const [path, name] of [
      ['dir', 'dir'],
      [pipe, `${type}-pipe`],
      ['/dev/zero', '/dev/zero'],
    ] as const) {
      const config = { type, path, encoding: 'auto', delimiter: 'auto' } as const;
      const source = openSource(config, { baseDir: folder.path });
      await expect(source.read(null, { limit: 1 })).rejects.toMatchObject({
        code: 'format',
        message: expect.stringContaining(`"${name}" can't be read: it is a`),
      });
    }
  });
});

describe('a cursor', () => {
  const data = 'Name,Phone\nBia,1\nAna,2\nEva,3\n';
  const edits: [string, (path: string) => Promise<void>][] = [
    ['appended to', (path) => appendFile(path, 'Zoe,4\n')],
    [
      'edited at the same length',
      async (path) => {
        await writeFile(path, (await readFile(path, 'utf8')).replace('Eva', 'Iva'));
        await utimes(path, new Date(), new Date(Date.now() + 5000));
      },
    ],
    ['touched', (path) => utimes(path, new Date(), new Date(Date.now() + 5000))],
  ];
  it.each(edits)('of a file that was %s is refused', async (name, edit) => {
    const path = `cursor-${name.replaceAll(' ', '-')}.csv`;
    await writeFile(join(folder.path, path), data);
    const source = openSource(
      { type: 'csv', path, encoding: 'auto', delimiter: 'auto' },
      { baseDir: folder.path },
    );
    const page = await source.read(null, { limit: 1 });
    await edit(join(folder.path, path));
    await expect(source.read(page.next, { limit: 1 })).rejects.toMatchObject({ code: 'changed' });
  });

  it('of another kind of source is refused', async () => {
    const csv = await folder.write(data);
    const jsonl = await folder.write('{"a":1}\n{"a":2}\n', { type: 'jsonl' });
    const page = await jsonl.read(null, { limit: 1 });
    await expect(csv.read(page.next, { limit: 1 })).rejects.toMatchObject({ code: 'changed' });
  });

  it('is null behind the last row, and progress reaches 1', async () => {
    const source = await folder.write(data);
    const first = await source.read(null, { limit: 2 });
    expect(first.next).not.toBeNull();
    expect(first.progress).toBeGreaterThan(0);
    expect(first.progress).toBeLessThan(1);
    expect(await source.read(first.next, { limit: 2 })).toMatchObject({ next: null, progress: 1 });
  });

  it('an aborted read ends with the reason', async () => {
    const source = await folder.write(data);
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(source.read(null, { limit: 1, signal })).rejects.toThrow('stop');
  });
});
