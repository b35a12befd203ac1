// A source behind an HTTP API that answers JSON: how to ask, where the rows are, how to get the next page.
import { z } from 'zod';
import { Duration, described, insecure, SecretRef } from '../../../core/config/base.ts';

/** Parts of an answer or a row: names joined by dots, lists by index. */
const path = z.string().regex(/^[^.]+(?:\.[^.]+)*$/, 'write names joined by dots, for example data.items');
const param = z.string().min(1);

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const SECRET_NAME =
  /^(?:authorization|proxy-authorization|cookie)$|(?:token|secret|password|passwd|api[-_]?key|signature)$/i;
const noSecret = (value: Readonly<Record<string, unknown>>) =>
  !Object.keys(value).some((key) => SECRET_NAME.test(key));
const NO_SECRET = {
  message: 'seems to contain a secret; move it to `auth`, as env:NAME, file:path or command:program',
};

const auth = z.union([
  z.strictObject({ bearer: described(SecretRef, 'Reference to the token of `Authorization: Bearer …`.') }),
  z.strictObject({
    basic: z
      .strictObject({
        username: z
          .string()
          .min(1)
          .meta({ description: 'User name; env:NAME, file:path or command:program if it is secret.' }),
        password: described(SecretRef, 'Reference to the password. Default: an empty password.').optional(),
      })
      .meta({ description: 'Basic authentication.' }),
  }),
  z.strictObject({
    header: z
      .strictObject({
        name: z
          .string()
          .regex(HEADER_NAME, 'is no name of a header')
          .meta({ description: 'Name of the header.' }),
        value: described(SecretRef, 'Reference to the value of the header.'),
      })
      .meta({ description: 'Authentication by a header of your choice.' }),
  }),
  z.strictObject({
    query: z
      .strictObject({
        name: param.meta({ description: 'Name of the query parameter.' }),
        value: described(SecretRef, 'Reference to the value of the parameter.'),
      })
      .meta({ description: 'Authentication by a query parameter.' }),
  }),
]);

const size = {
  sizeParam: param.optional().meta({
    description: 'Query parameter for the number of rows per page. Default: none; the API decides.',
  }),
  size: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: 'Rows per page, 1 to 10000. Default: none; the API decides.' }),
};
const kind = <T extends string>(type: T, description: string) => z.literal(type).meta({ description });
const hasMore = path.optional().meta({
  description:
    'Path in the response to the flag that says whether more pages follow. Default: none; the list ends at an empty page, or without a next cursor.',
});
const total = path
  .optional()
  .meta({ description: 'Path in the response to the number of all rows. Default: none.' });

const pagination = z.discriminatedUnion('type', [
  z.strictObject({ type: kind('none', 'One response has all rows.') }),
  z.strictObject({
    type: kind('page', 'Pages by number.'),
    pageParam: param
      .default('page')
      .meta({ description: 'Query parameter for the page number. Default: page.' }),
    start: z.int().nonnegative().default(1).meta({ description: 'Number of the first page. Default: 1.' }),
    ...size,
    hasMore,
    total,
    recheck: z.boolean().default(true).meta({
      description:
        'true reads each page again after the next one, so that rows that moved to an earlier page are not missed. false suits lists that only grow at the end. Default: true.',
    }),
  }),
  z.strictObject({
    type: kind('offset', 'Pages by the number of rows to skip.'),
    offsetParam: param
      .default('offset')
      .meta({ description: 'Query parameter for the number of rows to skip. Default: offset.' }),
    ...size,
    hasMore,
    total,
    overlap: z.int().nonnegative().default(10).meta({
      description:
        'Rows of the previous page that are read again, to notice rows that moved. 0 turns this off. Default: 10.',
    }),
  }),
  z.strictObject({
    type: kind('cursor', 'Pages by a cursor from the previous response.'),
    cursorParam: param.meta({ description: 'Query parameter for the cursor.' }),
    next: path.meta({
      description: 'Path in the response to the next cursor. A missing or null cursor ends the list.',
    }),
    hasMore,
    ...size,
  }),
  z.strictObject({
    type: kind('link', 'Pages by the URL of the next page.'),
    next: path.optional().meta({
      description:
        'Path in the response to the URL of the next page. Default: the Link header with rel="next".',
    }),
    ...size,
  }),
]);
export type HttpPagination = z.infer<typeof pagination>;

export const HttpSource = z
  .strictObject({
    type: z.literal('http').meta({ description: 'Reads a list from an HTTP API that answers JSON.' }),
    url: z
      .url({ protocol: /^https?$/ })
      .refine((text) => !URL.canParse(text) || isPlain(new URL(text)), {
        message: 'holds credentials, a query or a fragment; use `auth` and `query`',
      })
      .meta({
        description:
          'URL of the list, for example https://crm.example.com/api/leads. Write parameters under `query`.',
      }),
    insecure: insecure('unencrypted http:// in url, to other machines'),
    method: z.enum(['GET', 'POST']).default('GET').meta({ description: 'HTTP method. Default: GET.' }),
    headers: z
      .record(z.string().regex(HEADER_NAME, 'is no name of a header'), z.string())
      .refine(noSecret, NO_SECRET)
      .default({})
      .meta({ description: 'Request headers. Write secrets under `auth`. Default: {}.' }),
    query: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .refine(noSecret, NO_SECRET)
      .default({})
      .meta({ description: 'Query parameters. Write secrets under `auth`. Default: {}.' }),
    body: z.record(z.string(), z.unknown()).optional().meta({
      description:
        'JSON body, with POST only. Parameters of pages and increments go into it too; dots in their names lead into nested objects. Default: none.',
    }),
    auth: auth.optional().meta({ description: 'Authentication of requests. Default: none.' }),
    items: path.optional().meta({
      description: 'Path in the response to the list of rows. Default: none; the response is the list.',
    }),
    item: path
      .optional()
      .meta({ description: 'Path in an entry of the list to the row. Default: none; the entry is the row.' }),
    id: path.optional().meta({
      description:
        'Path in an entry to its identifier, to notice rows that moved between pages. Set it if other parts of an entry change between two reads. Default: none; the whole entry counts.',
    }),
    pagination: pagination
      .default({ type: 'none' })
      .meta({ description: 'How to get further pages. Default: {type: none}; one response has all rows.' }),
    incremental: z
      .strictObject({
        param: param.meta({ description: 'Query parameter for the time since which rows changed.' }),
        column: path.meta({ description: 'Path in a row to the time of its last change.' }),
        format: z.enum(['iso', 'date', 'epoch', 'epoch-ms']).default('iso').meta({
          description:
            'Format of the time in the request. iso: 2026-11-20T10:00:00.000Z. date: 2026-11-20. epoch: seconds. epoch-ms: milliseconds. Default: iso.',
        }),
        overlap: Duration.default('1m').meta({
          description: 'How far before the end of the previous run a run begins to read. Default: 1m.',
        }),
      })
      .optional()
      .meta({
        description:
          'Reads only rows that changed since the last finished run. Default: none; every run reads all rows.',
      }),
    rate: z
      .strictObject({
        perMinute: z
          .number()
          .positive()
          .meta({ description: 'Maximum number of requests per minute, evenly spaced.' }),
      })
      .optional()
      .meta({ description: 'Rate limit for the requests of a run. Default: none.' }),
    timeout: Duration.default('30s').meta({ description: 'Timeout for one response. Default: 30s.' }),
    maxPages: z
      .int()
      .positive()
      .default(10_000)
      .meta({ description: 'Maximum number of requests per run. After it, the run fails. Default: 10000.' }),
  })
  .refine(({ method, body }) => method === 'POST' || body === undefined, {
    path: ['body'],
    message: 'goes with `method: POST` only',
  });
export type HttpSource = z.infer<typeof HttpSource>;

function isPlain({ username, password, search, hash }: URL): boolean {
  return `${username}${password}${search}${hash}` === '';
}
