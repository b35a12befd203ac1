// Sends one request of an HTTP source and reads its answer as JSON: within one deadline, without redirects, up to a
// maximum size.

import { Agent, fetch, type Response } from 'undici';
import { deadlineSignal } from '../../../core/deadline.ts';
import { parseRowJson } from '../../../core/json/exact-json.ts';
import { SourceError } from '../../../core/source.ts';
import { createGuard, type Resolve } from '../../outbound/guard.ts';
import { readCapped } from '../../outbound/read-capped.ts';
import { statusError, transportError } from './http-error.ts';

/** Maximum decoded bytes of one answer. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

const CONNECT_MS = 10_000;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
}

export interface HttpAnswer {
  /** The decoded JSON; null for an answer without content. */
  readonly body: unknown;
  readonly bytes: number;
  readonly headers: Pick<Headers, 'get'>;
}

export interface Exchange {
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/**
 * Opens connections for one read; `close` ends them.
 * @param place the source's name for messages: origin and path, because a query may contain a secret
 */
export function openExchange(options: {
  place: string;
  timeoutMs: number;
  now: () => number;
  signal?: AbortSignal | undefined;
  /** @default the system's resolver */
  resolve?: Resolve | undefined;
}): Exchange {
  const { place, timeoutMs, now, signal, resolve } = options;
  // The name of a public source must not lead into the own network from one page to the next.
  const { connect } = createGuard({ reach: 'asFirst', connectMs: CONNECT_MS, resolve });
  const agent = new Agent({ connections: 1, connect });
  return {
    async send({ method, url, headers, body }) {
      signal?.throwIfAborted();
      const deadline = deadlineSignal(timeoutMs);
      const both = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      try {
        const response = await fetch(url, {
          method,
          headers: { accept: 'application/json', 'user-agent': 'sluice', ...headers },
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal: both,
          dispatcher: agent,
        });
        if (response.status < 200 || response.status > 299) {
          await response.body?.cancel();
          throw statusError(response.status, response.headers, place, now());
        }
        const bytes = (await readCapped(response.body, MAX_BODY_BYTES)) ?? tooLarge(place);
        return { body: decode(bytes, response, place), bytes: bytes.length, headers: response.headers };
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason;
        if (error instanceof SourceError) throw error;
        throw transportError(error, deadline.aborted ? timeoutMs : null, place);
      }
    },
    close: () => agent.destroy(),
  };
}

function tooLarge(place: string): never {
  const message = `source ${place}: an answer is larger than ${MAX_BODY_BYTES / 1024 / 1024} MB; ask for fewer rows per page`;
  throw new SourceError('too_large', message);
}

function decode(bytes: Buffer, response: Response, place: string): unknown {
  if (response.status === 204) return null;
  const fail = (what: string, retryable = false) =>
    new SourceError('bad_answer', `source ${place}: ${what}`, { retryable });
  const type = response.headers.get('content-type') ?? '';
  const text = textOf(bytes, type);
  if (text === null) throw fail('the answer is not in its declared encoding, or not in UTF-8');
  if (/^text\/html\b/i.test(type) || /^\s*</.test(text)) {
    throw fail(
      'the answer is HTML or XML, not JSON (perhaps a login page or the web application); check `url` and `auth`',
    );
  }
  try {
    return parseRowJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (text.trim() === '') throw fail('the answer is empty');
    // The parser's message quotes the text.
    if (/end of JSON|Unterminated/.test(error.message)) throw fail('the answer is cut off', true);
    throw fail(`the answer is not valid JSON (its type is ${JSON.stringify(type.slice(0, 60))})`);
  }
}

function textOf(bytes: Buffer, type: string): string | null {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}
