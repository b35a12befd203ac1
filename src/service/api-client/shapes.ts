// Reads answers: strict where the API text specifies them, tolerant where it does not (wrapper keys, extra fields, new
// enum values). Reports where an answer differs from the API text, never its values.
import { z } from 'zod';
import type { AssumptionKey } from './assumption-table.ts';
import { valueAt } from './field-spec.ts';
import { isObject, type JsonObject, namesIn } from './json-object.ts';
import { Id, TOO_LARGE } from './schemas/fields.ts';

/** Thrown when an answer differs at `at` from the API text or an assumption. The caller adds method and path. */
export class ShapeMismatch extends Error {
  override readonly name = 'ShapeMismatch';
  readonly at: string;
  readonly expected: string;
  /** The assumption to override. Null if the API text promises the missing field. */
  readonly assumption: AssumptionKey | null;
  /** Names of the fields in that place. */
  readonly seen: readonly string[];
  constructor(
    at: string,
    expected: string,
    assumption: AssumptionKey | null = null,
    seen: readonly string[] = [],
  ) {
    super(`${at}: ${expected}`);
    this.at = at;
    this.expected = expected;
    this.assumption = assumption;
    this.seen = seen;
  }
}

/** An unreadable item of a list: its place, its difference from the API text, and the assumption to override. */
export interface InvalidItem {
  readonly index: number;
  /** Its id, if that is readable. */
  readonly id: number | null;
  readonly path: string;
  readonly expected: string;
  /** The assumption to override. Null if the API text promises the missing field. */
  readonly assumption: AssumptionKey | null;
  /**
   * Names of the fields in that place, those of nested objects as paths: at most 24 and a count of the others. Never a
   * value; a name that may be personal is masked.
   */
  readonly seen: readonly string[];
}

/** A whole list. An unreadable item is in `invalid` and does not affect the others. */
export interface Listing<T> {
  readonly items: T[];
  readonly invalid: InvalidItem[];
}

/** One page of a list. `count` is the number of items that match, on all pages. */
export interface Page<T> extends Listing<T> {
  readonly count: number;
  readonly hasMore: boolean;
}

function pathText(start: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, start);
}

/** Converts an error of a schema to a mismatch at `at`. For a union, the error of its first member counts. */
function mismatch(
  error: z.ZodError,
  value: unknown,
  at: string,
  assumption: AssumptionKey | null,
): ShapeMismatch {
  const outer = error.issues[0];
  const inner = outer?.code === 'invalid_union' ? outer.errors[0]?.[0] : undefined;
  const issue = inner?.code === 'custom' ? inner : outer;
  const path = outer?.path ?? [];
  const expected =
    issue?.code === 'invalid_type'
      ? `expected ${issue.expected}`
      : issue?.code === 'custom'
        ? issue.message
        : 'not in the promised form';
  const place = path
    .slice(0, -1)
    .reduce<unknown>((inner, key) => (inner as JsonObject)[key as string], value);
  return new ShapeMismatch(pathText(at, path) || 'answer', expected, assumption, namesIn(place));
}

/** Reads `value` by `schema`. `at` is its place in the answer. */
export function read<S extends z.ZodType>(
  schema: S,
  value: unknown,
  at: string,
  assumption: AssumptionKey | null = null,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw mismatch(parsed.error, value, at, assumption);
}

/** The record in the answer to a write, and its id. Both are null if the answer has none. */
export interface ShownRecord<T> {
  readonly record: T | null;
  readonly id: number | null;
}

/**
 * Reads the record in the answer to a write. The write succeeded, whatever the answer contains. A word, an id alone, an
 * empty answer or a record that lacks a field counts as no record.
 *
 * @throws ShapeMismatch for an id that can't be kept exactly
 */
export function readShown<S extends z.ZodType>(
  schema: S,
  body: JsonObject,
  wrapper: Wrapper,
): ShownRecord<z.output<S>> {
  const { path, usual } = wrapper;
  const at = path === 'any' ? (anyKey(body, usual, isObject) ?? null) : path.join('.');
  const place = path === 'any' ? (at === null ? body : body[at]) : valueAt(body, path);
  if (!isObject(place)) return { record: null, id: null };
  const id = place.id === undefined || place.id === null ? null : Id.safeParse(place.id);
  const tooLarge = id?.error?.issues[0]?.message === TOO_LARGE;
  if (tooLarge) throw new ShapeMismatch(at === null ? 'id' : `${at}.id`, TOO_LARGE, null, namesIn(place));
  const { requestId: _requestId, ...record } = place;
  return { record: schema.safeParse(record).data ?? null, id: id?.data ?? null };
}

/** Reads each item separately. */
export function readItems<S extends z.ZodType>(
  schema: S,
  values: readonly unknown[],
  at: string,
): Listing<z.output<S>> {
  return readEach(values, at, (value, place) => read(schema, value, place));
}

/** Reads each item by a function that throws ShapeMismatch for an unreadable one. */
export function readEach<T>(
  values: readonly unknown[],
  at: string,
  readOne: (value: unknown, place: string) => T,
): Listing<T> {
  const items: T[] = [];
  const invalid: InvalidItem[] = [];
  for (const [index, value] of values.entries()) {
    try {
      items.push(readOne(value, `${at}[${index}]`));
    } catch (error) {
      if (!(error instanceof ShapeMismatch)) throw error;
      const { at: path, expected, assumption, seen } = error;
      const id = isObject(value) && Number.isSafeInteger(value.id) ? (value.id as number) : null;
      invalid.push({ index, id, path, expected, assumption, seen });
    }
  }
  return { items, invalid };
}

/** The array under a key that the API text names. */
export function arrayAt(body: JsonObject, key: string): readonly unknown[] {
  const value = body[key];
  if (!Array.isArray(value))
    throw new ShapeMismatch(key, 'expected array', envelopeOf(body, key), namesIn(body));
  return value;
}

/** The object under a key that the API text names. */
export function objectAt(body: JsonObject, key: string): JsonObject {
  const value = body[key];
  if (!isObject(value)) throw new ShapeMismatch(key, 'expected object', envelopeOf(body, key), namesIn(body));
  return value;
}

/** Maximum number of levels of objects that are searched. */
const MAX_ENVELOPES = 3;

/** A root field of the API text is inside another object, so the whole answer may be wrapped. */
function envelopeOf(body: JsonObject, key: string): AssumptionKey | null {
  if (Object.hasOwn(body, key)) return null;
  return isInside(body, key, MAX_ENVELOPES) ? 'answer.envelope' : null;
}

function isInside(place: JsonObject, key: string, levels: number): boolean {
  return Object.values(place).some(
    (value) =>
      isObject(value) && (Object.hasOwn(value, key) || (levels > 1 && isInside(value, key, levels - 1))),
  );
}

/** Place of a list or a record whose key the API text does not show. */
export interface Wrapper {
  readonly key: AssumptionKey;
  /** `any`: the usual name, else the only key that fits. */
  readonly path: 'any' | readonly string[];
  readonly usual: string;
}

/** Returns the place of an answer's list, even if there is none. */
export function listPlace(body: JsonObject, { path, usual }: Wrapper): readonly string[] {
  return path === 'any' ? [anyKey(body, usual, Array.isArray) ?? usual] : path;
}

/**
 * Reads the list of an answer whose wrapper key the API text does not show. With `any`, `usual` wins, else the only key
 * with an array. Two candidates are a mismatch, because choosing one would be a guess.
 */
export function readList<S extends z.ZodType>(
  schema: S,
  body: JsonObject,
  wrapper: Wrapper,
): Listing<z.output<S>> {
  const place = listPlace(body, wrapper);
  const list = valueAt(body, place);
  if (!Array.isArray(list))
    throw new ShapeMismatch(place.join('.'), 'expected array', wrapper.key, namesIn(body));
  return readItems(schema, list, place.join('.'));
}

/** Returns the place of an answer's record, even if there is none. Empty: the root. */
export function recordPlace(body: JsonObject, { path, usual }: Wrapper): readonly string[] {
  if (path !== 'any') return path;
  if (!isObject(body[usual]) && Object.hasOwn(body, 'id')) return [];
  return [anyKey(body, usual, isObject) ?? usual];
}

/** Reads the record of an answer whose wrapper key the API text does not show. With `any`, it may have no wrapper. */
export function readRecord<S extends z.ZodType>(schema: S, body: JsonObject, wrapper: Wrapper): z.output<S> {
  return readAt(schema, body, recordPlace(body, wrapper), wrapper.key, 'id');
}

/** Returns the place of `ack` and `status`, even if they are absent. Empty: the root. */
export function statusPlace(body: JsonObject, { path, usual }: Wrapper): readonly string[] {
  if (path !== 'any') return path;
  const under = Object.hasOwn(body, 'status') ? undefined : anyKey(body, usual, isObject);
  return under === undefined ? [] : [under];
}

/**
 * Reads the record of a message's status. Only the fields `ack` and `status` of this answer are documented. They are at
 * its root, or under `wrapper`; with `any`, under `message` or the only key whose value is an object.
 */
export function readStatusRecord<S extends z.ZodType>(
  schema: S,
  body: JsonObject,
  wrapper: Wrapper,
): z.output<S> {
  return readAt(schema, body, statusPlace(body, wrapper), wrapper.key, null);
}

/** @param mark field that identifies the record; the API text promises its other fields */
function readAt<S extends z.ZodType>(
  schema: S,
  body: JsonObject,
  place: readonly string[],
  key: AssumptionKey,
  mark: string | null,
): z.output<S> {
  const { requestId: _requestId, ...root } = body;
  const value = place.length === 0 ? root : valueAt(body, place);
  if (!isObject(value)) throw new ShapeMismatch(place.join('.'), 'expected object', key, namesIn(body));
  if (mark !== null && Object.hasOwn(value, mark)) return read(schema, value, place.join('.'));
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // The value has another form. The names in the whole answer show where the record is.
  const { at, expected } = mismatch(parsed.error, value, place.join('.'), key);
  throw new ShapeMismatch(at, expected, key, namesIn(body));
}

function anyKey(body: JsonObject, usual: string, fits: (value: unknown) => boolean): string | undefined {
  if (fits(body[usual])) return usual;
  const candidates = Object.keys(body).filter((key) => fits(body[key]));
  return candidates.length === 1 ? candidates[0] : undefined;
}

const PageFields = z.object({ count: z.int().min(0), hasMore: z.boolean() });

/** Reads the size of a paginated list (API text, Limits, Paginated response). */
export function readPageFields(body: JsonObject): { count: number; hasMore: boolean } {
  return read(PageFields, body, '');
}

/** Reads a page of a paginated list (API text, Limits, Paginated response). */
export function readPage<S extends z.ZodType>(schema: S, body: JsonObject, key: string): Page<z.output<S>> {
  const listing = readItems(schema, arrayAt(body, key), key);
  return { ...listing, ...readPageFields(body) };
}
