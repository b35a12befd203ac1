// `npm run test:fuzz`: Schemathesis makes calls out of the sandbox's own OpenAPI document, and holds every answer against it.
// Needs Python 3.10 or newer; the pinned version is installed once, in a folder of the user's cache. Exit code 1 on a failure.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const VERSION = '4.32.5';
const root = resolve(import.meta.dirname, '../..');
const { cacheDirOf } = await import(join(root, 'dist/src/temporal/cache-dir.js'));
const run = promisify(execFile);

const started = performance.now();
const scratch = await mkdtemp(join(tmpdir(), 'sluice-fuzz-'));
try {
  const program = await installed(join(cacheDirOf(process.env), `schemathesis-${VERSION}`));
  process.exitCode = await fuzz(program);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** @returns The path of the program in a virtual environment of its own. */
async function installed(folder) {
  const program = join(folder, 'bin/schemathesis');
  // Written last, so that a broken installation is not taken for a good one.
  const done = join(folder, 'bin/.complete');
  if ((await stat(done).catch(() => null)) !== null) return program;
  process.stderr.write(`fuzz: installing schemathesis ${VERSION} into ${folder}\n`);
  await rm(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin/pip'), [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    `schemathesis==${VERSION}`,
  ]);
  await run('touch', [done]);
  return program;
}

async function fuzz(program) {
  const fixture = join(root, 'test/fuzz/fixture.json');
  const limits = ['--rate', '0', '--hook-rate', '0'];
  const sandbox = spawn(
    process.execPath,
    [
      'dist/src/cli/main.js',
      'sandbox',
      '--port',
      '0',
      '--data',
      join(scratch, 'state'),
      '--fixture',
      fixture,
      ...limits,
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const [line] = await Promise.race([
      once(createInterface({ input: sandbox.stdout }), 'line'),
      once(sandbox, 'exit').then(([code]) =>
        Promise.reject(new Error(`the sandbox ended with exit code ${code}`)),
      ),
    ]);
    const { baseUrl, panelUrl } = JSON.parse(line);
    const report = join(scratch, 'report.json');
    const config = join(root, 'test/fuzz/schemathesis.toml');
    const child = spawn(
      program,
      [
        '--config-file',
        config,
        'run',
        `${baseUrl}/openapi.json`,
        '--report-json-path',
        report,
        ...process.argv.slice(2),
      ],
      {
        cwd: scratch,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, PYTHONPATH: join(root, 'test/fuzz'), PYTHONDONTWRITEBYTECODE: '1' },
      },
    );
    const [code] = await once(child, 'exit');
    const { requests } = await (await fetch(`${panelUrl}/requests`)).json();
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    const figures = {
      version: VERSION,
      ...summary(JSON.parse(await readFile(report, 'utf8'))),
      calls: requests.length,
      seconds,
    };
    const broken = requests.filter(({ status }) => status >= 500).length;
    process.stdout.write(`${JSON.stringify({ fuzz: 'sandbox', ...figures, serverErrors: broken })}\n`);
    return code === 0 && broken === 0 && figures.operations > 0 ? 0 : 1;
  } finally {
    sandbox.kill('SIGTERM');
    if (sandbox.exitCode === null) await once(sandbox, 'exit');
  }
}

function summary({ seed, operations, test_cases: cases, failures, errors }) {
  return {
    seed,
    operations: operations.tested,
    cases: cases.generated,
    failures: cases.unique_failures,
    kinds: failures.map(({ code, title, count }) => `${code} ${title}: ${count}`),
    errors: errors.length,
  };
}
