// `sluice doctor` against instances with one thing wrong each: what it says, how it ends, and that it only reads.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { examine } from '../../../../src/app/doctor/index.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { type Case, clinics, linesOf, MAPPING, PERSON, PHONE, patient, TOKEN } from './clinic.ts';

const { clinic, open } = clinics();
const mapping = (over: Record<string, unknown>) => ({ ...MAPPING, ...over });
const card = (over: Record<string, unknown>) => mapping({ card: { ...MAPPING.card, ...over } });

describe('a sound installation', () => {
  it('ends with 0, has no problem and no warning, and costs fifteen reads', async () => {
    const context = await clinic();
    const visited = await context.visit();
    expect(linesOf(visited, 'problem')).toEqual([]);
    expect(linesOf(visited, 'warning')).toEqual([]);
    expect(visited).toMatchObject({ exitCode: 0, verdict: 'ok' });
    const requests = await context.requests();
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(requests).toHaveLength(15);
    expect(visited.groups[0]?.calls?.map(({ path, status }) => `${path} ${status}`)).toHaveLength(15);
    expect(linesOf(visited, 'ok')).toEqual(
      expect.arrayContaining([
        'token: env:ACME_TOKEN is accepted',
        'scope: env:ACME_TOKEN has contacts:read, cards:read, connections:read, conversations:read, messages:read',
        'rate: 120 calls a minute, as callsPerMinute says',
        'clock: this machine and the service agree on the time',
        'mappings.leads.card.pipeline: "Sales" (1) with 2 stages',
        'mappings.leads.card.stage: "Talking" (12)',
        'mappings.leads.card.source: 7 is "site"',
        'wrapper.tags: under "tags"',
        'wrapper.card: under "card"',
        'message.fromMeField: "fromMe", in 2 messages',
        'cards.titleSearchParam: "searchParam" narrows the list',
        'cards.sortDirectionParam: "sortOrder" reverses the order',
      ]),
    );
  });

  it('says of what only a write shows that it can not be checked', async () => {
    const open = linesOf(await (await clinic()).visit(), 'unchecked').join('\n');
    expect(open).toContain('contacts:write, cards:write, messages:send, flows:trigger');
    for (const key of ['wrapper.contactUpdate', 'card.titleField', 'flows.contactField'])
      expect(open).toContain(key);
  });

  it.each([true, false])('shows no token, phone or person (plain: %s)', async (plain) => {
    const { output } = await (await clinic()).visit([], plain);
    expect(output).toContain('GET');
    for (const secret of [TOKEN, PHONE, PERSON, 'canaria@']) expect(output).not.toContain(secret);
  });

  it('shows no phone or address that stands in a name of the account', async () => {
    const connections = [
      { id: 1, name: 'sales +55 11 98765-0000 a@b.example', channel: 'waba', status: 'CONNECTED' },
    ];
    const campaigns = {
      back: {
        account: 'acme',
        flow: 3,
        connection: 9,
        windows: { days: { mon: ['09:00-18:00'] } },
        audience: [{ from: 'cards', pipeline: 'Sales', status: ['lost'] }],
      },
    };
    const config = { timeZone: 'America/Sao_Paulo' };
    const { output } = await (await clinic({ account: patient({ connections }), campaigns, config })).visit();
    expect(output).toContain('CONNECTION_NOT_FOUND');
    expect(output).toContain('sales [phone] [email]');
    expect(output).not.toMatch(/98765|b\.example/);
  });

  it('prints one line a check under its group, and the calls at the end of it', async () => {
    const { output } = await (await clinic()).visit([], true);
    expect(output).toMatch(/^account acme$/m);
    expect(output).toMatch(/^ {2}ok {11} {2}token: env:ACME_TOKEN is accepted$/m);
    expect(output).toMatch(
      /^ {2}15 calls: GET \/v1\/pipelines 401 \(without a token, to check the address first\), GET \/v1\/pipelines 200, /m,
    );
    expect(output).toMatch(/0 warnings, 0 problems, \d+ not checkable; 15 calls, none of which writes/);
  });
});

const PROBLEMS: Case[] = [
  [
    'no such token in the environment',
    { config: { tokens: ['env:NO_TOKEN'] } },
    4,
    ['variable NO_TOKEN is not set'],
  ],
  [
    'an unknown token',
    { env: { ACME_TOKEN: 'svc_test_typo' } },
    4,
    ['not known to the service (ERR_TOKEN_INVALID)'],
  ],
  [
    'a revoked token',
    { env: { ACME_TOKEN: 'svc_test_revoked' } },
    4,
    ['revoked in the panel (ERR_TOKEN_REVOKED)'],
  ],
  [
    'an expired token',
    { env: { ACME_TOKEN: 'svc_test_expired' } },
    4,
    ['past its validity (ERR_TOKEN_EXPIRED)'],
  ],
  [
    'a token with a space in it',
    { env: { ACME_TOKEN: 'svc_test_a b' } },
    4,
    ['contains a character that a header does not allow'],
  ],
  [
    'a second token that is refused',
    { config: { tokens: ['env:ACME_TOKEN', 'env:OLD'] }, env: { OLD: 'svc_test_revoked' } },
    4,
    ['env:OLD was revoked'],
  ],
  [
    'a token without a scope that a sync needs',
    { env: { ACME_TOKEN: 'svc_test_contacts' } },
    4,
    ['env:ACME_TOKEN lacks cards:read, which this configuration needs'],
  ],
  [
    'a wrong pipeline',
    { mapping: card({ pipeline: 'Sale' }) },
    1,
    ['no pipeline "Sale"; did you mean "Sales"?'],
  ],
  ['a wrong pipeline id', { mapping: card({ pipeline: 9 }) }, 1, ['no pipeline 9; pipelines: Sales']],
  [
    'a wrong stage in the table',
    { mapping: card({ stage: { path: 'Status', map: { x: 'Takling' }, default: 'New' } }) },
    1,
    ['"Sales" has no stage "Takling"; did you mean "Talking"?'],
  ],
  [
    'a wrong default stage',
    { mapping: card({ stage: { path: 'Status', default: '99' } }) },
    1,
    ['"Sales" has no stage 99; stages: New, Talking'],
  ],
  ['a wrong fixed stage', { mapping: card({ stage: { const: 'Nwe' } }) }, 1, ['did you mean "New"?']],
  [
    'a fixed tag that is not there',
    { mapping: mapping({ tags: [{ const: 'importd' }] }) },
    1,
    ['mappings.leads.tags[0]: the account has no tag "importd"', 'did you mean "imported"?'],
  ],
  ['a missing source file', { source: { path: 'nowhere.csv' } }, 1, ['nowhere.csv']],
  [
    'a column that is not in the file',
    { mapping: mapping({ contact: { number: 'Phone', name: 'Nmae' } }) },
    1,
    ['the mapping reads "Nmae", which the source does not have; did you mean "Name"?'],
  ],
  [
    'no column with the number',
    { csv: 'Phones,Name,Segment,Status\n1,b,a,x\n' },
    2,
    [
      'the source has no column for contact.number',
      'did you mean "Phones"?',
      'columns found: "Phones", "Name"',
    ],
  ],
  [
    'validation without a connection that could do it',
    { account: patient({ connections: [], conversations: [] }), sync: { validateNumber: true } },
    1,
    ['no whatsapp or waba connection', 'drop validateNumber'],
  ],
  [
    'a wrapper that the configuration names wrongly',
    { config: { assumptions: { 'wrapper.tags': 'items', 'wrapper.pipelines': 'data.items' } } },
    1,
    [
      `write accounts.acme.assumptions: { 'wrapper.tags': tags }`,
      `write accounts.acme.assumptions: { 'wrapper.pipelines': pipelines }`,
    ],
  ],
  [
    'history fields that the configuration names wrongly',
    { config: { assumptions: { 'message.fromMeField': 'mine', 'message.bodyField': 'words' } } },
    1,
    [
      `write accounts.acme.assumptions: { 'message.fromMeField': fromMe }`,
      `write accounts.acme.assumptions: { 'message.bodyField': body }`,
    ],
  ],
  [
    'a port where nobody listens',
    { baseUrl: () => 'http://127.0.0.1:1/wapi' },
    8,
    ['no server listens there'],
  ],
  [
    'https where http is spoken',
    { baseUrl: (right) => right.replace('http', 'https') },
    8,
    ['does not speak TLS'],
  ],
  ['a host that does not exist', { baseUrl: () => 'https://nobody.invalid/wapi' }, 8, ['host name that']],
  [
    'a database that is not there',
    { env: { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' } },
    8,
    ['ECONNREFUSED'],
  ],
  [
    'a Temporal server that is not there',
    { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } },
    8,
    ["127.0.0.1:1 can't be used"],
  ],
  ['a Temporal CLI that is none', { env: { TEMPORAL_CLI_PATH: '/nowhere' } }, 1, ['not an executable file']],
];

describe('one thing wrong', () => {
  it.each(PROBLEMS)('%s', async (_name, options, exitCode, says) => {
    const context = await clinic(options);
    const visited = await context.visit();
    const problems = linesOf(visited, 'problem').join('\n');
    for (const text of says) expect(problems).toContain(text);
    expect(visited.exitCode).toBe(exitCode);
    expect((await context.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
    for (const secret of [TOKEN, PHONE, PERSON]) expect(visited.output).not.toContain(secret);
  });

  it.each([
    ['without /wapi', (right: string) => right.replace('/wapi', '')],
    ['with /v1 for /wapi', (right: string) => right.replace('/wapi', '/v1')],
  ])('a path %s: the right address is named, and no token goes to the wrong one', async (_name, baseUrl) => {
    const context = await clinic({ baseUrl });
    const visited = await context.visit();
    expect(visited.exitCode).toBe(8);
    expect(linesOf(visited, 'problem')[0]).toContain(
      `the API answers at ${context.sandbox.baseUrl}: set baseUrl to that`,
    );
    expect(visited.groups[0]?.calls).toHaveLength(2);
  });

  it('empty lists reveal a path that continues behind /wapi', async () => {
    const visited = await (await clinic({ baseUrl: (right) => `${right}/v1` })).visit();
    expect(linesOf(visited, 'problem')).toEqual([
      'baseUrl: the API answers, but has nothing at this path; cut off what follows /wapi',
    ]);
    expect(visited.exitCode).toBe(8);
  });
});

const FAULTS: [name: string, fault: Record<string, unknown>, exitCode: number, says: string][] = [
  ['a web page', { kind: 'html' }, 8, 'with something else than JSON: a web page?'],
  ['a redirect', { kind: 'status', status: 301 }, 8, 'redirects (301), which is never followed'],
  ['a proxy’s 502', { kind: 'status', status: 502, body: 'bad gateway' }, 8, 'answers 502'],
  ['a connection that breaks', { kind: 'reset-before' }, 8, 'breaks off'],
  ['JSON of something else', { kind: 'status', status: 200, body: { hello: 1 } }, 8, 'not as the API does'],
  [
    'a header that a proxy takes off',
    { kind: 'status', status: 401, body: { error: 'x', code: 'ERR_TOKEN_MISSING' } },
    4,
    'a proxy on the way takes the Authorization header off',
  ],
];

describe('an answer of something in between', () => {
  it.each(FAULTS)('%s', async (_name, fault, exitCode, says) => {
    const context = await clinic();
    await context.panel.fault({ path: '.*', ...fault });
    const visited = await context.visit();
    expect(linesOf(visited, 'problem').join('\n')).toContain(says);
    expect(visited.exitCode).toBe(exitCode);
  });

  it('a redirect: names where it leads, and follows it not once', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.writeHead(308, { location: `https://elsewhere.example${request.url}` }).end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    open.push({ close: () => new Promise((done) => void server.close(() => done())) });
    const { port } = server.address() as AddressInfo;
    const visited = await (await clinic({ baseUrl: () => `http://127.0.0.1:${port}/wapi` })).visit();
    expect(linesOf(visited, 'problem')[0]).toContain('set baseUrl to https://elsewhere.example/wapi');
    expect(asked).toEqual(['GET /wapi/v1/pipelines undefined']);
  });

  it('no answer at all ends at the deadline', async () => {
    const context = await clinic();
    await context.panel.fault({ path: '.*', kind: 'hang' });
    const config = await loadConfig(context.file, { env: context.env });
    const groups = await examine({
      config,
      accounts: ['acme'],
      env: context.env,
      state: context.dir,
      deadlineMs: 200,
    });
    expect(groups[0]?.findings[0]).toMatchObject({ level: 'problem', cause: 'unreachable' });
  });
});

describe('campaigns', () => {
  const CAMPAIGN = {
    account: 'acme',
    flow: 3,
    connection: 1,
    windows: { days: { mon: ['09:00-18:00'] } },
    audience: [{ from: 'cards', pipeline: 'Sales', status: ['lost'] }],
    after: { tags: ['vip'] },
  };
  const zoned = (over: Record<string, unknown> = {}) => ({ timeZone: 'America/Sao_Paulo', ...over });

  it('are checked without a further call: connection, names, and what only a trigger shows', async () => {
    const context = await clinic({ campaigns: { back: CAMPAIGN }, config: zoned() });
    const visited = await context.visit();
    expect(linesOf(visited, 'problem')).toEqual([]);
    expect(await context.requests()).toHaveLength(15);
    expect(linesOf(visited, 'ok')).toEqual(
      expect.arrayContaining([
        'campaigns.back.connection: 1 can run flows',
        'campaigns.back: tag: "vip" (1)',
        'campaigns.back: pipeline: "Sales" (1)',
      ]),
    );
    expect(linesOf(visited, 'unchecked').join('\n')).toMatch(
      /campaigns\.back\.flow: whether flow 3 .* flows:trigger, contacts:write: only a trigger/,
    );
  });

  it('that can reach nobody are problems, each with the fix', async () => {
    const lost = { ...CAMPAIGN, connection: 2, after: { tags: ['vop'] } };
    const context = await clinic({
      campaigns: { back: lost, gone: { ...CAMPAIGN, connection: 9 } },
      config: zoned({ optOut: { tags: ['leave-me'] } }),
    });
    const found = linesOf(await context.visit(), 'problem').join('\n');
    expect(found).toMatch(/campaigns\.back\.connection: .*"page", facebook.* use 1 \("main", waba\)/);
    expect(found).toMatch(/campaigns\.gone\.connection: .* has no connection 9/);
    expect(found).toMatch(/campaigns\.back: tag: the account has none called "vop"/);
    expect(found).toMatch(/accounts\.acme\.optOut: tag: the account has none called "leave-me"/);
  });
});
