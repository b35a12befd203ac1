// Bounds what connections of strangers cost. A flood of idle or half-sent ones must not keep operators out: when there
// is no room, the connection that has waited longest for its request makes room for a new one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import { peerOf } from '../../jobs/events/ingress/http/peer.ts';

interface ConnectionLimits {
  /** Of all peers together. */
  readonly max: number;
  /** Of one peer: an address, or a network of IPv6. */
  readonly maxOfPeer: number;
}

interface Connection {
  readonly socket: Socket;
  readonly peer: string;
  /** Null between requests. */
  exchange: { readonly req: IncomingMessage; readonly res: ServerResponse } | null;
}

export function boundConnections(server: Server, { max, maxOfPeer }: ConnectionLimits): void {
  /** In the order in which they began to wait. */
  const open = new Map<string, Connection>();

  const makeRoom = (limit: number, all: readonly Connection[]): boolean => {
    if (all.length < limit) return true;
    const victim = all.find(canEnd);
    victim?.socket.destroy();
    return victim !== undefined;
  };

  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    const peer = peerOf(socket.remoteAddress);
    const others = [...open.values()].filter((each) => !each.socket.destroyed);
    const ofPeer = others.filter((each) => each.peer === peer);
    if (!makeRoom(maxOfPeer, ofPeer) || !makeRoom(max, others)) {
      socket.destroy();
      return;
    }
    open.set(key, { socket, peer, exchange: null });
    socket.once('close', () => open.delete(key));
  });

  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const key = keyOf(req.socket);
    const connection = open.get(key);
    if (connection === undefined) return;
    connection.exchange = { req, res };
    res.once('close', () => {
      connection.exchange = null;
      if (!open.delete(key)) return;
      open.set(key, connection);
    });
  });
}

/** With TLS, the socket of a request is another one than that of the connection, with the same address and port. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Idle, or a stranger's request that has not arrived completely. */
function canEnd({ exchange }: Connection): boolean {
  if (exchange === null) return true;
  const { locals } = exchange.res as Partial<Response>;
  return !exchange.req.complete && locals?.caller == null;
}
