// Tag (API text, Resources, Tag). Fields beyond id, name and color are not shown and kept as they come.
import { z } from 'zod';
import { Id } from './fields.ts';

/** `color` is absent in the tags nested in cards. */
export const Tag = z.looseObject({ id: Id, name: z.string(), color: z.string().nullish() });
export type Tag = z.infer<typeof Tag>;
