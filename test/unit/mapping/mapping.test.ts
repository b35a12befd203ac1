import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrmRecord } from '../../../src/core/record.ts';
import { MappingConfig } from '../../../src/mapping/config.ts';
import { compileMapping, type MapResult } from '../../../src/mapping/index.ts';
import { propertyRuns } from '../../support/runner/property-runs.ts';

const PHONE = '5511987654321';

/** A mapping of `Phone` plus what the case is about. */
const compile = (parts: object = {}) =>
  compileMapping(MappingConfig.parse({ defaultCountry: 'BR', contact: { number: 'Phone' }, ...parts }));
const apply = async (parts: object, values: Record<string, unknown>): Promise<MapResult> =>
  compile(parts).apply({ Phone: PHONE, ...values });
const record = async (parts: object, values: Record<string, unknown>): Promise<CrmRecord> => {
  const result = await apply(parts, values);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.record;
};
const withName = (expression: unknown) => ({ contact: { number: 'Phone', name: expression } });

describe('expressions', () => {
  const cases: [string, unknown, Record<string, unknown>, string | undefined][] = [
    ['a column', 'Full Name', { 'Full Name': 'Bia' }, 'Bia'],
    ['a column with a dot', 'Deal - Contact.Name', { 'Deal - Contact.Name': 'Bia' }, 'Bia'],
    ['a separator after an empty column', '{{A}}, {{B}}, {{C}}', { C: 'Brazil' }, 'Brazil'],
    ['a separator before an empty column', '{{A}}, {{B}}, {{C}}', { A: 'Rio' }, 'Rio'],
    ['an empty column in the middle', '{{A}}, {{B}} - {{C}}', { A: 'Rio', C: 'Brazil' }, 'Rio - Brazil'],
    ['separators of full columns', '{{A}}, {{B}}{{C}}', { A: 'a', B: 'b', C: 'c' }, 'a, bc'],
    ['an empty column beside another', '{{A}}, {{B}}{{C}}', { A: 'a', C: 'c' }, 'a, c'],
    ['only empty columns', '{{A}}, {{B}}', { A: ' ', B: '' }, undefined],
    ['words between columns', '{{A}} of {{B}}', { B: 'b' }, 'of b'],
    ['an id with an empty part', '{{A}}-{{B}}', { B: 'b' }, '-b'],
    ['words around an empty column', 'Dear {{A}}, hello {{B}}', { B: 'b' }, 'Dear , hello b'],
    ['the exact column before a similar one', 'name', { NAME: 'no', name: 'yes' }, 'yes'],
    ['the leftmost of similar ones', 'name', { NAME: 'left', Name: 'right' }, 'left'],
    ['another case', 'full name', { 'Full Name': 'Bia' }, 'Bia'],
    ['blanks around', 'Nome', { ' Nome ': 'Bia' }, 'Bia'],
    ['another Unicode form', 'Endereço', { ['Endereço'.normalize('NFD')]: 'Bia' }, 'Bia'],
    ['a dot-path', 'person.names.0.first', { person: { names: [{ first: 'Bia' }] } }, 'Bia'],
    ['a dot-path in another case', 'Person.Name', { person: { NAME: 'Bia' } }, 'Bia'],
    ['an inherited name', 'toString', {}, undefined],
    ['the length of a list', 'list.length', { list: [1] }, undefined],
    ['a missing column', 'Nobody', {}, undefined],
    ['a template', '{{First}} {{ Last }}', { First: ' Bia ', Last: 'Reis' }, 'Bia Reis'],
    ['a template with a hole', '{{First}} {{Middle}} {{Last}}', { First: 'Bia', Last: 'Reis' }, 'Bia Reis'],
    ['a template without any value', 'Lead {{First}}', { First: '  ' }, undefined],
    ['a template with a zero', 'n {{n}}', { n: 0 }, 'n 0'],
    ['JSONata', '=$uppercase(First)', { First: 'bia' }, 'BIA'],
    ['JSONata without a value', '=Nobody', {}, undefined],
    ['a list', ['A', 'B', 'C'], { A: '', B: ' ', C: 'Bia' }, 'Bia'],
    ['a list with a template', ['A', '{{B}}!'], { B: 'Bia' }, 'Bia!'],
    ['a constant', { const: 'Bia' }, {}, 'Bia'],
    ['path', { path: 'A' }, { A: 'Bia' }, 'Bia'],
    ['path with an equals sign', { path: '=A' }, { '=A': 'Bia' }, 'Bia'],
    ['first', { first: ['A', 'B'] }, { B: 'Bia' }, 'Bia'],
    ['map, case ignored', { path: 'A', map: { 'SÃO PAULO': 'SP' } }, { A: ' são  paulo' }, 'SP'],
    ['map, of two spellings the later', { path: 'A', map: { Ativo: '1', ATIVO: '2' } }, { A: 'Ativo' }, '2'],
    ['map with its default', { path: 'A', map: { x: 'y' }, default: 'z' }, { A: 'w' }, 'z'],
    ['map with an empty default', { path: 'A', map: { x: 'y' }, default: '' }, { A: 'w' }, undefined],
    ['default', { path: 'A', default: 'Bia' }, { A: ' ' }, 'Bia'],
    ['control characters', 'A', { A: 'B\u0000i\u0007a\ud800' }, 'Bia'],
    ['a name over two lines', 'A', { A: ' Bia\r\n  Reis ' }, 'Bia Reis'],
    ['decomposed accents', 'A', { A: 'José'.normalize('NFD') }, 'José'],
    ['a number', 'A', { A: 7 }, '7'],
  ];
  it.each(cases)('%s', async (_, expression, values, expected) => {
    expect((await record(withName(expression), values)).contact.name).toBe(expected);
  });

  it('columns are found again when the next row has others', () => {
    const mapping = compile(withName('Name'));
    const names = [{ Name: 'a' }, { NAME: 'b' }, { x: 1, name: 'c' }, {}, { Name: 'd' }].map((values) => {
      const result = mapping.apply({ Phone: PHONE, ...values }) as MapResult;
      return result.ok ? result.record.contact.name : 'none';
    });
    expect(names).toEqual(['a', 'b', 'c', undefined, 'd']);
  });

  it('a mapping without JSONata answers at once', () => {
    expect(compile().apply({ Phone: PHONE })).not.toBeInstanceOf(Promise);
    expect(compile(withName('=A')).apply({ Phone: PHONE })).toBeInstanceOf(Promise);
  });

  it('names the columns that it reads', () => {
    expect(compile(withName(['A', '{{B}} {{C.d}}'])).columns).toEqual(['Phone', 'A', 'B', 'C.d']);
  });
});

describe('a mapping that can not work is refused with its place', () => {
  const cases: [string, object, string[], RegExp][] = [
    ['bad JSONata', withName('=$uppercase('), ['contact', 'name'], /character/],
    ['open placeholder', withName('{{A'), ['contact', 'name'], /closed/],
    ['empty placeholder', withName('{{ }} x'), ['contact', 'name'], /empty/],
    ['__proto__', withName('__proto__.x'), ['contact', 'name'], /not allowed/],
    ['constructor', withName('a.constructor.prototype'), ['contact', 'name'], /not allowed/],
    ['prototype in a placeholder', withName('{{prototype.x}}'), ['contact', 'name'], /not allowed/],
    ['__proto__ in a list', withName(['A', '__proto__']), ['contact', 'name', '1'], /not allowed/],
    ['__proto__ in JSONata', withName('=a.__proto__.x'), ['contact', 'name'], /not allowed/],
    [
      'constructor as a custom field',
      { card: { pipeline: 1, customFields: { constructor: 'A' } } },
      ['card', 'customFields', 'constructor'],
      /not allowed/,
    ],
    ['an unstable function', { extraInfo: { at: '=$now()' } }, ['extraInfo', 'at'], /each time/],
    ['an unstable function as an argument', withName('=$map(a, $random)'), ['contact', 'name'], /each time/],
    ['two forms', withName({ path: 'A', const: 'x' }), ['contact', 'name'], /exactly one/],
    ['no form', { tags: [{ map: { a: 'b' } }] }, ['tags', '0'], /exactly one/],
    ['no such country', { defaultCountry: 'XX' }, ['defaultCountry'], /ISO 3166/],
  ];
  it.each(cases)('%s', (_, parts, path, message) => {
    let error: unknown;
    try {
      compile(parts);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ name: 'MappingConfigError', message: expect.stringMatching(message) });
    expect((error as { path: string[] }).path.slice(0, path.length)).toEqual(path);
  });
});

describe('records', () => {
  const full = {
    dateOrder: 'dmy',
    contact: {
      number: ['Mobile', 'Phone'],
      name: '{{First}} {{Last}}',
      email: 'Email',
      document: 'CPF',
      disableBot: 'Opt-out',
    },
    tags: [
      { const: 'import' },
      { path: 'Labels', split: ';' },
      'City',
      { path: 'Codes', split: ',', map: { a: 'alpha', b: 'beta' }, default: 'other' },
    ],
    extraInfo: { Zeta: 'Z', Alpha: 'A', Empty: 'E' },
    card: {
      pipeline: 'Vendas',
      when: 'Deal',
      stage: { path: 'Stage', map: { new: 'Novo' }, default: 12 },
      source: { path: 'Source', map: { site: 1, ads: 2 } },
      title: '{{First}} - {{Deal}}',
      expectedCloseDate: 'Close',
      customFields: { value: 'Amount', count: 'Count', list: 'List', none: 'None' },
    },
  };
  const row = {
    First: 'Bia',
    Last: 'Reis',
    Email: 'bia@EXAMPLE.com',
    CPF: ' 111 ',
    'Opt-out': 'Não',
    Labels: 'vip; b ;vip;;',
    City: 'Poá',
    Codes: 'b,x,A',
    Z: 1,
    A: true,
    E: ' ',
    Deal: 'Plano',
    Stage: 'NEW',
    Source: 'ads',
    Close: '01/12/2026',
    Amount: '1.234,56',
    Count: 3,
    List: ['x', ' ', 'y'],
    None: '',
  };

  it('contain every part, sorted, without empty ones', async () => {
    const mapped = await record(full, row);
    expect(mapped).toEqual({
      key: PHONE,
      contact: {
        number: PHONE,
        name: 'Bia Reis',
        email: 'bia@example.com',
        document: '111',
        disableBot: false,
      },
      extraInfo: [
        { name: 'Alpha', value: 'true' },
        { name: 'Zeta', value: '1' },
      ],
      tags: ['Poá', 'alpha', 'b', 'beta', 'import', 'other', 'vip'],
      card: {
        pipeline: 'Vendas',
        stage: 'Novo',
        sourceId: 2,
        title: 'Bia - Plano',
        expectedCloseDate: '2026-12-01',
        customFields: { value: '1.234,56', count: 3, list: ['x', 'y'] },
      },
    });
    expect(CrmRecord.parse(mapped)).toEqual(mapped);
  });

  it('have no card where `when` says no', async () => {
    for (const Deal of ['', 'não', 'false', '0', 0, false, null, 'No']) {
      expect((await record(full, { ...row, Deal })).card).toBeUndefined();
    }
  });

  it('keep the person whose e-mail is invalid, with a warning', async () => {
    const result = await apply(full, { ...row, Email: 'bia@' });
    expect(result).toMatchObject({
      ok: true,
      warnings: [{ field: 'contact.email', code: 'invalid_email', value: 'bia@' }],
    });
    expect(result.ok && 'email' in result.record.contact).toBe(false);
  });

  it('report all problems of a row, with places, reasons without the value, and values', async () => {
    const bad = {
      Phone: '11 CALL-ME',
      'Opt-out': 'talvez',
      Labels: { a: 1 },
      Z: [1],
      Close: '31/02/2026',
      Amount: { a: 1 },
    };
    const result = await apply(full, { ...row, ...bad });
    if (result.ok) throw new Error('accepted');
    expect(result.problems.map((p) => [p.field, p.code, p.value])).toEqual([
      ['contact.number', 'invalid_phone', '11 CALL-ME'],
      ['contact.disableBot', 'invalid_boolean', 'talvez'],
      ['tags.1', 'invalid_type', '{"a":1}'],
    ]);
    for (const problem of result.problems) expect(problem.reason).not.toContain(problem.value);
  });

  it('keep the person when a date or an extra field can not be read, with a warning for each', async () => {
    const result = await apply(full, { ...row, Close: '31/02/2026', Z: [1], Amount: { a: 1 }, Email: '' });
    expect(result).toMatchObject({
      ok: true,
      warnings: [
        { field: 'extraInfo.Zeta', code: 'invalid_type' },
        { field: 'card.expectedCloseDate', code: 'invalid_date', value: '31/02/2026' },
        { field: 'card.customFields.value', code: 'invalid_type' },
      ],
    });
    expect(result.ok && result.record.card && 'expectedCloseDate' in result.record.card).toBe(false);
  });

  it('keep the person whose label or origin is not in a table, with a warning for each', async () => {
    const parts = {
      tags: [
        { path: 'Codes', split: ',', map: { a: 'alpha', b: 'beta' } },
        { path: 'Labels', map: { hot: 'quente' } },
      ],
      card: { pipeline: 1, source: { path: 'Source', map: { web: 1 } } },
    };
    expect(await apply(parts, { Codes: 'a, Cold lead, b', Labels: 'hot', Source: 'radio' })).toMatchObject({
      ok: true,
      record: { tags: ['alpha', 'beta', 'quente'], card: { pipeline: 1 } },
      warnings: [
        { field: 'tags.0', code: 'not_in_map', value: 'Cold lead', column: 'Codes' },
        { field: 'card.source', code: 'not_in_map', value: 'radio' },
      ],
    });
  });

  it('reject a stage that is not in a table: the card would go to a wrong column', async () => {
    const card = { pipeline: 1, stage: { path: 'Stage', map: { new: 'New' } } };
    expect(await apply({ card }, { Stage: 'Legal' })).toMatchObject({
      ok: false,
      problems: [{ field: 'card.stage', code: 'not_in_map', value: 'Legal' }],
    });
  });

  it('a row without a number is `required`', async () => {
    expect(await apply({}, { Phone: ' ' })).toMatchObject({
      ok: false,
      problems: [{ field: 'contact.number', code: 'required' }],
    });
  });

  it('JSONata that fails on one row is a problem of that row', async () => {
    const parts = withName('=$number(A)');
    expect(await apply(parts, { A: 'segredo' })).toMatchObject({
      ok: false,
      problems: [{ field: 'contact.name', code: 'expression_failed' }],
    });
    expect(JSON.stringify(await apply(parts, { A: 'segredo' }))).not.toContain('segredo');
    expect((await record(parts, { A: '7' })).contact.name).toBe('7');
  });

  it('JSONata that never ends is a problem of that row', async () => {
    const result = await apply(withName('=($f := function($n) { $f($n + 1) }; $f(A))'), { A: 1 });
    expect(result).toMatchObject({ ok: false, problems: [{ code: 'expression_timeout' }] });
  });

  it('any row gives a valid record or problems, twice the same, and never throws', async () => {
    const mapping = compile(full);
    const keys = ['Mobile', 'Phone', ...Object.keys(row), '__proto__'];
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constant(PHONE),
      fc.jsonValue(),
      fc.double(),
      fc.constantFrom(...Object.values(row)),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...keys), value), async (values) => {
        const result = await mapping.apply({ ...row, Phone: PHONE, ...values });
        expect(await compile(full).apply({ ...row, Phone: PHONE, ...values })).toEqual(result);
        if (result.ok) expect(CrmRecord.parse(result.record)).toEqual(result.record);
        else expect(result.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
