// One secret has one purpose. Two routes with signatures share none: a signature names no route.
import { expect, it } from 'vitest';
import { CONFIG_CHECKS } from '../../../src/app/config-checks.ts';
import { GOOD, routeContext } from './route-context.ts';

const { context, problemsOf, load } = routeContext();

const SECOND = (auth: string) => `${GOOD}  refunds:
    account: acme
    http: { path: /events/refunds, auth: ${auth} }
    action: { type: message, number: phone, text: text }
`;

it.each([
  ['the same style', '{ type: hmac, style: github, secrets: [env:S] }'],
  ['another style', '{ type: hmac, style: shopify, secrets: [env:OTHER, env:S] }'],
  ['another scheme', '{ type: standard-webhooks, secrets: [env:S] }'],
])('a secret that another route has is refused with %s', async (_what, auth) => {
  const problems = JSON.stringify(await problemsOf(SECOND(auth)));
  expect(problems).toContain('the route \\"paid\\" has this secret too');
  expect(problems).toContain('give each purpose a secret of its own');
});

it.each([
  ['a secret of its own', '{ type: hmac, style: github, secrets: [env:S2] }'],
  ['a token, which no request can be replayed with elsewhere', '{ type: token, secrets: [env:TOKEN] }'],
])('%s is taken', async (_what, auth) => {
  await expect(load(SECOND(auth))).resolves.toBeDefined();
});

it('two references to one value are refused, without the value', async () => {
  const CANARY = 'CANARY-of-at-least-16-bytes';
  const text = SECOND('{ type: hmac, style: shopify, secrets: [env:S2] }');
  const message = await context.load(text, { env: { S: CANARY, S2: CANARY }, ...CONFIG_CHECKS }).then(
    () => 'taken',
    (error: Error) => error.message,
  );
  expect(message).toContain('routes.refunds.http.auth.secrets[0]: the route "paid" has this secret too');
  expect(message).not.toContain('CANARY');
});

const KEY = 'a-key-of-at-least-24-bytes-for-tests';
const BASE64 = Buffer.from(KEY).toString('base64');
it.each([
  ['a token that is the key of signatures', '{ type: token, secrets: [env:S2] }', KEY],
  ['a key that Standard Webhooks writes as base64', '{ type: standard-webhooks, secrets: [env:S2] }', BASE64],
  ['and with whsec_', '{ type: standard-webhooks, secrets: [env:S2] }', `whsec_${BASE64}`],
  ['and without padding', '{ type: standard-webhooks, secrets: [env:S2] }', BASE64.replace(/=+$/, '')],
])('%s is refused', async (_what, auth, value) => {
  const loaded = context.load(SECOND(auth), { env: { S: KEY, S2: value }, ...CONFIG_CHECKS });
  await expect(loaded).rejects.toThrow(
    'routes.refunds.http.auth.secrets[0]: the route "paid" has this secret too',
  );
});

it('a token by the reference of a key of signatures is refused', async () => {
  const problems = JSON.stringify(await problemsOf(SECOND('{ type: token, secrets: [env:S] }')));
  expect(problems).toContain('whoever sees the token of one could sign requests to the other');
});

it('two routes may have one token', async () => {
  const text = SECOND('{ type: token, secrets: [env:TOKEN] }').replace(
    /auth: \{ type: hmac[^}]*\}/,
    'auth: { type: token, secrets: [env:TOKEN] }',
  );
  await expect(load(text)).resolves.toBeDefined();
});

/** 32 bytes. */
const BYTES = Buffer.from('f1e2d3c4b5a697887766554433221100ffeeddccbbaa99887766554433221107', 'hex');
const HEX = BYTES.toString('hex');
const WEBHOOK = `whsec_${BYTES.toString('base64')}`;
const ROUTE = (auth: string) => `routes:
  paid:
    account: acme
    http: { path: /events/paid, auth: ${auth} }
    action: { type: message, number: phone, text: text }
`;
const SINK = "sinks:\n  crm: { type: http, url: 'https://crm.example/', secrets: [env:B] }\n";
const KEY_OF = (part: string, ref: string) => `${part}: { encryption: { keys: [{ id: a, key: ${ref} }] } }\n`;
const HEAD = `version: 1
accounts:
  acme: { baseUrl: http://127.0.0.1:4010/wapi, tokens: [env:ACME_TOKEN] }
`;
const HMAC = ROUTE('{ type: hmac, style: github, secrets: [env:A] }');
const problemsWith = async (text: string, env: Record<string, string>) =>
  await context.load(HEAD + text, { env: { ACME_TOKEN: 'svc_test_a', ...env }, ...CONFIG_CHECKS }).then(
    () => [],
    (error: { problems: { path: string; message: string }[] }) =>
      error.problems.map(({ path, message }) => `${path}: ${message}`),
  );

it.each([
  ['a route with signatures', HMAC + SINK, WEBHOOK, WEBHOOK, 'sinks.crm.secrets[0]: the route "paid"'],
  [
    'a route with Standard Webhooks',
    ROUTE('{ type: standard-webhooks, secrets: [env:A] }') + SINK,
    BYTES.toString('base64').replace(/=+$/, ''),
    WEBHOOK,
    'sinks.crm.secrets[0]: the route "paid"',
  ],
  [
    'a route of HubSpot',
    `ingress: { http: { publicUrl: 'https://in.example' } }
${ROUTE('{ type: hmac, style: hubspot, secrets: [env:A] }')}${SINK}`,
    WEBHOOK,
    WEBHOOK,
    'sinks.crm.secrets[0]: the route "paid"',
  ],
  [
    'a route with a token',
    ROUTE('{ type: token, secrets: [env:A] }') + SINK,
    BYTES.toString('base64url'),
    WEBHOOK,
    'sinks.crm.secrets[0]: the route "paid"',
  ],
  [
    'a sink, as the token of a channel of notices',
    SINK + "notices:\n  team: { type: webhook, url: 'https://chat.example/', token: env:A }\n",
    WEBHOOK,
    WEBHOOK,
    'notices.team.token: the sink "crm"',
  ],
  [
    'a sink, as a key of Temporal in hex',
    SINK + KEY_OF('temporal', 'env:A'),
    HEX,
    WEBHOOK,
    'temporal.encryption.keys[0].key: the sink "crm"',
  ],
  [
    'a sink, as a key of the ledger in hex',
    SINK + KEY_OF('ledger', 'env:A'),
    HEX.toUpperCase(),
    WEBHOOK,
    'ledger.encryption.keys[0].key: the sink "crm"',
  ],
  [
    'a route, as a key of the ledger in base64',
    HMAC + KEY_OF('ledger', 'env:B'),
    HEX,
    BYTES.toString('base64'),
    'ledger.encryption.keys[0].key: the route "paid"',
  ],
  [
    'an account',
    ROUTE('{ type: token, secrets: [env:A] }'),
    'svc_test_of-at-least-16-bytes',
    '',
    'routes.paid.http.auth.secrets[0]: the account "acme"',
  ],
])('a secret that is also that of %s is refused, without the value', async (_what, text, a, b, expected) => {
  const token = a.startsWith('svc_') ? a : 'svc_test_a';
  const problems = await problemsWith(text, { A: a, B: b, ACME_TOKEN: token });
  expect(problems).toEqual([expect.stringContaining(`${expected} has this secret too, so `)]);
  for (const value of [a, b]) if (value !== '') expect(problems.join()).not.toContain(value);
});

it.each([
  ['a route and a sink', HMAC.replace('env:A', 'env:B') + SINK, 'sinks.crm.secrets[0]'],
  ['a sink and a key', SINK + KEY_OF('temporal', 'env:B'), 'temporal.encryption.keys[0].key'],
])('one reference of %s is refused, also when it is not set', async (_what, text, at) => {
  expect(await problemsWith(text, {})).toEqual([
    expect.stringMatching(`^${at.replaceAll(/[.[\]]/g, '\\$&')}: `),
  ]);
});

it.each([
  ['secrets of their own', HMAC + SINK + KEY_OF('ledger', 'env:C'), {}],
  [
    'the key of Temporal, which the ledger has too',
    KEY_OF('temporal', 'env:C') + KEY_OF('ledger', 'env:C'),
    {},
  ],
  [
    'one secret of two sinks',
    `${SINK}  erp: { type: http, url: 'https://erp.example/', secrets: [env:B] }\n`,
    {},
  ],
])('%s are taken', async (_what, text, env) => {
  const others = { A: 'a-key-of-at-least-24-bytes-for-tests', B: WEBHOOK, C: [...HEX].toReversed().join('') };
  expect(await problemsWith(text, { ...others, ...env })).toEqual([]);
});

it('a third route is compared with each one before it', async () => {
  const route = (name: string, auth: string) => `  ${name}:
    account: acme
    http: { path: /events/${name}, auth: ${auth} }
    action: { type: message, number: phone, text: text }
`;
  const text = `ingress: { http: { publicUrl: 'https://in.example' } }
routes:
${route('one', '{ type: hmac, style: hubspot, secrets: [env:A] }')}${route('two', '{ type: hmac, style: github, secrets: [env:B] }')}${route('three', '{ type: hmac, style: shopify, secrets: [env:C] }')}`;
  expect(await problemsWith(text, { A: KEY, B: KEY, C: KEY })).toEqual([
    expect.stringMatching(/^routes\.three\.http\.auth\.secrets\[0\]: the route "two" has this secret too/),
  ]);
});
