// Field schemas that several records of the API share.
import { z } from 'zod';

/** Marks the issue of an id that JavaScript can't represent exactly. Every record of the account may have one. */
export const TOO_LARGE = 'an id of at most 2^53 - 1: Sluice can not keep a larger one exactly';

/** An id as an integer or as digits. It is never rounded. */
export const Id = z.unknown().transform((value, context): number => {
  const isDigits = typeof value === 'string' && /^\d{1,30}$/.test(value);
  const id = isDigits ? Number(value) : value;
  if (Number.isSafeInteger(id)) return id as number;
  const isLarge = isDigits || (typeof value === 'number' && Number.isInteger(value));
  context.addIssue({ code: 'custom', message: isLarge ? TOO_LARGE : 'expected integer' });
  return z.NEVER;
}) as z.ZodType<number>;

/** An id of a record that no call takes. The API text does not show its type, so a text stays unchanged. */
const AnyId = z.union([Id, z.string()]);

const WRITTEN_NUMBER = /^\+?(?=.*\d)[\d\s().-]+$/;

/**
 * E.164 without plus. Digits, or an integer where the API text shows no type. A plus sign and signs between
 * digits are removed. An id of a chat network stays unchanged.
 */
export const NumberText = z
  .union([z.string(), z.int().transform(String)])
  .transform((text) => (WRITTEN_NUMBER.test(text) ? text.replace(/\D/g, '') : text));

/** A field that the API text calls "or null". An absent one reads as null. */
export function orNull<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? null);
}

/** Date-time: ISO 8601, UTC, as text. */
export const Instant = z.iso.datetime({ offset: true });

/** A reference to another record. */
export const Named = z.looseObject({ id: Id, name: z.string() });
export type Named = z.infer<typeof Named>;

/** A reference whose types the API text does not show, to a record that no call takes. */
export const Mention = z.looseObject({ id: orNull(AnyId), name: orNull(z.string()) });
export type Mention = z.infer<typeof Mention>;

/** A set of words that the service may extend. Editors suggest the known words; others are kept. */
export function openWord<T extends string>() {
  return z.string() as unknown as z.ZodType<T | (string & {}), string>;
}
