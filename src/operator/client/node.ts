// Transports of commands: the Unix socket of a process on this machine, and HTTP with an access token.
import { errors, Pool } from 'undici';
import { OperatorError } from '../error.ts';
import { createClient, FIELDS_HEADER, type OperatorClient, type Transport } from './client.ts';

const CONNECT_MS = 5000;
/** A command such as a pause waits for active calls to end. Their deadline is 30 s, plus their wait for slots. */
const ANSWER_MS = 300_000;

export interface ConnectedClient extends OperatorClient {
  close(): Promise<void>;
}

/** @param path of the socket, from the lock of the state folder or from `unix:PATH` */
export function socketClient(path: string): ConnectedClient {
  const pool = new Pool('http://localhost', {
    connect: { socketPath: path, timeout: CONNECT_MS },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  return clientOver(pool, {}, `the socket ${path}`);
}

/**
 * @param url origin of the server, for example `https://sluice.example.com`
 * @param token access token or session token; null only for the login itself
 */
export function httpClient(url: string, token: string | null): ConnectedClient {
  const pool = new Pool(new URL(url).origin, {
    connect: { timeout: CONNECT_MS },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  return clientOver(pool, token === null ? {} : { authorization: `Bearer ${token}` }, url);
}

function clientOver(pool: Pool, headers: Record<string, string>, where: string): ConnectedClient {
  const transport: Transport = async ({ method, path, body, contentType, fields }, { signal }) => {
    try {
      const response = await pool.request({
        method: method as 'GET',
        path,
        body,
        headers: {
          ...headers,
          ...(contentType === null ? {} : { 'content-type': contentType }),
          ...(fields === null ? {} : { [FIELDS_HEADER]: fields }),
        },
        signal: signal ?? null,
      });
      return { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      if (signal?.aborted) throw error;
      throw noAnswer(error as Error, where);
    }
  };
  return { ...createClient(transport), close: () => pool.destroy() };
}

function noAnswer(error: Error, where: string): OperatorError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const gone =
    error instanceof errors.ConnectTimeoutError ||
    ['ECONNREFUSED', 'ENOENT', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN'].includes(code);
  if (gone)
    return new OperatorError('unavailable', `no Sluice answers at ${where} (${error.message})`, {
      code: 'NOT_CONNECTED',
      cause: error,
    });
  return new OperatorError(
    'unavailable',
    `no answer came from ${where}: ${error.message}. The command may have taken effect; check before you repeat it`,
    { code: 'ANSWER_LOST', cause: error },
  );
}
