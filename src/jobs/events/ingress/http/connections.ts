// Tracks the sockets of the server: which of them have a request in progress, what broken ones get as an answer, and
// how all of them close in an orderly way.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from './answers.ts';
import { peerOf } from './peer.ts';

/** After the last answer, how long the peer may take to disconnect. */
const HANG_UP_MS = 250;
/** Maximum number of connections that get this time. Further ones are cut at once. */
const MAX_HANGING_UP = 256;

interface State {
  /** Answers not yet finished, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** Bytes received when the last answer finished. More bytes are the beginning of a request. */
  bytesAtRest: number;
  broken: boolean;
  readonly peer: string;
}

export interface ConnectionLimits {
  readonly max: number;
  /** Maximum number of unauthenticated connections per peer. */
  readonly maxPerPeer: number;
  /** Proxies stand for many peers, so `maxPerPeer` does not apply to them. */
  isProxy(address: string): boolean;
}

export interface Connections {
  count(): number;
  /**
   * Makes space when there are too many connections: the oldest unauthenticated one is closed. A peer that has too many
   * loses its own. By count alone, a sender with two connections would lose to a thousand attackers with one each.
   * @returns which connection was closed: one of those, the new one itself, or none
   */
  opened(socket: Socket): 'evicted' | 'refused' | null;
  /** A sender on this connection has authenticated. It is no longer closed in favor of others. */
  proved(socket: Socket): void;
  /**
   * @returns false for a request behind an answer that closes its connection: that request would never get an answer
   */
  began(req: IncomingMessage, res: ServerResponse): boolean;
  /**
   * Something arrived that is not a request, or that took too long. @returns its code; null if nobody is left to answer
   */
  failed(error: NodeJS.ErrnoException, socket: Socket): string | null;
  /** Nothing has moved for too long. Closes the connection unless the peer waits for us. */
  stalled(socket: Socket): void;
  /** From now on each connection closes after its current answer. Connections without one close at once. */
  wind(): void;
  cut(): void;
}

export function createConnections({ max, maxPerPeer, isProxy }: ConnectionLimits): Connections {
  const sockets = new Map<Socket, State>();
  /** Unauthenticated sockets, oldest first: all of them, and those of each peer. */
  const unproven = new Set<Socket>();
  const byPeer = new Map<string, Set<Socket>>();
  let hangingUp = 0;
  let winding = false;

  const stateOf = (socket: Socket): State => {
    const known = sockets.get(socket);
    if (known !== undefined) return known;
    const peer = peerOf(socket.remoteAddress);
    const state: State = { open: new Set(), bytesAtRest: 0, broken: false, peer };
    sockets.set(socket, state);
    unproven.add(socket);
    const same = byPeer.get(peer);
    if (same === undefined) byPeer.set(peer, new Set([socket]));
    else same.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (state.broken) hangingUp -= 1;
      else settle(socket, peer);
    });
    return state;
  };
  /** The connection is authenticated, gone, or about to close. */
  const settle = (socket: Socket, peer: string): void => {
    unproven.delete(socket);
    const same = byPeer.get(peer);
    same?.delete(socket);
    if (same?.size === 0) byPeer.delete(peer);
  };
  const breakOff = (socket: Socket, state: State): void => {
    state.broken = true;
    hangingUp += 1;
    settle(socket, state.peer);
  };
  /** Closing on a peer that still sends resets the connection and may lose the last answer. */
  const hangUp = (socket: Socket, words = ''): void => {
    socket.end(words);
    const timer = setTimeout(() => socket.destroy(), hangingUp > MAX_HANGING_UP ? 0 : HANG_UP_MS);
    socket.once('close', () => clearTimeout(timer));
  };
  const isAwaited = (res: ServerResponse): boolean => res.req.complete && !res.writableEnded;

  /** The oldest of these without an answer in progress. */
  const victimAmong = (candidates: ReadonlySet<Socket>, but: Socket): Socket | undefined => {
    for (const socket of candidates)
      if (socket !== but && ![...stateOf(socket).open].some(isAwaited)) return socket;
    return undefined;
  };
  const evict = (socket: Socket): void => {
    const state = stateOf(socket);
    const isAnswered = [...state.open].some((res) => res.headersSent);
    breakOff(socket, state);
    if (isAnswered) socket.destroy();
    else hangUp(socket, rawAnswer(503, CROWDED, { 'Retry-After': '1' }));
  };

  return {
    count: () => sockets.size,
    opened(socket) {
      const { peer } = stateOf(socket);
      const mine = byPeer.get(peer);
      const isOver = sockets.size - hangingUp > max;
      const isGreedy = (mine?.size ?? 0) > maxPerPeer && !isProxy(socket.remoteAddress ?? '');
      if (!isOver && !isGreedy) return null;
      const victim = victimAmong(isGreedy && mine !== undefined ? mine : unproven, socket);
      if (victim !== undefined) {
        evict(victim);
        return 'evicted';
      }
      if (!isOver) return null;
      socket.destroy();
      return 'refused';
    },
    proved(socket) {
      const state = sockets.get(socket);
      if (state !== undefined && !state.broken) settle(socket, state.peer);
    },
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
      breakOff(socket, state);
      const [status, code, text] = describe(error);
      // An earlier complete request gets its answer first. The peer would take this error for that answer.
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

const CROWDED: Problem = { error: 'too many connections; send it again', code: 'BUSY' };

function describe(error: NodeJS.ErrnoException): [status: number, code: string, text: string] {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'TOO_SLOW', 'the request took too long to arrive'];
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'HEADERS_TOO_LONG', 'the headers are too long'];
    default:
      return [400, 'BAD_REQUEST', 'this is not a valid HTTP/1.1 request'];
  }
}

function rawAnswer(status: number, problem: Problem, headers: Readonly<Record<string, string>> = {}): string {
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}
