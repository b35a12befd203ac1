// Reads answers: strict where the API text speaks, tolerant where it is silent (wrapper keys, extra
// fields, new enum values). Says where an answer departs from the text, never what it held.
import { z } from 'zod';

/** An answer departs from the API text at `at`. The caller adds method and path. */
export class ShapeMismatch extends Error {
  override readonly name = 'ShapeMismatch';
  readonly at: string;
  readonly expected: string;
  constructor(at: string, expected: string) {
    super(`${at}: ${expected}`);
    this.at = at;
    this.expected = expected;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One item of a list that could not be read: where it stood, and what in it departs from the text. */
export interface InvalidItem {
  readonly index: number;
  /** Its id, when at least that could be read. */
  readonly id: number | null;
  readonly path: string;
}

/** A whole list. One bad item does not lose the others: it is named in `invalid`. */
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

/** Reads `value` by `schema`; `at` is where it stands in the answer. */
export function read<S extends z.ZodType>(schema: S, value: unknown, at: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const expected = issue?.code === 'invalid_type' ? `expected ${issue.expected}` : 'not in the promised form';
  throw new ShapeMismatch(pathText(at, issue?.path ?? []) || 'answer', expected);
}

/** Reads each item by itself. */
export function readItems<S extends z.ZodType>(
  schema: S,
  values: readonly unknown[],
  at: string,
): Listing<z.output<S>> {
  const items: z.output<S>[] = [];
  const invalid: InvalidItem[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = schema.safeParse(value);
    if (parsed.success) items.push(parsed.data);
    else {
      const id = isObject(value) && Number.isSafeInteger(value.id) ? (value.id as number) : null;
      invalid.push({ index, id, path: pathText(`${at}[${index}]`, parsed.error.issues[0]?.path ?? []) });
    }
  }
  return { items, invalid };
}

/** The array under a key that the API text names. */
export function arrayAt(body: JsonObject, key: string): readonly unknown[] {
  const value = body[key];
  if (!Array.isArray(value)) throw new ShapeMismatch(key, 'expected array');
  return value;
}

/**
 * The list of an answer whose wrapper key is not shown. With `any`, `usual` wins; else the one key
 * that holds an array. Two candidates are no answer: picking one would be a guess.
 */
export function readList<S extends z.ZodType>(
  schema: S,
  body: JsonObject,
  wrapper: string,
  usual: string,
): Listing<z.output<S>> {
  const key = wrapper === 'any' ? (anyKey(body, usual, Array.isArray) ?? usual) : wrapper;
  return readItems(schema, arrayAt(body, key), key);
}

/** The record of an answer whose wrapper key is not shown; with `any`, also one without a wrapper. */
export function readRecord<S extends z.ZodType>(
  schema: S,
  body: JsonObject,
  wrapper: string,
  usual: string,
): z.output<S> {
  if (wrapper !== 'any') return read(schema, body[wrapper], wrapper);
  if (!isObject(body[usual]) && Object.hasOwn(body, 'id')) {
    const { requestId: _requestId, ...record } = body;
    return read(schema, record, '');
  }
  const key = anyKey(body, usual, isObject) ?? usual;
  return read(schema, body[key], key);
}

/**
 * The record of an answer whose shape is not shown but for two fields, `ack` and `status`: they stand at
 * its root, or under `wrapper`; with `any`, under `message` or the one key that holds an object.
 */
export function readStatusRecord<S extends z.ZodType>(
  schema: S,
  body: JsonObject,
  wrapper: string,
): z.output<S> {
  if (wrapper !== 'any') return read(schema, body[wrapper], wrapper);
  const key = Object.hasOwn(body, 'status') ? undefined : anyKey(body, 'message', isObject);
  if (key !== undefined) return read(schema, body[key], key);
  const { requestId: _requestId, ...record } = body;
  return read(schema, record, '');
}

function anyKey(body: JsonObject, usual: string, fits: (value: unknown) => boolean): string | undefined {
  if (fits(body[usual])) return usual;
  const candidates = Object.keys(body).filter((key) => fits(body[key]));
  return candidates.length === 1 ? candidates[0] : undefined;
}

const PageFields = z.object({ count: z.int().min(0), hasMore: z.boolean() });

/** A page of a paginated list (API text, Limits, Paginated response). */
export function readPage<S extends z.ZodType>(schema: S, body: JsonObject, key: string): Page<z.output<S>> {
  const listing = readItems(schema, arrayAt(body, key), key);
  return { ...listing, ...read(PageFields, body, '') };
}
