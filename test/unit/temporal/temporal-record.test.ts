import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSameProcess, processStart } from '../../../src/core/lock/process-identity.ts';
import { endProcess, readServerRecord, writeServerRecord } from '../../../src/temporal/temporal-record.ts';

const children: ChildProcess[] = [];

async function child(script: string): Promise<{ pid: number; start: string; ended: Promise<unknown[]> }> {
  const process = spawn('sh', ['-c', `${script}; echo up; while :; do sleep 0.05; done`]);
  children.push(process);
  await once(process.stdout, 'data');
  const pid = process.pid as number;
  return { pid, start: processStart(pid) as string, ended: once(process, 'exit') };
}

afterEach(async () => {
  for (const process of children.splice(0)) {
    if (process.exitCode === null && process.signalCode === null) {
      process.kill('SIGKILL');
      await once(process, 'exit');
    }
  }
});

describe('endProcess', () => {
  it('ends by SIGTERM what listens to it', async () => {
    const { ended, ...target } = await child('trap "exit 5" TERM');
    await endProcess(target, 30_000);
    expect(await ended).toEqual([5, null]);
  });

  it('ends by SIGKILL, after the grace, what does not listen', async () => {
    const { ended, ...target } = await child('trap "" TERM');
    await endProcess(target, 30);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it.each([
    ['was started at another time', (start: string) => `${start}0`],
    ['is of another boot', (start: string) => `other:${start.split(':')[1]}`],
    ['has no recorded start', () => null],
  ])('leaves alone a process that %s', async (_case, change) => {
    const { pid, start } = await child(':');
    await endProcess({ pid, start: change(start) }, 0);
    expect(isSameProcess(pid, start)).toBe(true);
  });

  it('has nothing to do when the process ended before', async () => {
    const { ended, ...target } = await child(':');
    process.kill(target.pid, 'SIGKILL');
    await ended;
    await endProcess(target, 0);
  });
});

describe('processStart', () => {
  it.each([0, -1, 1.5, Number.NaN, 2 ** 31 - 1])('of pid %d is null', (pid) => {
    expect(processStart(pid)).toBeNull();
  });

  it('of a process that ended but was not yet collected is null', async () => {
    // The shell starts a child, then becomes a program that never collects it.
    const process = spawn('sh', ['-c', 'sh -c "exit 0" & echo $!; exec sleep 60']);
    children.push(process);
    const [line] = await once(process.stdout, 'data');
    const pid = Number(String(line));
    while (processStart(pid) !== null) await new Promise(setImmediate);
    expect(processStart(process.pid as number)).not.toBeNull();
  });
});

describe('the record', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-record-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('comes back as it was written', async () => {
    const record = {
      pid: 7,
      start: 'b:1',
      port: 7233,
      ui: null,
      binary: '/bin/temporal',
      settings: ['--x'],
    };
    writeServerRecord(folder, record);
    expect(await readServerRecord(folder)).toEqual(record);
  });

  it.each([null, '', '{"pid":', '[]', '{}', '{"pid":-1}'])('that reads %j counts as none', async (text) => {
    if (text !== null) await writeFile(join(folder, 'temporal.json'), text);
    expect(await readServerRecord(folder)).toBeNull();
  });
});
