// A PostgreSQL of its own that a test stops and starts again on the same port and with the same data.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/core/net/ports.ts';
import { guard } from '../guard.ts';
import { importEmbeddedPostgres } from './postgres.ts';

export interface RestartingPostgres {
  readonly url: string;
  /** Ends every connection: as `pg_ctl stop -m fast`. */
  halt(): Promise<void>;
  start(): Promise<void>;
  /** As a machine that loses power: no connection is closed in order, and the next start recovers. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRestartingPostgres(): Promise<RestartingPostgres> {
  const Embedded = await importEmbeddedPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'));
  const port = await freePort();
  const server = new Embedded({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'test',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  let standDown = async () => undefined as void;
  const pidOf = async () => Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10);
  const start = async () => {
    await server.start();
    standDown = guard({ pid: await pidOf(), folder });
  };
  const halt = async () => {
    await server.stop();
    await standDown();
  };
  await start();
  return {
    url: `postgres://postgres:test@127.0.0.1:${port}/postgres`,
    start,
    halt,
    async crash() {
      // SIGQUIT: immediate shutdown.
      process.kill(await pidOf(), 'SIGQUIT');
      await halt();
    },
    async stop() {
      await halt();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
