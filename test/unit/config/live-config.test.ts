// The configuration of a running process: a reload replaces all of it, or nothing.
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createLiveConfig, type LiveConfig, type ReloadReport } from '../../../src/config/live-config.ts';
import { watchConfig } from '../../../src/config/watch-config.ts';
import { configContext, GOOD } from './context.ts';

const context = configContext();
const log = { info: vi.fn(), error: vi.fn() };
const write = (text: string) => writeFile(join(context.dir, 'sluice.yaml'), text);

async function openLive(text = GOOD, options: Parameters<typeof context.load>[1] = {}): Promise<LiveConfig> {
  log.info.mockClear();
  log.error.mockClear();
  return createLiveConfig(await context.load(text, options), { log });
}

it('a reload replaces the configuration and names what changed', async () => {
  const live = await openLive();
  const before = live.current();
  await write(
    GOOD.replace('tokens: [env:ACME_TOKEN]', 'tokens: [env:ACME_TOKEN]\n    callsPerMinute: 60').replace(
      'leads:',
      'people:',
    ),
  );
  const report = await live.reload('a test');
  expect(report).toEqual({
    result: 'loaded',
    changes: ['accounts.acme', 'syncs.leads', 'syncs.people'],
    needsRestart: [],
    error: null,
  });
  expect(live.current().config.accounts.acme?.callsPerMinute).toBe(60);
  expect(before.config.accounts.acme?.callsPerMinute).toBe(120);
  expect(() => before.spec('people')).toThrow('there is no sync "people"');
});

it('a broken file changes nothing, is logged once, and is over when it is corrected', async () => {
  const live = await openLive();
  const before = live.current();
  await write(GOOD.replace('account: acme', 'account: zoe'));
  for (const attempt of ['first', 'second'])
    expect(await live.reload(attempt)).toMatchObject({
      result: 'broken',
      changes: [],
      error: expect.stringContaining('sluice.yaml:13:5  syncs.leads.account: there is no account "zoe"'),
    });
  expect(live.current()).toBe(before);
  expect(log.error).toHaveBeenCalledTimes(1);
  const { brokenSince } = live.state();
  expect(Date.parse(brokenSince ?? '')).toBeLessThanOrEqual(Date.now());
  await write(GOOD);
  expect(await live.reload('a test')).toMatchObject({ result: 'loaded', changes: [] });
  expect(live.state()).toEqual({ brokenSince: null, error: null, needsRestart: [] });
});

it.each([
  ['the file is gone', async () => rm(join(context.dir, 'sluice.yaml')), 'there is no file'],
  ['the file is empty', async () => write(''), 'the file is empty'],
  ['the file is no YAML', async () => write('version: ['), 'sluice.yaml:1'],
  ['a name is written twice', async () => write(`${GOOD}accounts: {}\n`), 'is repeated'],
])('%s: the configuration stays', async (_name, change, error) => {
  const live = await openLive();
  const before = live.current();
  await change();
  expect((await live.reload('a test')).error).toContain(error);
  expect(live.current()).toBe(before);
});

it('keys that need a restart keep their values, are named, and the rest is taken', async () => {
  const live = await openLive();
  await write(
    `${GOOD}admin: { port: 9999 }\noperator: { http: { port: 9998 } }\ningress: { maxOpen: 5, remember: 40d }\n`,
  );
  expect(await live.reload('a test')).toMatchObject({
    result: 'loaded',
    changes: ['ingress.remember'],
    needsRestart: ['admin.port', 'ingress.maxOpen', 'operator.http.port'],
  });
  const { admin, operator, ingress } = live.current().config;
  expect([admin.port, operator.http.port]).toEqual([9464, 8088]);
  expect(ingress.remember).toBe('40d');
  await write(GOOD);
  expect((await live.reload('a test')).needsRestart).toEqual([]);
});

it('no part commits when one of them cannot work with the configuration', async () => {
  const live = await openLive();
  const [commit, discard] = [vi.fn(), vi.fn(async () => undefined)];
  live.follow({ name: 'first', prepare: async () => ({ commit, discard }) });
  live.follow({ name: 'second', prepare: () => Promise.reject(new Error('secret file x does not exist')) });
  await write(GOOD.replace('leads:', 'people:'));
  expect(await live.reload('a test')).toMatchObject({
    result: 'broken',
    error: 'secret file x does not exist',
  });
  expect(commit).not.toHaveBeenCalled();
  expect(discard).toHaveBeenCalledTimes(1);
  expect(live.current().config.syncs).toHaveProperty('leads');
});

it('all parts and the configuration change in one tick', async () => {
  const live = await openLive();
  const seen: string[] = [];
  const names = () => Object.keys(live.current().config.syncs).join();
  for (const part of ['one', 'two'])
    live.follow({
      name: part,
      prepare: async () => ({
        commit() {
          seen.push(`${part} ${names()}`);
          queueMicrotask(() => seen.push(`${part} later ${names()}`));
        },
        discard: async () => undefined,
      }),
    });
  live.onChange((before) => seen.push(`changed ${Object.keys(before.config.syncs).join()} to ${names()}`));
  await write(GOOD.replace('leads:', 'people:'));
  await live.reload('a test');
  expect(seen).toEqual([
    'one leads',
    'two leads',
    'changed leads to people',
    'one later people',
    'two later people',
  ]);
});

it('reloads that are asked for at once run one after the other', async () => {
  const live = await openLive();
  let active = 0;
  live.follow({
    name: 'slow',
    async prepare() {
      expect(++active).toBe(1);
      await new Promise(setImmediate);
      active--;
      return { commit: () => undefined, discard: async () => undefined };
    },
  });
  const reports = await Promise.all([1, 2, 3].map((each) => live.reload(`${each}`)));
  expect(reports.map(({ result }) => result)).toEqual(['loaded', 'loaded', 'loaded']);
});

const FAST = `${GOOD}reload: { every: 500ms }\n`;

/** Resolves with the next report of the watcher. */
function nextReport(live: LiveConfig): Promise<ReloadReport> {
  return new Promise((resolve) => live.onReport(resolve));
}

async function watching<T>(live: LiveConfig, work: () => Promise<T>): Promise<T> {
  const end = new AbortController();
  const done = watchConfig(live, end.signal);
  try {
    return await work();
  } finally {
    end.abort();
    await done;
  }
}

it('a changed file, a new file of a folder and a new version of a secret are loaded by themselves', async () => {
  await mkdir(join(context.dir, 'accounts'));
  await writeFile(join(context.dir, 'token'), 'svc_test_one');
  const text = `${FAST.replace('env:ACME_TOKEN', 'file:token')}include: [accounts/*.yaml]\n`;
  const live = await openLive(text);
  await live.current().secret('file:token');
  await watching(live, async () => {
    const first = nextReport(live);
    await write(`${text}# edited\n`);
    expect(await first).toMatchObject({ result: 'loaded', changes: [] });
    const second = nextReport(live);
    await writeFile(
      join(context.dir, 'accounts', 'zeta.yaml'),
      'accounts: { zeta: { baseUrl: "http://127.0.0.1:1/wapi", tokens: [file:token] } }\n',
    );
    expect((await second).changes).toEqual(['accounts.zeta']);
    const third = nextReport(live);
    await writeFile(join(context.dir, 'token.next'), 'svc_test_two');
    await rename(join(context.dir, 'token.next'), join(context.dir, 'token'));
    expect((await third).result).toBe('loaded');
    expect((await live.current().secret('file:token')).value).toBe('svc_test_two');
  });
});

describe('a command that works with the configuration', () => {
  it.each<[string, string, string, boolean, string]>([
    ['that has not changed', GOOD, GOOD, false, ''],
    ['that has changed', GOOD, `${GOOD}reload: { every: 1m }\n`, false, 'reload.every'],
    ['that is broken', GOOD, `${GOOD}nonsense: 1\n`, true, ''],
    [
      'that nobody watches and that has changed',
      `${GOOD}reload: { watch: false }\n`,
      `${GOOD}reload: { watch: false }\n#\n`,
      true,
      '',
    ],
  ])('%s', async (_, first, then, outdated, change) => {
    const live = await openLive(first);
    expect(await live.isOutdated()).toBe(false);
    if (then !== first) await write(then);
    const reports: ReloadReport[] = [];
    live.onReport((report) => reports.push(report));
    expect(await live.refresh('a command')).toBe(outdated);
    // A second command finds the same, and loads nothing again.
    expect(await live.refresh('a command')).toBe(outdated);
    expect(reports.length).toBe(first === then || first.includes('watch') ? 0 : 1);
    if (change !== '') expect(reports[0]?.changes).toContain(change);
  });
});

it('a secret that changes after it was read, and before the watcher has seen it, is loaded', async () => {
  await writeFile(join(context.dir, 'token'), 'svc_test_one');
  const live = await openLive(FAST.replace('env:ACME_TOKEN', 'file:token'));
  expect((await live.current().secret('file:token')).value).toBe('svc_test_one');
  await writeFile(join(context.dir, 'token'), 'svc_test_other');
  expect(await live.isOutdated()).toBe(true);
  expect((await live.reload('a test')).result).toBe('loaded');
  expect(await live.isOutdated()).toBe(false);
});

it('a volume of Kubernetes changes by its link `..data`', async () => {
  const volume = join(context.dir, 'volume');
  for (const version of ['1', '2']) {
    await mkdir(join(volume, `..${version}`), { recursive: true });
    await writeFile(join(volume, `..${version}`, 'token'), `svc_test_${version}`);
  }
  await symlink('..1', join(volume, '..data'));
  await symlink('..data/token', join(volume, 'token'));
  const live = await openLive(FAST.replace('env:ACME_TOKEN', 'file:volume/token'));
  expect((await live.current().secret('file:volume/token')).value).toBe('svc_test_1');
  await watching(live, async () => {
    const report = nextReport(live);
    await symlink('..2', join(volume, '..new'));
    await rename(join(volume, '..new'), join(volume, '..data'));
    expect((await report).result).toBe('loaded');
    expect((await live.current().secret('file:volume/token')).value).toBe('svc_test_2');
  });
});

it('a new output of a command is taken; a failing command is reported, and its last value stays', async () => {
  await writeFile(join(context.dir, 'value'), 'svc_test_one');
  const text = GOOD.replace('env:ACME_TOKEN', 'command:cat value');
  const live = await openLive(text, { env: process.env });
  const value = async () => (await live.current().secret('command:cat value')).value;
  expect(await value()).toBe('svc_test_one');
  const reports: ReloadReport[] = [];
  live.onReport((report) => reports.push(report));
  await live.renewSecrets();
  expect(reports).toEqual([]);
  await writeFile(join(context.dir, 'value'), 'svc_test_two');
  await live.renewSecrets();
  expect(reports).toMatchObject([{ result: 'loaded', changes: ['secrets'] }]);
  expect(await value()).toBe('svc_test_two');
  await rm(join(context.dir, 'value'));
  await live.renewSecrets();
  expect(reports[1]).toMatchObject({
    result: 'broken',
    error: 'the secret command cat failed with exit code 1; run it by hand to see why',
  });
  expect(await value()).toBe('svc_test_two');
  await writeFile(join(context.dir, 'value'), 'svc_test_two');
  await live.renewSecrets();
  expect(live.state().brokenSince).toBeNull();
});

it('a command that fails does not keep a file from loading that no longer names it', async () => {
  await writeFile(join(context.dir, 'old'), 'svc_test_old');
  await writeFile(join(context.dir, 'new'), 'svc_test_new');
  const text = GOOD.replace('env:ACME_TOKEN', 'command:cat old');
  const live = await openLive(text, { env: process.env });
  await live.current().secret('command:cat old');
  await rm(join(context.dir, 'old'));
  expect(await live.reload('a test')).toMatchObject({ result: 'broken' });
  await write(text.replace('cat old', 'cat new'));
  expect(await live.reload('a test')).toMatchObject({ result: 'loaded', changes: ['accounts.acme'] });
  expect((await live.current().secret('command:cat new')).value).toBe('svc_test_new');
  // Nobody runs the old one again.
  expect(await live.current().secrets.renew()).toEqual({ changed: false, errors: [] });
  expect(await live.reload('a test')).toMatchObject({ result: 'loaded', error: null });
});
