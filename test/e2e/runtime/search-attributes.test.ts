// A process that only accepts events may be the first of Sluice in a namespace, and may start before the server.
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { freePort } from '../../../src/core/net/ports.ts';
import { registerWhenUp, SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { connectTestTemporal, type TestTemporal } from '../../support/temporal/temporal.ts';

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await connectTestTemporal();
});
afterAll(() => temporal.close());

const registered = async () => {
  const { namespace, connection } = temporal;
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.keys(SEARCH_ATTRIBUTES).filter((name) => name in (customAttributes ?? {}));
};

it('the search attributes are registered as soon as the server answers, and once', async () => {
  const [host = '', port = ''] = inject('temporalAddress').split(':');
  const own = await freePort();
  const said: string[] = [];
  const target = { address: `127.0.0.1:${own}`, namespace: temporal.namespace, access: {}, origin: 'test' };
  const shutdown = { signal: new AbortController().signal };
  const registering = registerWhenUp({ target, shutdown, say: (line) => said.push(line) });
  expect(await registered()).toEqual([]);
  // The server comes up behind the address that refused.
  const sockets = new Set<Socket>();
  const gate = createServer((client) => {
    const server = connect(Number(port), host);
    for (const socket of [client, server]) sockets.add(socket.on('error', () => socket.destroy()));
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => gate.listen(own, '127.0.0.1', resolve));
  await registering;
  expect(await registered()).toEqual(Object.keys(SEARCH_ATTRIBUTES));
  await registerWhenUp({ target, shutdown, say: (line) => said.push(line) });
  expect(said).toEqual([expect.stringContaining(`in namespace ${temporal.namespace}: `)]);
  for (const socket of sockets) socket.destroy();
  gate.close();
});
