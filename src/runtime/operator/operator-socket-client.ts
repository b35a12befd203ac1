// Client of the operator socket of another process of this machine and user.
import { Client, errors } from 'undici';
import { z } from 'zod';
import { NotAcceptedError } from '../../ingress/intake.ts';
import { BadMessageError } from './operator-socket.ts';

/** The server gives up a start after 5 s, and also waits for its ledger. */
const ANSWER_MS = 30_000;
const CONNECT_MS = 5000;

/** Thrown when a request at the socket fails. */
export class SocketError extends Error {
  override readonly name = 'SocketError';
  /**
   * - `gone`: no process is behind the socket; nothing was sent
   * - `lost`: no answer came; the request may have had its effect, and a retry with the same key is safe
   * - `unknown`: there is no such account
   * - `failed`: an error of the other process
   */
  readonly why: 'gone' | 'lost' | 'unknown' | 'failed';
  constructor(why: SocketError['why'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

const Problem = z.object({
  error: z.string(),
  code: z.enum(['TEMPORAL', 'LEDGER', 'BUSY', 'CLOSING']).optional(),
  retryAfterMs: z.number().optional(),
});

/** Sends requests to a socket. */
export interface SocketCalls {
  /** @throws SocketError, BadMessageError, NotAcceptedError */
  post<T>(target: string, body: string | Uint8Array, schema: z.ZodType<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Connects with the first call.
 * @param path the `socket` in the lock of the state folder
 * @param options.answerMs maximum wait for an answer, in milliseconds @default 30_000
 */
export function openSocketCalls(path: string, { answerMs = ANSWER_MS } = {}): SocketCalls {
  const client = new Client('http://socket', {
    connect: { socketPath: path, timeout: CONNECT_MS },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
  });

  async function post<T>(target: string, body: string | Uint8Array, schema: z.ZodType<T>): Promise<T> {
    const { status, text } = await exchange(target, body);
    const answer = parseJson(text);
    if (status === 200) {
      const parsed = schema.safeParse(answer);
      if (parsed.success) return parsed.data;
    }
    const problem = Problem.safeParse(answer);
    if (!problem.success)
      throw new SocketError('failed', `the socket answered ${status} with an unexpected body`);
    throw errorOf(status, problem.data);
  }

  async function exchange(target: string, body: string | Uint8Array) {
    try {
      const response = await client.request({ path: target, method: 'POST', body });
      return { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      if (isUnconnected(error))
        throw new SocketError('gone', `no process answers at the socket ${path}`, { cause: error });
      throw new SocketError('lost', `no answer came: ${(error as Error).message}`, { cause: error });
    }
  }

  return { post, close: () => client.destroy() };
}

function isUnconnected(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    error instanceof errors.ConnectTimeoutError || ['ECONNREFUSED', 'ENOENT', 'EACCES'].includes(code ?? '')
  );
}

function errorOf(status: number, { error, code, retryAfterMs = 0 }: z.infer<typeof Problem>): Error {
  if (status === 503) return new NotAcceptedError(code ?? 'BUSY', retryAfterMs, error);
  if (status === 400 || status === 413) return new BadMessageError(error);
  return new SocketError(status === 404 ? 'unknown' : 'failed', error);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
