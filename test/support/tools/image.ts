// Builds the image and runs commands in it: with Docker, or with buildah where no Docker daemon answers.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../../..');
const TAG = 'localhost/sluice-test';
const run = promisify(execFile);
/** buildah without a daemon, also inside a container. */
const BUILDAH = { ...process.env, BUILDAH_ISOLATION: 'chroot', STORAGE_DRIVER: 'vfs' };

export interface ImageProcess {
  readonly child: ChildProcess;
  /** What it wrote to stdout and stderr. */
  output(): string;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Folder that is mounted read-only as /config. */
  readonly config?: string;
}

export interface Image {
  /** Bytes of the image, and of the base under it. */
  size(): Promise<{ whole: number; base: number }>;
  /** Starts `sluice` with these arguments on the network of this machine. */
  start(args: readonly string[], options?: RunOptions): Promise<ImageProcess>;
  /** Runs a program of the image to its end, and returns its stdout. Rejects if it fails. */
  exec(command: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Null when there is neither a Docker daemon nor buildah. The variable SLUICE_IMAGE_BASE names an image to use instead of
 * the pinned base, for machines that reach no image registry.
 */
export async function buildImage(): Promise<Image | null> {
  const docker = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
  if (!docker && spawnSync('buildah', ['--version'], { stdio: 'ignore' }).status !== 0) return null;
  const folder = await mkdtemp(join(tmpdir(), 'sluice-image-'));
  const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
  const [, pinned = ''] = /^FROM (node:\S+) AS base$/m.exec(dockerfile) ?? [];
  const base = process.env.SLUICE_IMAGE_BASE ?? pinned;
  const file = join(folder, 'Dockerfile');
  await writeFile(file, dockerfile.replace(pinned, base));
  try {
    if (docker) await follow('docker', ['build', '--file', file, '--tag', TAG, ROOT]);
    else
      await follow(
        'buildah',
        ['bud', '--layers', '--pull=missing', '--format=docker', '--file', file, '--tag', TAG, ROOT],
        BUILDAH,
      );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return docker ? dockerImage(base) : await buildahImage(base);
}

/** Builds take minutes, so their output is shown. */
async function follow(command: string, args: readonly string[], env = process.env): Promise<void> {
  const child = spawn(command, args, { env, stdio: ['ignore', 2, 2] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args[0]} ended with exit code ${code}`);
}

function started(
  command: string,
  args: readonly string[],
  env = process.env,
  end?: () => Promise<void>,
): ImageProcess {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const closed = once(child, 'close');
  return {
    child,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM');
      await closed;
      await end?.();
    },
  };
}

const SAFE = ['--read-only', '--tmpfs=/tmp', '--tmpfs=/var/lib/sluice:mode=1777', '--cap-drop=ALL'];

function dockerImage(base: string): Image {
  const sizeOf = async (name: string) =>
    Number((await run('docker', ['image', 'inspect', '--format={{.Size}}', name])).stdout);
  return {
    size: async () => ({ whole: await sizeOf(TAG), base: await sizeOf(base) }),
    async start(args, { env = {}, config } = {}) {
      const variables = Object.entries(env).map(([name, value]) => `--env=${name}=${value}`);
      const mount = config === undefined ? [] : [`--volume=${config}:/config:ro`];
      return started('docker', [
        'run',
        '--rm',
        '--init',
        '--network=host',
        ...SAFE,
        ...variables,
        ...mount,
        TAG,
        ...args,
      ]);
    },
    exec: async ([program = '', ...args]) =>
      (await run('docker', ['run', '--rm', `--entrypoint=${program}`, TAG, ...args])).stdout,
    async remove() {
      await run('docker', ['image', 'rm', '--force', TAG]);
    },
  };
}

async function buildahImage(base: string): Promise<Image> {
  const buildah = async (...args: string[]) => (await run('buildah', args, { env: BUILDAH })).stdout.trim();
  const containers: string[] = [];
  const container = async (from = TAG) => {
    const name = await buildah('from', '--pull-never', from);
    containers.push(name);
    return name;
  };
  const bytesOf = async (name: string) => {
    const folder = await buildah('mount', name);
    const { stdout } = await run('du', ['-sxB1', folder]);
    await buildah('umount', name);
    return Number.parseInt(stdout, 10);
  };
  const { OCIv1 } = JSON.parse(await buildah('inspect', '--type=image', TAG)) as {
    OCIv1: { config: { Entrypoint: string[] } };
  };
  const entrypoint = OCIv1.config.Entrypoint;
  return {
    size: async () => ({
      whole: await bytesOf(await container()),
      base: await bytesOf(await container(base)),
    }),
    async start(args, { env = {}, config } = {}) {
      const name = await container();
      const variables = Object.entries(env).map(([key, value]) => `--env=${key}=${value}`);
      const mount = config === undefined ? [] : [`--volume=${config}:/config:ro`];
      return started('buildah', ['run', ...variables, ...mount, name, '--', ...entrypoint, ...args], BUILDAH);
    },
    exec: async (command) => await buildah('run', await container(), '--', ...command),
    async remove() {
      for (const name of containers) await buildah('rm', name);
      await buildah('rmi', TAG);
    },
  };
}
