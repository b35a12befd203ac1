// Routes in sluice.yaml: what good ones become, and how wrong ones are shown.
import { describe, expect, it } from 'vitest';
import { type Case, GOOD, routeContext } from './route-context.ts';

const { load, problemsOf, report } = routeContext();

describe('good routes', () => {
  it('have their defaults filled in', async () => {
    const { config } = await load(GOOD);
    expect(config.ingress.http).toMatchObject({ host: '127.0.0.1', maxBodyBytes: 1_048_576 });
    expect(config.ingress.kafka.bus).toMatchObject({ group: 'sluice', from: 'earliest', concurrency: 16 });
    expect(config.ingress).toMatchObject({ maxOpen: 10_000, maxDelay: '30m', remember: '90d' });
    expect(config.routes.leads).toMatchObject({
      http: { auth: { header: 'Authorization' }, perMinute: 6000 },
      kafka: { format: 'auto' },
      action: { tags: 'add', moveCard: false, mode: 'upsert' },
    });
    expect(config.routes.leads).not.toHaveProperty('schema');
  });

  it('are none without a word about them, and the ingress is there with its defaults', async () => {
    const { config } = await load(GOOD.slice(0, GOOD.indexOf('ingress:')));
    expect(config.routes).toEqual({});
    expect(config.ingress).toMatchObject({ http: { port: 4020 }, kafka: {} });
  });

  it('may prove nothing on a loopback address', async () => {
    for (const host of ['127.0.0.1', '127.8.9.1', 'localhost', '"::1"']) {
      const text = GOOD.replace(
        '{ port: 4020 }',
        `{ host: ${host}, publicUrl: 'http://localhost:4020' }`,
      ).replace('{ type: token, secrets: [env:TOKEN] }', '{ type: none }');
      expect((await load(text)).config.routes.leads?.http?.auth).toEqual({ type: 'none' });
    }
  });

  it('may read one topic from two clusters', async () => {
    const text = GOOD.replace(
      'deadLetters: dead }',
      'deadLetters: dead }\n    other: { brokers: [b:1], tls: true, deadLetters: d }',
    ).replace(
      'account: acme\n    http: { path',
      'account: acme\n    kafka: { cluster: other, topics: [leads] }\n    http: { path',
    );
    expect((await load(text)).config.routes.paid?.kafka?.topics).toEqual(['leads']);
  });
});

describe('a mistake in a route is shown where it stands, with the fix', () => {
  report([
    [
      'an unknown account',
      'account: acme\n    http:\n',
      'account: acm\n    http:\n',
      ['sluice.yaml:12:5  routes.leads.account: there is no account "acm"; did you mean "acme"?'],
    ],
    [
      'an unknown mapping',
      'mapping: people',
      'mapping: peple',
      ['sluice.yaml:17:27  routes.leads.action.mapping: there is no mapping "peple"; did you mean "people"?'],
    ],
    [
      'a mapping name that every object has',
      'mapping: people',
      'mapping: valueof',
      ['sluice.yaml:17:27  routes.leads.action.mapping: there is no mapping "valueof"; mappings: people'],
    ],
    [
      'an unknown cluster',
      'cluster: bus',
      'cluster: buss',
      ['sluice.yaml:16:14  routes.leads.kafka.cluster: there is no cluster "buss"; did you mean "bus"?'],
    ],
    [
      'no way in',
      '    http: { path: /events/paid, auth: { type: hmac, style: github, secrets: [env:S] } }\n',
      '',
      ['sluice.yaml:18:3  routes.paid: has no source of events; add http or kafka'],
    ],
    [
      'a path that another has',
      '/events/paid',
      '/events/leads',
      [
        'sluice.yaml:20:13  routes.paid.http.path: the route "leads" has the path "/events/leads" already; choose another',
      ],
    ],
    [
      'a path that another takes files under',
      '    action: { type: message, number: phone, text: text }\n',
      `    action: { type: message, number: phone, uploads: { ids: files } }
  more:
    account: acme
    http: { path: /events/paid/files, auth: { type: hmac, style: github, secrets: [env:MORE] } }
    action: { type: message, number: phone, text: text }
`,
      [
        'sluice.yaml:24:13  routes.more.http.path: the route "paid" has the path "/events/paid/files" already; choose another',
      ],
    ],
    ...['/openapi.json'].map(
      (path): Case => [
        `the path ${path}`,
        '/events/paid',
        path,
        [
          `sluice.yaml:20:13  routes.paid.http.path: "${path}" is a path of the ingress itself; choose another, for example /events/leads`,
        ],
      ],
    ),
    [
      'a path that senders resolve away',
      '/events/paid',
      '/events/../paid',
      [
        'sluice.yaml:20:13  routes.paid.http.path: no sender can call "/events/../paid"; remove the parts that consist of dots: senders resolve them',
      ],
    ],
    [
      'a path with a pattern',
      '/events/paid',
      '/events/:id',
      [
        'sluice.yaml:20:13  routes.paid.http.path: begin with "/" and use letters, digits, ".", "_", "~" and "-" between slashes',
      ],
    ],
    [
      'a topic that another reads',
      'text: text }',
      'text: text }\n    kafka: { cluster: bus, topics: [more, leads] }',
      [
        'sluice.yaml:22:43  routes.paid.kafka.topics[1]: the route "leads" reads "leads" of the cluster "bus" already; a topic has one route: remove it from one of them',
      ],
    ],
    [
      'a topic twice in one list',
      '[leads]',
      '[leads, leads]',
      [
        'sluice.yaml:16:44  routes.leads.kafka.topics[1]: the route "leads" reads "leads" of the cluster "bus" already; a topic has one route: remove it from one of them',
      ],
    ],
    [
      'the dead letters as a topic',
      '[leads]',
      '[leads, dead]',
      [
        'sluice.yaml:16:44  routes.leads.kafka.topics[1]: "dead" gets the dead letters of the cluster "bus": Sluice would read them in a loop; read another topic; `sluice dlq replay` brings dead letters back',
      ],
    ],
  ]);

  it.each([
    ['host: 0.0.0.0', 'ingress.http.host is "0.0.0.0"'],
    ['host: events.example.com', 'ingress.http.host is "events.example.com"'],
    ['host: localhost.example.com', 'ingress.http.host is "localhost.example.com"'],
    ['publicUrl: https://events.example.com', 'ingress.http.publicUrl makes the route public'],
  ])('no proof of senders, with %s', async (http, why) => {
    const text = GOOD.replace('port: 4020', http).replace(
      '{ type: token, secrets: [env:TOKEN] }',
      '{ type: none }',
    );
    expect(await problemsOf(text)).toEqual([
      `sluice.yaml:15:7  routes.leads.http.auth: anybody could send events, as ${why}; authenticate senders by standard-webhooks, hmac or token; without authentication, only local programs may send`,
    ]);
  });
});

describe('the address that senders call', () => {
  report([
    [
      'is needed for the signatures of HubSpot',
      'style: github',
      'style: hubspot',
      [
        'sluice.yaml:20:53  routes.paid.http.auth.style: signatures of this style cover the public address, and Sluice does not know it; set ingress.http.publicUrl to the public address without the path',
      ],
    ],
    ...['https://a:CANARY@x.example', 'https://x.example/?a=1', 'https://x.example/#a'].map(
      (url): Case => [
        `is not ${url}`,
        'port: 4020',
        `publicUrl: '${url}'`,
        [
          'sluice.yaml:7:11  ingress.http.publicUrl: holds credentials, a query or a fragment; write https://host or https://host/path alone',
        ],
      ],
    ),
  ]);

  it('may have a path', async () => {
    const text = GOOD.replace('style: github', 'style: hubspot').replace(
      'port: 4020',
      'publicUrl: https://x.example/in',
    );
    expect((await load(text)).config.ingress.http.publicUrl).toBe('https://x.example/in');
  });
});

describe('secrets of routes', () => {
  report([
    [
      'pasted',
      '[env:TOKEN]',
      '[whsec_CANARY]',
      [
        'sluice.yaml:15:38  routes.leads.http.auth.secrets[0]: write env:NAME, file:path or command:program argument; a secret itself never stands in this file',
      ],
    ],
    [
      'pasted behind env:',
      '[env:TOKEN]',
      '[env:whsec_CANARY]',
      [
        'sluice.yaml:15:38  routes.leads.http.auth.secrets[0]: this is a secret, not a reference; write env:NAME',
      ],
    ],
    [
      'pasted behind file:',
      '[env:TOKEN]',
      '["file:whsec_CAN+ARY="]',
      [
        'sluice.yaml:15:38  routes.leads.http.auth.secrets[0]: this is a secret, not a reference; write env:NAME',
      ],
    ],
    [
      'a token of the service',
      '[env:TOKEN]',
      '[env:svc_live_CANARY]',
      [
        'sluice.yaml:15:38  routes.leads.http.auth.secrets[0]: this is a secret, not a reference; write env:NAME',
      ],
    ],
    [
      'twice',
      '[env:TOKEN]',
      '[env:TOKEN, env:B, env:TOKEN]',
      ['sluice.yaml:15:56  routes.leads.http.auth.secrets[2]: is repeated in the list; keep one of them'],
    ],
    [
      'none',
      '[env:TOKEN]',
      '[]',
      ['sluice.yaml:15:28  routes.leads.http.auth.secrets: needs at least one entry'],
    ],
    [
      'a password of the cluster',
      'deadLetters: dead',
      'deadLetters: dead, sasl: { mechanism: plain, username: u, password: CANARY }',
      [
        'sluice.yaml:9:104  ingress.kafka.bus.sasl.password: write env:NAME, file:path or command:program argument; a secret itself never stands in this file',
      ],
    ],
  ]);

  it('are never repeated in a message', async () => {
    for (const to of [
      '[whsec_CANARY]',
      '[env:whsec_CANARY]',
      'whsec_CANARY',
      '[{ a: whsec_CANARY }]',
      '[file:]',
    ]) {
      const problems = await problemsOf(GOOD.replace('[env:TOKEN]', to));
      expect(problems.join('\n'), to).not.toContain('CANARY');
    }
  });
});

it('all mistakes are reported at once, in the order of the file, and none hides another', async () => {
  const text = GOOD.replace('port: 4020', 'prt: 4020')
    .replace('mapping: people', 'mapping: peple')
    .replace('account: acme\n    http: {', 'acount: acme\n    http: {')
    .replace('text: text', "text: '{{x'")
    .replace('/events/paid', '/openapi.json');
  expect(await problemsOf(text)).toEqual([
    'sluice.yaml:7:11  ingress.http.prt: unknown key; did you mean "port"?',
    'sluice.yaml:17:27  routes.leads.action.mapping: there is no mapping "peple"; did you mean "people"?',
    'sluice.yaml:18:3  routes.paid.account: is missing; expected text',
    'sluice.yaml:19:5  routes.paid.acount: unknown key; did you mean "account"?',
    'sluice.yaml:20:13  routes.paid.http.path: "/openapi.json" is a path of the ingress itself; choose another, for example /events/leads',
    'sluice.yaml:21:45  routes.paid.action.text: a {{placeholder}} is not closed or not opened; write {{column}}',
  ]);
});
