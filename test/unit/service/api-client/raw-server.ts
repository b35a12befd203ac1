// A raw TCP server scripted request by request: it can do what no HTTP library would let it.
import { createServer, type Socket } from 'node:net';

export interface RawRequest {
  /** Request line, for example `GET /wapi/v1/tags HTTP/1.1`. */
  readonly line: string;
  readonly head: string;
  readonly body: string;
  /** 1-based: how many connections had been opened when this one was. */
  readonly connection: number;
}

export type Reply = (socket: Socket, request: RawRequest) => void;

export interface RawServer {
  readonly baseUrl: string;
  /** Every request that arrived whole, in order. */
  readonly requests: readonly RawRequest[];
  /** Resolves once every connection so far has closed. */
  allClosed(): Promise<void>;
  /** Cuts every open connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Takes whole requests off a buffer; bodies by Content-Length only, which is what the client sends. */
function takeRequest(buffer: string, connection: number): { request: RawRequest; rest: string } | null {
  const end = buffer.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = buffer.slice(0, end);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const start = end + 4;
  if (buffer.length < start + length) return null;
  const line = head.slice(0, head.indexOf('\r\n'));
  const body = buffer.slice(start, start + length);
  return { request: { line, head, body, connection }, rest: buffer.slice(start + length) };
}

/** `script[n]` answers the n-th request over all connections; the last entry answers all further ones. */
export async function rawServer(...script: Reply[]): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    let buffer = '';
    sockets.add(socket);
    // The client may cut the connection at any byte: here that is no error.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      buffer += chunk.toString('latin1');
      for (let taken = takeRequest(buffer, connection); taken; taken = takeRequest(buffer, connection)) {
        buffer = taken.rest;
        requests.push(taken.request);
        const reply = script[Math.min(requests.length, script.length) - 1];
        reply?.(socket, taken.request);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}/wapi`,
    requests,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async allClosed() {
      await Promise.all([...sockets].map((socket) => new Promise((done) => socket.once('close', done))));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A complete HTTP answer as bytes. */
export function http(status: number, body: string | Buffer, headers: Record<string, string> = {}): Buffer {
  const bytes = Buffer.from(body as string);
  const all = { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`), bytes]);
}

/** A reply that answers at once. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return (socket) => socket.write(http(status, text, headers));
}

/** A reply that writes these bytes, then ends the connection: `cut` with a reset, `end` in good order. */
export function bytesThen(how: 'cut' | 'end' | 'hang', bytes: string | Buffer): Reply {
  return (socket) => {
    if (how === 'hang') socket.write(bytes);
    else if (how === 'end') socket.end(bytes);
    else socket.write(bytes, () => socket.resetAndDestroy());
  };
}
