// Whether two rows of one number speak of one person, and what happens where they do not.
import { describe, expect, it } from 'vitest';
import {
  addClaims,
  agrees,
  claimsOf,
  conflictOf,
} from '../../../../../activities/sync/plan/plan-conflict.ts';
import { type UniteRules, unite } from '../../../../../activities/sync/plan/plan-unite.ts';
import type { CrmRecord } from '../../../../../src/core/record.ts';
import type { SyncConfig } from '../../../../../src/jobs/sync/config.ts';
import { recordOf } from '../../../core/sql/support.ts';
import { BR } from '../../records/arbitraries.ts';

type Contact = Omit<CrmRecord['contact'], 'number'>;
const contact = (fields: Contact): CrmRecord['contact'] => ({ number: BR, ...fields });

describe('names', () => {
  it.each([
    ['Ana Souza', 'ANA  SOUZA '],
    ['José Conceição', 'jose conceicao'],
    ['Jose\u0301', 'José'],
    ['Ana de Souza', 'Ana Souza Lima'],
    ['Souza, Ana', 'Ana Souza'],
    ['Ana', 'Ana Souza'],
    ['Ana S.', 'Ana Souza'],
    ['A. Souza', 'Ana S'],
    ["Emerson O'Brien-Vale", 'emerson obrien vale'],
    ['D’Ávila', "D'Avila"],
    ['AnaSouza', 'Ana Souza'],
    ['Søren Łuk', 'Soren Luk'],
    ['WEISS', 'Weiß'],
    ['İpek', 'ipek'],
    ['Dr. Ana Souza', 'Ana Souza'],
    ['Ａｎａ', 'Ana'],
    // A name without a letter says nothing: CRMs put the number there.
    ['+55 11 98765-4321', 'Ana'],
    ['🌸', 'Bruno'],
    ['.', 'Bruno'],
  ])('%j and %j are one', (a, b) => {
    expect(agrees('name', a, b)).toBe(true);
    expect(agrees('name', b, a)).toBe(true);
  });

  it.each([
    ['Ana Souza', 'Bruno Souza'],
    ['Ana Souza', 'Ana Lima'],
    ['Paula Reis', 'Paulo Reis'],
    ['Ana', 'Anabela'],
    ['Ana Ana', 'Ana Souza'],
    ['A. Souza', 'Bruno Souza'],
    ['Loja 2', 'Loja 3'],
    ['राम', 'रमा'],
    ['王伟', '李伟'],
    ['de', 'da'],
  ])('%j and %j are two', (a, b) => {
    expect(agrees('name', a, b)).toBe(false);
    expect(agrees('name', b, a)).toBe(false);
  });
});

describe('documents and addresses', () => {
  it.each<['document' | 'email', string, string, boolean]>([
    ['document', '123.456.789-09', '12345678909', true],
    ['document', 'CPF: 123.456.789-09', '12345678909', true],
    ['document', '012.345.678-90', '1234567890', true],
    ['document', '12.abc.345/01de-35', '12ABC34501DE35', true],
    ['document', '１２３', '123', true],
    ['document', '123.456.789-09', '123.456.789-10', false],
    ['document', 'AB123456', 'CD123456', false],
    // Placeholders say nothing.
    ['document', '000.000.000-00', '123.456.789-09', true],
    ['document', '111.111.111-11', '123.456.789-09', true],
    ['document', 'isento', '123.456.789-09', true],
    ['document', '-', '123.456.789-09', true],
    ['email', 'Ana@Mail.example', 'ana@mail.example', true],
    ['email', 'ana@mail.example', 'ana@mail.test', false],
  ])('%s %j and %j: %j', (field, a, b, same) => {
    expect(agrees(field, a, b)).toBe(same);
    expect(agrees(field, b, a)).toBe(same);
  });
});

describe('what happens to a row that differs', () => {
  const ANA: Contact = { name: 'Ana Souza', email: 'ana@mail.example', document: '123.456.789-09' };
  it.each<[string, SyncConfig['onConflict'], Contact, Contact, string | null]>([
    ['nothing differs', undefined, ANA, { ...ANA, name: 'ANA SOUZA' }, null],
    ['nothing is there to compare', undefined, { name: 'Ana' }, { email: 'b@mail.example' }, null],
    ['another document', undefined, ANA, { ...ANA, document: '987.654.321-00' }, 'refuse'],
    ['another name', undefined, { name: 'Ana' }, { name: 'Bruno' }, 'first'],
    ['another name, one document', undefined, ANA, { name: 'Bia', document: '12345678909' }, 'merge'],
    ['another name, one address', undefined, ANA, { name: 'Bia', email: 'ANA@mail.example' }, 'merge'],
    [
      'another name, one placeholder',
      undefined,
      { name: 'Ana', document: '00' },
      { name: 'Bia', document: '00' },
      'first',
    ],
    ['another address', undefined, ANA, { ...ANA, email: 'b@mail.example' }, 'merge'],
    ['all of it is another', undefined, ANA, { name: 'B', email: 'b@b.example', document: '9' }, 'refuse'],
    ['merge for all', 'merge', ANA, { document: '9' }, 'merge'],
    ['first for all', 'first', ANA, { document: '9' }, 'first'],
    ['refuse for all', 'refuse', ANA, { email: 'b@mail.example' }, 'refuse'],
    ['a name proved by a document, refused all the same', 'refuse', ANA, { ...ANA, name: 'Bia' }, 'refuse'],
    [
      'the strictest of two rules',
      { name: 'merge', email: 'first' },
      ANA,
      { name: 'B', email: 'b' },
      'first',
    ],
    ['one field set, the others by default', { name: 'merge' }, ANA, { document: '9' }, 'refuse'],
  ])('%s', (_, rules, known, next, rule) => {
    expect(conflictOf(claimsOf(1, contact(known)), contact(next), rules)?.rule ?? null).toBe(rule);
  });

  it('the fullest of the matching names counts', () => {
    const claims = addClaims(claimsOf(1, contact({ name: 'Ana' })), 2, contact({ name: 'Ana Souza' }), [
      'name',
    ]);
    expect(claims).toEqual({ name: { row: 2, value: 'Ana Souza' } });
    expect(conflictOf(claims, contact({ name: 'Ana Lima' }), undefined)?.fields).toEqual(['name']);
  });
});

describe('rows of one number', () => {
  const rules = (onConflict?: SyncConfig['onConflict']): UniteRules => ({
    onConflict,
    columns: { document: 'CPF', name: 'Nome' },
  });
  const rowsOf = (...contacts: Contact[]) =>
    contacts.map((fields, n) => ({ row: n + 2, record: recordOf(BR, { contact: contact(fields) }) }));

  it('that differ in a document are rejected together: the reason names rows, fields, values and the solution', () => {
    const rows = rowsOf({ name: 'Ana', document: '11122' }, { name: 'Ana' }, { document: '33344' }, {});
    const { record, refusal, merged, findings } = unite(rows, null, rules());
    expect({ record, merged }).toEqual({ record: null, merged: [] });
    expect(refusal).toMatchObject({ against: { document: { row: 4, value: '33344' } } });
    const reason = expect.stringMatching(
      /^rows 2 and 4 have this number and different documents.*onConflict/,
    );
    const about = { field: 'contact.document', code: 'conflict', reason, column: 'CPF' };
    expect(findings).toEqual([
      { row: 2, kind: 'reject', problem: { ...about, value: '11122', otherRow: 4, otherValue: '33344' } },
      { row: 3, kind: 'reject', problem: { ...about, otherRow: 4, otherValue: '33344' } },
      { row: 4, kind: 'reject', problem: { ...about, value: '33344', otherRow: 2, otherValue: '11122' } },
      { row: 5, kind: 'reject', problem: { ...about, otherRow: 4, otherValue: '33344' } },
    ]);
  });

  it('with first: nothing of a row that is left out reaches the first person', () => {
    const rows = rowsOf(
      { name: 'Ana' },
      { name: 'Bruno', email: 'b@mail.example' },
      { email: 'a@mail.example' },
    );
    const { record, merged, findings } = unite(rows, null, rules());
    expect(record?.contact).toEqual({ number: BR, name: 'Ana', email: 'a@mail.example' });
    expect(merged).toEqual([3, 4]);
    expect(findings).toMatchObject([
      {
        row: 3,
        kind: 'warning',
        problem: { field: 'contact.name', column: 'Nome', value: 'Bruno', otherRow: 2, otherValue: 'Ana' },
      },
    ]);
    expect(findings[0]?.problem.reason).toContain('left out row 3');
  });

  it('two documents refuse a number even if the row with the first one was left out', () => {
    const rows = rowsOf(
      { name: 'Ana' },
      { name: 'Bruno', document: '33344' },
      { name: 'Ana', document: '11122' },
    );
    expect(unite(rows, null, rules()).record).toBeNull();
    expect(unite(rows, null, rules('first')).record?.contact.document).toBe('11122');
  });

  it('with merge: later values count, and each difference is reported', () => {
    const rows = rowsOf({ name: 'Ana', document: '11122' }, { name: 'Bruno', document: '33344' });
    const { record, findings } = unite(rows, null, rules('merge'));
    expect(record?.contact).toMatchObject({ name: 'Bruno', document: '33344' });
    expect(findings.map(({ kind, problem }) => [kind, problem.field])).toEqual([
      ['warning', 'contact.document'],
      ['warning', 'contact.name'],
    ]);
  });

  // Each case: the addresses of rows 2, 3, …, and the warnings: row, the value that is left out, and what replaced it.
  const [A, B, C] = ['a@mail.example', 'b@mail.example', 'c@mail.example'];
  it.each<[string, (string | undefined)[], [number, string, number, string][]]>([
    ['two rows', [A, B], [[2, A, 3, B]]],
    [
      'three rows: each is replaced by the next',
      [A, B, C],
      [
        [2, A, 3, B],
        [3, B, 4, C],
      ],
    ],
    [
      'the first value comes back: only the middle one is left out',
      [A, B, A],
      [
        [2, A, 3, B],
        [3, B, 4, A],
      ],
    ],
    ['the second value twice: nothing of the third row is left out', [A, B, B], [[2, A, 3, B]]],
    ['the first value twice', [A, A, B], [[2, A, 4, B]]],
    ['a row without a value replaces nothing', [A, undefined, B], [[2, A, 4, B]]],
    ['another case of letters is no other value', [A, A.toUpperCase(), B], [[3, A.toUpperCase(), 4, B]]],
    ['no values', [undefined, undefined], []],
  ])('with merge, a value that is left out is shown at its own row: %s', (_, addresses, expected) => {
    const rows = rowsOf(...addresses.map((email) => (email === undefined ? {} : { email })));
    const whole = unite(rows, null, rules('merge'));
    const shown = ({ findings }: Pick<typeof whole, 'findings'>) =>
      findings.map(({ row, problem }) => [row, problem.value, problem.otherRow, problem.otherValue]);
    expect(shown(whole)).toEqual(expected);
    // Page by page, with what one page leaves for the next.
    let earlier: Parameters<typeof unite>[1] = null;
    const findings = rows.flatMap((row) => {
      const page = unite([row], earlier, rules('merge'));
      earlier = {
        ...(earlier ?? row),
        record: page.record as CrmRecord,
        claims: page.claims,
        carried: false,
      };
      return page.findings;
    });
    expect(shown({ findings })).toEqual(expected);
    expect(whole.record?.contact.email).toBe(addresses.findLast((email) => email !== undefined));
  });

  it('update what the previous run left undone, and never conflict with it', () => {
    const left = recordOf(BR, { contact: contact({ name: 'Bruno', document: '33344' }) });
    const earlier = { row: 7, record: left, claims: {}, carried: true };
    const { record, merged, findings } = unite(rowsOf({ name: 'Ana', document: '11122' }), earlier, rules());
    expect(record?.contact).toMatchObject({ name: 'Ana', document: '11122' });
    expect({ merged, findings }).toEqual({ merged: [2], findings: [] });
  });
});
