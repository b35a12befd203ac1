// Which event this is: the idempotency key that a delivery has, and the id made of it.
import { createHash, randomBytes } from 'node:crypto';
import { shortHash } from '../../ledger/short-hash.ts';
import { type Delivery, RefusedError } from '../intake.ts';
import type { Envelope } from './envelope.ts';
import { type JsonObject, kindOf } from './json.ts';
import { compilePath } from './path.ts';

/** API text, inbound webhook receiver: headers first, then fields of the body. */
export const KEY_HEADERS = ['Idempotency-Key', 'X-Idempotency-Key'] as const;
export const KEY_FIELDS = ['idempotency_key', 'event_id', 'eventId'] as const;
/** Where known senders put the id of a delivery, the same when they send it again. */
export const SENDER_HEADERS = [
  'webhook-id',
  'X-GitHub-Delivery',
  'X-Shopify-Event-Id',
  'X-Shopify-Webhook-Id',
] as const;

const MAX_LENGTH = 255;

/**
 * What makes an event that one. `key` is one name space, wherever the key stood: a sender that moves it from the body into a
 * header, or from HTTP to Kafka, still means the same event, and the number 42 is the text "42".
 */
export type EventKey =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'cloudevent'; readonly source: string; readonly id: string }
  /** The place of a delivery that holds no key, as a topic with partition and offset. */
  | { readonly kind: 'place'; readonly place: string }
  /** Of a signed delivery that holds no key: its bytes are what was signed. */
  | { readonly kind: 'body'; readonly hash: string };

export interface KeyReader {
  /**
   * @param batched whether the delivery has several events: its headers name all of them, so they tell none from another
   * @throws RefusedError `NO_KEY` for a key that can't be one
   */
  (delivery: Delivery, envelope: Envelope, view: JsonObject, batched: boolean): EventKey | null;
}

/**
 * First found in this order: headers, fields of the body (of `data` with CloudEvents), source and id of the CloudEvent, the
 * configured path, headers of known senders, the place of the delivery.
 *
 * A signed delivery has the identity that was signed. With a signed id that is the configured path, else the id. Without one,
 * headers are passed over unless the route trusts them, and what remains is the body itself: the same bytes are the same event.
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
    // Larger integers come as text, with all their digits.
    if (Number.isSafeInteger(value)) return String(value);
    throw noKey(`${place} is a number that is not whole; send a text or a whole number`);
  }
  if (typeof value !== 'string') throw noKey(`${place} is ${kindOf(value)}; send a text or a whole number`);
  const key = value.trim();
  if (key === '') throw noKey(`${place} is empty; leave it out, or send what makes this event that one`);
  if ([...key].length > MAX_LENGTH)
    throw noKey(`${place} has more than ${MAX_LENGTH} characters; send a shorter one`);
  return key;
}

/** Every way to a key, for a sender that has none. */
export function noKey(problem: string): RefusedError {
  return new RefusedError('NO_KEY', 400, problem);
}

/**
 * Id of an event: 22 characters of Base64url, 132 bits of a hash over account, route and key.
 * JSON keeps the parts apart, and writes out halves of characters that UTF-8 would make one.
 */
export function eventId(account: string, route: string, key: EventKey): string {
  const { kind, ...rest } = key;
  return shortHash(JSON.stringify([account, route, kind, ...Object.values(rest)]));
}

/** For what has no key and needs none. */
export function randomEventId(): string {
  return randomBytes(16).toString('base64url');
}
