import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PRESETS, previewMapping, recognize } from '../../../src/recognize/index.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const utf8 = (text: string) => Buffer.from(text);
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string, order: 'le' | 'be' = 'le') => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};
const guessesOf = async (bytes: Buffer) =>
  Object.fromEntries((await recognize(bytes)).columns.map(({ name, guess }) => [name, guess]));

describe('an export of a CRM', () => {
  const FILES = { rdstation: 'negociacoes', pipedrive: 'deals', kommo: 'leads' } as Record<string, string>;
  it.each(PRESETS)('of %s is recognized, with columns that can be synced', async (preset) => {
    const bytes = await readFile(join(ROOT, `examples/${preset}/${FILES[preset] ?? 'contacts'}.csv`));
    const found = await recognize(bytes);
    expect(found.preset).toMatchObject({ name: preset });
    expect(found.preset?.confidence).toBeGreaterThan(0.5);
    expect(found.header).toBe(true);
    const { mapped, rows } = await previewMapping(bytes, found.mapping!, { rows: 1000, records: 3 });
    expect(mapped / rows).toBeGreaterThan(0.8);
  });
});

describe('the form of a table', () => {
  const ROWS = 'Nome;Telefone\nJosé;(11) 91234-5601\nAção;21 91234-5602\n';
  it.each([
    ['semicolons', utf8(ROWS), ';', 'utf-8'],
    ['commas', utf8(ROWS.replaceAll(';', ',')), ',', 'utf-8'],
    ['tabs', utf8(ROWS.replaceAll(';', '\t')), '\t', 'utf-8'],
    ['bars', utf8(ROWS.replaceAll(';', '|')), '|', 'utf-8'],
    ['a byte order mark', utf8(`\ufeff${ROWS}`), ';', 'utf-8'],
    ['Latin-1', latin1(ROWS), ';', 'windows-1252'],
    ['UTF-16', utf16(ROWS), ';', 'utf-16le'],
    ['UTF-16 with the high byte first', utf16(ROWS, 'be'), ';', 'utf-16be'],
    ['a line that names the separator', utf8(`sep=;\n${ROWS}`), ';', 'utf-8'],
    ['line breaks of Windows', utf8(ROWS.replaceAll('\n', '\r\n')), ';', 'utf-8'],
    ['a title above', utf8(`Relatório\n\n${ROWS}`), ';', 'utf-8'],
    ['one row', utf8('Nome;Telefone\nJosé;11912345601'), ';', 'utf-8'],
  ])('is found: %s', async (_, bytes, delimiter, encoding) => {
    const found = await recognize(bytes);
    expect(found).toMatchObject({ delimiter, header: true, encoding: { name: encoding } });
    expect(found.columns.map(({ name, guess }) => [name, guess])).toEqual([
      ['Nome', 'name'],
      ['Telefone', 'number'],
    ]);
    expect(found.country.country).toBe('BR');
  });

  it('is found where a cell has line breaks', async () => {
    const text = 'name,phone,note\nAna,+5511912345601,"first\nsecond, third"\nBia,+5511912345602,x\n';
    expect(await recognize(utf8(text))).toMatchObject({
      rows: 2,
      delimiter: ',',
      country: { country: null },
    });
  });

  it('without a header has numbered columns, and the first line counts as a row', async () => {
    const found = await recognize(utf8('Ana;11912345601;ana@example.com\nBia;11912345602;bia@example.com\n'));
    expect(found.header).toBe(false);
    expect(found.columns.map(({ name, guess, filled }) => [name, guess, filled])).toEqual([
      ['column 1', null, 2],
      ['column 2', 'number', 2],
      ['column 3', 'email', 2],
    ]);
  });

  it.each([
    ['an empty file', utf8(''), /empty/],
    ['blank lines', utf8('\n\n\n'), /empty/],
    ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1, 2, 3]), /./],
    ['a workbook', Buffer.from('PK\u0003\u0004aaaaaaaaaaaaaaa'), /./],
    ['a web page', utf8('<!doctype html><html><body>login</body></html>'), /./],
  ])('is refused: %s', async (_, bytes, message) => {
    await expect(recognize(bytes, 'export.csv')).rejects.toThrow(message);
  });

  it('with only a header is recognized by the names, and is less sure', async () => {
    const { columns, rows } = await recognize(utf8('Nome;Celular;E-mail;CPF\n'));
    expect(rows).toBe(0);
    expect(columns.map(({ guess, confidence }) => [guess, confidence])).toEqual([
      ['name', 0.5],
      ['number', 0.5],
      ['email', 0.5],
      ['document', 0.5],
    ]);
  });
});

describe('the columns of a table', () => {
  it('are found by values where names say nothing', async () => {
    const text =
      'a;b;c;d\n1;11912345601;52998224725;x@example.com\n2;11912345602;16899535009;y@example.com\n';
    expect(await guessesOf(utf8(text))).toEqual({ a: null, b: 'number', c: 'document', d: 'email' });
  });

  it.each([
    ['="05511912345601"', 'a formula of Excel'],
    ["'+5511912345601", 'a leading apostrophe'],
    ['(11) 91234-5601', 'punctuation'],
  ])('have numbers written as %s (%s)', async (value) => {
    const text = `Nome;Telefone\nAna;"${value.replaceAll('"', '""')}"\n`;
    expect(await guessesOf(utf8(text))).toMatchObject({ Telefone: 'number' });
  });

  it('with several numbers: the mobile number comes first', async () => {
    const row = '+55 11 3123-4567;+5511912345601;+5511912345602';
    const { mapping } = await recognize(utf8(`Telefone comercial;WhatsApp;Celular\n${row}\n`));
    expect(mapping?.contact.number).toEqual(['WhatsApp', 'Celular', 'Telefone comercial']);
  });

  it('are not numbers where they are ids, dates, amounts or documents', async () => {
    const text =
      'Record ID;Created;Amount;CNPJ;Phone\n15100000000;31/12/2026;1234567890;11.222.333/0001-81;+5511912345601\n';
    expect(await guessesOf(utf8(text))).toEqual({
      'Record ID': 'id',
      Created: null,
      Amount: 'value',
      CNPJ: 'document',
      Phone: 'number',
    });
  });

  it('with first and last name make one name', async () => {
    const { mapping } = await recognize(utf8('Nome;Sobrenome;Telefone\nAna;Reis;11912345601\n'));
    expect(mapping?.contact.name).toBe('{{Nome}} {{Sobrenome}}');
  });

  it.each([
    ['a;b', ';'],
    ['a, b', ','],
    ['a ::: b', ' ::: '],
    ['a|b', '|'],
  ])('have several tags in a cell: %s', async (cell, split) => {
    const { mapping } = await recognize(utf8(`Phone\tTags\n+5511912345601\t${cell}\n+5511912345602\tc\n`));
    expect(mapping?.tags).toEqual([{ path: 'Tags', split }]);
  });

  it('with stages make a card with the words of the file', async () => {
    const rows = ['Novo', 'Proposta', 'Novo', 'Novo', 'Proposta', 'Novo'];
    const text = `Telefone;Funil;Etapa;Data de fechamento\n${rows.map((stage, at) => `1191234560${at};Vendas;${stage};31/12/2026`).join('\n')}\n`;
    expect((await recognize(utf8(text))).card).toEqual({
      pipeline: 'Vendas',
      stage: { path: 'Etapa', map: { Novo: 'Novo', Proposta: 'Proposta' } },
      expectedCloseDate: 'Data de fechamento',
      customFields: {},
    });
  });

  it('may be a hundred, and may be called like formulas and templates', async () => {
    const names = Array.from({ length: 98 }, (_, at) => `Field ${at}`);
    const text = `${['=Phone', '{{email}}', ...names].join(',')}\n${['+5511912345601', 'a@example.com', ...names.map(() => 'x')].join(',')}\n`;
    const { mapping, columns } = await recognize(utf8(text));
    expect(columns).toHaveLength(100);
    expect(mapping?.contact).toEqual({ number: { path: '=Phone' }, email: { path: '{{email}}' } });
  });

  it('without numbers give no mapping', async () => {
    expect((await recognize(utf8('Name,City\nAna,Recife\nBia,Natal\n'))).mapping).toBeNull();
  });
});

describe('the country of numbers', () => {
  it.each([
    ['BR', 'Nome;Telefone', ['(11) 91234-5601', '21 91234-5602', '(51) 3123-4567']],
    ['US', 'Name;Phone', ['(212) 555-0100', '212-555-0101', '(415) 555-0102']],
    ['PT', 'Nome;Telefone', ['912 345 678', '912345679', '213 456 789']],
    ['ES', 'Nombre;Teléfono', ['612 345 678', '612345679', '912 345 678']],
    ['DE', 'Name;Phone', ['0151 23456789', '030 23125000', '0151 23456780']],
  ])('is %s', async (country, header, numbers) => {
    const text = `${header}\n${numbers.map((number) => `Ana;${number}`).join('\n')}\n`;
    const found = await recognize(utf8(text));
    expect(found.country.country).toBe(country);
    expect(found.columns[1]?.guess).toBe('number');
  });

  it.each([
    ['a damaged number', ['+14155552001', '+14155552002', '415555'], null],
    ['one of the same country', ['+5511912345601', '+5511912345602', '11912345603'], 'BR'],
  ])('beside numbers that name another one: %s', async (_, numbers, country) => {
    const text = `name;phone\n${numbers.map((number) => `Ana;${number}`).join('\n')}\n`;
    expect((await recognize(utf8(text))).country.country).toBe(country);
  });

  it('is not needed where every number names it', async () => {
    const { country, mapping } = await recognize(utf8('name,phone\nAna,+5511912345601\nBob,+12125550100\n'));
    expect(country).toEqual({ country: null, format: 'auto', confidence: 1 });
    expect(mapping).not.toHaveProperty('defaultCountry');
  });
});

describe('a preview', () => {
  it('counts what would be rejected, by reason, with the first rows', async () => {
    const bytes = utf8('Nome;Telefone\nAna;11912345601\nBia;x\nCaio;\nDavi;y\nEva;z\nFabi;w\n');
    const mapping = { defaultCountry: 'BR', contact: { number: 'Telefone' }, tags: [], extraInfo: {} };
    const preview = await previewMapping(bytes, mapping, { rows: 10, records: 5 });
    expect(preview).toMatchObject({ rows: 6, mapped: 1, rejected: 5, whole: true });
    expect(preview.records.map(({ row }) => row)).toEqual([1]);
    expect(preview.problems[0]).toMatchObject({ field: 'contact.number', count: 4, rows: [2, 4, 5] });
  });
});

describe('numbers of several countries', () => {
  const of = (...countries: string[]) =>
    utf8(
      `Nome;Telefone;País\n${countries.map((country, n) => `Ana ${'abcdef'[n]};${NUMBERS[country]};${country}`).join('\n')}\n`,
    );
  const NUMBERS: Readonly<Record<string, string>> = { Brasil: '(11) 91234-5601', Portugal: '912 345 678' };

  it('are read in the country of their row, and the preview says which', async () => {
    const bytes = of('Brasil', 'Portugal', 'Brasil');
    const { mapping } = await recognize(bytes);
    expect(mapping?.contact.country).toBe('País');
    const { records } = await previewMapping(bytes, mapping!, { rows: 10, records: 10 });
    expect(records.map(({ country, record }) => [country, record.contact.number])).toEqual([
      ['BR', '5511912345601'],
      ['PT', '351912345678'],
      ['BR', '5511912345601'],
    ]);
  });

  it.each([
    ['one country', of('Brasil', 'Brasil')],
    ['dialing codes', utf8('Telefone;País\n(11) 91234-5601;55\n912 345 678;351\n')],
    ['states', utf8('Telefone;UF\n(11) 91234-5601;PA\n(11) 91234-5602;AL\n')],
  ])('is not a column of %s', async (_, bytes) => {
    expect((await recognize(bytes)).mapping?.contact).not.toHaveProperty('country');
  });
});
