// Headers of Kafka records, as their producers named them. No name is special, and a header without a value stays one.
import type { IHeaders } from 'kafkajs';

/** Null: a header without a value. A repeated header has a list. */
export type HeaderValue = Buffer | string | null;
/** By name, without a prototype: `__proto__`, `constructor` and `toString` are names like any other. */
export type Headers = Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>;

/**
 * Copies what kafkajs read. It collects headers in an ordinary object (2.2.4), so the value of a header named
 * `constructor` comes as a list that begins with the inherited function. Such a list can't be written again.
 */
export function readHeaders(headers: object | undefined): Headers {
  return headersFrom(
    Object.entries(headers ?? {}).flatMap(([name, value]: [string, unknown]) => {
      const values = (Array.isArray(value) ? value : [value]).filter(isHeaderValue);
      const [first = null] = values;
      if (values.length === 0) return [];
      return [[name, values.length === 1 ? first : values]];
    }),
  );
}

export function headersFrom(entries: Iterable<readonly [string, Headers[string]]>): Headers {
  const headers: Record<string, Headers[string]> = Object.create(null) as Record<string, Headers[string]>;
  for (const [name, value] of entries) headers[name] = value;
  return headers;
}

/** Returns the headers in the form in which kafkajs writes them. */
export function writableHeaders(headers: Headers): IHeaders {
  const written: IHeaders = Object.create(null) as IHeaders;
  for (const [name, value] of Object.entries(headers)) {
    const values = Array.isArray(value) ? (value as readonly HeaderValue[]) : [value as HeaderValue];
    written[name] = values.includes(null) ? new NullableValues(values) : (value as IHeaders[string]);
  }
  return written;
}

function isHeaderValue(value: unknown): value is HeaderValue {
  return value === null || typeof value === 'string' || Buffer.isBuffer(value);
}

/**
 * The values of one header, of which some are null. kafkajs encodes null correctly, but measures its length before it
 * checks for null and throws (2.2.4). It makes an entry for each value with `map`, each time it encodes a record. The
 * entry of a null value is '' while it is measured, and null from then on. Both lengths take one byte.
 */
class NullableValues extends Array<string> {
  readonly #values: readonly HeaderValue[];
  constructor(values: readonly HeaderValue[]) {
    super();
    this.#values = values;
    // For whoever reads the message instead of sending it.
    values.forEach((value, index) => {
      this[index] = value as string;
    });
  }
  static override get [Symbol.species]() {
    return Array;
  }
  override map<T>(entryOf: (value: string, index: number, all: string[]) => T): T[] {
    return this.#values.map((value, index) => {
      const entry = entryOf(value as string, index, this);
      if (value !== null || typeof entry !== 'object' || entry === null) return entry;
      let isMeasured = false;
      return Object.defineProperty(entry, 'value', {
        get() {
          const shown = isMeasured ? null : '';
          isMeasured = true;
          return shown;
        },
      });
    });
  }
}
