// Reads CloudEvents 1.0 in binary, structured and batched form, over HTTP and Kafka. It does not use the package's own
// decoders: over HTTP they use a JSON parser that an environment variable can replace, and neither validates what it
// reads.
import { type Delivery, RefusedError } from '../intake.ts';
import { type Attributes, decodeHeader, readAttributes } from './cloudevent-attributes.ts';
import type { Decoded, Envelope } from './envelope.ts';
import { decodeText, isObject, type JsonObject, kindOf, parseJson } from './json.ts';

export type CloudEventMode = 'binary' | 'structured' | 'batch';

const PREFIX = { http: 'ce-', kafka: 'ce_' } as const;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the CloudEvents form that the headers declare, or null. @throws RefusedError for an unsupported form */
export function cloudEventMode({ headers, via }: Delivery): CloudEventMode | null {
  const type = mediaType(headers['content-type']);
  if (type === 'application/cloudevents+json') return 'structured';
  if (type === 'application/cloudevents-batch+json') return 'batch';
  if (type.startsWith('application/cloudevents')) {
    throw refuse('the content type names a form other than JSON; send application/cloudevents+json');
  }
  const names = [`${PREFIX[via]}id`, `${PREFIX[via]}specversion`];
  return names.some((name) => Object.hasOwn(headers, name)) ? 'binary' : null;
}

/**
 * Returns the form that the headers of a signed body declare. The signature does not cover them, so they can only
 * refuse an event and never turn it into another one.
 * @throws RefusedError for attributes in headers, because ignoring them would silently lose what the sender meant
 */
export function claimedMode(delivery: Delivery): Exclude<CloudEventMode, 'binary'> | null {
  const mode = cloudEventMode(delivery);
  if (mode !== 'binary') return mode;
  throw refuse(
    'the signature does not cover the ce-… headers; send the event in structured form (application/cloudevents+json), or set trustHeaders: true under http of the route',
  );
}

/** Returns whether the body declares itself a CloudEvent, whatever its content type. */
export function isCloudEvent(body: unknown): boolean {
  return isObject(body) && Object.hasOwn(body, 'specversion');
}

const REQUIRED = ['specversion', 'id', 'source', 'type'] as const;

/**
 * Returns whether a body of any JSON content type is a CloudEvent in structured form. Many senders send it as
 * application/json. A body that only has a field `specversion` is somebody's own JSON.
 */
export function isWholeCloudEvent(body: unknown): boolean {
  return (
    isObject(body) &&
    REQUIRED.every((name) => Object.hasOwn(body, name) && typeof body[name] === 'string') &&
    (Object.hasOwn(body, 'data') || Object.hasOwn(body, 'data_base64'))
  );
}

/**
 * @param mode null if the headers declare nothing but the route accepts only CloudEvents: the body is read as
 * structured
 * @throws RefusedError; one bad event refuses the whole batch
 */
export function decodeCloudEvents(delivery: Delivery, mode: CloudEventMode | null): Decoded {
  if (mode === 'binary') return { type: 'one', envelope: decodeBinary(delivery) };
  const body = parseJson(decodeText(delivery.body));
  if (mode !== 'batch') return { type: 'one', envelope: decodeStructured(body) };
  if (!Array.isArray(body)) throw refuse(`the batch is ${kindOf(body)}; send a list of events`);
  if (body.length === 0) throw refuse('the batch is empty; send at least one event');
  return {
    type: 'batch',
    envelopes: body.map((event, index) => inBatch(index, () => decodeStructured(event))),
  };
}

/** Prefixes a refusal with the position of the event in its batch. */
function inBatch<T>(index: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw atIndex(index, error);
  }
}

export function atIndex(index: number, error: unknown): unknown {
  if (!(error instanceof RefusedError)) return error;
  const problems = error.problems.map((problem) => ({ ...problem, field: `[${index}].${problem.field}` }));
  const message = `event [${index}] of the batch (all of it is refused): ${error.message}`;
  return new RefusedError(error.code, error.status, message, problems);
}

function decodeBinary({ headers, body, via }: Delivery): Envelope {
  const prefix = PREFIX[via];
  const entries = Object.entries(headers)
    .filter(([name]) => name.startsWith(prefix))
    .map(([header, value]): [string, string] => {
      const name = header.slice(prefix.length);
      return [name, via === 'http' ? decodeHeader(name, value) : value];
    });
  const type = headers['content-type'];
  if (type !== undefined) entries.push(['datacontenttype', type]);
  const attributes = readAttributes(entries);
  requireJson(attributes);
  if (body.length === 0) throw refuse('there is no data; send an object');
  return envelope(attributes, parseJson(decodeText(body, 'the data'), 'the data'));
}

export function decodeStructured(event: unknown): Envelope {
  if (!isObject(event)) throw refuse(`the event is ${kindOf(event)}; send an object`);
  const { data, data_base64, ...rest } = event;
  const attributes = readAttributes(Object.entries(rest));
  requireJson(attributes);
  const encoded = data_base64 !== undefined && data_base64 !== null;
  if (!encoded) return envelope(attributes, data);
  if (data !== undefined && data !== null)
    throw refuse('data and data_base64 are both present; send one of them');
  if (typeof data_base64 !== 'string' || !BASE64.test(data_base64) || data_base64.length % 4 !== 0) {
    throw refuse('data_base64 is not Base64');
  }
  const text = decodeText(Buffer.from(data_base64, 'base64'), 'data_base64');
  return envelope(attributes, parseJson(text, 'data_base64'));
}

function envelope(attributes: Attributes, data: unknown): Envelope {
  if (!isObject(data)) {
    throw refuse(`the data is ${data === undefined ? 'missing' : kindOf(data)}; send an object`);
  }
  const { source, id } = attributes as Attributes & { source: string; id: string };
  return { root: data, about: attributes, event: { source, id }, keyed: true };
}

/** Without the attribute, the data is JSON (JSON format, section 3.1). */
function requireJson({ datacontenttype = 'application/json' }: JsonObject): void {
  if (/^[^/]+\/([^/]+\+)?json$/.test(mediaType(String(datacontenttype)))) return;
  throw refuse('the data is not JSON by its content type (datacontenttype); send application/json');
}

/** Media type without parameters, in lower case. */
function mediaType(header: string | undefined): string {
  return header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function refuse(problem: string): RefusedError {
  return new RefusedError('BAD_EVENT', 400, `CloudEvents: ${problem}`);
}
