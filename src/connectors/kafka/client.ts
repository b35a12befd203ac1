// Opens a kafkajs client for one cluster. The client is short-lived, logs nothing by default, never creates topics, and
// always closes. Producers and consumers share it.
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type ISocketFactory, Kafka, logLevel, type SASLOptions } from 'kafkajs';
import { readRegularFileSync } from '../../core/files/regular-file.ts';
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
  const sockets = trackedSockets();
  const kafka = new Kafka({
    clientId: 'sluice',
    brokers,
    ssl: tlsOptionsOf(tls),
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

/**
 * Reads the files for each client: they are small, and clients are short-lived, so that a renewed certificate needs no
 * reload.
 */
function tlsOptionsOf(tls: KafkaConnection['tls']): ConnectionOptions | boolean {
  if (typeof tls === 'boolean') return tls;
  const { ca, cert, key } = tls;
  const options: ConnectionOptions = {};
  if (ca !== undefined) options.ca = readPem('ca', ca);
  if (cert !== undefined) options.cert = readPem('cert', cert);
  if (key !== undefined) options.key = readPem('key', key);
  return options;
}

function readPem(name: string, path: string): Buffer {
  try {
    return readRegularFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const error = new Error(`the file of tls.${name}, ${path}, can't be read (${code})`);
    throw Object.assign(error, { code: 'TLS_FILE' });
  }
}

/** kafkajs offers no other way to give up: its own disconnect waits for requests in progress. */
function trackedSockets() {
  const open = new Set<Socket>();
  let ended = false;
  const factory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    // kafkajs treats a thrown error as a connection error.
    if (ended) throw new Error('this client has ended');
    const socket = ssl
      ? connectTls({ ...ssl, host, port, ...(isIP(host) === 0 && { servername: host }) }, onConnect)
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
