// What may stand under `sources` for a database and an API, and where no secret may stand.
import { describe, expect, it } from 'vitest';
import { SourceConfig, secretRefs } from '../../../../src/connectors/sources/config.ts';
import { durationMs } from '../../../../src/core/config/base.ts';

const postgres = { type: 'postgres', url: 'env:DB', table: 'leads', key: 'id' };
const http = { type: 'http', url: 'https://crm.example.com/leads' };
const refused = (config: unknown): string =>
  JSON.stringify(
    SourceConfig.safeParse(config).error?.issues.map(({ message, path }) => [path.join('.'), message]),
  );

describe('a source', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['the address of a database itself', { ...postgres, url: 'postgres://u:p@h/db' }, /env:NAME/],
    ['table and query', { ...postgres, query: 'select 1' }, /either/],
    ['neither table nor query', { ...postgres, table: undefined }, /either/],
    ['what is no select', { ...postgres, table: undefined, query: 'delete from leads' }, /one select/],
    [
      'what is no select behind a comment',
      { ...postgres, table: undefined, query: '/* select */ update x' },
      /one select/,
    ],
    ['no key', { ...postgres, key: [] }, /key/],
    ['a time without a unit', { ...postgres, timeout: '60' }, /30s/],
    ['a password in the address', { ...http, url: 'https://u:p@crm.example.com/' }, /`auth`/],
    ['a query in the address', { ...http, url: 'https://crm.example.com/?api_key=x' }, /`query`/],
    ['a login among the headers', { ...http, headers: { Authorization: 'Bearer x' } }, /`auth`/],
    ['a cookie among the headers', { ...http, headers: { cookie: 'x' } }, /`auth`/],
    ['a key among the parameters', { ...http, query: { api_key: 'x' } }, /`auth`/],
    ['a header with a line break', { ...http, headers: { 'x\n': 'y' } }, /headers/],
    ['a token itself', { ...http, auth: { bearer: 'abc' } }, /env:NAME/],
    ['two ways to log in', { ...http, auth: { bearer: 'env:T', basic: { username: 'x' } } }, /auth/],
    ['a body with GET', { ...http, body: {} }, /POST/],
    ['an unknown way of paging', { ...http, pagination: { type: 'scroll' } }, /pagination/],
    ['a path with an empty part', { ...http, items: 'a..b' }, /dots/],
  ])('refuses %s', (_name, config, words) => {
    expect(refused(config)).toMatch(words);
  });

  it.each([
    'select 1',
    '  WITH a AS (select 1) select * from a;',
    '-- all\n/* of\nthem */ (select 1)',
    'table leads',
  ])('takes %j as a select', (query) => {
    expect(refused({ ...postgres, table: undefined, query })).toBeUndefined();
  });

  it('names the secrets it needs', () => {
    const refs = (config: unknown) => secretRefs(SourceConfig.parse(config));
    expect(refs(postgres)).toEqual(['env:DB']);
    expect(refs(http)).toEqual([]);
    expect(refs({ ...http, auth: { basic: { username: 'api', password: 'file:p' } } })).toEqual(['file:p']);
    expect(refs({ ...http, auth: { basic: { username: 'env:USER' } } })).toEqual(['env:USER']);
    expect(refs({ ...http, auth: { query: { name: 'k', value: 'env:K' } } })).toEqual(['env:K']);
  });
});

it('durations are what they say', () => {
  expect(['500ms', '30s', '5m', '2h', '1d'].map(durationMs)).toEqual([
    500, 30_000, 300_000, 7_200_000, 86_400_000,
  ]);
});
