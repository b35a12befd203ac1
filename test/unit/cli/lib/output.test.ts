import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openOutput } from '../../../../src/cli/lib/terminal/output.ts';

let dir: string;
let file: string;
let umask: number;
beforeEach(async () => {
  umask = process.umask(0);
  dir = await mkdtemp(join(tmpdir(), 'sluice-output-'));
  file = join(dir, 'people.csv');
});
afterEach(async () => {
  process.umask(umask);
  await rm(dir, { recursive: true, force: true });
});

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('an export to a file', () => {
  it('is for its owner only, also when a file was there that all could read', async () => {
    await writeFile(file, 'old');
    await chmod(file, 0o666);
    const output = openOutput(file);
    await output.write('new');
    expect(await readFile(file, 'utf8')).toBe('old');
    await output.close();
    expect(await readFile(file, 'utf8')).toBe('new');
    expect(await modeOf(file)).toBe(0o600);
    expect(await readdir(dir)).toEqual(['people.csv']);
  });

  it('leaves what is there alone while it is written, in a file that nobody else may read', async () => {
    const output = openOutput(file);
    await output.write('half');
    const draft = await vi.waitFor(async () => {
      const [name = ''] = await readdir(dir);
      expect(name).toMatch(/^people\.csv\.[0-9a-f]{8}\.part$/);
      return name;
    });
    expect(await modeOf(join(dir, draft))).toBe(0o600);
    await output.close();
  });

  it('goes where a link leads, and the link stays', async () => {
    await mkdir(join(dir, 'real'));
    await writeFile(join(dir, 'real/people.csv'), 'old');
    await symlink(join(dir, 'real/people.csv'), file);
    const output = openOutput(file);
    await output.write('new');
    await output.close();
    expect(await readlink(file)).toBe(join(dir, 'real/people.csv'));
    expect(await readFile(join(dir, 'real/people.csv'), 'utf8')).toBe('new');
  });

  it('writes to a device as it is', async () => {
    const output = openOutput('/dev/null');
    await output.write('gone');
    await output.close();
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  it.each([
    ['a folder that is not there', () => join(dir, 'no/people.csv'), ': there is no folder', 3],
    ['a folder', () => dir, ' (EISDIR)', 1],
  ])('names %s', async (_name, path, why, exitCode) => {
    const output = openOutput(path());
    await output.write('x').catch(() => undefined);
    const message = expect.stringContaining(`${path()} can't be written${why}`);
    await expect(output.close()).rejects.toMatchObject({ message, exitCode });
  });
});

it('an output to stdout leaves no listener on it', async () => {
  const before = process.stdout.listenerCount('error');
  const output = openOutput(null);
  expect(process.stdout.listenerCount('error')).toBe(before + 1);
  await output.close();
  expect(process.stdout.listenerCount('error')).toBe(before);
});
