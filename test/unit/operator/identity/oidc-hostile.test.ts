// OpenID providers that are broken or hostile: endless answers, and endpoints where no provider is.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OperatorOidc } from '../../../../src/config/schema/operator.ts';
import { createOidcClient } from '../../../../src/operator/identity/oidc.ts';

let server: Server;
let issuer: string;
let answer: (res: ServerResponse, path: string) => void;
beforeEach(async () => {
  server = createServer((req, res) => answer(res, req.url ?? ''));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const clientOf = () =>
  createOidcClient({
    oidc: OperatorOidc.parse({ issuer, clientId: 'sluice', clientSecret: 'env:S', roles: {} }),
    secret: async () => 'secret',
  });
const CALLBACK = 'http://localhost:1/callback';
const document = (over: object) =>
  JSON.stringify({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    ...over,
  });
const JSON_TYPE = { 'content-type': 'application/json' };

it('an answer without end is given up', async () => {
  answer = (res) => {
    res.writeHead(200, JSON_TYPE).write('{"a":"');
    const more = () => {
      while (res.write('x'.repeat(65_536)));
      res.once('drain', more);
    };
    more();
  };
  await expect(clientOf().begin(CALLBACK)).rejects.toMatchObject({ kind: 'unavailable' });
});

it('a small answer that unpacks to a large one is given up', async () => {
  const bomb = gzipSync(document({ more: ' '.repeat(20_000_000) }));
  answer = (res) => void res.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(bomb);
  await expect(clientOf().begin(CALLBACK)).rejects.toMatchObject({ kind: 'unavailable' });
});

it('a redirect of the configuration is not followed', async () => {
  const paths: string[] = [];
  answer = (res, path) => {
    paths.push(path);
    res.writeHead(302, { location: `${issuer}/elsewhere` }).end();
  };
  await expect(clientOf().begin(CALLBACK)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(paths).toEqual(['/.well-known/openid-configuration']);
});

it('an endpoint at a metadata service gets no code and no secret', async () => {
  answer = (res) =>
    void res
      .writeHead(200, JSON_TYPE)
      .end(document({ token_endpoint: 'http://169.254.169.254/latest/api/token' }));
  const client = clientOf();
  const { pending } = await client.begin(CALLBACK);
  const back = new URL(`${CALLBACK}?code=x&state=${pending.state}&iss=${encodeURIComponent(issuer)}`);
  await expect(client.finish(back, pending)).rejects.toMatchObject({
    kind: 'unavailable',
    cause: { cause: { code: 'ADDRESS_REFUSED' } },
  });
});

it.each([
  ['a subject', 's1', 's1'],
  ['no subject, whose users would all be one', '', null],
])('an ID token with %s', async (_, sub, expected) => {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const client = clientOf();
  answer = (res) => void res.writeHead(200, JSON_TYPE).end(document({}));
  const { pending } = await client.begin(CALLBACK);
  const idToken = await new SignJWT({ nonce: pending.nonce })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(issuer)
    .setSubject(sub)
    .setAudience('sluice')
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey);
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig' }] };
  answer = (res, path) => {
    const token = { access_token: 'x', token_type: 'Bearer', id_token: idToken };
    res.writeHead(200, JSON_TYPE).end(path === '/jwks' ? JSON.stringify(jwks) : JSON.stringify(token));
  };
  const back = new URL(`${CALLBACK}?code=x&state=${pending.state}&iss=${encodeURIComponent(issuer)}`);
  const finished = client.finish(back, pending).then(({ subject }) => subject);
  if (expected === null) await expect(finished).rejects.toMatchObject({ name: 'OperatorError' });
  else expect(await finished).toBe(expected);
});
