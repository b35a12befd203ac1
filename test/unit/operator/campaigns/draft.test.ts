// The reach of a draft: each reason, each bound, sources that hang or can't be read, and mistakes at their field.

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openService } from '../../../support/activities/service.ts';
import { ALL_DAY } from '../../../support/campaigns/windows.ts';
import { operatorContext } from '../../../support/operator/context.ts';

const PERSON = '5511987650001';
const DRAFT = {
  account: 'acme',
  flow: 1,
  connection: 1,
  defaultCountry: 'BR',
  audience: [{ from: 'source', source: 'file', number: 'phone' }],
  windows: { days: ALL_DAY },
};

const contacts = Array.from({ length: 250 }, (_, n) => ({
  id: n + 1,
  number: String(5511987660000 + n),
  name: `C${n}`,
  tagIds: n % 2 === 0 ? [1] : [1, 2],
}));
const service = await openService({
  id: 'acme',
  tokens: [{ value: 'svc_test_a', scopes: ['contacts:read', 'cards:read'] }],
  tags: [
    { id: 1, name: 'lead', color: '#ff0000' },
    { id: 2, name: 'customer', color: '#ff0000' },
  ],
  contacts,
});
const sockets = new Set<Socket>();
/** Accepts connections and never answers. */
const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
await once(silent, 'listening');
const { port } = silent.address() as AddressInfo;
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await service.close();
});
const { db, operator, path, file } = operatorContext({
  yaml: {
    version: 1,
    accounts: {
      acme: {
        baseUrl: service.sandbox.baseUrl,
        tokens: ['env:A'],
        callsPerMinute: 6000,
        timeZone: 'America/Sao_Paulo',
        optOut: { tags: [] },
      },
    },
    sources: {
      file: { type: 'csv', path: 'people.csv' },
      missing: { type: 'csv', path: 'nothing.csv' },
      folder: { type: 'jsonl', path: 'folder' },
      hanging: { type: 'postgres', url: 'env:SILENT', table: 'people', key: 'id' },
      web: { type: 'http', url: 'http://127.0.0.1:9/people' },
    },
    campaigns: { autumn: DRAFT, winter: { ...DRAFT, flow: 2, variables: { nome: 'name' } } },
  },
  files: { 'people.csv': `phone,name\n${PERSON},Bia\n`, 'folder/empty.jsonl': '' },
  env: { A: 'svc_test_a', SILENT: `postgres://u:p@127.0.0.1:${port}/x` },
});

const count = (over: Record<string, unknown> = {}, campaign = 'draft', as = operator.client) =>
  as.call('POST /campaign-drafts/audience', { campaign, config: { ...DRAFT, ...over } });

const NOW = () => new Date();
const talk = (state: object) => () =>
  db.query(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item)
     values ('acme', 1, 'chats', 1, 'waba', $1, now(), 'f', $2)`,
    [PERSON, { state }],
  );
const touch = () =>
  db.query(
    `insert into campaign_touches (member_id, account, key, campaign, run_id, at) values (1, 'acme', $1, 'autumn', 'r', $2)`,
    [PERSON, NOW()],
  );

describe('each reason leaves its person out', () => {
  it.each<[string, Record<string, unknown>, (() => Promise<unknown>)?]>([
    ['VARIABLE_MISSING', { variables: { plan: 'plan' } }],
    [
      'OPTED_OUT',
      {},
      () =>
        db.query("insert into opt_outs (account, key, via, at) values ('acme', $1, 'word', now())", [PERSON]),
    ],
    ['EXCLUDED_NUMBER', { exclude: { numbers: [PERSON] } }],
    ['EXCLUDED_NUMBER', { exclude: { numbers: { source: 'file', number: 'phone' } } }],
    ['EXCLUDED_CAMPAIGN', { exclude: { campaigns: ['autumn'] } }, touch],
    ['CONTACTED_LATELY', { exclude: { contactedWithin: '7d' } }, touch],
    ['FREQUENCY_CAP', {}, touch],
    ['OPEN_CONVERSATION', { exclude: { openConversation: true } }, talk({ status: 'open', chatbot: true })],
    ['HUMAN_SERVICE', {}, talk({ status: 'open', chatbot: false, userId: 3 })],
    ['NUMBER_INVALID', { audience: [{ from: 'source', source: 'file', number: 'name' }] }],
  ])('%s', async (code, over, arrange) => {
    await arrange?.();
    const { problems, audience } = await count(over);
    // No poller would see the conversation. That is a problem of the configuration, and the count goes on.
    const expected = code === 'OPEN_CONVERSATION' ? ['exclude.openConversation'] : [];
    expect(problems.map(({ path }) => path)).toEqual(expected);
    expect(audience).toMatchObject({
      found: 1,
      people: 1,
      excluded: [{ code, members: 1 }],
      controlGroup: 0,
      eligible: 0,
      isComplete: true,
      calls: 0,
    });
  });

  it('nobody else is left out', async () => {
    expect((await count()).audience).toMatchObject({ people: 1, excluded: [], eligible: 1 });
  });
});

describe('variables of the flow', () => {
  const PEOPLE = [
    ['5511987650001', 'Ana', 'a'],
    ['5511987650002', 'Bia', 'b'],
    ['5511987650003', '', 'c'],
    ['5511987650004', 'Davi', 'd'],
    ['5511987650005', '', 'e'],
  ];
  const over = { variables: { nome: 'name', plan: 'plan', shop: { const: 'Centro' } } };
  const from = (row: number) => ({ part: 0, contact: null, row });
  const reveal = (as: typeof operator.client) =>
    as.call('POST /campaign-drafts/audience', {
      campaign: 'draft',
      config: { ...DRAFT, ...over },
      unmask: true,
    });
  beforeEach(async () => {
    const lines = PEOPLE.map((row) => row.join(','));
    await writeFile(path('people.csv'), `phone,name,plan\n${lines.join('\n')}\n`);
  });

  it('an editor sees who lacks a value, and no value', async () => {
    const { audience } = await count(over, 'draft', operator.as({ role: 'editor' }));
    expect(audience).toMatchObject({
      people: 5,
      eligible: 3,
      variables: [
        { name: 'nome', missing: 2 },
        { name: 'plan', missing: 0 },
        { name: 'shop', missing: 0 },
      ],
    });
    const hidden = { nome: '•••', plan: '•••', shop: '•••' };
    expect(audience?.sample).toEqual([
      { ...from(1), number: '+55 11 9••••-0001', variables: hidden, isExcluded: false },
      { ...from(2), number: '+55 11 9••••-0002', variables: hidden, isExcluded: false },
      // One of three has no value.
      { ...from(3), number: '+55 11 9••••-0003', variables: { plan: '•••', shop: '•••' }, isExcluded: true },
    ]);
    expect(JSON.stringify(audience)).not.toMatch(/Ana|Centro/);
  });

  it('an operator reveals them, which the audit log keeps without them', async () => {
    const { audience } = await reveal(operator.as({ role: 'operator' }));
    expect(audience?.sample[0]).toEqual({
      ...from(1),
      number: '5511987650001',
      variables: { nome: 'Ana', plan: 'a', shop: 'Centro' },
      isExcluded: false,
    });
    const lines = await db.query("select target, details from operator_audit where action = 'reveal'");
    expect(lines).toEqual([
      {
        target: '/campaign-drafts/audience',
        details: { campaign: 'draft', 'audience.sample.part': [0], 'audience.sample.row': [1, 2, 3] },
      },
    ]);
  });

  it('an editor reveals nothing', async () => {
    await expect(reveal(operator.as({ role: 'editor' }))).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('everybody is sent exactly what the draft names', async () => {
    const { audience } = await count({}, 'draft');
    expect(audience?.variables).toEqual([]);
    expect(audience?.sample.map(({ variables }) => variables)).toEqual([{}, {}, {}]);
  });
});

describe('bounds', () => {
  it.each([
    ['hanging', { basis: 'none', note: { code: 'TIMEOUT' } }],
    ['missing', { basis: 'none', note: { code: 'SOURCE_NOT_FOUND' } }],
    ['folder', { basis: 'none', note: { code: 'SOURCE_FORMAT' } }],
    ['web', { basis: 'none', note: { code: 'HTTP_SOURCE' } }],
  ])(
    'the source %s is not counted, the others are',
    async (source, part) => {
      const audience = [{ from: 'source', source, number: 'phone' }, ...DRAFT.audience];
      const counted = await count({ audience });
      expect(counted.audience).toMatchObject({ found: 1, eligible: 1, isComplete: false, isMore: true });
      expect(counted.audience?.parts).toMatchObject([part, { basis: 'all', found: 1, note: null }]);
      expect(JSON.stringify(counted)).not.toContain('u:p@');
    },
    20_000,
  );

  it('excluded numbers that were not read are said to be missing', async () => {
    const { audience } = await count({ exclude: { numbers: { source: 'missing', number: 'phone' } } });
    expect(audience).toMatchObject({ eligible: 1, isComplete: false, isMore: false });
    expect(audience?.parts.at(-1)).toMatchObject({ part: null, from: 'numbers', basis: 'none' });
  });

  it('a list of the service costs one call, gives an estimate, and serves the next counts', async () => {
    const over = { audience: [{ from: 'contacts', tags: ['lead'] }], exclude: { tags: ['customer'] } };
    const first = await count(over);
    expect(first.audience).toMatchObject({
      found: 250,
      read: 100,
      people: 100,
      excluded: [{ code: 'EXCLUDED_TAG', members: 50 }],
      eligible: 50,
      estimate: { people: 250, eligible: 125 },
      isMore: false,
      // The tags and the page.
      calls: 2,
    });
    const second = await count({ ...over, waves: { size: 10 }, exclude: {} });
    expect(second.audience).toMatchObject({ eligible: 100, calls: 0 });
    expect(second.audience?.parts[0]?.readAt).toBe(first.audience?.parts[0]?.readAt);
  });

  it('no more than four calls are made', async () => {
    const parts = ['0', '1', '2', '3', '4', '5'].map((search) => ({ from: 'contacts', search }));
    const { audience } = await count({ audience: parts });
    expect(audience?.calls).toBe(4);
    expect(audience?.parts.map(({ note }) => note?.code ?? null)).toEqual([
      null,
      null,
      null,
      null,
      'NO_CALLS_LEFT',
      'NO_CALLS_LEFT',
    ]);
  });

  it('a newer count of the same person replaces the older one; others go on', async () => {
    const slow = { audience: [{ from: 'source', source: 'hanging', number: 'phone' }] };
    const older = count(slow).then(
      () => 'counted',
      (error: { code?: string }) => error.code,
    );
    await once(silent, 'connection');
    const other = count({}, 'draft', operator.as({ identity: 'user:ana' }));
    await expect(count()).resolves.toMatchObject({ audience: { eligible: 1 } });
    expect(await older).toBe('REPLACED');
    expect((await other).audience).toMatchObject({ eligible: 1 });
  });
});

describe('mistakes are at their field', () => {
  it.each<[string, Record<string, unknown>, string, boolean]>([
    ['a value of the wrong kind', { waves: { size: -1 } }, 'waves.size', true],
    ['an unknown key', { flowers: 1 }, 'flowers', true],
    ['no flow', { flow: undefined }, 'flow', true],
    ['an unknown account', { account: 'other' }, 'account', false],
    [
      'an unknown source',
      { audience: [{ from: 'source', source: 'no', number: 'x' }] },
      'audience[0].source',
      false,
    ],
    ['a part without a filter', { audience: [{ from: 'contacts' }] }, 'audience[0]', false],
    ['a wrong expression', { variables: { a: '=(((' } }, 'variables.a', false],
    ['a range of windows', { windows: { days: { mon: ['9-18'] } } }, 'windows.days.mon[0]', false],
    ['a tag that the account lacks', { exclude: { tags: ['nobody'] } }, 'exclude.tags', false],
    ['a wave that is never judged', { stop: { failed: 0.1 }, waves: { size: 5 } }, 'stop.atLeast', true],
  ])('%s', async (_, over, path, isCounted) => {
    const { problems, audience } = await count(over);
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(audience !== null).toBe(isCounted);
    // The path stands before the message wherever it is shown.
    expect(problems[0]?.message).not.toContain(`${path} names`);
  });

  it('a draft of any depth, and keys of objects, are refused', async () => {
    let deep: unknown = 'x';
    for (let n = 0; n < 3000; n++) deep = [deep];
    const { problems, audience } = await count({ variables: deep });
    expect(problems[0]?.message).toContain('nested too deeply');
    expect(audience).toBeNull();
    const config = JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>;
    const odd = await operator.client.call('POST /campaign-drafts/audience', { campaign: 'draft', config });
    expect(odd.audience).toBeNull();
  });

  it('nothing is written, and nothing is planned', async () => {
    const before = await readFile(file(), 'utf8');
    await count({ flow: 99 }, 'autumn');
    expect(await readFile(file(), 'utf8')).toBe(before);
    expect(await db.query('select 1 from campaigns')).toEqual([]);
    expect(
      await db.query(`select action from operator_audit where action <> 'POST /campaign-drafts/audience'`),
    ).toEqual([]);
  });
});

it('a viewer neither counts nor sees names', async () => {
  const viewer = operator.as({ role: 'viewer' });
  await expect(count({}, 'draft', viewer)).rejects.toMatchObject({ kind: 'forbidden' });
  await expect(viewer.call('GET /campaign-drafts/choices', {})).rejects.toMatchObject({ kind: 'forbidden' });
  const choices = await operator.as({ role: 'operator' }).call('GET /campaign-drafts/choices', {});
  expect(choices).toMatchObject({
    accounts: [{ account: 'acme', timeZone: 'America/Sao_Paulo' }],
    campaigns: [
      { campaign: 'autumn', account: 'acme' },
      { campaign: 'winter', account: 'acme' },
    ],
    variables: [{ account: 'acme', flow: 2, name: 'nome', expression: 'name', campaigns: ['winter'] }],
  });
  expect(choices.sources).toContainEqual({ source: 'hanging', type: 'postgres', columns: [] });
});
