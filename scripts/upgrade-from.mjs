// `npm run test:upgrade -- COMMIT`: builds that commit beside this one, and replaces its workers and ingresses by those of
// this one while events come in. Nothing may be lost, and nothing may happen twice.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const { argv, env } = process;
const [commit] = argv.slice(2);
if (commit === undefined) {
  process.stderr.write('name the commit or tag to upgrade from: npm run test:upgrade -- COMMIT\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'));
const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: ['ignore', 2, 2] });
try {
  process.stderr.write(`building ${commit}\n`);
  run('git', 'clone', '-q', '--shared', '--no-checkout', root, '.');
  run('git', 'checkout', '-q', '--detach', commit);
  // Its install script builds it.
  run('npm', 'ci', '--no-audit', '--no-fund');
  const { status } = spawnSync(
    'npx',
    ['vitest', 'run', '--project', 'long', 'test/e2e/deploy/rolling.long.test.ts'],
    { cwd: root, stdio: 'inherit', env: { ...env, SLUICE_UPGRADE_FROM: join(folder, 'dist') } },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
