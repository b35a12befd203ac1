// The PostgreSQL server of a test run, for all its processes: starting one takes three seconds of computing.
import { SERVER_VARIABLE, startPostgresServer } from './postgres.ts';

/** Its databases end with the run: nothing has to survive a crash of the machine, and many processes use them. */
const FLAGS = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'max_connections=400',
  'jit=off',
];

// Vitest runs the setup once a project, each time as a new module; the projects of one run meet in the process.
const KEY = Symbol.for('sluice.test.postgres');
const meeting = globalThis as { [KEY]?: { users: number; readonly ready: Promise<() => Promise<void>> } };

export default async function setup(): Promise<() => Promise<void>> {
  meeting[KEY] ??= { users: 0, ready: start() };
  const shared = meeting[KEY];
  shared.users += 1;
  const close = await shared.ready;
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete meeting[KEY];
    await close();
  };
}

async function start(): Promise<() => Promise<void>> {
  const server = await startPostgresServer(FLAGS);
  process.env[SERVER_VARIABLE] = server.url;
  return server.stop;
}
