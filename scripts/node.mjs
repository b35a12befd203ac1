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
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const { env } = process;
const { versions } = JSON.parse(readFileSync(new URL('node-versions.json', import.meta.url), 'utf8'));

/** The folder of Sluice's other downloads, or a temporary one where the home folder is read-only. */
function cacheFolder() {
  const xdg = env.XDG_CACHE_HOME;
  const folder = join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.cache'), 'sluice');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    const temporary = mkdtempSync(join(tmpdir(), 'sluice-node-'));
    process.stderr.write(`${folder} can't be made (${error.code}), so Node goes to ${temporary}\n`);
    return temporary;
  }
}

function execute(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with exit code ${status}`);
}

/** npm checks its own hash too; this one is in the repository. */
function install({ version, packages }, cache) {
  const folder = join(cache, `node-${version}`);
  if (existsSync(join(folder, 'node'))) return folder;
  const platform = `${process.platform}-${process.arch}`;
  const packed = packages[platform];
  if (packed === undefined)
    throw new Error(`no build of Node ${version} for ${platform} is pinned; install it yourself`);
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
  process.stdout.write(`${install(pin, cacheFolder())}\n`);
} catch (error) {
  process.stderr.write(`scripts/node.mjs: ${error.message}\n`);
  process.exitCode = pin === undefined ? 2 : 1;
}
