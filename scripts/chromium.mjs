// Prints the path of a Chromium, for tests and pictures: CHROMIUM_PATH, the system's, or the one that Playwright brought.
// Where there is none, it installs one: from the distribution as root, else by Playwright's own download. Their output
// goes to stderr. It ends with exit code 3 and one line when there is no way to a browser.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const NONE = 3;

function find() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...paths, MAC, chromium.executablePath()].find((path) => existsSync(path));
}

/** True when the command ran to its end. */
function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 2, 2], timeout: 600_000 });
  return status === 0;
}

function install() {
  process.stderr.write('Installing Chromium once\n');
  if (process.getuid?.() === 0) {
    // Another program may install something at the same moment.
    const apt = ['-o', 'DPkg::Lock::Timeout=300', '-q'];
    if (
      run('apt-get', [...apt, 'update']) &&
      run('apt-get', [...apt, 'install', '-y', '--no-install-recommends', 'chromium'])
    )
      return find();
  }
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')), 'cli.js');
  return run(process.execPath, [cli, 'install', '--no-shell', 'chromium']) ? find() : undefined;
}

const path = find() ?? install();
if (path === undefined) {
  process.stderr.write(
    'There is no Chromium, and none could be installed; install one, or set CHROMIUM_PATH\n',
  );
  process.exitCode = NONE;
} else process.stdout.write(`${path}\n`);
