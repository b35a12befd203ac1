// Values that are kept for a moment: how long, for which viewers, and when new ones are made.
import { describe, expect, it } from 'vitest';
import { createMemo } from '../../../src/operator/service/memo.ts';

/** A memo with a clock of its own; making a value takes `tookMs`. */
function remembering(tookMs: number) {
  let ms = 0;
  let made = 0;
  const memo = createMemo<number>({ now: () => ms, size: 2 });
  const make = async () => {
    await Promise.resolve();
    ms += tookMs;
    made += 1;
    return made;
  };
  return { memo, get: (key = 'a') => memo.get(key, make), pass: (by: number) => void (ms += by) };
}

describe('a value', () => {
  it('is kept in proportion to what it took', async () => {
    const { get, pass } = remembering(10);
    expect(await get()).toBe(1);
    pass(199);
    expect(await get()).toBe(1);
    pass(1);
    expect(await get()).toBe(2);
  });

  it('is made once for callers at the same time', async () => {
    const { get } = remembering(10);
    expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
  });

  it('that took long is returned once more while a new one is made', async () => {
    const { get, pass } = remembering(200);
    expect(await get()).toBe(1);
    pass(4001);
    expect(await get()).toBe(1);
    await new Promise(setImmediate);
    expect(await get()).toBe(2);
    pass(30_000);
    expect(await get()).toBe(3);
  });

  it('is forgotten after a command, and when there are too many', async () => {
    const { memo, get } = remembering(10);
    expect([await get('run/1 x'), await get('run/2 x')]).toEqual([1, 2]);
    memo.forget('run/1 ');
    expect([await get('run/2 x'), await get('run/1 x')]).toEqual([2, 3]);
    await get('run/3 x');
    expect(await get('run/2 x')).toBe(5);
  });

  it('that could not be made is not kept', async () => {
    const memo = createMemo<number>();
    await expect(memo.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await memo.get('a', async () => 1)).toBe(1);
  });
});
