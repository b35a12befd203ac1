// A server that is down when a process starts: the process waits and reports it once; other errors end the command.
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openLedgerWhenUp } from '../../../src/app/ledger/ledger-database.ts';
import { freePort } from '../../../src/core/net/ports.ts';

let server: Server | null = null;
afterEach(() => server?.close());

/** The answer of PostgreSQL to any login: this error. */
function errorServer(port: number, code: string): Promise<void> {
  const fields = `SFATAL\0VFATAL\0C${code}\0Mno\0\0`;
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(Buffer.byteLength(fields) + 4, 1);
  server = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)])));
    socket.on('error', () => undefined);
  });
  return new Promise((done) => server?.listen(port, '127.0.0.1', () => done()));
}

async function opening() {
  const port = await freePort();
  const stop = new AbortController();
  const reported: string[] = [];
  const opened = openLedgerWhenUp({
    url: `postgres://u:secret@127.0.0.1:${port}/db`,
    stateDir: '',
    onError: () => undefined,
    signal: stop.signal,
    againMs: 20,
    waiting: ({ message }) => reported.push(message),
  });
  const result = opened.then(
    () => 'opened',
    (error: Error) => error,
  );
  return { port, stop, reported, result };
}

describe('a database that is down', () => {
  it('is reported once, and a signal ends the wait', async () => {
    const { stop, reported, result } = await opening();
    await new Promise((done) => setTimeout(done, 300));
    expect(reported).toEqual([expect.stringMatching(/ECONNREFUSED/)]);
    expect(reported.join()).not.toContain('secret');
    stop.abort(new Error('stopped'));
    expect(await result).toBeInstanceOf(Error);
  });

  it.each(['57P03', '57P01', '08006'])('and answers %s while it starts is waited for', async (code) => {
    const { port, stop, reported, result } = await opening();
    await errorServer(port, code);
    await new Promise((done) => setTimeout(done, 300));
    expect(reported).toHaveLength(1);
    expect(await Promise.race([result, 'waits'])).toBe('waits');
    stop.abort(new Error('stopped'));
    await result;
  });

  it.each(['28P01', '3D000'])('and then refuses with %s ends the command', async (code) => {
    const { port, result } = await opening();
    await errorServer(port, code);
    expect(await result).toMatchObject({ name: 'LedgerError', code });
  });
});
