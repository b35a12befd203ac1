// The sockets of the server: which of them have a request under way, what becomes of broken ones, and how all of them
// end in good order.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from './answers.ts';

/** After a last word, how long the other end may take to hang up. */
const HANG_UP_MS = 250;

interface State {
  /** Answers that are not over, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** Bytes that had come when the last answer was over: more of them are the beginning of a request. */
  bytesAtRest: number;
  broken: boolean;
}

export interface Connections {
  count(): number;
  opened(socket: Socket): void;
  /** @returns false for a request behind an answer that ends its connection: it would never get its own */
  began(req: IncomingMessage, res: ServerResponse): boolean;
  /** Something came that is no request, or that took too long. @returns its code, null when nobody is left to tell */
  failed(error: NodeJS.ErrnoException, socket: Socket): string | null;
  /** Nothing has moved for long: ends the connection unless it waits for us. */
  stalled(socket: Socket): void;
  /** From now on each connection ends with its current answer; those without one end at once. */
  wind(): void;
  cut(): void;
}

export function createConnections(): Connections {
  const sockets = new Map<Socket, State>();
  let winding = false;

  const stateOf = (socket: Socket): State => {
    const known = sockets.get(socket);
    if (known !== undefined) return known;
    const state: State = { open: new Set(), bytesAtRest: 0, broken: false };
    sockets.set(socket, state);
    socket.once('close', () => sockets.delete(socket));
    return state;
  };
  const isAwaited = (res: ServerResponse): boolean => res.req.complete && !res.writableEnded;

  return {
    count: () => sockets.size,
    opened: (socket) => void stateOf(socket),
    began(req, res) {
      const state = stateOf(req.socket);
      if ([...state.open].some(isLast)) return false;
      state.open.add(res);
      if (winding) res.setHeader('Connection', 'close');
      res.once('close', () => {
        state.open.delete(res);
        if (state.open.size > 0) return;
        state.bytesAtRest = req.socket.bytesRead;
        if (state.broken) hangUp(req.socket);
      });
      return true;
    },
    failed(error, socket) {
      const state = stateOf(socket);
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
        return null;
      }
      if (state.broken) return null;
      state.broken = true;
      const [status, code, text] = describe(error);
      // A request that came whole before gets its own answer: this one would be taken for it.
      const awaited = [...state.open].filter(isAwaited);
      if (awaited.length > 0) {
        for (const res of state.open) if (!awaited.includes(res)) res.destroy();
        closeAfter(awaited.at(-1));
      } else if ([...state.open].some((res) => res.headersSent)) {
        socket.destroy();
      } else {
        hangUp(socket, rawAnswer(status, { error: text, code }));
      }
      return code;
    },
    stalled(socket) {
      if (![...stateOf(socket).open].some(isAwaited)) socket.destroy();
    },
    wind() {
      winding = true;
      for (const [socket, { open, bytesAtRest }] of sockets) {
        if (open.size > 0) closeAfter([...open].at(-1));
        else if (socket.bytesRead === bytesAtRest) socket.destroy();
      }
    },
    cut() {
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

function isLast(res: ServerResponse): boolean {
  return res.getHeader('connection') === 'close';
}

function closeAfter(res: ServerResponse | undefined): void {
  if (res !== undefined && !res.headersSent) res.setHeader('Connection', 'close');
}

// Closing on somebody who still sends resets the connection, and may take the last word from them.
function hangUp(socket: Socket, words = ''): void {
  socket.end(words);
  const timer = setTimeout(() => socket.destroy(), HANG_UP_MS);
  socket.once('close', () => clearTimeout(timer));
}

function describe(error: NodeJS.ErrnoException): [status: number, code: string, text: string] {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'TOO_SLOW', 'the request took too long to come'];
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'HEADERS_TOO_LONG', 'the headers are too long'];
    default:
      return [400, 'BAD_REQUEST', 'this is not a request as HTTP/1.1 has them'];
  }
}

function rawAnswer(status: number, problem: Problem): string {
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
