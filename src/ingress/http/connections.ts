// The sockets of the server: which of them have a request under way, what becomes of broken ones, and how all of them
// end in good order.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from './answers.ts';
import { peerOf } from './peer.ts';

/** After a last word, how long the other end may take to hang up. */
const HANG_UP_MS = 250;
/** Connections that have had their last word and are given this time. Further ones are cut at once. */
const MAX_HANGING_UP = 256;

interface State {
  /** Answers that are not over, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** Bytes that had come when the last answer was over: more of them are the beginning of a request. */
  bytesAtRest: number;
  broken: boolean;
  readonly peer: string;
}

export interface ConnectionLimits {
  readonly max: number;
  /** Connections of one peer on which nothing was proven yet. */
  readonly maxPerPeer: number;
  /** Proxies stand for many peers: `maxPerPeer` is not for them. */
  isProxy(address: string): boolean;
}

export interface Connections {
  count(): number;
  /**
   * Makes room where there are too many: the oldest connection without a proven sender is closed. One peer that has too many
   * of them loses its own. By count alone, a sender with two would lose to a thousand attackers with one each.
   * @returns what was closed for it: one of those, the new one itself, or nothing
   */
  opened(socket: Socket): 'evicted' | 'refused' | null;
  /** A sender on it has proven who it is: it is no longer closed for others. */
  proved(socket: Socket): void;
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

export function createConnections({ max, maxPerPeer, isProxy }: ConnectionLimits): Connections {
  const sockets = new Map<Socket, State>();
  /** Sockets on which nothing was proven yet, the oldest first: all of them, and those of each peer. */
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
  /** It is proven, or gone, or as good as gone. */
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
  /** Closing on somebody who still sends resets the connection, and may take the last word from them. */
  const hangUp = (socket: Socket, words = ''): void => {
    socket.end(words);
    const timer = setTimeout(() => socket.destroy(), hangingUp > MAX_HANGING_UP ? 0 : HANG_UP_MS);
    socket.once('close', () => clearTimeout(timer));
  };
  const isAwaited = (res: ServerResponse): boolean => res.req.complete && !res.writableEnded;

  /** The oldest of these that nobody waits for. */
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

const CROWDED: Problem = { error: 'too many connections: send it again', code: 'BUSY' };

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
