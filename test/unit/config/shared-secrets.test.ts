// Two routes with signatures share no secret: a signature names no route.
import { expect, it } from 'vitest';
import { CONFIG_CHECKS } from '../../../src/cli/config/config-checks.ts';
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
  expect(problems).toContain('give each route a secret of its own');
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
