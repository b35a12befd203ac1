// What a campaign reads of one card, contact or row.
import { describe, expect, it } from 'vitest';
import { CampaignConfig } from '../../../src/jobs/campaigns/config.ts';
import {
  compileAudience,
  compileExcludedNumbers,
  excludedKeys,
} from '../../../src/jobs/campaigns/rules/audience-row.ts';
import { MappingConfigError } from '../../../src/mapping/errors.ts';

const configured = (over: Record<string, unknown> = {}) =>
  CampaignConfig.parse({
    account: 'acme',
    flow: 1,
    connection: 1,
    audience: [{ from: 'contacts' }],
    windows: { days: { mon: ['09:00-18:00'] } },
    ...over,
  });

function compiled(over: Record<string, unknown> = {}) {
  const config = configured(over);
  return compileAudience(config, config.audience[0] as (typeof config.audience)[number]);
}

describe('a configuration that can not work is refused, with its place', () => {
  const source = { from: 'source', source: 'list', number: 'phone' };
  it.each<[Record<string, unknown>, string]>([
    [{ variables: { a: '{{x' } }, 'variables.a'],
    [{ variables: { a: '= $now()' } }, 'variables.a'],
    [{ variables: { a: '__proto__.x' } }, 'variables.a'],
    [{ variables: { constructor: 'x' } }, 'variables.constructor'],
    [{ variables: { a: { path: 'x', const: 'y' } } }, 'variables.a'],
    [{ defaultCountry: 'QQ' }, 'defaultCountry'],
    [{ windows: { days: {}, zone: { field: 'a.constructor.b' } } }, 'windows.zone.field'],
    [{ audience: [{ ...source, number: '{{' }] }, 'audience.0.number'],
    [{ audience: [{ ...source, country: '{{' }] }, 'audience.0.country'],
    [{ audience: [{ from: 'cards', stage: 'New' }] }, 'audience.0.stage'],
    [{ exclude: { numbers: ['+5511987650001', 'x'] } }, 'exclude.numbers.1'],
    [{ exclude: { numbers: { source: 'a', number: '= (' } } }, 'exclude.numbers.number'],
    [{ exclude: { numbers: { source: 'a', number: 'x', country: '= (' } } }, 'exclude.numbers.country'],
  ])('%j', (over, path) => {
    const refused = (() => {
      try {
        compiled(over);
      } catch (error) {
        return error as MappingConfigError;
      }
      return null;
    })();
    expect(refused).toBeInstanceOf(MappingConfigError);
    expect(refused?.path.join('.')).toBe(path);
  });
});

describe('numbers of the service', () => {
  it.each<[unknown, string | null]>([
    ['5511987650001', '5511987650001'],
    ['551187650001', '5511987650001'],
    ['551132650001', '551132650001'],
    ['14155552001', '14155552001'],
    // No carrier has it, and it has the length of a phone.
    ['5511900000001', '5511900000001'],
    // An id that a channel uses inside.
    ['188459349434521', null],
    ['999999999999999', null],
    ['+5511987650001', null],
    ['0511987650001', null],
    ['5511987650001@lid', null],
    ['', null],
    [null, null],
    [{}, null],
  ])('%j', async (number, key) => {
    const { who } = await compiled().apply({ contact: { number } });
    expect(who.ok ? who.key : null).toBe(key);
    if (!who.ok) expect(who.reason).not.toMatch(/\d/);
  });
});

it('a column of a row that is called like a part of a card is that column', async () => {
  const variables = { title: 'card.title' };
  const audience = [{ from: 'source', source: 'list', number: 'phone' }];
  const row = { phone: '+5511987650001', 'card.title': 'flat', card: { title: 'deep' } };
  expect(await compiled({ variables, audience }).apply(row)).toMatchObject({ variables: { title: 'flat' } });
});

describe('numbers of rows with a country of their own', () => {
  const part = { source: 'list', number: 'phone', country: 'land' };
  const over = { defaultCountry: 'BR', audience: [{ from: 'source', ...part }], exclude: { numbers: part } };
  it.each<[string, string, string | null, RegExp]>([
    ['11 98765-0001', '', '5511987650001', /^$/],
    ['55 1234 5678', 'México', '525512345678', /^$/],
    ['912 345 678', 'PT', '351912345678', /^$/],
    // A number that names its country is of that country.
    ['+351 912 345 678', 'BR', '351912345678', /^$/],
    ['11 98765-0001', 'Atlantis', null, /^column land: the value is no country/],
    ['', 'Atlantis', null, /^column land: .*; column phone: a phone number is required/],
  ])('%j of %j', async (phone, land, key, reason) => {
    const { who } = await compiled(over).apply({ phone, land });
    expect(who.ok ? who.key : null).toBe(key);
    expect(who.ok ? '' : who.reason).toMatch(reason);
    // Somebody who was left out is found by the number as it was written.
    if (!who.ok) expect(who.identity.number ?? '').toBe(phone);
    expect(await compileExcludedNumbers(configured(over), part).apply({ phone, land })).toBe(key);
  });
});

it('numbers to leave out are people: in whatever form', () => {
  const numbers = ['(11) 98765-0001', '+55 11 8765-0001', '+1 415 555 2671'];
  expect(excludedKeys(configured({ defaultCountry: 'BR', exclude: { numbers } }))).toEqual([
    '5511987650001',
    '5511987650001',
    '14155552671',
  ]);
});

it.each<[Record<string, unknown>, string | null, string | null]>([
  [{ Nome: ' Ana  Lima ', 'E-mail (trabalho)': 'ana@x.example', Celular: '1' }, 'Ana Lima', 'ana@x.example'],
  [{ 'First Name': 'Ana', 'Last Name': 'Lima', Celular: '1' }, 'Ana Lima', null],
  [{ 'Last Name': 'Lima', Nome: '', Celular: '1' }, 'Lima', null],
  [{ Empresa: 'Acme', nome: { toString: 'x' }, Celular: '1' }, null, null],
])('a row without a valid number is about the person that its columns name: %j', async (row, name, email) => {
  const audience = [{ from: 'source', source: 'list', number: 'Celular' }];
  const { who } = await compiled({ audience, defaultCountry: 'BR' }).apply(row);
  expect(who).toMatchObject({ ok: false, identity: { name, email, number: '1' } });
});

it('a contact that is no person is about the person that the service names', async () => {
  const contact = { number: '188459349434521', name: 'Ana', email: 'ana@x.example' };
  const { who } = await compiled().apply({ contact });
  expect(who).toMatchObject({ ok: false, identity: { name: 'Ana', email: 'ana@x.example' } });
});

it('a number of a row that can not be read names its column', async () => {
  const audience = [{ from: 'source', source: 'list', number: ['Mobile', 'Phone'] }];
  const { who } = await compiled({ audience, defaultCountry: 'BR' }).apply({ phone: '51987654321' });
  expect(who).toEqual({
    ok: false,
    reason: expect.stringMatching(/^column phone: the digits are two valid/),
    identity: { name: null, email: null, number: '51987654321' },
  });
  const settled = compiled({ audience, defaultCountry: 'BR', numberFormat: 'national' });
  expect((await settled.apply({ phone: '51987654321' })).who).toMatchObject({ key: '5551987654321' });
});
