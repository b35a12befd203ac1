import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importEmbeddedPostgres, startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';

let first: TestPostgres;
let second: TestPostgres;
beforeAll(async () => {
  first = await startPostgres();
  second = await startPostgres();
});
afterAll(() => first.stop());

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

it('each call answers with an empty database of its own, gone after stop', async () => {
  await ask(first.url, 'CREATE TABLE only_here (id int)');
  expect(await ask(second.url, "SELECT to_regclass('only_here') AS found")).toEqual([{ found: null }]);
  expect(await ask(first.url, "SELECT current_setting('server_encoding') AS encoding")).toEqual([
    { encoding: 'UTF8' },
  ]);
  await second.stop();
  await expect(ask(second.url, 'SELECT 1')).rejects.toThrow();
});

it('leaves the exit code to the test runner: nothing of it ends the process once it is idle', async () => {
  const listeners = () => ['beforeExit', 'exit', 'SIGINT'].map((event) => process.listeners(event as 'exit'));
  const before = listeners();
  await importEmbeddedPostgres();
  expect(listeners()).toEqual(before);
});
