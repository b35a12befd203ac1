// `npm run test:node -- 24 [files…]`: runs the tests with another version of Node than yours. It downloads the build that
// scripts/node-versions.json pins, then runs types, unit, workflow and replay tests and chosen end-to-end tests with it.
// With files, it runs those alone. `--smoke` is the short set of CI, for all versions that are named.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { env } = process;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = env.SLUICE_NODE_CACHE ?? join(ROOT, 'node_modules/.cache/sluice-node');
const PINS = JSON.parse(readFileSync(new URL('node-versions.json', import.meta.url), 'utf8')).versions;

/** Tests of what differs between versions of Node: timers, signals, undici, streams, encodings, time zones, native code. */
const SMOKE = [
  'test/unit/api-client/multipart.test.ts',
  'test/unit/api-client/transport.test.ts',
  'test/unit/campaigns/zones.test.ts',
  'test/unit/contracts/deadline.test.ts',
  'test/unit/ingress/http/close.test.ts',
  'test/unit/ingress/http/slow.test.ts',
  'test/unit/ledger/pglite.test.ts',
  'test/unit/media/fetch-media.test.ts',
  'test/unit/operator/identity/users.test.ts',
  'test/unit/operator/socket/socket.test.ts',
  'test/unit/runtime/shutdown.test.ts',
  'test/unit/runtime/lock',
  'test/unit/sinks/http.test.ts',
  'test/unit/sources/csv.test.ts',
  'test/unit/sources/encodings.test.ts',
];
/** One of each kind that starts processes or servers. */
const E2E = [
  'test/e2e/cli',
  'test/e2e/config',
  'test/e2e/doctor',
  'test/e2e/ingress',
  'test/e2e/postgres',
  'test/e2e/sinks/postgres.test.ts',
];

const fail = (message, code = 1) => {
  process.stderr.write(`${message}\n`);
  process.exit(code);
};

/** Folder with the program `node` of that version. npm checks its own hash too; this one is in the repository. */
function install(pin) {
  const folder = join(CACHE, pin.version);
  if (existsSync(join(folder, 'node'))) return folder;
  const platform = `${process.platform}-${process.arch}`;
  const packed = pin.packages[platform];
  if (packed === undefined)
    throw new Error(
      `No build of Node ${pin.version} for ${platform} is pinned. Install it yourself, then run npm test.`,
    );
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'unfinished-'));
  try {
    const spec = `${packed.name}@${pin.version}`;
    process.stderr.write(`Downloading ${spec}\n`);
    execute('npm', ['pack', '--silent', '--pack-destination', draft, spec], { stdio: ['ignore', 2, 2] });
    const archive = join(draft, readdirSync(draft)[0]);
    const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (integrity !== packed.integrity)
      throw new Error(`${spec} is refused: its hash is ${integrity}, and ${packed.integrity} is pinned.`);
    execute('tar', ['-xzf', archive, '-C', draft, '--strip-components=2', 'package/bin/node']);
    rmSync(archive);
    // Tests start programs as other users.
    chmodSync(draft, 0o755);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function execute(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with exit code ${status}`);
}

/** Runs one command with that Node, which its children find first on the PATH. */
function runWith(folder, title, args) {
  process.stderr.write(`\n# ${title}\n`);
  const began = Date.now();
  const { status, signal } = spawnSync(join(folder, 'node'), args, {
    cwd: ROOT,
    env: { ...env, PATH: `${folder}${delimiter}${env.PATH}` },
    stdio: 'inherit',
    // More than any of these steps takes on a slow machine.
    timeout: 1_800_000,
  });
  const seconds = Math.round((Date.now() - began) / 1000);
  process.stderr.write(
    `# ${title}: ${status === 0 ? 'passed' : `failed (${signal ?? status})`} in ${seconds} s\n`,
  );
  return status === 0;
}

const vitest = (project, files, rest = []) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  project,
  ...rest,
  ...files,
];

/** What runs with one version: title and arguments of each step. */
function stepsOf(major, { smoke, rest, files }) {
  if (files.length > 0) return [['tests', vitest('unit', files, rest.concat('--project', 'workflows'))]];
  if (smoke) {
    const state = mkdtempSync(join(tmpdir(), 'sluice-node-'));
    process.on('exit', () => rmSync(state, { recursive: true, force: true }));
    // A report per version, for the counts of CI.
    const report = rest.map((option) => option.replace('%', major));
    return [
      ['the built program starts', ['dist/src/cli/main.js', '--help']],
      [
        'a whole sync against the sandbox',
        ['dist/src/cli/main.js', 'demo', '--once', '--rate', '30000', '--state', state],
      ],
      ['unit tests of what differs between versions', vitest('unit', SMOKE, report)],
    ];
  }
  return [
    ['types', ['node_modules/typescript/bin/tsc', '--noEmit']],
    ['unit tests', vitest('unit', [], rest)],
    [
      'workflow, replay and chosen end-to-end tests',
      vitest('workflows', ['test/workflows', 'test/replay', ...E2E], rest),
    ],
  ];
}

const args = process.argv.slice(2);
const majors = args.filter((arg) => /^\d+$/.test(arg));
const smoke = args.includes('--smoke');
const rest = args.filter((arg) => arg.startsWith('--') && arg !== '--smoke');
const files = args.filter((arg) => !arg.startsWith('--') && !majors.includes(arg));
const unknown = majors.filter((major) => PINS[major] === undefined);
if (majors.length === 0 || unknown.length > 0)
  fail(
    `Name one or more of these versions: ${Object.keys(PINS).join(', ')}, as in: npm run test:node -- 24`,
    2,
  );

const failed = [];
for (const major of majors) {
  const pin = PINS[major];
  // CI with that version runs all tests anyway.
  if (smoke && process.versions.node.startsWith(`${major}.`)) {
    process.stderr.write(`# This is Node ${process.versions.node}: the short set for ${major} is left out\n`);
    continue;
  }
  try {
    const folder = install(pin);
    for (const [title, step] of stepsOf(major, { smoke, rest, files })) {
      const name = `Node ${pin.version}: ${title}`;
      if (!runWith(folder, name, step)) failed.push(name);
    }
  } catch (error) {
    failed.push(error.message);
  }
}
if (failed.length > 0) fail(`Failed: ${failed.join('; ')}`);
