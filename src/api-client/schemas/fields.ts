// Small pieces that several records of the API share.
import { z } from 'zod';

export const Id = z.int();

/** A field that the API text calls "or null"; an absent one reads as null. */
export function orNull<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? null);
}

/** Date-time: ISO 8601, UTC, as text. */
export const Instant = z.iso.datetime({ offset: true });

/** A reference to another record. */
export const Named = z.looseObject({ id: Id, name: z.string() });
export type Named = z.infer<typeof Named>;

/** A set of words that the service may extend: the known ones help the editor, others are kept. */
export function openWord<T extends string>() {
  return z.string() as unknown as z.ZodType<T | (string & {}), string>;
}
