// What a web page in the user's browser gets out of the sandbox's panel, which has no login: nothing.
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts';

let dir: string;
let sandbox: Sandbox;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-panel-'));
  sandbox = await startSandbox({
    port: 0,
    dataDir: dir,
    fixture: { accounts: [{ id: 'acme', tokens: [{ value: 'svc_test_a', scopes: ['contacts:write'] }] }] },
  });
});
afterAll(async () => {
  await sandbox.close();
  await rm(dir, { recursive: true, force: true });
});

const INBOUND = JSON.stringify({ number: '5511987654321', body: 'stolen', connectionId: 1 });

async function ask(
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string; cors: unknown }> {
  return await new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port: sandbox.port, method, path, headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            text,
            cors: response.headers['access-control-allow-origin'],
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(method === 'POST' || method === 'PATCH' ? INBOUND : undefined);
  });
}

const own = () => `127.0.0.1:${sandbox.port}`;

describe('a page of another site', () => {
  const FOREIGN: readonly (readonly [string, () => Record<string, string>])[] = [
    ['another origin', () => ({ Host: own(), Origin: 'https://evil.example' })],
    ['an origin that is hidden', () => ({ Host: own(), Origin: 'null' })],
    ['another port of this machine', () => ({ Host: own(), Origin: 'http://127.0.0.1:1' })],
    ['the same name by https', () => ({ Host: own(), Origin: `https://${own()}` })],
    ['no origin, as images and links have it', () => ({ Host: own(), 'Sec-Fetch-Site': 'cross-site' })],
    [
      'a name that leads here (DNS rebinding)',
      () => ({ Host: 'evil.example', Origin: 'http://evil.example' }),
    ],
    ['a name that begins like one of ours', () => ({ Host: 'localhost.evil.example' })],
    ['an address that is not loopback', () => ({ Host: '0.0.0.0' })],
  ];
  const CALLS = [
    ['GET', '/panel/accounts/acme'],
    ['GET', '/panel/requests'],
    ['GET', '/panel/faults'],
    ['POST', '/panel/faults'],
    ['POST', '/panel/accounts/acme/inbound'],
    ['PATCH', '/panel/accounts/acme'],
    ['DELETE', '/panel/faults'],
    ['OPTIONS', '/panel/accounts/acme'],
  ] as const;

  it.each(FOREIGN)('of %s is refused, whatever it asks for', async (_name, headers) => {
    for (const [method, path] of CALLS)
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
        const { status, text, cors } = await ask(method, path, { ...headers(), 'Content-Type': type });
        expect([method, path, status]).toEqual([method, path, 403]);
        expect(text).not.toContain('svc_test_a');
        expect(cors).toBeUndefined();
      }
  });
});

it.each(['127.0.0.1', 'localhost', '[::1]'])('curl and the page of %s itself are answered', async (name) => {
  const Host = `${name}:${sandbox.port}`;
  const sent: Record<string, string>[] = [
    { Host },
    { Host, Origin: `http://${Host}`, 'Sec-Fetch-Site': 'same-origin' },
  ];
  for (const headers of sent) expect((await ask('GET', '/panel/accounts/acme', headers)).status).toBe(200);
});
