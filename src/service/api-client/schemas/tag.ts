// Tag (API text, Resources, Tag). The API text shows only id, name and color. Other fields are kept unchanged.
import { z } from 'zod';
import { Id } from './fields.ts';

/** Tags nested in cards have no `color`. */
export const Tag = z.looseObject({ id: Id, name: z.string(), color: z.string().nullish() });
export type Tag = z.infer<typeof Tag>;
