// What an embedded database begins with is unpacked for its owner only, and a folder that is not whole is never taken for one.
import { randomBytes } from 'node:crypto';
import { lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackTar } from '../../../../../src/core/sql/embedded/tar.ts';

let dir: string;
let umask: number;
beforeEach(async () => {
  umask = process.umask(0);
  dir = await mkdtemp(join(tmpdir(), 'sluice-tar-'));
});
afterEach(async () => {
  process.umask(umask);
  await rm(dir, { recursive: true, force: true });
});

function entry(name: string, content: Buffer | null): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 'latin1');
  header.write(`${(content?.length ?? 0).toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write(content === null ? '5' : '0', 156, 'latin1');
  const body = content ?? Buffer.alloc(0);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

async function* cut(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const BASE = randomBytes(1500);
const TAR = Buffer.concat([
  entry('/PG_VERSION', Buffer.from('18\n')),
  entry('/base', null),
  entry('/base/1', BASE),
  entry('/base/empty', Buffer.alloc(0)),
  entry('/base/block', randomBytes(512)),
  Buffer.alloc(1024),
]);

describe('a tar', () => {
  it.each([1, 511, 512, 513, 65_536])('is unpacked, in pieces of %i bytes', async (size) => {
    await unpackTar(cut(TAR, size), dir, 'PG_VERSION');
    expect((await readdir(dir, { recursive: true })).sort()).toEqual([
      'PG_VERSION',
      'base',
      'base/1',
      'base/block',
      'base/empty',
    ]);
    expect(await readFile(join(dir, 'base/1'))).toEqual(BASE);
    expect(await readFile(join(dir, 'PG_VERSION'), 'utf8')).toBe('18\n');
    for (const name of await readdir(dir, { recursive: true }))
      expect((await lstat(join(dir, name))).mode & 0o077).toBe(0);
  });

  it.each([100, 600, 1600, 3000])('that ends after %i bytes creates no database', async (length) => {
    await expect(unpackTar(cut(TAR.subarray(0, length), 512), dir, 'PG_VERSION')).rejects.toThrow(
      'the tar ends too early',
    );
    expect(await readdir(dir)).not.toContain('PG_VERSION');
  });

  it('without the last file is refused', async () => {
    await expect(unpackTar(cut(TAR, 512), dir, 'OTHER')).rejects.toThrow('the tar has no OTHER');
  });
});
