// Identifies an event: its idempotency key, and the id made from the key.
import { createHash, randomBytes } from 'node:crypto';
import { shortHash } from '../../../../core/sql/short-hash.ts';
import { type Delivery, RefusedError } from '../intake.ts';
import type { Envelope } from './envelope.ts';
import { type JsonObject, kindOf } from './json.ts';
import { compilePath } from './path.ts';

/** API text, inbound webhook receiver: headers first, then fields of the body. */
export const KEY_HEADERS = ['Idempotency-Key', 'X-Idempotency-Key'] as const;
export const KEY_FIELDS = ['idempotency_key', 'event_id', 'eventId'] as const;
/** Headers in which known senders put the id of a delivery, the same for each redelivery. */
export const SENDER_HEADERS = [
  'webhook-id',
  'X-GitHub-Delivery',
  'X-Shopify-Event-Id',
  'X-Shopify-Webhook-Id',
] as const;

const MAX_LENGTH = 255;

/**
 * The identity of an event. `key` is one namespace wherever the key was: a sender that moves it from the body into a
 * header, or from HTTP to Kafka, still means the same event. The number 42 equals the text "42".
 */
export type EventKey =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'cloudevent'; readonly source: string; readonly id: string }
  /** Location of a delivery without a key, such as topic, partition and offset. */
  | { readonly kind: 'place'; readonly place: string }
  /** Hash of the bytes of a signed delivery without a key. */
  | { readonly kind: 'body'; readonly hash: string };

export interface KeyReader {
  /**
   * @param batched whether the delivery has several events: then its headers identify none of them
   * @throws RefusedError `NO_KEY` for an unusable key
   */
  (delivery: Delivery, envelope: Envelope, view: JsonObject, batched: boolean): EventKey | null;
}

/**
 * The first one found in this order: headers, fields of the body (of `data` with CloudEvents), source and id of the
 * CloudEvent, the configured path, headers of known senders, the location of the delivery.
 *
 * A signed delivery has the identity that was signed. With a signed id, that is the configured path, else the id.
 * Without one, headers are ignored unless the route trusts them, and what remains is the body itself: the same bytes
 * are the same event.
 * @throws RouteConfigError for an unsafe path
 */
export function compileKey(route: string, path: string | undefined): KeyReader {
  const compiled = path === undefined ? undefined : compilePath(route, 'key', path);
  return ({ headers, signature, body, fallbackKey }, { root, event, keyed }, view, batched) => {
    const configured = () => (path === undefined ? null : first([path], () => compiled?.(view), 'key'));
    if (signature !== undefined && signature.id !== null && !batched) {
      return configured() ?? { kind: 'key', key: toKey(signature.id, 'header webhook-id') };
    }
    const headersCount = !batched && signature?.trustHeaders !== false;
    const inHeader = (names: readonly string[]) =>
      headersCount ? first(names, (name) => own(headers, name.toLowerCase()), 'header') : null;
    return (
      inHeader(KEY_HEADERS) ??
      (keyed ? first(KEY_FIELDS, (name) => own(root, name), 'field') : null) ??
      (event === undefined ? null : { kind: 'cloudevent', source: event.source, id: event.id }) ??
      configured() ??
      inHeader(SENDER_HEADERS) ??
      (fallbackKey === undefined ? null : { kind: 'place', place: fallbackKey }) ??
      (signature === undefined ? null : { kind: 'body', hash: hashOf(body) })
    );
  };
}

function hashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url');
}

function first(names: readonly string[], read: (name: string) => unknown, what: string): EventKey | null {
  for (const name of names) {
    const value = read(name);
    if (value !== undefined && value !== null) return { kind: 'key', key: toKey(value, `${what} ${name}`) };
  }
  return null;
}

function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function toKey(value: unknown, place: string): string {
  if (typeof value === 'number') {
    // Larger integers arrive as text with all their digits.
    if (Number.isSafeInteger(value)) return String(value);
    throw noKey(`${place} is not a whole number; send text or a whole number`);
  }
  if (typeof value !== 'string') throw noKey(`${place} is ${kindOf(value)}; send text or a whole number`);
  const key = value.trim();
  if (key === '') throw noKey(`${place} is empty; leave it out, or send what identifies this event`);
  if ([...key].length > MAX_LENGTH)
    throw noKey(`${place} has more than ${MAX_LENGTH} characters; send a shorter one`);
  return key;
}

/** The error lists every way to send a key. */
export function noKey(problem: string): RefusedError {
  return new RefusedError('NO_KEY', 400, problem);
}

/**
 * Returns the id of an event: 22 characters of Base64url, 132 bits of a hash over account, route and key. JSON
 * separates the parts and escapes lone surrogates, which UTF-8 would merge.
 */
export function eventId(account: string, route: string, key: EventKey): string {
  const { kind, ...rest } = key;
  return shortHash(JSON.stringify([account, route, kind, ...Object.values(rest)]));
}

/** For events that have no key and need none. */
export function randomEventId(): string {
  return randomBytes(16).toString('base64url');
}
