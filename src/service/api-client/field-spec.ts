// How an assumption names a field of an answer: by name, by a path into nested fields, or with the meaning of its
// values.
import { z } from 'zod';
import { isObject, type JsonObject } from './json-object.ts';

/** Unit of a time: ISO 8601 text with an offset, or seconds or milliseconds since 1970, as a number or as digits. */
export type TimeUnit = 'iso' | 's' | 'ms';

/** Place of a field, and the meaning of its values. */
export interface FieldSpec<V = unknown> {
  /** Names from the record down; a number is a place in a list. */
  readonly path: readonly string[];
  /**
   * What each value of the service means. Keys are values as text; `null` means null, `absent` means a missing
   * field, `*` any other value. Null: values are used unchanged.
   */
  readonly values: Readonly<Record<string, V>> | null;
  readonly unit: TimeUnit;
  /** True if an absent field means that there is no value. */
  readonly optional: boolean;
}

const SEGMENT = /^[^\s.\p{Cc}]{1,64}$/u;
const NAME_HINT =
  'write the name of a JSON field, a path such as content.text or meta.0.text, or a list of names such as [meta, from.me]';

/** Names from the record down; empty: the record itself. */
export type FieldPathNames = readonly string[];

/** Names from the outside in: `content.text`, or a list if a name contains a dot. */
export const FieldPath = z.union(
  [
    z
      .string({ error: NAME_HINT })
      .max(300, { error: NAME_HINT })
      .refine((text) => text.split('.').every((part) => SEGMENT.test(part)), { error: NAME_HINT })
      .transform((text): readonly string[] => text.split('.')),
    z
      .array(z.string().regex(/^[^\p{Cc}]{1,64}$/u))
      .min(1)
      .max(8)
      .readonly(),
  ],
  { error: NAME_HINT },
);

interface Kind<V> {
  /** Schema of the values of a value map. Null: the field takes no map. */
  readonly values: z.ZodType<V> | null;
  readonly unit: boolean;
  readonly optional: boolean;
  readonly example: string;
}

function fieldSpec<V>({ values, unit, optional, example }: Kind<V>) {
  const hint = `write a field's name, a path such as content.text, or ${example}`;
  const options = z.strictObject({
    path: FieldPath,
    ...(values === null
      ? {}
      : { values: z.record(z.string(), values, { error: 'write { value: meaning, … }' }).optional() }),
    ...(unit ? { unit: z.enum(['iso', 's', 'ms'], { error: "write 'iso', 's' or 'ms'" }).optional() } : {}),
    ...(optional ? { optional: z.boolean({ error: 'write true or false' }).optional() } : {}),
  });
  const input: z.ZodType<FieldInput<V>, FieldInput<V>> = z.union(
    [z.string(), z.array(z.string()), z.looseObject({ path: z.union([z.string(), z.array(z.string())]) })],
    { error: hint },
  ) as never;
  return input.transform((value, context): FieldSpec<V> => {
    const given = typeof value === 'string' || Array.isArray(value) ? { path: value } : value;
    const parsed = options.safeParse(given);
    if (!parsed.success) {
      const short = given !== value;
      for (const issue of parsed.error.issues) {
        const isUnknown = issue.code === 'unrecognized_keys';
        const known = Object.keys(options.shape).join(', ');
        const message = isUnknown ? `unknown here; known are ${known}` : issue.message;
        const path = short ? [] : [...issue.path, ...(isUnknown ? issue.keys.slice(0, 1) : [])];
        context.addIssue({ code: 'custom', path, message });
      }
      return z.NEVER;
    }
    const {
      path,
      values: map = null,
      unit: inUnit = 'iso',
      optional: may = false,
    } = parsed.data as Parsed<V>;
    return { path, values: map, unit: inUnit, optional: may };
  });
}

interface Parsed<V> {
  readonly path: readonly string[];
  readonly values?: Readonly<Record<string, V>> | undefined;
  readonly unit?: TimeUnit | undefined;
  readonly optional?: boolean | undefined;
}

/** Forms of an override: a name, a path, a list of names, or the whole specification. */
export type FieldInput<V = unknown> =
  | string
  | readonly string[]
  | {
      readonly path: string | readonly string[];
      readonly values?: Readonly<Record<string, V>> | undefined;
      readonly unit?: TimeUnit | undefined;
      readonly optional?: boolean | undefined;
    };

/** A field whose value is used unchanged. */
export const PlainField = fieldSpec<never>({
  values: null,
  unit: false,
  optional: false,
  example: '{ path: … }',
});

/** A text that may be missing. */
export const TextField = fieldSpec<never>({
  values: null,
  unit: false,
  optional: true,
  example: '{ path: …, optional: true }',
});

/** A word of the API text, or values that mean one. */
export const WordField = fieldSpec<string>({
  values: z
    .string({ error: 'write the word of the API text that the value stands for, such as delivered' })
    .min(1),
  unit: false,
  optional: true,
  example: "{ path: …, values: { '3': delivered, … } }",
});

/** Direction of a message: true if the account sent it. */
export const DirectionField = fieldSpec<boolean>({
  values: z.boolean({
    error: 'write true for a message that the account sent, false for one that it received',
  }),
  unit: false,
  optional: false,
  example: '{ path: …, values: { inbound: false, outbound: true } }',
}).refine(({ values }) => values === null || new Set(Object.values(values)).size === 2, {
  path: ['values'],
  error: 'name a value for either way: { inbound: false, outbound: true }',
});

/** A point in time. */
export const TimeField = fieldSpec<never>({
  values: null,
  unit: true,
  optional: true,
  example: '{ path: …, unit: s }',
});

/** Returns the value at a path, or undefined if there is none. It reads own fields only. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  let at: unknown = record;
  for (const name of path) {
    if (Array.isArray(at)) at = /^\d{1,4}$/.test(name) ? at[Number(name)] : undefined;
    else at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

/** Builds a body with values at their paths. It omits undefined values. */
export function placed(
  entries: ReadonlyArray<readonly [path: readonly string[], value: unknown]>,
): JsonObject {
  const body: Record<string, unknown> = {};
  for (const [path, value] of entries) {
    if (value === undefined) continue;
    let at = body;
    for (const name of path.slice(0, -1)) {
      if (!Object.hasOwn(at, name)) define(at, name, {});
      at = at[name] as Record<string, unknown>;
    }
    define(at, path.at(-1) as string, value);
  }
  return body;
}

/** Sets an own field of the record, whatever its name, even `__proto__`. */
function define(record: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}

export const pathText = (path: readonly string[]): string => path.join('.');
