import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPglite } from '../../../../../src/core/sql/database.ts';

let base: string;
let umask: number;
beforeEach(async () => {
  // As the entry point sets it: folders follow it, files of PGlite do not.
  umask = process.umask(0o077);
  base = await mkdtemp(join(tmpdir(), 'sluice-private-'));
});
afterEach(async () => {
  process.umask(umask);
  await rm(base, { recursive: true, force: true });
});

async function open(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true });
  const modes = await Promise.all(
    entries.map(async (name) => [name, (await lstat(join(dir, name))).mode & 0o777] as const),
  );
  return modes.flatMap(([name, mode]) => ((mode & 0o077) === 0 ? [] : [`${name} ${mode.toString(8)}`]));
}

// initdb takes seconds, and more of them on a busy machine.
it('no file of the embedded ledger is readable for other users', { timeout: 60_000 }, async () => {
  const dir = join(base, 'ledger');
  const db = await openPglite(dir);
  await db.query('create table t as select generate_series(1, 50000) as a');
  await db.query('create index on t (a)');
  await db.query('checkpoint');
  await db.close();
  expect(await open(dir)).toEqual([]);
  const again = await openPglite(dir);
  expect(await again.query('select count(*)::int as n from t')).toEqual([{ n: 50000 }]);
  await again.close();
  expect(await open(dir)).toEqual([]);
});
