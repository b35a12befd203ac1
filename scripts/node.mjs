// `node scripts/node.mjs 24` prints a folder with that version of Node, for the front of your PATH. It downloads, once,
// the build that scripts/node-versions.json pins: the npm registry has builds of Node as packages. It runs on old versions
// of Node too.
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
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// In the clone: `npm ci` removes node_modules, and tests start Node as other users.
const cache = process.env.SLUICE_NODE_CACHE ?? fileURLToPath(new URL('../.node', import.meta.url));
const { versions } = JSON.parse(readFileSync(new URL('node-versions.json', import.meta.url), 'utf8'));

function execute(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with exit code ${status}`);
}

/** npm checks its own hash too; this one is in the repository. */
function install({ version, packages }) {
  const folder = join(cache, `node-${version}`);
  if (existsSync(join(folder, 'node'))) return folder;
  const platform = `${process.platform}-${process.arch}`;
  const packed = packages[platform];
  if (packed === undefined)
    throw new Error(`no build of Node ${version} for ${platform} is pinned; install it yourself`);
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'unfinished-'));
  try {
    const spec = `${packed.name}@${version}`;
    process.stderr.write(`Downloading ${spec}\n`);
    execute('npm', ['pack', '--silent', '--pack-destination', draft, spec], draft);
    const archive = join(draft, readdirSync(draft)[0]);
    const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (integrity !== packed.integrity)
      throw new Error(`${spec} is refused: its hash is ${integrity}, and ${packed.integrity} is pinned`);
    execute('tar', ['-xzf', archive, '-C', draft, '--strip-components=2', 'package/bin/node'], draft);
    rmSync(archive);
    // Tests start programs as other users.
    chmodSync(draft, 0o755);
    renameSync(draft, folder);
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(join(folder, 'node'))) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

const pin = Object.hasOwn(versions, process.argv[2] ?? '') ? versions[process.argv[2]] : undefined;
try {
  if (pin === undefined) throw new Error(`name one of these versions: ${Object.keys(versions).join(', ')}`);
  process.stdout.write(`${install(pin)}\n`);
} catch (error) {
  process.stderr.write(`scripts/node.mjs: ${error.message}\n`);
  process.exitCode = pin === undefined ? 2 : 1;
}
