// Builds request lines: it fills paths and builds queries. It rejects arguments that the service would refuse or
// silently misread, before a call is spent.
import { z } from 'zod';
import { HIDDEN, InvalidArgumentError } from './errors.ts';

/** A path with its template. Errors and metrics name the template; only the request contains the ids. */
export interface Route {
  readonly template: string;
  readonly target: string;
}

// The characters of message ids of channels, base64 included. The slash is left out: some proxies decode an escaped
// slash, which changes the path.
const SEGMENT = /^[A-Za-z0-9._~:=+@-]{1,512}$/;

/** Returns whether a text is safe as one path segment: it cannot climb, split or end the path. */
export function isSegment(value: unknown): value is string {
  return typeof value === 'string' && SEGMENT.test(value) && value !== '.' && value !== '..';
}

function segment(key: string, value: unknown): string {
  if (!isSegment(value)) {
    const wayOut =
      'send an id exactly as the service returned it: at most 512 letters, digits and . _ ~ : = + @ -';
    throw new InvalidArgumentError(key, typeof value === 'string' ? HIDDEN : value, wayOut);
  }
  return encodeURIComponent(value);
}

/**
 * Fills a path template: `ids` are positive integers, `words` are ids that are text.
 *
 * @example route('/v1/cards/{cardId}', { cardId: 7 }) // target: /v1/cards/7
 * @throws InvalidArgumentError
 */
export function route(
  template: string,
  ids: Readonly<Record<string, number>> = {},
  words: Readonly<Record<string, string>> = {},
): Route {
  const target = template.replace(/\{(\w+)\}/g, (_whole, key: string) => {
    if (Object.hasOwn(words, key)) return segment(key, words[key]);
    const value: unknown = ids[key];
    if (!Number.isSafeInteger(value) || (value as number) < 1) {
      throw new InvalidArgumentError(key, value, 'send an id, which is a positive integer');
    }
    return String(value);
  });
  return { template, target };
}

const ID_HINT = 'send an id, which is an integer';
const TEXT_HINT = 'send text that is not empty, or leave it out';

export const IdArgument = z.int({ error: ID_HINT }).min(1, { error: ID_HINT });
const ID_LIST_HINT = 'send one id or a list of ids; leave an empty list out';
export const IdListArgument = z.union([IdArgument, z.array(IdArgument).min(1, { error: ID_LIST_HINT })], {
  error: ID_LIST_HINT,
});
export const TextArgument = z.string({ error: TEXT_HINT }).min(1, { error: TEXT_HINT });

const INSTANT_HINT = 'send a Date, or ISO 8601 with time and offset such as 2026-11-20T10:00:00-03:00';

/** A date filter: a Date, or an ISO 8601 text with time and offset (API text, Limits, Date filters). */
export const InstantArgument = z.union(
  [
    z.date({ error: INSTANT_HINT }).transform((date) => date.toISOString()),
    z.iso.datetime({ offset: true, error: INSTANT_HINT }),
  ],
  { error: INSTANT_HINT },
);

const PAGE_HINT = 'send an integer of 1 or more';
export const PageArguments = {
  pageNumber: z.int({ error: PAGE_HINT }).min(1, { error: PAGE_HINT }).optional(),
  /** The service caps a larger one silently: see MAX_PAGE_SIZE. */
  pageSize: z.int({ error: PAGE_HINT }).min(1, { error: PAGE_HINT }).optional(),
};

/** One or more words of an open set, for status filters. */
export function wordsArgument<T extends string>(examples: string) {
  const error = `send one of ${examples}, or a list of them; leave an empty list out`;
  const word = z.string({ error }).regex(/^\w+$/, { error }) as unknown as z.ZodType<T, T>;
  return z.union([word, z.array(word).min(1, { error })], { error });
}

/**
 * Checks arguments against their schema.
 *
 * @throws InvalidArgumentError with the first field that does not fit
 */
export function checkArguments<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    throw new InvalidArgumentError('argument', issue.keys[0], 'the call knows no such field; leave it out');
  }
  const path = issue?.path ?? [];
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)?.[key], input);
  throw new InvalidArgumentError(path.join('.') || 'argument', value, issue?.message ?? 'not valid');
}

/**
 * Returns an argument as JSON. The error names `field` if JSON cannot represent the value.
 *
 * @throws InvalidArgumentError
 */
export function jsonText(field: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InvalidArgumentError(field, value, 'send what JSON can hold: no cycles, no bigint');
  }
}

/** Query text with a leading `?`, or empty. Lists become CSV; undefined values are omitted. */
export function queryText(params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value !== undefined) query.set(key, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
