// Work in a thread of its own: limits end it, and the thread serves the next work unless a limit ended it.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createThread, ThreadStoppedError } from '../../../src/core/thread.ts';

/** An array: throw once its first item is not 0. */
type Work = 'id' | 'loop' | 'fill' | 'throw' | 'leave' | Int32Array;

const CODE = `
  import { parentPort, threadId } from 'node:worker_threads';
  const works = {
    id: () => parentPort.postMessage(threadId),
    loop: () => { for (;;); },
    fill: () => { const all = []; for (;;) all.push({ at: String(all.length).repeat(100) }); },
    throw: () => { throw new RangeError('out of range'); },
    leave: () => process.exit(3),
  };
  parentPort.on('message', (work) => {
    if (typeof work === 'string') return works[work]();
    Atomics.wait(work, 0, 0);
    works.throw();
  });
  parentPort.postMessage('ready');
`;
const FILE = new URL(`data:text/javascript,${encodeURIComponent(CODE)}`);
const open = (idleMs = 60_000) => createThread<Work, number>(FILE, idleMs);
const LIMITS = { totalMs: 60_000, memoryMb: 32 };

describe('a thread', () => {
  it('does the next work too', async () => {
    const thread = open();
    const first = await thread.run('id', LIMITS);
    expect(await thread.run('id', LIMITS)).toBe(first);
    expect(await thread.run('id', LIMITS)).toBe(first);
  });

  it('has one work at a time: two at once have two, of which one stays', async () => {
    const thread = open();
    const [a, b] = await Promise.all([thread.run('id', LIMITS), thread.run('id', LIMITS)]);
    expect(a).not.toBe(b);
    expect([a, b]).toContain(await thread.run('id', LIMITS));
  });

  it('serves only work with its own limit of memory', async () => {
    const thread = open();
    const first = await thread.run('id', LIMITS);
    expect(await thread.run('id', { ...LIMITS, memoryMb: 64 })).not.toBe(first);
    expect(await thread.run('id', LIMITS)).toBe(first);
  });

  it('ends after its idle time', async () => {
    const thread = open(1);
    const first = await thread.run('id', LIMITS);
    let next = first;
    while (next === first) {
      await delay(20);
      next = await thread.run('id', LIMITS);
    }
  });
});

describe('work', () => {
  it.each<[Work, object, string, RegExp]>([
    ['loop', { totalMs: 20, memoryMb: 32 }, 'ThreadStoppedError', /^the work took more than 0\.02 s$/],
    ['fill', LIMITS, 'ThreadStoppedError', /^the work took more than 32 MB of memory$/],
    ['throw', LIMITS, 'RangeError', /^out of range$/],
    ['leave', LIMITS, 'Error', /^the thread ended with code 3$/],
  ])(
    '%s: fails with its reason, alone and beside others, and the next gets a new thread',
    async (work, limits, name, message) => {
      const thread = open();
      const first = await thread.run('id', LIMITS);
      const failed = thread.run(work, limits as typeof LIMITS);
      const beside = thread.run('id', LIMITS);
      await expect(failed).rejects.toMatchObject({ name, message: expect.stringMatching(message) });
      expect(await beside).not.toBe(first);
      expect(await thread.run('id', LIMITS)).not.toBe(first);
    },
  );

  it('that fails after its limit, while this process is busy, does not end this process', async () => {
    const uncaught: Error[] = [];
    const note = (error: Error) => void uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    const thread = open();
    await thread.run('id', LIMITS);
    const gate = new Int32Array(new SharedArrayBuffer(8));
    const failed = thread.run(gate, { ...LIMITS, totalMs: 20 });
    // The thread fails while this one is busy. After that the timers come first, and the error of the thread only then.
    setImmediate(() => {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
      Atomics.wait(gate, 1, 0, 500);
    });
    await expect(failed).rejects.toThrow(ThreadStoppedError);
    await thread.run('id', LIMITS);
    process.off('uncaughtExceptionMonitor', note);
    expect(uncaught).toEqual([]);
  });

  it('that cannot be sent fails, and nothing else', async () => {
    const rejected: unknown[] = [];
    const note = (reason: unknown) => void rejected.push(reason);
    process.on('unhandledRejection', note);
    const thread = open();
    await thread.run('id', LIMITS);
    await expect(thread.run((() => 1) as never, LIMITS)).rejects.toThrow('could not be cloned');
    await thread.run('id', LIMITS);
    process.off('unhandledRejection', note);
    expect(rejected).toEqual([]);
  });

  it.each([
    ['throws', 'throw new TypeError("no")', 'no'],
    ['ends', 'process.exit(4)', 'the thread ended with code 4'],
  ])('in a thread that %s while it loads fails', async (_, code, message) => {
    const broken = createThread<Work, number>(new URL(`data:text/javascript,${code}`), 1000);
    await expect(broken.run('id', LIMITS)).rejects.toThrow(message);
  });

  it('says which limit it exceeded', () => {
    expect(new ThreadStoppedError('5 s')).toMatchObject({
      limit: '5 s',
      message: 'the work took more than 5 s',
    });
  });
});
