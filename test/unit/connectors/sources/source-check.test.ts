// What the doctor says of a source behind an API: reachable, its columns, and a list that may be longer than it looks.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Findings } from '../../../../src/app/doctor/findings.ts';
import { checkSource } from '../../../../src/app/doctor/sources.ts';
import { type SourceConfig } from '../../../../src/connectors/sources/config.ts';
import { HttpSource } from '../../../../src/connectors/sources/http/config.ts';
import { openSource } from '../../../../src/connectors/sources/index.ts';
import { MappingConfig } from '../../../../src/mapping/config.ts';
import { type Api, startApi } from './http-support.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function check(config: Record<string, unknown>, contact: Record<string, unknown>) {
  const findings = new Findings();
  const use = {
    sync: 'leads',
    source: 'crm',
    config: HttpSource.parse({ type: 'http', url: api.url, ...config }),
    mapping: MappingConfig.parse({ contact }),
  };
  await checkSource(use, (source: SourceConfig) => openSource(source, { baseDir: '/' }), findings);
  return findings.list.map(({ level, reason, hint }) => [level, [reason, hint?.reason].join(' ')]);
}

const MARIA = { properties: { phone: '+5511987654321', name: 'Maria' } };

it.each<[string, Record<string, unknown>, Record<string, unknown>, [string, RegExp][]]>([
  [
    'dot-paths that lead somewhere',
    {},
    { number: 'properties.phone' },
    [
      ['ok', /1 column/],
      ['ok', /all columns/],
    ],
  ],
  [
    'rows that stand deeper',
    {},
    { number: 'phone' },
    [
      ['ok', /./],
      ['problem', /check `item`/],
      ['warning', /"phone"/],
    ],
  ],
  [
    'a path to the next page that leads nowhere',
    { items: 'rows', pagination: { type: 'cursor', cursorParam: 'c', next: 'nxt' } },
    { number: 'properties.phone' },
    [
      ['ok', /./],
      ['ok', /names no next one/],
      ['ok', /./],
    ],
  ],
  ['no list', { items: 'people' }, { number: 'phone' }, [['problem', /it has rows, next/]]],
  ['no secret', { auth: { bearer: 'env:NONE' } }, { number: 'phone' }, [['problem', /env:NONE/]]],
])('%s', async (_name, config, contact, expected) => {
  api.script = () => ({ body: 'items' in config ? { rows: [MARIA], next: 'x' } : [MARIA] });
  const found = await check(config, contact);
  expect(found).toEqual(expected.map(([level, words]) => [level, expect.stringMatching(words)]));
  expect(JSON.stringify(found)).not.toMatch(/Maria|5511/);
});
