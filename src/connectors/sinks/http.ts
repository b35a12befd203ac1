// The HTTP sink. It posts each event in a request of its own, signed as Standard Webhooks specifies.
import { type Dispatcher, Pool } from 'undici';
import { durationMs } from '../../core/config/base.ts';
import { deadlineSignal } from '../../core/deadline.ts';
import { NO_TRACING, type SpanDraft, type TraceContext, type Tracing } from '../../core/tracing.ts';
import { createGuard } from '../outbound/guard.ts';
import type { HttpSink } from './config.ts';
import { type CloudEvent, EVENT_CONTENT_TYPE } from './event.ts';
import { sentByAnswer } from './http-answer.ts';
import { blocks, failed, SKIPPED, sinkOf, streamsOf } from './sending.ts';
import { type Sent, type Sink, SinkError } from './sink.ts';
import { signedHeaders } from './webhook-signature.ts';

export interface HttpSinkOptions {
  /** Signing keys, at least one. See `readKey`. */
  readonly keys: readonly Buffer[];
  /** @default Date.now */
  readonly now?: () => number;
  /** Each request gets a span and sends its context. @default nothing is traced */
  readonly tracing?: Tracing;
}

/** The status decides. Sluice reads the body only so that it can use the connection again. */
const DRAIN_BYTES = 65_536;
const DRAIN_MS = 1000;

/**
 * Posts each event as a structured-mode CloudEvent. Events of one partitionkey follow one another: each waits for the
 * answer to the one before it. Up to `concurrency` keys run in parallel. If the receiver as a whole fails, the batch
 * ends: requests in progress still get their answers, and the rest is skipped. Redirects are not followed.
 */
export function httpSink(
  config: HttpSink,
  { keys, now = Date.now, tracing = NO_TRACING }: HttpSinkOptions,
): Sink {
  const { origin, hostname, pathname } = new URL(config.url);
  const place = `${origin}${pathname}`;
  const timeoutMs = durationMs(config.timeout);
  const pool = new Pool(origin, {
    connections: config.concurrency,
    // `timeout` covers the whole exchange. undici's own timeouts would only blur it.
    connect: createGuard({ reach: 'private', connectMs: timeoutMs }).connect,
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function traced(event: CloudEvent, signal: AbortSignal): Promise<Sent> {
    const draft: SpanDraft = {
      name: 'POST event',
      kind: 'client',
      attributes: { 'http.request.method': 'POST', 'server.address': hostname, 'sluice.type': event.type },
    };
    return await tracing.within(draft, async ({ context, fail }) => {
      const sent = await post(event, signal, context);
      if (sent.state === 'failed') fail(sent.error.code);
      return sent;
    });
  }

  async function post(event: CloudEvent, signal: AbortSignal, context: TraceContext | null): Promise<Sent> {
    const body = JSON.stringify(event);
    const within = AbortSignal.any([signal, deadlineSignal(timeoutMs)]);
    try {
      const answer = await pool.request({
        method: 'POST',
        path: pathname,
        headers: {
          'content-type': EVENT_CONTENT_TYPE,
          'user-agent': 'Sluice',
          ...signedHeaders(keys, event.id, now(), body),
          ...context,
        },
        body,
        signal: within,
      });
      await drain(answer);
      const retryAfter = [answer.headers['retry-after']].flat()[0];
      return sentByAnswer({ status: answer.statusCode, retryAfter }, place, now());
    } catch (error) {
      if (signal.aborted) return failed(signal.reason as SinkError);
      return failed(connectionError(within.aborted ? within.reason : error, place));
    }
  }

  return sinkOf({
    kind: 'HTTP',
    async deliver(events, signal) {
      const sent = events.map(() => SKIPPED);
      const streams = streamsOf(events);
      let over = false;
      const work = async () => {
        for (let stream = streams.shift(); stream !== undefined; stream = streams.shift()) {
          for (const at of stream) {
            if (over || signal.aborted) return;
            const outcome = await traced(events[at] as CloudEvent, signal);
            sent[at] = outcome;
            over ||= outcome.state === 'failed' && outcome.error.sinkWide;
            if (blocks(outcome)) break;
          }
        }
      };
      await Promise.all(Array.from({ length: config.concurrency }, work));
      return sent;
    },
    release: () => pool.destroy(),
  });
}

/** Reads the short answer of a receiver. A long or slow answer loses its connection. */
async function drain({ body }: Dispatcher.ResponseData): Promise<void> {
  // A broken body does not change the status that came before it.
  await body.dump({ limit: DRAIN_BYTES, signal: deadlineSignal(DRAIN_MS) }).catch(() => undefined);
}

/** What a connection error means, and the fix. */
interface Meaning {
  readonly code: string;
  readonly say: string;
}

const TLS: Meaning = {
  code: 'TLS',
  say: 'the TLS connection failed; the certificate must be valid for the host (for a private authority, set NODE_EXTRA_CA_CERTS)',
};
const NOT_HTTP: Meaning = { code: 'NOT_HTTP', say: 'the server there does not speak valid HTTP' };
const TIMEOUT: Meaning = {
  code: 'TIMEOUT',
  say: 'no answer within `timeout`; the event may still have arrived',
};

const away = (say: string): Meaning => ({ code: 'UNREACHABLE', say });
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ADDRESS_REFUSED: away(
    'its name leads to an address that Sluice does not connect to, such as a metadata service; correct `url`',
  ),
  ECONNREFUSED: away('no server listens there'),
  ENOTFOUND: away('the host name does not exist; check `url`'),
  EAI_AGAIN: away('the host name cannot be resolved at the moment'),
  EHOSTUNREACH: away('the host is unreachable; check network and firewall'),
  ENETUNREACH: away('the network is unreachable; check network and firewall'),
  UND_ERR_CONNECT_TIMEOUT: TIMEOUT,
  ETIMEDOUT: TIMEOUT,
  UND_ERR_HEADERS_OVERFLOW: NOT_HTTP,
};
const CUT = away('the connection closed before an answer; the event may still have arrived');

/** @param place scheme, host and path of the receiver */
function connectionError(error: unknown, place: string): SinkError {
  const { name, code } = rootOf(error);
  const { code: kind, say } = meaningOf(name, code);
  const tag = code === '' || kind === 'TIMEOUT' ? '' : ` [${code}]`;
  const message = `${place} did not accept the event: ${say}${tag}`;
  return new SinkError(kind, message, { retryable: true, sinkWide: true, cause: error });
}

function meaningOf(name: string, code: string): Meaning {
  if (name === 'TimeoutError') return TIMEOUT;
  if (name === 'HTTPParserError' || code.startsWith('HPE_')) return NOT_HTTP;
  if (/^(?:ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/.test(code))
    return TLS;
  return MEANINGS[code] ?? CUT;
}

/** A host with several addresses fails with one error per address. */
function rootOf(error: unknown): { name: string; code: string } {
  let root = error;
  for (;;) {
    const next = root instanceof AggregateError ? root.errors[0] : undefined;
    if (next === undefined) break;
    root = next;
  }
  if (!(root instanceof Error)) return { name: '', code: '' };
  const { code } = root as { code?: unknown };
  return { name: root.name, code: typeof code === 'string' ? code : '' };
}
