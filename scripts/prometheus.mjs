// Prints the folder with `prometheus` and `promtool`: PROMETHEUS_DIR, or that of the system's. Where there is none, it
// takes Debian's package apart in node_modules/.cache: installing the package would also start a server.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CACHE = resolve(import.meta.dirname, '../node_modules/.cache');
const UNPACKED = join(CACHE, 'prometheus');
const { env } = process;
const BIN = join(UNPACKED, 'usr/bin');

function find() {
  const folders = [env.PROMETHEUS_DIR, ...(env.PATH ?? '').split(':'), BIN];
  return folders.find((folder) => folder && existsSync(join(folder, 'promtool')));
}

function download() {
  const folder = `${UNPACKED}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  const run = (command, ...args) =>
    execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    try {
      run('apt-get', 'download', '-q', 'prometheus');
    } catch {
      // A new machine has no list of packages yet. The second try reports what is wrong.
      run('apt-get', '-o', 'DPkg::Lock::Timeout=300', 'update', '-q');
      run('apt-get', 'download', '-q', 'prometheus');
    }
    const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
    run('dpkg', '-x', file, 'unpacked');
    // Another process may have been faster.
    if (!existsSync(UNPACKED)) renameSync(join(folder, 'unpacked'), UNPACKED);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (find() === undefined) download();
process.stdout.write(`${find()}\n`);
