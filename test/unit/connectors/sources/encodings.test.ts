// Files in every encoding: found, reported, read at any page size, and broken only row by row.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codecFor } from '../../../../src/connectors/sources/codec.ts';
import { CsvSource } from '../../../../src/connectors/sources/config.ts';
import { propertyRuns } from '../../../support/runner/property-runs.ts';
import { encode } from './encode.ts';
import { type Folder, makeFolder, outcomes, readAll } from './support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const NAMES: [encoding: string, names: string[]][] = [
  ['windows-1252', ['João da Conceição', 'São Paulo – Ação €', 'Müller Straße', 'François Hélène']],
  ['windows-1250', ['Łukasz Żółć', 'Jiří Dvořák', 'Szabó Győző']],
  ['iso-8859-2', ['Łukasz Żółć', 'Jiří Šťastný']],
  ['windows-1251', ['Иван Петров', 'Сергей Иванов', 'Олексій Шевченко']],
  ['koi8-r', ['Иван Петров', 'Сергей Иванов']],
  ['windows-1253', ['Γιώργος Παπαδόπουλος']],
  ['windows-1254', ['Ayşe Yılmaz', 'Gökçe Öztürk']],
  ['macintosh', ['João da Conceição', 'São Paulo']],
  ['shift_jis', ['山田太郎', '表示|能力', 'ソース開発']],
  ['gb18030', ['王小明', '北京市朝阳区']],
  ['big5', ['王小明', '臺北市許功蓋']],
  ['euc-kr', ['김철수', '서울특별시']],
  ['utf-16le', ['João', '王小明', '😀']],
  ['utf-16be', ['João', '王小明', '😀']],
];

const table = (names: readonly string[], count: number) =>
  Array.from({ length: count }, (_, at) => ({
    Nome: names[at % names.length] as string,
    Fone: `1198765${1000 + at}`,
  }));

const csvOf = (rows: readonly { Nome: string; Fone: string }[], delimiter = ';') =>
  [`Nome${delimiter}Fone`, ...rows.map(({ Nome, Fone }) => `"${Nome}"${delimiter}${Fone}`), ''].join('\r\n');

describe.each(NAMES)('%s', (encoding, names) => {
  it.each([1, 300])('is read as configured, %i rows, at any page size', async (count) => {
    const rows = table(names, count);
    const source = await folder.write(encode(csvOf(rows, '|'), encoding), { encoding, delimiter: '|' });
    expect(outcomes(await readAll(source))).toEqual(rows);
    expect(outcomes(await readAll(source, 7))).toEqual(rows);
  });

  it('is detected and reported', async () => {
    const rows = table(names, names.length);
    const source = await folder.write(encode(csvOf(rows), encoding));
    const page = await source.read(null, { limit: 100 });
    expect(outcomes(page.rows)).toEqual(rows);
    expect(page.notes?.map(({ reason }) => reason).join()).toMatch(
      new RegExp(`read as (?:${encoding}|windows-125[02])`),
    );
  });

  it('is read as JSONL', async () => {
    const rows = table(names, 20);
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    const source = await folder.write(encode(text, encoding), { type: 'jsonl', encoding });
    expect(outcomes(await readAll(source, 3))).toEqual(rows);
  });
});

it.each(['utf-16le', 'utf-16be', 'utf-8'])(
  'a byte order mark of %s is no part of the first column',
  async (encoding) => {
    const source = await folder.write(encode('\ufeffNome,Fone\nJoão,1\n', encoding));
    expect(outcomes(await readAll(source))).toEqual([{ Nome: 'João', Fone: '1' }]);
  },
);

it('UTF-8 and ASCII are plain: nothing is reported', async () => {
  for (const text of ['a,b\nx,1\n', 'a,b\nJoão,1\n'])
    expect((await (await folder.write(text)).read(null, { limit: 9 })).notes).toBeUndefined();
});

it.each(['Zé', 'São', 'José', 'João', 'Müller', 'Núñez', 'François', 'Zoë', 'Conceição', 'André'])(
  'a file of Windows whose only accents are those of %s is no Thai, Greek or Cyrillic one',
  async (name) => {
    const text = `Nome;Fone\n${Array.from({ length: 40 }, (_, n) => `${name};${n}`).join('\n')}\n`;
    const source = await folder.write(encode(text, 'windows-1252'), { delimiter: ';' });
    const rows = await readAll(source, 100);
    expect(outcomes(rows)[0]).toEqual({ Nome: name, Fone: '0' });
  },
);

it('a file that is mostly UTF-8 loses its other rows only, and says so', async () => {
  const utf8 = Buffer.from('Nome,Fone\nJoão,1\nZoé,2\nInês,3\n');
  const source = await folder.write(
    Buffer.concat([utf8, encode('José,4\n', 'windows-1252'), Buffer.from('Ana,5\n')]),
  );
  const page = await source.read(null, { limit: 9 });
  expect(outcomes(page.rows)).toEqual([
    { Nome: 'João', Fone: '1' },
    { Nome: 'Zoé', Fone: '2' },
    { Nome: 'Inês', Fone: '3' },
    'bad_encoding',
    { Nome: 'Ana', Fone: '5' },
  ]);
  expect(page.notes).toMatchObject([{ code: 'MIXED_ENCODING' }]);
});

it.each(['auto', 'windows-1252'])(
  'UTF-8 rows in a Latin-1 file are refused, not garbled (%s)',
  async (encoding) => {
    const latin = encode('Nome,Fone\nJoão,1\nZoé,2\nInês,3\nJosé,4\n', 'windows-1252');
    const source = await folder.write(Buffer.concat([latin, Buffer.from('Conceição,5\nAna,6\n')]), {
      encoding,
    });
    const rows = await readAll(source, 2);
    expect(outcomes(rows).slice(3)).toEqual([
      { Nome: 'José', Fone: '4' },
      'bad_encoding',
      { Nome: 'Ana', Fone: '6' },
    ]);
  },
);

it('a mark that contradicts the configuration is an error, and so is UTF-32', async () => {
  const wide = await folder.write(encode('\ufeffa,b\n1,2\n', 'utf-16le'), { encoding: 'windows-1252' });
  await expect(wide.read(null, { limit: 1 })).rejects.toMatchObject({
    code: 'encoding',
    message: /utf-16le.*remove/,
  });
  const wider = await folder.write(Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]));
  await expect(wider.read(null, { limit: 1 })).rejects.toMatchObject({ code: 'encoding', message: /UTF-32/ });
});

it('the configuration takes what the platform decodes, and names examples otherwise', () => {
  const parse = (encoding: string) => CsvSource.safeParse({ type: 'csv', path: 'x', encoding });
  for (const good of [
    'latin1',
    'UTF8',
    'cp1252',
    'ibm866',
    'iso-8859-15',
    'windows-874',
    'euc-jp',
    'iso-2022-jp',
  ])
    expect(parse(good).success, good).toBe(true);
  for (const bad of ['utf-7', 'cp437', 'klingon', ''])
    expect(parse(bad).error?.issues[0]?.message, bad).toMatch(/windows-1252/);
});

it('ISO-2022-JP, which is all ASCII bytes, is found by its escapes', async () => {
  const bytes = Buffer.from('Nome;Fone\n\u001b$B;3EDB@O:\u001b(B;1\n', 'latin1');
  expect(outcomes(await readAll(await folder.write(bytes)))).toEqual([{ Nome: '山田太郎', Fone: '1' }]);
});

describe('any bytes at all', () => {
  const encodings = [
    'shift_jis',
    'gb18030',
    'big5',
    'euc-kr',
    'euc-jp',
    'iso-2022-jp',
    'windows-1252',
    'utf-16le',
    'utf-16be',
  ];

  it.each(encodings)('%s: every line break of the text leads back to its place in the file', (encoding) => {
    const byte = fc.oneof(
      fc.constantFrom(0x0a, 0x0d, 0x22, 0x2c, 0x61, 0x1b),
      fc.integer({ min: 0, max: 255 }),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 60 }), (bytes) => {
        const raw = Buffer.from(bytes.length % 2 === 0 ? bytes : [...bytes, 0x61]);
        const { utf8, rawLength } = codecFor(encoding).read(raw);
        for (let at = utf8.indexOf(0x0a); at >= 0; at = utf8.indexOf(0x0a, at + 1)) {
          const length = rawLength(at + 1);
          const last = encoding === 'utf-16le' ? raw[length - 2] : raw[length - 1];
          expect(last).toBe(0x0a);
        }
        expect(rawLength(utf8.length)).toBe(raw.length);
      }),
      { numRuns: propertyRuns(3000) },
    );
  });
});
