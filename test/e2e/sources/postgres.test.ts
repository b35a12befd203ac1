// The PostgreSQL source against a real server: values, increments with transactions that commit late, and refusals.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresSource } from '../../../src/connectors/sources/postgres/config.ts';
import { postgresSource } from '../../../src/connectors/sources/postgres/postgres.ts';
import { type Source, type SourceCursor, SourceError, type SourceRow } from '../../../src/core/source.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';

let server: TestPostgres;
let db: pg.Client;
beforeAll(async () => {
  server = await startPostgres();
  db = new pg.Client({ connectionString: server.url });
  await db.connect();
});
afterAll(async () => {
  await db.query('drop role if exists sluice_test_reader');
  await db.end();
  await server.stop();
});

function open(config: Record<string, unknown>, url = server.url): Source {
  return postgresSource(
    PostgresSource.parse({ type: 'postgres', url: 'env:DB', key: 'id', ...config }),
    async () => url,
  );
}

async function run(source: Source, since: SourceCursor | null = null, limit = 1000) {
  const rows: SourceRow[] = [];
  let cursor: SourceCursor | null = null;
  for (;;) {
    const page = await source.read(cursor, { limit, since });
    rows.push(...page.rows);
    cursor = page.next;
    if (cursor === null)
      return { rows, ids: rows.map(({ values }) => values?.id), since: page.watermark ?? null };
  }
}

async function failure(source: Source): Promise<SourceError> {
  const error = await source.read(null, { limit: 10 }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(SourceError);
  return error as SourceError;
}

describe('values', () => {
  it.each<[string, unknown]>([
    [`true`, true],
    [`7::int`, 7],
    [`9007199254740993::bigint`, '9007199254740993'],
    [`1234567890.12345678901::numeric`, '1234567890.12345678901'],
    [`0.1::float8`, 0.1],
    [`'NaN'::float8`, 'NaN'],
    [`timestamptz '2026-11-20 10:00:00.123456-03'`, '2026-11-20T13:00:00.123456Z'],
    [`timestamptz 'infinity'`, 'infinity'],
    [`timestamp '2026-11-20 10:00:00'`, '2026-11-20T10:00:00'],
    [`date '2026-11-20'`, '2026-11-20'],
    [`interval '1 day 2 hours'`, 'P1DT2H'],
    [`'{"a": {"b": [1, null]}}'::json`, { a: { b: [1, null] } }],
    [`'"text"'::jsonb`, 'text'],
    [`array['a,b', null, 'say "x"', '\\', '']`, ['a,b', null, 'say "x"', '\\', '']],
    [
      `array[[1,2],[3,4]]`,
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [`'[0:1]={1,2}'::bigint[]`, ['1', '2']],
    [`array['ok','off']::mood[]`, ['ok', 'off']],
    [`'{}'::text[]`, []],
    [`array['{"a":1}']::jsonb[]`, [{ a: 1 }]],
    [`'ok'::mood`, 'ok'],
    [`'5511987654321'::phone`, '5511987654321'],
    [`null::text`, null],
  ])('%s becomes %j', async (sql, expected) => {
    await db.query(`do $$ begin
      create type mood as enum ('ok', 'off'); create domain phone as text; exception when duplicate_object then null; end $$`);
    const { rows } = await run(open({ query: `select 1 as id, ${sql} as value` }));
    expect(rows).toEqual([{ row: 1, values: { id: 1, value: expected } }]);
  });

  it('of bytes are left out, and what is nested too deep is a problem of its row alone', async () => {
    const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
    const query = `select 1 as id, '\\xff'::bytea as photo, '${deep}'::jsonb as note union all select 2, null, '{}'`;
    const { rows } = await run(open({ query }));
    expect(rows).toMatchObject([
      { values: null, problem: { code: 'malformed_row' } },
      { values: { id: 2, note: {} } },
    ]);
    expect(rows[1]?.values).not.toHaveProperty('photo');
  });
});

describe('increments', () => {
  it('read again what may have been committed late, and no old import', async () => {
    await db.query(`create table late (id int primary key, "Changed At" timestamptz);
      insert into late select n, now() - interval '1 day' from generate_series(1, 5) n`);
    const source = open({ table: 'public.late', incremental: { column: 'Changed At' } });
    const slow = new pg.Client({ connectionString: server.url });
    await slow.connect();
    await slow.query('begin; insert into late values (6, now())');
    await db.query(`select pg_sleep(0.01); insert into late values (7, now())`);
    const first = await run(source, null, 2);
    expect(first.ids).toEqual([1, 2, 3, 4, 5, 7]);
    await slow.query('commit');
    await slow.end();
    const second = await run(source, first.since, 2);
    expect(second.ids).toEqual([6, 7]);
    await db.query(`delete from late where id in (6, 7)`);
    const old = await run(source);
    expect((await run(source, old.since)).ids).toEqual([]);
  });

  it.each([
    [
      'timestamp',
      `timestamp '2026-11-20 10:00'`,
      `timestamp '2026-11-20 10:00'`,
      `timestamp '2026-11-20 09:54'`,
    ],
    ['date', `date '2026-11-20'`, `date '2026-11-20'`, `date '2026-11-18'`],
  ])(
    'over a %s read the same time again, and one in the future does not stop them',
    async (type, first, again, before) => {
      await db.query(
        `drop table if exists soft; create table soft (id int primary key, at ${type}); insert into soft values (5, ${first})`,
      );
      const source = open({ table: 'soft', incremental: { column: 'at' } });
      const { since } = await run(source);
      await db.query(`insert into soft values (1, ${again}), (2, ${before}), (9, '2999-01-01')`);
      const second = await run(source, since);
      expect(second.ids).toEqual([1, 5, 9]);
      await db.query(`insert into soft values (10, now())`);
      expect((await run(source, second.since)).ids).toEqual(expect.arrayContaining([10, 9]));
    },
  );
});

describe('refusals', () => {
  beforeAll(async () => {
    await db.query(`create table people (id int, name text, at timestamptz, photo bytea); insert into people values (1, 'Maria', now()), (null, 'Ana', now());
      create table twins (id int, name text); insert into twins values (1, 'Maria'), (2, 'Ana'), (2, 'Bia');
      drop role if exists sluice_test_reader; create role sluice_test_reader login password 'canary-word'`);
  });

  it.each<[string, Record<string, unknown>, string, RegExp]>([
    ['no such table', { table: 'public.nobody' }, 'not_found', /42P01/],
    ['no such schema', { table: 'nowhere.people' }, 'not_found', /nowhere\.people/],
    ['a table named with SQL', { table: 'people; drop table people' }, 'not_found', /42P01/],
    [
      'a key that is not there',
      { table: 'people', key: 'nr' },
      'bad_config',
      /`key` names "nr".*id, name, at/,
    ],
    ['a key of bytes', { table: 'people', key: 'photo' }, 'bad_config', /none of the columns/],
    [
      'a column that is not there',
      { table: 'people', incremental: { column: 'x' } },
      'bad_config',
      /incremental\.column/,
    ],
    ['a key that two rows share', { table: 'twins' }, 'bad_key', /two rows have the same id/],
    ['two columns of one name', { query: 'select 1 as id, 2 as id' }, 'bad_config', /"as"/],
    ['two statements', { query: 'select 1 as id; delete from people' }, 'bad_config', /42601/],
    [
      'a way out of the brackets',
      { query: 'select 1 as id) q; delete from people; --' },
      'bad_config',
      /42601/,
    ],
    ['a select that writes', { query: `select nextval('seq') as id` }, 'bad_config', /25006/],
    ['a value that does not cast', { query: `select name::int as id from people` }, 'unreadable', /22P02/],
    [
      'an error with a row in its detail',
      { query: `select 1 as id, 1 / (id - 1) as x from people` },
      'unreadable',
      /22012/,
    ],
  ])('of the kind "%s" say what it is, and no value', async (_name, config, code, words) => {
    await db.query('create sequence if not exists seq');
    const error = await failure(open(config));
    expect(error).toMatchObject({ code, retryable: false });
    expect(error.message).toMatch(words);
    expect(`${error.message}${String(error.cause)}`).not.toMatch(/Maria|Ana|Bia/);
  });

  it('leave rows without a key as problems, and the others readable', async () => {
    const { rows } = await run(open({ table: 'people' }));
    expect(rows).toMatchObject([
      { row: 1, values: null, problem: { code: 'null_key' } },
      { row: 2, values: { id: 1 } },
    ]);
  });

  const unencrypted = (url: URL, host: string) => {
    const other = new URL(url);
    other.hostname = host;
    other.searchParams.set('sslmode', 'disable');
    return other.href;
  };

  it.each<[string, (url: URL) => void, Record<string, unknown>, string, boolean]>([
    ['password', (url) => (url.password = 'canary'), {}, 'denied', false],
    [
      'right',
      (url) => Object.assign(url, { username: 'sluice_test_reader', password: 'canary-word' }),
      {},
      'denied',
      false,
    ],
    ['database', (url) => (url.pathname = '/canary'), {}, 'not_found', false],
    ['host', (url) => (url.host = 'canary.invalid'), {}, 'secret', false],
    ['host', (url) => (url.href = unencrypted(url, 'canary.invalid')), {}, 'not_found', false],
    ['port', (url) => (url.port = '1'), {}, 'unreachable', true],
    ['TLS', () => undefined, { tls: true }, 'bad_config', false],
  ])('name a wrong %s without the secret', async (_name, change, config, code, retryable) => {
    const url = new URL(server.url);
    change(url);
    const error = await failure(
      open({ ...(config.query === undefined && { table: 'people' }), ...config }, url.href),
    );
    expect(error.message).not.toMatch(/canary|test@|reader/);
    expect(error).toMatchObject({ code, retryable });
    expect(error.cause).toBeUndefined();
  });

  it.each(['canary', 'https://canary', 'postgres://u:canary@h:port/db'])(
    'name an address like %s without it',
    async (url) => {
      const error = await failure(open({ table: 'people' }, url));
      expect(error.message).not.toMatch(/canary/);
      expect(error.code).toBe('secret');
      expect(error.cause).toBeUndefined();
    },
  );

  it('of time end the statement, and a caller that gives up ends the read', async () => {
    const slow = open({ query: 'select 1 as id, pg_sleep(30)', timeout: '50ms' });
    expect(await failure(slow)).toMatchObject({ code: 'unreachable', retryable: true });
    const abort = new AbortController();
    const reading = open({ query: 'select 1 as id, pg_sleep(30)' }).read(null, {
      limit: 1,
      signal: abort.signal,
    });
    await db.query(`do $$ begin while not exists (select from pg_stat_activity where datname = current_database() and application_name = 'sluice' and state = 'active')
      loop perform pg_sleep(0.005); perform pg_stat_clear_snapshot(); end loop; end $$`);
    abort.abort(new Error('given up'));
    await expect(reading).rejects.toThrow('given up');
  });

  it('do not come between a page and the next when the server restarts its connections', async () => {
    await db.query(
      `create table many as select n as id, repeat('x', 100) as name from generate_series(1, 3000) n`,
    );
    const source = open({ table: 'many' });
    const first = await source.read(null, { limit: 1200 });
    expect(first.rows).toHaveLength(1200);
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sluice' and datname = current_database()`,
    );
    const rest = await source.read(JSON.parse(JSON.stringify(first.next)) as SourceCursor, { limit: 5000 });
    expect(rest.rows.map(({ row }) => row)).toEqual(
      Array.from({ length: 1800 }, (_each, index) => 1201 + index),
    );
  });

  it('of memory end a page early, and lose nothing', async () => {
    const query = `select n as id, repeat('x', 100000) as name from generate_series(1, 200) n`;
    const source = open({ query });
    const first = await source.read(null, { limit: 2000 });
    expect(first.next).not.toBeNull();
    expect((await run(source, null, 2000)).ids).toHaveLength(200);
  });
});
