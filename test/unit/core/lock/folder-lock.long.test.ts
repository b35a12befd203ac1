import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  acquireFolderLock,
  type FolderLock,
  FolderLockedError,
  readFolderLock,
} from '../../../../src/core/lock/folder-lock.ts';
import { buildOnce } from '../../../support/runner/build.ts';
import { type Child, runModule } from '../../../support/runner/child.ts';

// Many real processes: on a loaded machine each takes seconds to begin.
const PATIENT = { timeout: 60_000 };

let dist: string;
let base: string;
let folder: string;
const children: Child[] = [];
const locks: FolderLock[] = [];

beforeAll(async () => {
  dist = await buildOnce();
});
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sluice-lock-'));
  folder = join(base, 'state');
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  await Promise.all(locks.splice(0).map((lock) => lock.release()));
  await rm(base, { recursive: true, force: true });
});

async function take(path = folder): Promise<FolderLock> {
  const lock = await acquireFolderLock(path, { command: 'test run', port: 7233 });
  locks.push(lock);
  return lock;
}

/** A process that tries for the folder when asked to, says `got` or the error's name, and then waits. */
function contender(path = folder): Child {
  const child = runModule(
    `import { acquireFolderLock } from ${JSON.stringify(join(dist, 'src/core/lock/folder-lock.js'))};
     console.log('ready');
     process.stdin.once('data', async () => {
       try {
         globalThis.lock = await acquireFolderLock(process.env.FOLDER, { command: 'contender' });
         console.log('got');
       } catch (error) { console.log(error.name + ' ' + error.holder?.pid); }
     });`,
    { FOLDER: path },
  );
  children.push(child);
  return child;
}

async function holder(path = folder): Promise<Child> {
  const child = contender(path);
  await child.line();
  child.send('go');
  expect(await child.line()).toBe('got');
  return child;
}

describe('a locked folder', PATIENT, () => {
  it('refuses a second process and names the holder, its command, since when, and the fix', async () => {
    const child = await holder();
    const error = await take().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FolderLockedError);
    const { message, holder: info } = error as FolderLockedError;
    expect(info?.pid).toBe(child.pid);
    expect(message).toContain(`process ${child.pid} (contender, since ${info?.since})`);
    expect(message).toContain(`kill ${child.pid}`);
    expect(info?.since).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it.runIf(process.platform === 'linux')(
    'says so where no folder can be made, instead of trying for ever',
    async () => {
      await expect(take('/proc/sluice/state')).rejects.toMatchObject({ cause: { code: 'ENOENT' } });
      await writeFile(folder, '');
      await expect(take()).rejects.toMatchObject({ cause: { code: 'EEXIST' } });
      await expect(take(join(folder, 'below'))).rejects.toMatchObject({ cause: { code: 'ENOTDIR' } });
    },
  );

  it('makes the folders above, too', async () => {
    await take(join(base, 'a', 'b', 'c'));
  });

  it('refuses a second holder inside one process', async () => {
    await take();
    await expect(take()).rejects.toThrow(`process ${process.pid} (test run`);
  });

  it('is the same folder under a link and under a new name', async () => {
    await take();
    const link = join(base, 'link');
    await symlink(folder, link);
    await expect(take(link)).rejects.toThrow(FolderLockedError);
    await rename(folder, join(base, 'renamed'));
    await expect(take(join(base, 'renamed'))).rejects.toThrow(FolderLockedError);
  });

  it('leaves its neighbour and its parent free', async () => {
    await take();
    await take(join(base, 'other'));
    await take(base);
  });

  it('refuses at once when the holder is stopped and cannot answer', async () => {
    const child = await holder();
    process.kill(child.pid, 'SIGSTOP');
    await expect(take()).rejects.toThrow(`process ${child.pid}`);
  });

  it('shows what the holder wrote, and what it wrote later', async () => {
    const lock = await take();
    expect(await readFolderLock(folder)).toMatchObject({ pid: process.pid, command: 'test run', port: 7233 });
    await lock.update({ command: 'test run', address: '127.0.0.1:1' });
    const info = await readFolderLock(folder);
    expect(info).toMatchObject({ pid: process.pid, address: '127.0.0.1:1' });
    expect(info).not.toHaveProperty('port');
  });

  it('has an unknown owner when its file was destroyed, and stays locked', async () => {
    await take();
    await writeFile(join(folder, 'holder.json'), '{"pid":');
    const error = await take().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'FolderLockedError', holder: null });
  });
});

describe('a free folder', PATIENT, () => {
  it('has no holder before, after and without a folder', async () => {
    expect(await readFolderLock(folder)).toBeNull();
    const lock = await take();
    await lock.release();
    await lock.release();
    expect(await readFolderLock(folder)).toBeNull();
    await take();
  });

  it('is taken by the next process after kill -9, and the dead one is not named', async () => {
    const child = await holder();
    await child.kill('SIGKILL');
    expect(JSON.parse(await readFile(join(folder, 'holder.json'), 'utf8')).pid).toBe(child.pid);
    expect(await readFolderLock(folder)).toBeNull();
    await take();
    expect((await readFolderLock(folder))?.pid).toBe(process.pid);
  });

  it('is free although the dead holder left a pid that now belongs to another process', async () => {
    const child = await holder();
    await child.kill('SIGKILL');
    const file = join(folder, 'holder.json');
    const left = JSON.parse(await readFile(file, 'utf8'));
    const bystander = spawn('sleep', ['60']);
    await writeFile(file, JSON.stringify({ ...left, pid: bystander.pid }));
    expect(await readFolderLock(folder)).toBeNull();
    await take();
    expect(bystander.exitCode).toBeNull();
    bystander.kill();
    await once(bystander, 'close');
  });

  it('goes to exactly one of 20 processes that race for it after kill -9', async () => {
    const first = await holder();
    const racers = Array.from({ length: 20 }, () => contender());
    await Promise.all(racers.map((racer) => racer.line()));
    await first.kill('SIGKILL');
    for (const racer of racers) racer.send('go');
    const answers = await Promise.all(racers.map((racer) => racer.line()));
    const winner = racers[answers.indexOf('got')];
    expect(answers.filter((answer) => answer === 'got')).toHaveLength(1);
    expect(answers.filter((answer) => answer === `FolderLockedError ${winner?.pid}`)).toHaveLength(19);
  });

  it('goes to one at a time while 4 processes are killed and replaced again and again', async () => {
    for (let round = 0; round < 5; round++) {
      const racers = Array.from({ length: 4 }, () => contender());
      await Promise.all(racers.map((racer) => racer.line()));
      for (const racer of racers) racer.send('go');
      const answers = await Promise.all(racers.map((racer) => racer.line()));
      expect(answers.filter((answer) => answer === 'got')).toHaveLength(1);
      await Promise.all(racers.map((racer) => racer.kill('SIGKILL')));
    }
  });
});

it('a holder with nothing else to do ends by itself', async () => {
  const child = runModule(
    `import { acquireFolderLock } from ${JSON.stringify(join(dist, 'src/core/lock/folder-lock.js'))};
     await acquireFolderLock(${JSON.stringify(folder)}, { command: 'short' });`,
  );
  children.push(child);
  child.process.stdin?.end();
  expect(await child.ended()).toEqual({ code: 0, signal: null });
});
