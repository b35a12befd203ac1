// Backups of the embedded ledger: what was copied is what comes back, or nothing is replaced.
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BackupError, backUpLedger, restoreLedger } from '../../../src/app/ledger/ledger-backup.ts';
import { openLedger } from '../../../src/app/ledger/ledger-database.ts';
import { openRestore } from '../../../src/protect/restore/restores.ts';

const PEOPLE = 500;

let stateDir: string;
let folder: string;
let peopleFile: string;
const open = () => openLedger({ stateDir, onError: console.error });

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'sluice-backup-'));
  const umask = process.umask(0);
  const db = await open();
  try {
    await db.query(
      `insert into people (account, key) select 'acme', '5511' || n from generate_series(1, ${PEOPLE}) n`,
    );
    ({ folder } = await backUpLedger(db, stateDir));
    const [row] = await db.query<{ path: string }>(`select pg_relation_filepath('people') as path`);
    peopleFile = join(folder, 'ledger', (row as { path: string }).path);
    await db.query(`insert into people (account, key) values ('acme', 'after the backup')`);
  } finally {
    await db.close();
    process.umask(umask);
  }
});
afterAll(() => rm(stateDir, { recursive: true }));

/** People in the ledger of the state folder, and whether it is a restored one. */
async function peopleNow(): Promise<{ people: number; restored: boolean }> {
  const db = await open();
  try {
    const [row] = await db.query<{ n: number }>('select count(*)::int as n from people');
    return { people: (row as { n: number }).n, restored: (await openRestore(db)) !== null };
  } finally {
    await db.close();
  }
}

it.each([
  // As an interrupted copy leaves it. PostgreSQL would read it as a table with fewer rows.
  ['a file that was cut off', () => peopleFile, (path: string) => truncate(path, 8192)],
  ['a file that is missing', () => peopleFile, (path: string) => rm(path)],
  ['a file of zeros', () => peopleFile, (path: string) => writeFile(path, Buffer.alloc(8192))],
  ['a mark that was cut off', () => join(folder, 'backup.json'), (path: string) => truncate(path, 30)],
  ['no mark', () => join(folder, 'backup.json'), (path: string) => rm(path)],
])('a backup with %s is refused, and the ledger stays', async (_name, path, damage) => {
  const before = await readFile(path());
  await damage(path());
  await expect(restoreLedger(folder, stateDir)).rejects.toThrow(BackupError);
  await writeFile(path(), before, { mode: 0o600 });
  expect((await readdir(stateDir)).sort()).toEqual(['backups', 'ledger']);
  expect(await peopleNow()).toEqual({ people: PEOPLE + 1, restored: false });
});

it('a complete backup comes back, marked as restored, for the eyes of this user only', async () => {
  const { replaced } = await restoreLedger(folder, stateDir);
  expect(await peopleNow()).toEqual({ people: PEOPLE, restored: true });
  expect(await readdir(replaced as string)).toEqual(['ledger']);
  for (const top of [join(stateDir, 'backups'), join(stateDir, 'ledger'), replaced as string]) {
    const entries = await readdir(top, { recursive: true });
    for (const entry of ['', ...entries]) {
      const { mode } = await stat(join(top, entry));
      expect([entry, mode & 0o077]).toEqual([entry, 0]);
    }
  }
});
