// Pipeline, stage and lost reason (API text, Resources, Pipeline and stage; GET /v1/lost-reasons).
import { z } from 'zod';
import { Id, orNull } from './fields.ts';

export const Stage = z.looseObject({
  id: Id,
  name: z.string(),
  order: z.number(),
  /** A closing stage. */
  isFinal: z.boolean(),
  /** True for won, false for lost. Valid only if `isFinal`. */
  isWon: orNull(z.boolean()),
  probability: orNull(z.number()),
});
export type Stage = z.infer<typeof Stage>;

/** Stages are sorted by `order`, ascending. */
export const Pipeline = z.looseObject({
  id: Id,
  name: z.string(),
  stages: z.array(Stage).transform((stages) => stages.toSorted((a, b) => a.order - b.order)),
});
export type Pipeline = z.infer<typeof Pipeline>;

/** The API text shows no field except the id. */
export const LostReason = z.looseObject({ id: Id, name: z.string().nullish().catch(null) });
export type LostReason = z.infer<typeof LostReason>;
