// `sluice config` and `sluice init` as commands: what they print, write and refuse.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { registerConfig } from '../../../src/cli/config/config.ts';
import { registerInit } from '../../../src/cli/config/init.ts';
import { describeError } from '../../../src/cli/lib/describe-error.ts';
import { EXIT } from '../../../src/cli/lib/exit.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { compileMapping } from '../../../src/mapping/index.ts';
import { parseFixture } from '../../../src/sandbox/fixture/fixture-merge.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-init-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function makeFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '{}');
}

async function sluice(args: string[], env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const program = new Command('sluice').exitOverride();
  program.configureOutput({ writeOut: (text) => out.push(text), writeErr: (text) => err.push(text) });
  registerConfig(program, env);
  registerInit(program);
  const exitCode = await program.parseAsync(args, { from: 'user' }).then(
    () => EXIT.ok as number,
    (error: unknown) => {
      const { message, exitCode } = describeError(error);
      err.push(message ?? '');
      return exitCode;
    },
  );
  return { stdout: out.join(''), stderr: err.join(''), exitCode };
}

describe('init', () => {
  it('writes a folder whose configuration is right as soon as the token is set', async () => {
    expect((await sluice(['init', '--dir', dir])).exitCode).toBe(EXIT.ok);
    expect((await readdir(dir)).sort()).toEqual([
      '.dockerignore',
      '.env.example',
      '.github',
      '.gitignore',
      'Dockerfile',
      'ci',
      'data',
      'package.json',
      'sandbox.yaml',
      'sluice.schema.json',
      'sluice.yaml',
    ]);
    const file = join(dir, 'sluice.yaml');
    const { stdout, exitCode } = await sluice(['config', 'check', '--config', file], {
      ACME_TOKEN: 'svc_test_x',
    });
    expect(exitCode).toBe(EXIT.ok);
    expect(stdout).toContain('is valid');
    expect(stdout).not.toMatch(/NOT FOUND|not there|svc_test/);
  });

  it('overwrites nothing, and writes nothing at all, when one file is in the way', async () => {
    await writeFile(join(dir, 'sandbox.yaml'), 'mine');
    const { exitCode, stderr } = await sluice(['init', '--dir', dir]);
    expect(exitCode).toBe(EXIT.conflict);
    expect(stderr).toContain('sandbox.yaml');
    expect(stderr).toContain('--force');
    expect(await readdir(dir)).toEqual(['sandbox.yaml']);
    expect((await sluice(['init', '--dir', dir, '--force'])).exitCode).toBe(EXIT.ok);
    expect(await readFile(join(dir, 'sandbox.yaml'), 'utf8')).not.toBe('mine');
  });

  it('writes a project that git, an image and CI can use, and that keeps customer data out of both', async () => {
    await sluice(['init', '--dir', dir]);
    const text = (path: string) => readFile(join(dir, path), 'utf8');
    const { name, private: isPrivate, dependencies } = JSON.parse(await text('package.json'));
    expect([isPrivate, dependencies]).toEqual([true, undefined]);
    expect(name).toMatch(/^sluice-init-[a-z0-9-]+$/);
    const { jobs } = parse(await text('.github/workflows/sluice.yml'));
    const commands = jobs.check.steps.map(({ run = '' }: { run?: string }) => run).join('\n');
    expect(commands).toMatch(/npm ci[^]*npx sluice config check[^]*npx sluice sync plan leads/);
    expect(await text('ci/leads.csv')).toBe(await text('data/leads.csv'));
    const git = promisify(execFile);
    await git('git', ['init', '--quiet'], { cwd: dir });
    for (const path of ['.env', '.sluice/ledger', 'data/more.json', 'export.csv', 'node_modules/x'])
      await makeFile(join(dir, path));
    const { stdout } = await git('git', ['ls-files', '--others', '--exclude-standard'], { cwd: dir });
    expect(stdout.trim().split('\n').sort()).toEqual([
      '.dockerignore',
      '.env.example',
      '.github/workflows/sluice.yml',
      '.gitignore',
      'Dockerfile',
      'ci/leads.csv',
      'package.json',
      'sandbox.yaml',
      'sluice.schema.json',
      'sluice.yaml',
    ]);
    const image = (await text('Dockerfile')).match(/^COPY (.+) \S+$/gm);
    expect(image).toEqual([
      'COPY package.json package-lock.json ./',
      'COPY vendor vendor',
      'COPY --chown=node:node *.yaml ./',
    ]);
  });

  it('keeps the package.json of a project in which Sluice is installed, and calls it with npx', async () => {
    await makeFile(join(dir, 'node_modules/sluice/package.json'));
    await writeFile(join(dir, 'package.json'), '{"dependencies":{"sluice":"file:vendor/sluice.tgz"}}');
    for (const force of [[], ['--force']]) {
      const { stderr, exitCode } = await sluice(['init', '--dir', dir, ...force]);
      expect(exitCode).toBe(EXIT.ok);
      expect(stderr).toContain('  npx sluice config check');
      expect(stderr).not.toContain('main.js');
    }
    expect(await readFile(join(dir, 'package.json'), 'utf8')).toContain('vendor/sluice.tgz');
  });

  it('writes a sample whose good rows map and whose bad row is refused', async () => {
    await sluice(['init', '--dir', dir]);
    const { mapping } = (await loadConfig(join(dir, 'sluice.yaml'), { env: {} })).spec('leads');
    const [header = '', ...rows] = (await readFile(join(dir, 'data/leads.csv'), 'utf8')).trim().split('\n');
    const columns = header.split(',');
    const results = await Promise.all(
      rows.map((row) => {
        const cells = row.split(',');
        return compileMapping(mapping).apply(
          Object.fromEntries(columns.map((name, index) => [name, cells[index]])),
        );
      }),
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, false]);
    const fixture = parseFixture(parse(await readFile(join(dir, 'sandbox.yaml'), 'utf8')));
    const account = fixture.accounts?.[0];
    const names = (of: { name?: string | undefined }[] = []) => of.map(({ name }) => name);
    const stages = account?.pipelines?.flatMap((pipeline) => names(pipeline.stages));
    for (const result of results) {
      if (!result.ok) continue;
      for (const tag of result.record.tags) expect(names(account?.tags)).toContain(tag);
      if (result.record.card) expect(stages).toContain(result.record.card.stage);
    }
  });
});

const NOT_HERE =
  'NOT FOUND means not set in this shell; a running Sluice has its own environment, which `sluice doctor` checks';

describe('config check', () => {
  it('says which secrets are missing without failing, and shows none', async () => {
    await sluice(['init', '--dir', dir]);
    const { stdout, exitCode } = await sluice(['config', 'check', '--config', join(dir, 'sluice.yaml')]);
    expect(exitCode).toBe(EXIT.ok);
    expect(stdout).toContain('env:ACME_TOKEN NOT FOUND');
    expect(stdout).toContain('environment variable ACME_TOKEN is not set');
    expect(stdout).toContain(
      'NOT FOUND means not set in this shell; a running Sluice has its own environment',
    );
  });

  it('answers JSON: ok with what is there', async () => {
    await sluice(['init', '--dir', dir]);
    const file = join(dir, 'sluice.yaml');
    const { stdout } = await sluice(['config', 'check', '--json'], {
      SLUICE_CONFIG: file,
      ACME_TOKEN: 'svc_test_CANARY',
    });
    expect(stdout).not.toContain('CANARY');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      file,
      accounts: [{ name: 'acme', callsPerMinute: 120, tokens: [{ ref: 'env:ACME_TOKEN', found: true }] }],
      sources: [{ name: 'crm-export', type: 'csv', path: join(dir, 'data/leads.csv'), readable: true }],
      mappings: ['crm-leads'],
      syncs: [{ name: 'leads', account: 'acme', source: 'crm-export', mapping: 'crm-leads' }],
    });
  });

  it('shows where clusters and routes come from, what they lack, and which password everybody can read', async () => {
    const file = join(dir, 'sluice.yaml');
    await writeFile(
      file,
      `version: 1
accounts: { acme: { baseUrl: http://127.0.0.1/wapi, tokens: [env:T] } }
ingress:
  kafka:
    bus: { brokers: [b:1], deadLetters: dead, sasl: { mechanism: plain, username: u, password: env:P }, insecure: true }
routes:
  consent:
    account: acme
    http: { path: /consent, auth: { type: hmac, style: github, secrets: [env:S, env:OLD] } }
    kafka: { cluster: bus, topics: [a, b] }
    action: { type: tags, number: phone, add: [{ const: yes }] }
`,
    );
    const env = { T: 'svc_test_CANARY', P: 'CANARY', S: 'CANARY-of-enough-bytes' };
    const { stdout, exitCode } = await sluice(['config', 'check', '--config', file], env);
    expect(exitCode).toBe(EXIT.ok);
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      `${file} is valid`,
      'account  acme     http://127.0.0.1/wapi, 120 calls a minute, env:T found',
      'cluster  bus      b:1, env:P found',
      'route    consent  tags into acme, POST /consent, a, b of bus, env:S found, env:OLD NOT FOUND',
      'The file can be used as it is. To check:',
      'cluster bus: the password goes over the network as it is; set tls: true, or use scram-sha-512',
      'route consent: environment variable OLD is not set; set it, or name another in sluice.yaml',
      NOT_HERE,
      '',
    ]);
    expect(stdout).not.toContain('CANARY');
  });

  it('shows sinks and pollers with their receivers, and what they lack', async () => {
    const file = join(dir, 'sluice.yaml');
    await writeFile(
      file,
      `version: 1
accounts:
  acme: { baseUrl: http://127.0.0.1/wapi, tokens: [env:T], announce: [{ sink: hooks }, { sink: log }] }
  other: { baseUrl: http://127.0.0.1/wapi, tokens: [env:T] }
sinks:
  bus: { type: kafka, brokers: [b:1], topic: t, sasl: { mechanism: plain, username: u, password: env:P }, insecure: true }
  hooks: { type: http, url: https://shop.example.com/hooks, secrets: [env:K, env:OLD] }
  log: { type: jsonl, path: events.jsonl }
  shop: { type: postgres, url: env:DB }
pollers:
  main: { account: acme, connection: 2 }
  quiet: { account: other }
`,
    );
    const env = {
      T: 'svc_test_CANARY',
      P: 'CANARY',
      K: 'whsec_CANARYCANARYCANARYCANARYCANARYCA',
      DB: 'postgres://u:CANARY@db/x',
    };
    const { stdout, exitCode } = await sluice(['config', 'check', '--config', file], env);
    expect(exitCode).toBe(EXIT.ok);
    expect(stdout.split('\n').slice(3)).toEqual([
      '  sink     bus    kafka, topic t at b:1, env:P found',
      '  sink     hooks  http, https://shop.example.com/hooks, env:K found, env:OLD NOT FOUND',
      `  sink     log    jsonl, ${join(dir, 'events.jsonl')}`,
      '  sink     shop   postgres, table sluice_events, env:DB found',
      '  poller   main   acme, connection 2, announced to hooks and log',
      '  poller   quiet  other, announced to no sink',
      'The file can be used as it is. To check:',
      '  sink bus: the password goes over the network as it is; set tls: true, or use scram-sha-512',
      '  sink hooks: environment variable OLD is not set; set it, or name another in sluice.yaml',
      `  ${NOT_HERE}`,
      '',
    ]);
    expect(stdout).not.toContain('CANARY');
  });

  it('ends with usage and all problems when the file is wrong, as JSON too', async () => {
    const file = join(dir, 'sluice.yaml');
    await writeFile(file, 'version: 1\naccounts: {}\nsyncs:\n  a: { account: b, source: c, mapping: d }\n');
    const { stdout, stderr, exitCode } = await sluice(['config', 'check', '--json', '--config', file]);
    expect(exitCode).toBe(EXIT.usage);
    expect(stderr.split('\n')).toHaveLength(3);
    const answer = JSON.parse(stdout) as { ok: boolean; problems: unknown[] };
    expect(answer.ok).toBe(false);
    expect(answer.problems).toHaveLength(3);
    expect(answer.problems[0]).toMatchObject({ file, line: 4, column: 8, path: 'syncs.a.account' });
  });

  it('ends with not found when there is no file', async () => {
    const { exitCode, stderr } = await sluice(['config', 'check', '--config', join(dir, 'none.yaml')]);
    expect(exitCode).toBe(EXIT.notFound);
    expect(stderr).toContain('none.yaml');
  });
});

it('config schema prints JSON Schema', async () => {
  const { stdout } = await sluice(['config', 'schema']);
  expect(JSON.parse(stdout)).toMatchObject({ title: 'sluice.yaml', type: 'object' });
});
