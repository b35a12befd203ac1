// A configuration as a whole: what is valid, and how mistakes are reported.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigFileError, loadConfig, UnknownNameError } from '../../../src/config/index.ts';
import { configContext, GOOD } from './context.ts';

const context = configContext();
const { load, problemsOf } = context;

describe('a good file', () => {
  it('has defaults filled in, paths made absolute and specs ready', async () => {
    const loaded = await load(GOOD);
    expect(loaded.config.accounts.acme?.callsPerMinute).toBe(120);
    expect(loaded.spec('leads')).toEqual({
      account: 'acme',
      sync: 'leads',
      options: {
        account: 'acme',
        source: 'crm',
        mapping: 'people',
        mode: 'upsert',
        vanished: 'ignore',
        fields: {},
        conflict: 'overwrite',
        lane: 'backfill',
        tags: 'merge',
        extraInfo: 'merge',
        concurrency: 48,
        validateNumber: false,
      },
      source: { type: 'csv', path: join(context.dir, 'data/leads.csv'), encoding: 'auto', delimiter: 'auto' },
      mapping: { contact: { number: 'phone', name: ['nickname', 'name'] }, tags: [], extraInfo: {} },
    });
    expect(await loaded.secret('env:ACME_TOKEN')).toEqual({ value: 'svc_test_a', warnings: [] });
  });

  it('gives each caller a spec of its own', async () => {
    const loaded = await load(GOOD);
    loaded.spec('leads').mapping.tags.push('changed');
    expect(loaded.spec('leads').mapping.tags).toEqual([]);
  });

  it.each(['lead', 'constructor', '__proto__'])('has no sync %s', async (name) => {
    const loaded = await load(GOOD);
    expect(() => loaded.spec(name)).toThrow(UnknownNameError);
  });

  it('may use anchors', async () => {
    const text = GOOD.replace(
      'syncs:',
      'syncs:\n  more: &m { account: acme, source: crm, mapping: people }\n  copy: *m',
    );
    expect((await load(text)).spec('copy').account).toBe('acme');
  });

  it('may end lines as Windows does and begin with a byte order mark', async () => {
    expect((await load(`\uFEFF${GOOD.replaceAll('\n', '\r\n')}`)).spec('leads').sync).toBe('leads');
  });
});

describe('one mistake is shown where it stands, with the fix', () => {
  const cases: [name: string, from: string, to: string, expected: string[]][] = [
    [
      'unknown account',
      'account: acme',
      'account: acm',
      ['sluice.yaml:13:5  syncs.leads.account: there is no account "acm"; did you mean "acme"?'],
    ],
    [
      'a field that is to be emptied and never written',
      'mapping: people\n',
      'mapping: people\n    fields: { email: { write: never, clear: true } }\n',
      [
        'sluice.yaml:16:38  syncs.leads.fields.email.clear: a field that is never written is never emptied either; leave clear out, or change write',
      ],
    ],
    [
      'a way to treat who left, without a mirror',
      'mapping: people\n',
      'mapping: people\n    vanished: remove-tags\n',
      [
        'sluice.yaml:16:5  syncs.leads.vanished: only a mirror detects who left the source; set mode: mirror, or remove it',
      ],
    ],
    [
      'a stage for cards that the mapping never makes',
      'mapping: people\n',
      'mapping: people\n    mode: mirror\n    vanished: { moveTo: Lost }\n',
      [
        'sluice.yaml:17:5  syncs.leads.vanished: the mapping "people" makes no cards, so there is no card to move; use remove-tags, or add a card to the mapping',
      ],
    ],
    [
      'reserves beyond the limit',
      'tokens: [env:ACME_TOKEN]',
      'tokens: [env:ACME_TOKEN]\n    reserve: { reply: 60, lead: 61 }',
      [
        'sluice.yaml:6:5  accounts.acme.reserve: reserves and floor add up to 121 calls a minute, and a token allows 120; keep the sum of reserve.reply, reserve.lead and floor at 120 or less',
      ],
    ],
    [
      'unknown source without a near name',
      'source: crm',
      'source: warehouse',
      ['sluice.yaml:14:5  syncs.leads.source: there is no source "warehouse"; sources: crm'],
    ],
    [
      'a mapping name that every object has',
      'mapping: people',
      'mapping: valueof',
      ['sluice.yaml:15:5  syncs.leads.mapping: there is no mapping "valueof"; mappings: people'],
    ],
    [
      'mistyped key in a mapping',
      'name: [nickname, name]',
      'nmae: name',
      ['sluice.yaml:10:31  mappings.people.contact.nmae: unknown key; did you mean "name"?'],
    ],
    [
      'unknown key far from any',
      'type: csv,',
      'type: csv, color: red,',
      ['sluice.yaml:7:21  sources.crm.color: unknown key; known here: type, path, encoding, delimiter'],
    ],
    [
      'mistyped source type',
      'type: csv',
      'type: cvs',
      [
        'sluice.yaml:7:10  sources.crm.type: expected "csv", "jsonl", "postgres" or "http", found "cvs"; did you mean "csv"?',
      ],
    ],
    [
      'missing source type',
      'type: csv, ',
      '',
      ['sluice.yaml:7:3  sources.crm.type: is missing; expected "csv", "jsonl", "postgres" or "http"'],
    ],
    [
      'wrong kind where several kinds are right',
      'number: phone',
      'number: 5',
      [
        'sluice.yaml:10:16  mappings.people.contact.number: expected text, a list or keys with values, found a number',
      ],
    ],
    [
      'missing number',
      'number: phone, ',
      '',
      [
        'sluice.yaml:10:5  mappings.people.contact.number: is missing; expected text, a list or keys with values',
      ],
    ],
    [
      'a token in place of a reference',
      '[env:ACME_TOKEN]',
      '[svc_live_abc123]',
      [
        'sluice.yaml:5:14  accounts.acme.tokens[0]: write env:NAME, file:path or command:program argument; a secret itself never stands in this file',
      ],
    ],
    [
      'a token behind env:',
      '[env:ACME_TOKEN]',
      '[env:svc_live_abc123]',
      ['sluice.yaml:5:14  accounts.acme.tokens[0]: this is a token, not a reference; write env:NAME'],
    ],
    [
      'no token',
      '[env:ACME_TOKEN]',
      '[]',
      ['sluice.yaml:5:5  accounts.acme.tokens: needs at least one entry'],
    ],
    [
      'address without scheme',
      'http://127.0.0.1:4010/wapi',
      'acme.example.com/wapi',
      ['sluice.yaml:4:5  accounts.acme.baseUrl: is not a web address; write https://… or http://…'],
    ],
    [
      'address with a user and a password',
      'http://127.0.0.1:4010/wapi',
      'http://ana:secret@127.0.0.1/wapi',
      [
        'sluice.yaml:4:5  accounts.acme.baseUrl: holds credentials, a query or a fragment; write https://host/wapi alone',
      ],
    ],
    [
      'address with a query',
      'http://127.0.0.1:4010/wapi',
      'http://127.0.0.1/wapi?token=secret',
      [
        'sluice.yaml:4:5  accounts.acme.baseUrl: holds credentials, a query or a fragment; write https://host/wapi alone',
      ],
    ],
    [
      'address with a fragment',
      'http://127.0.0.1:4010/wapi',
      '"http://127.0.0.1/wapi#top"',
      [
        'sluice.yaml:4:5  accounts.acme.baseUrl: holds credentials, a query or a fragment; write https://host/wapi alone',
      ],
    ],
    [
      'name with capitals',
      '  leads:',
      '  Leads:',
      [
        'sluice.yaml:12:3  syncs.Leads: this name can\'t be used: use lower-case letters, digits, "-" and "_" (at most 63)',
      ],
    ],
    [
      'limits',
      'mapping: people\n',
      'mapping: people\n    concurrency: 0\n    tags: mrge\n',
      [
        'sluice.yaml:16:5  syncs.leads.concurrency: must be at least 1, found 0',
        'sluice.yaml:17:5  syncs.leads.tags: expected "merge" or "replace", found "mrge"; did you mean "merge"?',
      ],
    ],
    [
      'a version of the future',
      'version: 1',
      'version: 2',
      ['sluice.yaml:1:1  version: expected "1", found 2'],
    ],
    [
      'a repeated key',
      'syncs:',
      'syncs: {}\nsyncs:',
      ['sluice.yaml:12:1  "syncs" is repeated in the same place; keep one of them'],
    ],
    [
      'a key that would change the prototype',
      '  leads:',
      '  __proto__: {}\n  leads:',
      ['sluice.yaml:12:3  "__proto__" can\'t be a key'],
    ],
    [
      'a merge key',
      'account: acme',
      '<<: {account: acme}',
      ['sluice.yaml:13:5  "<<" is not part of YAML 1.2; write the keys out'],
    ],
    [
      'a preset beside other keys',
      'contact: { number: phone, name: [nickname, name] }',
      'contact: { number: phone }\n    preset: crm.yaml',
      [
        'sluice.yaml:11:5  mappings.people.preset: conflicts with the other keys here; keep either it or them',
        'sluice.yaml:11:5  mappings.people.preset: there is no file crm.yaml; a preset is a file relative to sluice.yaml',
      ],
    ],
    [
      'a missing preset',
      'contact: { number: phone, name: [nickname, name] }',
      'preset: nowhere.yaml',
      [
        'sluice.yaml:10:5  mappings.people.preset: there is no file nowhere.yaml; a preset is a file relative to sluice.yaml',
      ],
    ],
  ];
  it('a mirror of a source that shows only what changed', async () => {
    const postgres = '{ type: postgres, url: env:CRM, table: leads, key: id, incremental: { column: at } }';
    const text = GOOD.replace('{ type: csv, path: data/leads.csv }', postgres);
    expect(await problemsOf(`${text}    mode: mirror\n`)).toEqual([
      'sluice.yaml:16:5  syncs.leads.mode: the source "crm" is incremental: a row that it does not return may still exist; use a source that returns all rows',
    ]);
  });

  it.each(cases)('%s', async (_name, from, to, expected) => {
    expect(GOOD).toContain(from);
    expect(await problemsOf(GOOD.replace(from, () => to))).toEqual(expected);
  });
});

describe('a file that is no configuration at all', () => {
  it.each([
    ['nothing', '', 'the file is empty'],
    ['a comment', '# nothing\n', 'the file is empty'],
    ['a list', '- 1', 'expected keys with values, found a list'],
    ['an open list', 'a:\n  b: [1,\n', 'flow sequence'],
    ['an open map', 'a: {b: ', 'flow map'],
    ['two documents', 'a: b\n---\nc: d', 'multiple documents'],
    ['an alias of nothing', '*nowhere', 'unresolved alias'],
    ['a tag', 'a: !secret x', 'unresolved tag'],
    ['an alias inside itself', 'a: &a [*a]', '*a contains itself'],
    ['50,000 open brackets', '['.repeat(50_000), 'nested too deeply'],
    ['500 nested lists', `${'['.repeat(500)}${']'.repeat(500)}`, 'nested too deeply'],
    ['an object as key', '? {a: b}\n: c', 'a key must be plain text'],
    [
      'an alias bomb',
      ['a: &a [x,x,x,x,x,x,x,x]', ...'bcdefgh'].reduce((text, name) => {
        const last = String.fromCharCode(name.charCodeAt(0) - 1);
        return `${text}\n${name}: &${name} [${`*${last},`.repeat(8)}]`;
      }),
      "uses aliases (*name) that can't be resolved",
    ],
  ])('%s is refused', async (_name, text, message) => {
    const problems = await problemsOf(text);
    expect(problems[0]).toMatch(/^sluice\.yaml:\d+:\d+ {2}\S/);
    expect(problems.join('\n').toLowerCase()).toContain(message.toLowerCase());
  });

  it('a missing file, a folder and bytes that are no text are distinguished', async () => {
    const code = (file: string) =>
      loadConfig(file, { env: {} }).then(
        () => 'loaded',
        (error: unknown) => (error instanceof ConfigFileError ? error.code : error),
      );
    expect(await code(join(context.dir, 'none.yaml'))).toBe('not_found');
    expect(await code(context.dir)).toBe('unreadable');
    await writeFile(join(context.dir, 'latin1.yaml'), Buffer.from([0x61, 0x3a, 0x20, 0xe9]));
    expect(await code(join(context.dir, 'latin1.yaml'))).toBe('unreadable');
    await writeFile(join(context.dir, 'huge.yaml'), Buffer.alloc(2 * 1024 * 1024, '#'));
    expect(await code(join(context.dir, 'huge.yaml'))).toBe('unreadable');
  });
});
