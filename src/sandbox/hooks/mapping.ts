// How a webhook reads a payload: dot-paths over own properties, and the idempotency key in its five places.
import type { IncomingHttpHeaders } from 'node:http';

const KEY_HEADERS = ['idempotency-key', 'x-idempotency-key'] as const;
const KEY_FIELDS = ['idempotency_key', 'event_id', 'eventId'] as const;

const own = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

/** `lead.phones.0` → payload.lead.phones[0]; undefined when a step is missing or is not the payload's own. */
export function resolvePath(payload: unknown, path: string): unknown {
  return path.split('.').reduce(own, payload);
}

/** A text that is not empty, numbers and booleans included; undefined for anything else. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A JSON number, or a text that is one in full. */
export function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The first that is found: two headers, then three fields of the body. */
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
