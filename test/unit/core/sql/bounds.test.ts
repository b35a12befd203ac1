// Every table of the ledger is bounded, and the guide says by what.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { tableBounds } from '../../../../src/protect/retention/bounds.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';

const GUIDE = new URL('../../../../docs/how-to/ledger-database.md', import.meta.url);

it('names what bounds every table of the ledger, and no other table', async () => {
  const db = await testLedger();
  const tables = await db.query<{ name: string }>(
    `select table_name as name from information_schema.tables
      where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`,
  );
  expect([...tableBounds().keys()]).toEqual(tables.map(({ name }) => name).sort());
});

it('the guide has the same table', async () => {
  const text = await readFile(GUIDE, 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` +\| (.*?) *\|$/gm)].map(([, table, bound]) => [table, bound]);
  expect(rows).toEqual([...tableBounds()]);
});
