// What an operator types to find a person.
import { describe, expect, it } from 'vitest';
import { countriesIn, readQuery } from '../../../../src/operator/service/people/query.ts';

const read = (text: string, countries = ['BR']) => readQuery(text, ['acme'], countries);

describe('a phone number', () => {
  it.each([
    '+55 11 91234-5601',
    '(11) 91234-5601',
    '11912345601',
    '5511912345601',
    '0055 11 91234 5601',
    'https://wa.me/5511912345601',
    '5511912345601@c.us',
  ])('%j is found', (text) => {
    expect(read(text).keys).toContain('5511912345601');
  });

  it('without the ninth digit is the same person', () => {
    expect(read('+55 11 8765-4321').keys).toEqual(['5511987654321']);
  });

  it('with two readings names both', () => {
    // 51 is an area code of Brazil and the country code of Peru.
    expect(read('51987654321').keys).toEqual(expect.arrayContaining(['5551987654321', '51987654321']));
  });

  it('that no carrier has is searched as it stands', () => {
    expect(read('00000000').keys).toEqual(['000000']);
    expect(read('1234567').keys).toEqual(['1234567']);
  });

  it('gives its last eight digits for the search of rejected rows', () => {
    expect(read('11 91234-5601').tail).toBe('12345601');
    expect(read('12345').tail).toBeNull();
  });
});

it.each([
  ['bia@example.com', { email: 'bia@example.com', name: null, keys: [] }],
  ['Maria da Silva', { name: 'Maria da Silva', email: null, id: null, event: null }],
  ['4711', { id: 4711, idKind: null, name: null, keys: [] }],
  ['#4711', { id: 4711 }],
  ['card:12', { id: 12, idKind: 'card', name: null }],
  ['Contact 12', { id: 12, idKind: 'contact' }],
  ['event 12345678', { event: '12345678', request: null, id: null, keys: [] }],
  ['request req_0123456789', { request: 'req_0123456789', event: null, keys: [] }],
  ['hV3-x_9aQk2LmN0pRsTuVw', { event: 'hV3-x_9aQk2LmN0pRsTuVw', request: 'hV3-x_9aQk2LmN0pRsTuVw' }],
  ['acme/leads/3 17', { row: { run: 'acme/leads/3', row: 17 }, keys: [], name: null }],
  ['acme/+winback/3#17', { row: { run: 'acme/+winback/3', row: 17 } }],
])('%j is read as %o', (text, expected) => {
  expect(read(text)).toMatchObject(expected);
});

it('finds default countries wherever the configuration has them', () => {
  const config = {
    mappings: { a: { defaultCountry: 'BR' } },
    routes: { b: { action: { defaultCountry: 'PT' } } },
  };
  expect(countriesIn(config)).toEqual(['BR', 'PT']);
});
