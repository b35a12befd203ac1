// What an activity works with while the configuration is loaded again.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LoadedConfig, loadConfig } from '../../../src/config/load.ts';
import type { MessagingClient } from '../../../src/service/api-client/client.ts';
import { TransportError } from '../../../src/service/api-client/errors.ts';
import { openSnapshots, type Snapshots } from '../../../workers/snapshots.ts';

let dir: string;
let snapshots: Snapshots;
const env = { ONE: 'svc_test_one', TWO: 'svc_test_two' };
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-snapshots-'));
});
afterEach(async () => {
  await snapshots.close();
  await rm(dir, { recursive: true });
});

interface Shape {
  readonly token?: string;
  readonly url?: string;
  readonly calls?: number;
  readonly sink?: string;
  readonly more?: string;
}

async function configOf({
  token = 'env:ONE',
  url = 'http://127.0.0.1:1/wapi',
  calls = 120,
  sink = 'a',
  more = '',
}: Shape = {}) {
  const text = `version: 1
accounts:
  acme: { baseUrl: '${url}', tokens: [${token}], callsPerMinute: ${calls}, announce: [{ sink: out }] }
${more}
sinks:
  out: { type: jsonl, path: ${sink}.jsonl }
`;
  await writeFile(join(dir, 'sluice.yaml'), text);
  return await loadConfig(join(dir, 'sluice.yaml'), { env });
}

const swap = async (config: LoadedConfig) => (await snapshots.prepare(config)).commit();
const tokenNow = () => {
  const [token] = snapshots.now().accounts.get('acme')?.tokens ?? [];
  if (token === undefined) throw new Error('no token');
  return token;
};
const callsNow = () => snapshots.now().config.config.accounts.acme?.callsPerMinute;

/** Why a call of the client fails: nobody listens on its port. */
async function failureOf(client: MessagingClient): Promise<unknown> {
  try {
    return await client.tags.list();
  } catch (error) {
    if (error instanceof TransportError) return error.reason;
    throw error;
  }
}

it('an activity keeps the settings that it began with; the next one has the new ones', async () => {
  snapshots = await openSnapshots(await configOf(), { log });
  await snapshots.run(async () => {
    await swap(await configOf({ calls: 60 }));
    expect(callsNow()).toBe(120);
    await snapshots.run(async () => expect(callsNow()).toBe(60));
  });
  expect(callsNow()).toBe(60);
});

it('calls of an activity in progress use the new token, and the plan of both tokens is known until it ends', async () => {
  snapshots = await openSnapshots(await configOf({ calls: 100 }), { log });
  const before = tokenNow();
  await snapshots.run(async () => {
    await swap(await configOf({ token: 'env:TWO', calls: 50 }));
    const after = tokenNow();
    expect(after.key).not.toBe(before.key);
    expect(snapshots.planOf(before.key).limit).toBe(100);
    expect(snapshots.planOf(after.key).limit).toBe(50);
  });
  expect(() => snapshots.planOf(before.key)).toThrow('no account has the token');
});

it('an account that moved to another address keeps its own token and address in activities in progress', async () => {
  snapshots = await openSnapshots(await configOf(), { log });
  const { client } = tokenNow();
  await snapshots.run(async () => {
    await swap(await configOf({ url: 'http://127.0.0.1:2/wapi', token: 'env:TWO' }));
    expect(tokenNow().client).toBe(client);
  });
  expect(tokenNow().client).not.toBe(client);
});

it('clients and sinks that do not change stay open; replaced ones close after the last activity', async () => {
  snapshots = await openSnapshots(await configOf(), { log });
  const { client } = tokenNow();
  const sink = snapshots.now().sinks.get('out');
  await swap(await configOf({ calls: 10 }));
  expect(tokenNow().client).toBe(client);
  expect(snapshots.now().sinks.get('out')).toBe(sink);
  const failure = () => failureOf(client);
  await snapshots.run(async () => {
    await swap(await configOf({ token: 'env:TWO', sink: 'b' }));
    expect(snapshots.now().sinks.get('out')).toBe(sink);
    expect(await failure()).toBe('connect');
  });
  expect(snapshots.now().sinks.get('out')).not.toBe(sink);
  expect(await failure()).toBe('aborted');
});

it('a newer token that a call of the oldest activity uses stays open through further reloads', async () => {
  snapshots = await openSnapshots(await configOf(), { log });
  await snapshots.run(async () => {
    await swap(await configOf({ token: 'env:TWO' }));
    const { client, key } = tokenNow();
    await swap(await configOf({ token: 'env:ONE' }));
    expect(await failureOf(client)).toBe('connect');
    expect(snapshots.planOf(key).limit).toBe(120);
  });
});

it('a configuration with a missing secret opens nothing, and the current one stays', async () => {
  snapshots = await openSnapshots(await configOf(), { log });
  const more = "  zeta: { baseUrl: 'http://127.0.0.1:1/wapi', tokens: [env:TWO, env:NONE] }";
  await expect(snapshots.prepare(await configOf({ more }))).rejects.toThrow('NONE is not set');
  expect([...snapshots.now().accounts.keys()]).toEqual(['acme']);
});

it('a part that is discarded closes what only it opened', async () => {
  snapshots = await openSnapshots(await configOf(), { log });
  const { client } = tokenNow();
  await (await snapshots.prepare(await configOf({ token: 'env:TWO' }))).discard();
  expect(tokenNow().client).toBe(client);
});
