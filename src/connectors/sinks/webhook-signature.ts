// Signatures of the Standard Webhooks specification 1.0, made by the sender: HMAC-SHA256 over
// `{id}.{timestamp}.{body}`.
import { createHash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { SinkError } from './sink.ts';

/** Longer ids are hashed: receivers keep them, and headers have limits. */
const MAX_ID = 256;

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** The headers that sign `body`, at `now` in milliseconds; one signature a key. */
export function signedHeaders(keys: readonly Buffer[], id: string, now: number, body: string): SignedHeaders {
  const webhookId = webhookIdOf(id);
  const signatures = keys.map((key) =>
    new Webhook(key, { format: 'raw' }).sign(webhookId, new Date(now), body),
  );
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * The id of an event as a header value without a full stop, which would blur where the signed parts end. Bytes other
 * than letters, digits and `_ - : / + = @ ~` are percent-encoded, so that two ids never become one.
 */
function webhookIdOf(id: string): string {
  const escaped = [...Buffer.from(id)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9_:/+=@~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  return escaped.length <= MAX_ID ? escaped : `sha256:${createHash('sha256').update(id).digest('hex')}`;
}

/**
 * The key behind a secret: `whsec_` and base64, or base64 alone.
 * @param place which secret it is, for the message
 * @throws SinkError `BAD_SECRET`
 */
export function readKey(secret: string, place: string): Buffer {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) {
    const message = `${place} is no key of Standard Webhooks: write whsec_ and the base64 of 24 to 64 random bytes`;
    throw new SinkError('BAD_SECRET', message, { retryable: false, sinkWide: true });
  }
  return Buffer.from(text, 'base64');
}
