// Reads the payload of a webhook: dot paths over own properties, and the idempotency key in its five places.
import type { IncomingHttpHeaders } from 'node:http';

const KEY_HEADERS = ['idempotency-key', 'x-idempotency-key'] as const;
const KEY_FIELDS = ['idempotency_key', 'event_id', 'eventId'] as const;

const own = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

/** `lead.phones.0` → payload.lead.phones[0]; undefined if a step is missing or not an own property. */
export function resolvePath(payload: unknown, path: string): unknown {
  return path.split('.').reduce(own, payload);
}

/** Returns a text that is not empty; numbers and booleans become text. Undefined for anything else. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Returns the number of a JSON number or of a text that consists of one. */
export function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Returns the first key found: two headers, then three fields of the body. */
export function idempotencyKey(headers: IncomingHttpHeaders, payload: unknown): string | null {
  const candidates = [
    ...KEY_HEADERS.map((name) => headers[name]),
    ...KEY_FIELDS.map((name) => own(payload, name)),
  ];
  for (const value of candidates) {
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return null;
}
