import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildOnce } from '../../../support/runner/build.ts';
import { type Child, runModule } from '../../../support/runner/child.ts';

const children: Child[] = [];
let dist: string;
beforeAll(async () => {
  dist = await buildOnce();
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
});

/** A command whose work is `work`, as `sluice` runs it. */
async function start(work: string, options = '{}'): Promise<Child> {
  const child = runModule(
    `import { runCommand, stopRequested } from ${JSON.stringify(join(dist, 'src/cli/lib/connect/lifetime.js'))};
     const alive = setInterval(() => {}, 60_000);
     process.exitCode = await runCommand(async (shutdown) => {
       console.log('up');
       ${work}
     }, ${options});
     process.exit();`,
  );
  children.push(child);
  expect(await child.line()).toBe('up');
  return child;
}

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  it.each([
    ['never settles', 'await new Promise(() => {});', '{}', 130],
    ['ends well because it was stopped', 'await stopRequested(shutdown); return 0;', '{}', 130],
    ['fails because it was stopped', 'await stopRequested(shutdown); throw new Error("closed");', '{}', 130],
    ['found records that failed', 'await stopRequested(shutdown); return 6;', '{}', 6],
    ['stays up until it is stopped', 'await stopRequested(shutdown); return 0;', '{ staysUp: true }', 0],
    [
      'stays up and fails while it closes',
      'await stopRequested(shutdown); throw new Error("closed");',
      '{ staysUp: true }',
      0,
    ],
  ])('ends a command whose work %s with the right code', async (_work, work, options, code) => {
    const child = await start(work, options);
    process.kill(child.pid, signal);
    expect(await child.ended()).toEqual({ code, signal: null });
  });
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'ends a command at %s although a part of it never closes, and a thread never returns',
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-lifetime-'));
    try {
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      // process.exit alone would wait for this open for ever.
      const child = await start(
        `(await import('node:fs')).open(${JSON.stringify(pipe)}, 'r', () => {});
         shutdown.add('stuck', () => new Promise(() => {}));
         await new Promise(() => {});`,
      );
      process.kill(child.pid, signal);
      expect(await child.ended()).toEqual({ code: null, signal: 'SIGINT' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

it('leaves the exit code of work that ends by itself', async () => {
  expect(await (await start('return 0;')).ended()).toEqual({ code: 0, signal: null });
  expect(await (await start('return 3;')).ended()).toEqual({ code: 3, signal: null });
});
