// Pipeline, stage and lost reason (API text, Resources, Pipeline and stage; GET /v1/lost-reasons).
import { z } from 'zod';
import { Id, orNull } from './fields.ts';

export const Stage = z.looseObject({
  id: Id,
  name: z.string(),
  order: z.number(),
  /** A closing stage. */
  isFinal: z.boolean(),
  /** Won or lost; means something only when `isFinal`. */
  isWon: orNull(z.boolean()),
  probability: orNull(z.number()),
});
export type Stage = z.infer<typeof Stage>;

/** Stages are ordered by `order`, ascending, whatever order they came in. */
export const Pipeline = z.looseObject({
  id: Id,
  name: z.string(),
  stages: z.array(Stage).transform((stages) => stages.toSorted((a, b) => a.order - b.order)),
});
export type Pipeline = z.infer<typeof Pipeline>;

/** Fields beyond the id are not shown. */
export const LostReason = z.looseObject({ id: Id, name: z.string().nullish().catch(null) });
export type LostReason = z.infer<typeof LostReason>;
