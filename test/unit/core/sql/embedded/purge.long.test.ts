// What was deleted is in no file of the embedded database.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openPglite } from '../../../../../src/core/sql/database.ts';
import { purgeTables } from '../../../../../src/core/sql/embedded/purge.ts';
import { migrate } from '../../../../../src/core/sql/migrations/migrations.ts';

const NAME = 'Quokkamar';

let dir: string;
let db: Database;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-purge-'));
  db = await openPglite(dir);
  await migrate(db);
}, 120_000);
afterEach(async () => {
  await db.close();
  await rm(dir, { recursive: true, force: true });
});

async function filesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

describe('purging', () => {
  it('removes a deleted row from tables, indexes and the log; other rows stay', async () => {
    const add = `insert into people (account, key, name) select 'acme', n::text, $1 || ' ' || n from generate_series(1, 500) n`;
    await db.query(add, [NAME]);
    await db.query(`insert into people (account, key, name) values ('acme', 'x', 'Bia')`);
    await db.query(`update people set name = 'Ana' where key = '1'`);
    await db.query('checkpoint');
    await db.query(`delete from people where name like $1 || '%'`, [NAME]);
    expect(await filesWith(NAME)).not.toEqual([]);
    await purgeTables(db, ['people']);
    expect(await filesWith(NAME)).toEqual([]);
    expect(await db.query('select key, name from people order by key')).toEqual([
      { key: '1', name: 'Ana' },
      { key: 'x', name: 'Bia' },
    ]);
    await db.query(add.replace('n::text', "'again' || n"), ['Carla']);
  });
});
