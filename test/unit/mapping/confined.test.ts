// Expressions of users against the limits of their thread.
import { expect, it } from 'vitest';
import { openConfined } from '../../../src/mapping/expression/confined.ts';

const LIMITS = { totalMs: 500, memoryMb: 64 };
/** How often a timer of this thread fires while `work` runs. */
async function beatsDuring(work: Promise<unknown>): Promise<number> {
  let beats = 0;
  const beat = setInterval(() => beats++, 5);
  await work.catch(() => undefined);
  clearInterval(beat);
  return beats;
}

it('values come out as in this thread', async () => {
  const confined = openConfined({ ...LIMITS, totalMs: 10_000 });
  const evaluate = confined.compile('[name, $uppercase(name), missing]', []);
  expect(await evaluate({ name: 'a' })).toEqual(['a', 'A']);
  await expect(confined.compile('$number(name)', [])({ name: 'a' })).rejects.toMatchObject({
    name: 'ValueError',
    code: 'expression_failed',
  });
  await expect(confined.compile('{"f": function($x){$x}}', [])({})).rejects.toMatchObject({
    name: 'ValueError',
  });
  expect(() => confined.compile('$eval("1")', [])).toThrow(/\$eval/);
  await confined.close();
});

it.each([
  ['never ends', '($f := function($n){$f($n + 1)}; $f(1))'],
  ['fills the memory', '($g := function($s){$g($s & $s & "x")}; $g("xxxxxxxxxxxxxxxxxxxxxxxx"))'],
])('an expression that %s ends with its request, and this thread goes on', async (_, source) => {
  const confined = openConfined(LIMITS);
  const evaluate = confined.compile(source, []);
  const began = performance.now();
  const rows = Promise.allSettled(Array.from({ length: 15 }, () => evaluate({})));
  // In this thread there would be none.
  expect(await beatsDuring(rows)).toBeGreaterThan(5);
  // 15 rows of 2 s each would take 30 s.
  expect(performance.now() - began).toBeLessThan(5000);
  for (const { status } of await rows) expect(status).toBe('rejected');
  await confined.close();
});
