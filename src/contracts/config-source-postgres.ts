// A source in a PostgreSQL database: one table, or one select.
import { z } from 'zod';
import { Duration, described, SecretRef } from './config-base.ts';

const column = z.string().min(1);

const incremental = z.strictObject({
  column: described(
    column,
    'Column that grows whenever a row changes: the time of the change, or a number from a sequence',
  ),
  overlap: z.union([Duration, z.number().nonnegative()]).optional().meta({
    description:
      'How far a run reads again before the end of the last one, for rows that were committed late: a time, or a number for a column of numbers. Default: 5m for times, none for numbers',
  }),
});

export const PostgresSource = z
  .strictObject({
    type: z.literal('postgres').meta({ description: 'Kind of source' }),
    url: described(SecretRef, 'Reference to the address, postgres://user:password@host:5432/database'),
    table: z.string().min(1).optional().meta({
      description: 'Table or view to read, with its schema: public.leads. Names are taken as written',
    }),
    query: z
      .string()
      .regex(
        /^\s*(?:(?:--[^\n]*\n|\/\*[^]*?\*\/)\s*)*\(*\s*(?:select|with|table|values)\b/i,
        'must be one select; Sluice only reads',
      )
      .optional()
      .meta({ description: 'A select instead of `table`, without order and limit' }),
    key: z
      .union([column, z.array(column).min(1)])
      .meta({ description: 'Column, or columns together, that no two rows share and that are never null' }),
    incremental: incremental.optional().meta({
      description: 'Read only what changed since the last finished run. Default: every run reads all',
    }),
    tls: z.boolean().default(false).meta({
      description:
        'Encrypt the connection and check the certificate, unless `sslmode` in the address says otherwise (NODE_EXTRA_CA_CERTS names a private authority)',
    }),
    timeout: Duration.default('60s').meta({ description: 'Longest time for one statement' }),
  })
  .refine(({ table, query }) => (table === undefined) !== (query === undefined), {
    message: 'needs either `table` or `query`',
  });
export type PostgresSource = z.infer<typeof PostgresSource>;
