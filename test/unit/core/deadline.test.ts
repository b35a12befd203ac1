import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { deadlineSignal } from '../../../src/core/deadline.ts';

describe('a deadline', () => {
  it('comes, also where only AbortSignal.any refers to it and garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const outer = new AbortController();
    const late = Array.from({ length: 50 }, () => lateOf(outer.signal));
    await delay(20);
    collect();
    expect(new Set(await Promise.all(late))).toEqual(new Set(['TimeoutError']));
  });

  it('leaves the reason to whoever ends the work before', () => {
    const outer = new AbortController();
    const both = AbortSignal.any([outer.signal, deadlineSignal(60_000)]);
    outer.abort(new Error('enough'));
    expect(both.reason).toMatchObject({ message: 'enough' });
  });
});

function lateOf(outer: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const within = AbortSignal.any([outer, deadlineSignal(100)]);
    within.addEventListener('abort', () => resolve((within.reason as Error).name), { once: true });
  });
}
