// A command that meets a running Sluice: it must not act on another configuration than the one that the user names.
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { connectRunning } from '../../../../src/cli/lib/connect/connect.ts';
import { EXIT } from '../../../../src/cli/lib/exit.ts';
import { acquireFolderLock } from '../../../../src/core/lock/folder-lock.ts';
import type { Shutdown } from '../../../../src/core/shutdown.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-connect-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const used = join(folder, 'sluice.yaml');
const other = join(folder, 'other.yaml');
const linked = join(folder, 'linked.yaml');
for (const file of [used, other]) writeFileSync(file, 'version: 1\n');
symlinkSync(used, linked);

const shutdown = { add: () => undefined } as unknown as Shutdown;

it.each<[string, string | undefined, NodeJS.ProcessEnv, object | null]>([
  ['the same file', used, {}, null],
  ['a link to it', linked, {}, null],
  ['no file', undefined, {}, null],
  [
    'another file',
    other,
    {},
    { exitCode: EXIT.conflict, message: expect.stringContaining(`with ${used}, not with ${other}`) },
  ],
  ['another file by a variable', undefined, { SLUICE_CONFIG: other }, { exitCode: EXIT.conflict }],
  ['a file that is not there', join(folder, 'nope.yaml'), {}, { exitCode: EXIT.notFound }],
])('a command beside `sluice dev` that names %s', async (_, config, env, error) => {
  const state = join(folder, 'state');
  const lock = await acquireFolderLock(state, {
    command: 'sluice dev',
    operator: '/run/x.sock',
    config: used,
  });
  try {
    const connected = connectRunning({ state, ...(config !== undefined && { config }) }, env, shutdown);
    if (error === null) expect(await connected).not.toBeNull();
    else await expect(connected).rejects.toMatchObject(error);
  } finally {
    await lock.release();
  }
});
