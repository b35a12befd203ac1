// What all parts of sluice.yaml share: names, and references to secrets.
import { z } from 'zod';

export const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'use lower-case letters, digits, "-" and "_" (at most 63)')
  .meta({ description: 'Name used to refer to this entry' });

export const described = <T extends z.ZodType>(schema: T, description: string) =>
  schema.meta({ description });

export const SecretRef = z
  .string()
  .regex(
    /^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/,
    'write env:NAME or file:path; a secret itself never stands in this file',
  )
  .meta({ description: 'Reference to a secret: env:NAME or file:path (relative to this file)' });
