// Checks the attributes of a CloudEvent: types, formats, and their encoding in headers.
import { CloudEvent, ValidationError } from 'cloudevents';
import { RefusedError } from '../intake.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

const REQUIRED = ['id', 'source', 'specversion', 'type'] as const;
const DEFINED = [...REQUIRED, 'datacontenttype', 'dataschema', 'subject', 'time'] as const;
const NAME = /^[a-z0-9]{1,100}$/;
/** Control characters and lone surrogates (CloudEvents 1.0, type system). */
const FORBIDDEN = /[\p{Cc}\p{Surrogate}]/u;

/**
 * Checks attributes and collects them. A null attribute counts as absent (JSON format, section 3). The `cloudevents`
 * package checks the formats. This module keeps some of its defaults away: the package gives a missing id a random
 * value, turns a missing or bad time into now, accepts any version, and lets an extension replace a method of the same
 * name.
 * @throws RefusedError `BAD_EVENT`, naming the attribute
 */
export function readAttributes(entries: Iterable<readonly [string, unknown]>): Attributes {
  const attributes = Object.create(null) as Record<string, string | number | boolean>;
  for (const [name, value] of entries) {
    if (value === null) continue;
    if (!NAME.test(name)) {
      throw refuse('an attribute', 'has a name with characters other than a-z and 0-9; correct it');
    }
    attributes[name] = scalar(name, value);
  }
  for (const name of REQUIRED) {
    if (!Object.hasOwn(attributes, name)) throw refuse(name, 'is missing; every CloudEvent needs it');
    if (attributes[name] === '') throw refuse(name, 'is empty; every CloudEvent needs it');
  }
  if (attributes.specversion !== '1.0')
    throw refuse('specversion', 'is not "1.0", the only supported version');
  const defined = DEFINED.filter((name) => Object.hasOwn(attributes, name));
  for (const name of defined) {
    if (typeof attributes[name] !== 'string') throw refuse(name, 'is not text; send text');
  }
  try {
    const event = new CloudEvent(Object.fromEntries(defined.map((name) => [name, attributes[name]])), false);
    event.validate();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw refuse(nameIn(error), 'is not in the format that CloudEvents 1.0 requires');
  }
  return attributes;
}

function scalar(name: string, value: unknown): string | number | boolean {
  if (typeof value === 'boolean' || Number.isInteger(value)) return value as boolean | number;
  if (typeof value !== 'string')
    throw refuse(name, 'is not text, a whole number, true or false; send one of them');
  if (FORBIDDEN.test(value))
    throw refuse(name, 'contains a control character or a lone surrogate; send plain text');
  return value;
}

function nameIn(error: ValidationError): string {
  const [first] = (error.errors ?? []) as { instancePath?: string }[];
  return first?.instancePath?.slice(1) || 'an attribute';
}

/**
 * Decodes the value of a header (HTTP binding, section 3.1.3.2): it removes quotes, then decodes `%xx` once. A percent
 * sign without two hexadecimal digits stays, because some senders never encode.
 * @throws RefusedError `BAD_EVENT` for bytes that are not UTF-8
 */
export function decodeHeader(name: string, value: string): string {
  const quoted = /^"(.*)"$/s.exec(value)?.[1];
  const plain = quoted === undefined ? value : quoted.replace(/\\(.)/gs, '$1');
  try {
    return plain.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw refuse(name, 'is percent-encoded, but not from UTF-8');
  }
}

function refuse(name: string, problem: string): RefusedError {
  const attribute = name === 'an attribute' ? name : `the attribute ${name}`;
  return new RefusedError('BAD_EVENT', 400, `CloudEvents: ${attribute} ${problem}`);
}
