// What operators see of accounts and of the configuration: read from the service within the budget, and from the file.
import { appendFile, rm, stat } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { describeLists } from '../../../src/cli/account/account.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { secretPlace } from '../../../src/config/secret-place.ts';
import { readCatalogAt } from '../../../src/core/store/catalog.ts';
import { openService } from '../../support/activities/service.ts';
import { operatorContext } from '../../support/operator/context.ts';
import { openTestOperator } from '../../support/operator/operator.ts';

const ACCOUNT = {
  id: 'acme',
  tokens: [
    {
      value: 'svc_test_a',
      scopes: ['contacts:read', 'cards:read', 'connections:read', 'conversations:read'],
    },
    { value: 'svc_test_b', scopes: ['contacts:read'] },
  ],
  connections: [{ id: 3, name: 'main', channel: 'waba', status: 'CONNECTED', isDefault: true }],
  users: [
    { id: 1, name: 'Ana' },
    { id: 2, name: 'Bia' },
  ],
  tags: [{ id: 4, name: '<script>', color: '#ff0000' }],
  sources: [
    { id: 5, name: 'site' },
    { id: 6, name: 'never used' },
  ],
  lostReasons: [{ id: 7, name: 'price' }],
  pipelines: [
    {
      id: 8,
      name: 'Sales',
      stages: [
        { id: 82, name: 'Won', order: 2, probability: 100, isFinal: true, isWon: true },
        { id: 81, name: 'New', order: 1, probability: 10 },
      ],
    },
  ],
  contacts: [{ id: 9, number: '5511987654321', name: 'Caio' }],
  cards: [{ id: 10, contactId: 9, pipelineId: 8, stageId: 81, title: 'x', userId: 1, sourceId: 5 }],
  conversations: [{ id: 11, contactId: 9, connectionId: 3, status: 'open', chatbot: false, userId: 2 }],
};

const service = await openService(ACCOUNT);
afterAll(service.close);
const accountWith = (token: string) => ({
  baseUrl: service.sandbox.baseUrl,
  tokens: [token],
  callsPerMinute: 6000,
});
const { db, operator, path, file } = operatorContext({
  yaml: {
    version: 1,
    accounts: {
      acme: {
        ...accountWith('env:A'),
        timeZone: 'America/Sao_Paulo',
        assumptions: { 'card.titleField': 'cardTitle' },
      },
      poor: accountWith('env:B'),
      gone: accountWith('env:MISSING'),
      vault: accountWith('command:touch command-ran'),
    },
    campaigns: {},
  },
  env: { A: 'svc_test_a', B: 'svc_test_b' },
  once: true,
});

const lists = (account: string) => operator.client.call('POST /accounts/{account}/lists', { account });

it('accounts say where their tokens are read from, without the arguments of a program', async () => {
  const { accounts } = await operator.client.call('GET /accounts', {});
  expect(accounts.map(({ account, tokenPlaces }) => [account, tokenPlaces])).toEqual([
    ['acme', [{ kind: 'env', place: 'A' }]],
    ['poor', [{ kind: 'env', place: 'B' }]],
    ['gone', [{ kind: 'env', place: 'MISSING' }]],
    ['vault', [{ kind: 'command', place: 'touch' }]],
  ]);
});

it.each([
  ['file:secrets/acme', { kind: 'file', place: 'secrets/acme' }],
  ['command:["/opt/a vault", "--password", "hunter2"]', { kind: 'command', place: '/opt/a vault' }],
  ['command:  vault kv get x', { kind: 'command', place: 'vault' }],
  ['command:["vault', { kind: 'command', place: '' }],
])('%s is shown as its place', (ref, place) => {
  expect(secretPlace(ref)).toEqual(place);
});

describe('the lists of an account', () => {
  it('have names and ids, also of users and sources that the service does not list', async () => {
    expect(await lists('acme')).toMatchObject({
      account: 'acme',
      calls: 6,
      pipelines: {
        items: [
          {
            id: 8,
            stages: [
              { id: 81, isFinal: false },
              { id: 82, isWon: true },
            ],
          },
        ],
        error: null,
      },
      tags: { items: [{ id: 4, name: '<script>' }] },
      connections: {
        items: [{ id: 3, name: 'main', channel: 'waba', status: 'CONNECTED', isDefault: true }],
      },
      users: {
        items: [
          { id: 1, name: 'Ana' },
          { id: 2, name: 'Bia' },
        ],
      },
      sources: { items: [{ id: 5, name: 'site' }] },
      flows: [],
    });
  });

  it('are kept in the ledger, which a dry run compares its tags with; what cannot be read keeps nothing', async () => {
    await db.query('delete from catalog');
    await lists('acme');
    await lists('poor');
    expect(await readCatalogAt(db, 'acme', 'tags')).toMatchObject({ items: [{ id: 4, name: '<script>' }] });
    const kept = await db.query<{ account: string; kind: string }>(
      'select account, kind from catalog order by account, kind',
    );
    expect(kept.map(({ account, kind }) => `${account} ${kind}`)).toEqual([
      'acme connections',
      'acme lostReasons',
      'acme pipelines',
      'acme tags',
      'poor tags',
    ]);
  });

  it('cost what they say, by slots of the ledger and with lines in the call log', async () => {
    const [before] = await db.query<{ n: number }>('select count(*)::int as n from calls');
    await lists('acme');
    const [after] = await db.query<{ n: number }>('select count(*)::int as n from calls');
    expect((after?.n ?? 0) - (before?.n ?? 0)).toBe(6);
  });

  it('say what a token may not read, and have the rest', async () => {
    const { tags, pipelines, users } = await lists('poor');
    expect(tags.items).toHaveLength(1);
    expect(pipelines).toMatchObject({ items: [], error: expect.stringContaining('cards:read') });
    expect(users.error).toContain('cards:read');
  });

  it('fit into lines, whatever the names are', async () => {
    const text = describeLists(await lists('acme')).join('\n');
    expect(text).toContain('<script>');
    expect(text).toMatch(/81 +New/);
    expect(describeLists(await lists('poor')).join('\n')).toContain('not readable: ');
  });

  it.each([
    ['nobody', 'notFound', /there is no account "nobody".*acme/],
    ['gone', 'failed', /internal error|MISSING/],
  ])('of the account %s end as %s', async (account, kind, message) => {
    const error = await lists(account).catch((error: unknown) => error);
    expect(error).toMatchObject({ kind });
    expect((error as Error).message).toMatch(message);
  });
});

describe('the configuration', () => {
  it('is shown without reading a secret that this process does not need', async () => {
    const ran = path('command-ran');
    await rm(ran, { force: true });
    const loaded = await loadConfig(file(), { env: {}, secretsOf: [] });
    const other = await openTestOperator({ db, temporal: null, config: loaded });
    const { entries } = await other.client.call('GET /configuration', {});
    await other.close();
    expect(entries.find(({ name }) => name === 'vault')?.about).toContain(
      'command:touch command-ran not run',
    );
    await expect(stat(ran)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is shown as loaded, with references instead of secrets, and with the problems of the file as it is now', async () => {
    const read = () => operator.client.call('GET /configuration', {});
    const before = await read();
    expect(before).toMatchObject({ changed: false, problems: [] });
    expect(before.text).toContain('env:A');
    expect(JSON.stringify(before)).not.toContain('svc_test_a');
    const aboutOf = (account: string) => before.entries.find(({ name }) => name === account)?.about;
    expect(aboutOf('gone')).toContain('env:MISSING NOT FOUND');
    expect(aboutOf('acme')).toContain('env:A found');
    await appendFile(file(), 'syncss: {}\n');
    const after = await read();
    expect(after.changed).toBe(true);
    expect(after.problems).toMatchObject([
      {
        path: 'syncss',
        message: 'unknown key',
        line: expect.any(Number),
        note: { code: 'CONFIG_UNKNOWN_KEY', params: { key: 'syncss' } },
      },
    ]);
    expect(after.text).toBe(before.text);
  });

  it('lists every assumption of every account, with what is overridden', async () => {
    const { assumptions } = await operator.client.call('GET /assumptions', {});
    const overridden = assumptions.filter((each) => each.overridden);
    expect(overridden).toMatchObject([
      { account: 'acme', key: 'card.titleField', value: '"cardTitle"', unknown: expect.any(String) },
    ]);
    expect(new Set(assumptions.map(({ account }) => account))).toEqual(
      new Set(['acme', 'poor', 'gone', 'vault']),
    );
  });

  it('is examined by the doctor on demand, and the last report is kept', async () => {
    expect(await operator.client.call('GET /doctor', {})).toEqual({ report: null });
    const report = await operator.client.call('POST /doctor', { account: 'acme' });
    expect(report.groups[0]).toMatchObject({ of: 'account', account: 'acme' });
    expect(await operator.client.call('GET /doctor', {})).toEqual({ report });
    await expect(operator.client.call('POST /doctor', { account: 'nobody' })).rejects.toMatchObject({
      kind: 'notFound',
    });
  });
});
