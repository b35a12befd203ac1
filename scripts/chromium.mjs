// Prints the path of a Chromium, for tests in a browser: CHROMIUM_PATH, or the system's. Where there is none, it installs
// the one of the distribution, which needs apt-get and root.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

function find() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/usr/local/bin'];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
}

function install() {
  // Another test may install it at the same moment.
  const run = (...args) =>
    execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  run('update', '-q');
  run('install', '-y', '-q', '--no-install-recommends', 'chromium');
}

let path = find();
if (path === undefined) {
  install();
  path = find();
}
if (path === undefined) throw new Error('there is no Chromium; install one, or set CHROMIUM_PATH');
process.stdout.write(`${path}\n`);
