// Opens a kafkajs client for one cluster. The client is short-lived, logs nothing by default, never creates topics, and
// always closes. Producers and consumers share it.
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type ISocketFactory, Kafka, logLevel, type SASLOptions } from 'kafkajs';
import { readPemSync } from '../../core/net/pem-file.ts';
import type { KafkaConnection } from './config.ts';

const CONNECT_MS = 5000;
export const REQUEST_MS = 10_000;

/** Retries within one request. They cover a leader that has just moved; the caller waits out longer outages. */
const RESENDS = { retries: 2, initialRetryTime: 100, maxRetryTime: 1000 };

export interface ClusterAccess {
  readonly connection: KafkaConnection;
  /** Password that the reference `sasl.password` resolves to. */
  readonly password?: string | undefined;
  /**
   * Receives the log lines of kafkajs at the level in KAFKAJS_LOG_LEVEL. Without that variable kafkajs logs nothing.
   */
  readonly log: { debug(fields: object, message: string): void };
}

export interface Client {
  readonly kafka: Kafka;
  /** Cuts every connection. Anything that kafkajs tries afterwards fails at once. */
  end(): void;
}

export function openClient({ connection, password = '', log }: ClusterAccess): Client {
  const { brokers, tls, sasl } = connection;
  const sockets = trackedSockets(tls);
  const kafka = new Kafka({
    clientId: 'sluice',
    brokers,
    // Read here too: an unreadable file is an error before the first connection.
    ssl: tls !== false && pemsOf(tls),
    ...(sasl === undefined ? {} : { sasl: { ...sasl, password } as SASLOptions }),
    connectionTimeout: CONNECT_MS,
    authenticationTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    retry: RESENDS,
    socketFactory: sockets.factory,
    logLevel: logLevel.NOTHING,
    logCreator:
      () =>
      ({ namespace, log: { message, ...fields } }) =>
        log.debug({ ...fields, kafkajs: namespace }, message),
  });
  return { kafka, end: sockets.end };
}

/** Files of the connection. They are small and read for each one, so a renewed certificate needs no reload. */
function pemsOf(tls: KafkaConnection['tls']): ConnectionOptions {
  if (typeof tls === 'boolean') return {};
  const { ca, cert, key } = tls;
  return {
    ...(ca !== undefined && { ca: readPemSync(ca, 'certificate', '`tls.ca`') }),
    ...(cert !== undefined && { cert: readPemSync(cert, 'certificate', '`tls.cert`') }),
    ...(key !== undefined && { key: readPemSync(key, 'key', '`tls.key`') }),
  };
}

/** kafkajs offers no other way to give up: its own disconnect waits for requests in progress. */
function trackedSockets(tls: KafkaConnection['tls']) {
  const open = new Set<Socket>();
  let ended = false;
  const factory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    // kafkajs treats a thrown error as a connection error.
    if (ended) throw new Error('this client has ended');
    const socket = ssl
      ? connectTls({ ...pemsOf(tls), host, port, ...(isIP(host) === 0 && { servername: host }) }, onConnect)
      : connectTcp({ host, port }, onConnect);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    return socket;
  };
  return {
    factory,
    end() {
      ended = true;
      for (const socket of open) socket.destroy();
    },
  };
}
