// A source in a PostgreSQL database: one table, or one select.
import { z } from 'zod';
import { Duration, described, SecretRef } from '../../../core/config/base.ts';

const column = z.string().min(1);

const incremental = z.strictObject({
  column: described(
    column,
    'Column that grows with every change of a row: the time of the change, or a number from a sequence.',
  ),
  overlap: z.union([Duration, z.number().nonnegative()]).optional().meta({
    description:
      'How far before the end of the previous run a run begins to read, for rows that were committed late: a duration, or a number for numeric columns. Default: 5m for times, 0 for numbers.',
  }),
});

export const PostgresSource = z
  .strictObject({
    type: z.literal('postgres').meta({ description: 'Reads a table or a select from PostgreSQL.' }),
    url: described(
      SecretRef,
      'Reference to the connection string, postgres://user:password@host:5432/database.',
    ),
    table: z.string().min(1).optional().meta({
      description:
        'Table or view with its schema, for example public.leads. Case counts. Default: none. Set either table or query.',
    }),
    query: z
      .string()
      .regex(
        /^\s*(?:(?:--[^\n]*\n|\/\*[^]*?\*\/)\s*)*\(*\s*(?:select|with|table|values)\b/i,
        'must be one select; Sluice only reads',
      )
      .optional()
      .meta({ description: 'One select without order and limit. Default: none. Set either query or table.' }),
    key: z
      .union([column, z.array(column).min(1)])
      .meta({ description: 'Column, or list of columns, that is unique and never null.' }),
    incremental: incremental.optional().meta({
      description:
        'Reads only rows that changed since the last finished run. Default: none; every run reads all rows.',
    }),
    tls: z.boolean().default(false).meta({
      description:
        'true encrypts the connection and verifies the certificate, unless `sslmode` in the connection string says otherwise. NODE_EXTRA_CA_CERTS names a private authority. Default: false.',
    }),
    timeout: Duration.default('60s').meta({ description: 'Timeout for one statement. Default: 60s.' }),
  })
  .refine(({ table, query }) => (table === undefined) !== (query === undefined), {
    message: 'needs either `table` or `query`',
  });
export type PostgresSource = z.infer<typeof PostgresSource>;
