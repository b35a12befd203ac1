// A receiver of events over real HTTP, as good or as bad as a test wants it.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Connections that were ever made. */
  readonly connections: () => number;
  /** Those that are there now. */
  readonly open: () => number;
  stop(): Promise<void>;
}

/** @param answer by default 204 */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received) => unknown = (response) =>
    response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body: await text(request) };
    received.push(one);
    await answer(response, one);
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks/sluice`,
    port,
    received,
    connections: () => connections,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
