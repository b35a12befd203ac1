// A source behind an HTTP API that answers JSON: how to ask, where the rows are, how to get the next page.
import { z } from 'zod';
import { Duration, described, insecure, SecretRef } from './config-base.ts';

/** Parts of an answer or a row: names joined by dots, lists by index. */
const path = z.string().regex(/^[^.]+(?:\.[^.]+)*$/, 'write names joined by dots, for example data.items');
const param = z.string().min(1);

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const SECRET_NAME =
  /^(?:authorization|proxy-authorization|cookie)$|(?:token|secret|password|passwd|api[-_]?key|signature)$/i;
const noSecret = (value: Readonly<Record<string, unknown>>) =>
  !Object.keys(value).some((key) => SECRET_NAME.test(key));
const NO_SECRET = {
  message: 'holds what looks like a secret; it belongs under `auth`, as env:NAME or file:path',
};

const auth = z.union([
  z.strictObject({ bearer: described(SecretRef, 'Token of `Authorization: Bearer …`') }),
  z.strictObject({
    basic: z
      .strictObject({
        username: z
          .string()
          .min(1)
          .meta({ description: 'User name; env:NAME or file:path when it is secret' }),
        password: described(SecretRef, 'Reference to the password; empty without it').optional(),
      })
      .meta({ description: 'User name and password' }),
  }),
  z.strictObject({
    header: z
      .strictObject({
        name: z
          .string()
          .regex(HEADER_NAME, 'is no name of a header')
          .meta({ description: 'Name of the header' }),
        value: described(SecretRef, 'Reference to its value'),
      })
      .meta({ description: 'A header of its own' }),
  }),
  z.strictObject({
    query: z
      .strictObject({
        name: param.meta({ description: 'Name of the parameter' }),
        value: described(SecretRef, 'Reference to its value'),
      })
      .meta({ description: 'A parameter of the address' }),
  }),
]);

const size = {
  sizeParam: param.optional().meta({ description: 'Parameter that asks for rows per page' }),
  size: z.int().min(1).max(10_000).optional().meta({ description: 'Rows per page to ask for' }),
};
const kind = <T extends string>(type: T) => z.literal(type).meta({ description: 'How the list is paged' });
const hasMore = path.optional().meta({
  description: 'Where the answer says whether more follows; where it says nothing, it is asked for more',
});
const total = path.optional().meta({ description: 'Where the answer counts all rows' });

const pagination = z.discriminatedUnion('type', [
  z.strictObject({ type: kind('none') }),
  z.strictObject({
    type: kind('page'),
    pageParam: param.default('page').meta({ description: 'Parameter with the number of the page' }),
    start: z.int().nonnegative().default(1).meta({ description: 'Number of the first page' }),
    ...size,
    hasMore,
    total,
    recheck: z.boolean().default(true).meta({
      description:
        'Read each page again after the next one, so that rows which moved up meanwhile are not missed; false for lists that only grow at the end',
    }),
  }),
  z.strictObject({
    type: kind('offset'),
    offsetParam: param.default('offset').meta({ description: 'Parameter with the rows to skip' }),
    ...size,
    hasMore,
    total,
    overlap: z.int().nonnegative().default(10).meta({
      description:
        'Rows of each page that are read again, to notice rows that moved up meanwhile; 0 turns it off',
    }),
  }),
  z.strictObject({
    type: kind('cursor'),
    cursorParam: param.meta({ description: 'Parameter that takes the cursor' }),
    next: path.meta({
      description: 'Where the answer has the next cursor; none or null there ends the list',
    }),
    hasMore,
    ...size,
  }),
  z.strictObject({
    type: kind('link'),
    next: path.optional().meta({
      description:
        'Where the answer has the address of the next page. Default: its header Link with rel="next"',
    }),
    ...size,
  }),
]);
export type HttpPagination = z.infer<typeof pagination>;

export const HttpSource = z
  .strictObject({
    type: z.literal('http').meta({ description: 'Kind of source' }),
    url: z
      .url({ protocol: /^https?$/ })
      .refine((text) => !URL.canParse(text) || isPlain(new URL(text)), {
        message: 'holds credentials, a query or a fragment; use `auth` and `query`',
      })
      .meta({ description: 'Address of the list, for example https://crm.example.com/api/leads' }),
    insecure: insecure('http:// in url, unencrypted'),
    method: z.enum(['GET', 'POST']).default('GET').meta({ description: 'How to ask' }),
    headers: z
      .record(z.string().regex(HEADER_NAME, 'is no name of a header'), z.string())
      .refine(noSecret, NO_SECRET)
      .default({})
      .meta({ description: 'Headers to send' }),
    query: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .refine(noSecret, NO_SECRET)
      .default({})
      .meta({ description: 'Parameters of the address' }),
    body: z.record(z.string(), z.unknown()).optional().meta({
      description:
        'JSON to send with POST; page and increment go in here too, dots in their names lead inwards',
    }),
    auth: auth.optional().meta({ description: 'How to show who asks. Default: nobody does' }),
    items: path
      .optional()
      .meta({ description: 'Where the answer has the list of rows. Default: the answer is the list' }),
    item: path
      .optional()
      .meta({ description: 'Where the row is inside each entry of the list. Default: it is the entry' }),
    id: path.optional().meta({
      description:
        'What tells two entries apart, to notice moving pages; needed when other parts of an entry change at each reading. Default: all of it',
    }),
    pagination: pagination
      .default({ type: 'none' })
      .meta({ description: 'How to get further pages. Default: one page' }),
    incremental: z
      .strictObject({
        param: param.meta({ description: 'Parameter that asks for what changed since a time' }),
        column: path.meta({ description: 'Where a row has the time of its last change' }),
        format: z.enum(['iso', 'date', 'epoch', 'epoch-ms']).default('iso').meta({
          description: 'How the time is written: 2026-11-20T10:00:00.000Z, 2026-11-20, seconds, milliseconds',
        }),
        overlap: Duration.default('1m').meta({
          description: 'How far a run reads again before the end of the last one',
        }),
      })
      .optional()
      .meta({
        description: 'Read only what changed since the last finished run. Default: every run reads all',
      }),
    rate: z
      .strictObject({
        perMinute: z.number().positive().meta({ description: 'Requests a minute, evenly spread' }),
      })
      .optional()
      .meta({ description: 'Pace of the requests of a run. Default: as fast as answers come' }),
    timeout: Duration.default('30s').meta({ description: 'Longest time for one answer' }),
    maxPages: z.int().positive().default(10_000).meta({ description: 'Requests after which a run gives up' }),
  })
  .refine(({ method, body }) => method === 'POST' || body === undefined, {
    path: ['body'],
    message: 'goes with `method: POST` only',
  });
export type HttpSource = z.infer<typeof HttpSource>;

function isPlain({ username, password, search, hash }: URL): boolean {
  return `${username}${password}${search}${hash}` === '';
}
