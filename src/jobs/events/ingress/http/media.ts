// Decides which bodies are read: JSON by its media type, in UTF-8, in a known encoding.

import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/**
 * - `json`: `application/json`, `text/json`, any `+json`, and so CloudEvents in structured form
 * - `batch`: CloudEvents in batched form
 * - null: anything else, including `text/plain` and a missing type. A web page may send those to any server without
 *   permission, and so to a route that is open on loopback.
 */
export function readMediaType(contentType: string | undefined): 'json' | 'batch' | null {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2);
    if (name.trim() === 'charset' && !/^\s*"?(?:utf-8|utf8|us-ascii)"?\s*$/.test(value)) return null;
  }
  const name = type.trim();
  if (name === 'application/cloudevents-batch+json') return 'batch';
  return /^(?:application\/json|text\/json|[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+\+json)$/.test(name)
    ? 'json'
    : null;
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Returns the decoder of a `Content-Encoding`: null if there is nothing to decode, undefined if it is unknown. */
export function decoderOf(contentEncoding: string | undefined): (() => Transform) | null | undefined {
  const name = (contentEncoding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') return null;
  return Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
}
