// Endpoints of refused requests: what an authenticated sender sent over HTTP and a route could not take.
import { z } from 'zod';
import { Count, Cursor, endpoint, Name, PageLimit, Time, Unmask } from '../../../core/endpoint.ts';
import { DryRunNow, Resolution } from './refusals.ts';

export const RefusedRequestSummary = z.object({
  id: z.string(),
  account: z.string(),
  route: z.string(),
  code: z.string(),
  /** What was wrong, and in which fields. */
  reason: z.string(),
  /** How often the same request arrived. */
  count: Count,
  /** Length of the body. */
  bytes: Count,
  firstAt: Time,
  lastAt: Time,
  /** Null: it is open. */
  resolution: Resolution.nullable(),
});
export type RefusedRequestSummary = z.infer<typeof RefusedRequestSummary>;

/** Headers, body and `now` are masked unless asked otherwise. */
const RefusedRequestDetail = RefusedRequestSummary.extend({
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  /** What a replay would come to; null if it was replayed or discarded. */
  now: DryRunNow.nullable(),
});
export type RefusedRequestDetail = z.infer<typeof RefusedRequestDetail>;

/** What became of one request. */
export const RefusedRequestResult = z.discriminatedUnion('outcome', [
  z.object({
    id: z.string(),
    outcome: z.literal('accepted'),
    events: z.array(z.object({ id: z.string(), duplicate: z.boolean() })),
  }),
  z.object({ id: z.string(), outcome: z.literal('refused'), code: z.string(), reason: z.string() }),
  z.object({ id: z.string(), outcome: z.literal('skipped'), reason: z.string() }),
  z.object({ id: z.string(), outcome: z.literal('no route'), reason: z.string() }),
]);
export type RefusedRequestResult = z.infer<typeof RefusedRequestResult>;

export const RequestId = z
  .string()
  .regex(/^rr_[\w-]{22}$/, 'ids of refused requests begin with rr_, as the list shows them');
const Filter = {
  account: Name.optional().describe('Only entries of this account.'),
  route: Name.optional().describe('Only requests to this route.'),
  codes: z.array(Name).min(1).max(100).readonly().optional(),
  /** Refused at this time or later. */
  since: Time.optional(),
};

/** Selects open requests: exactly these, or all that match the other fields. */
const RefusedRequestChoice = z.strictObject({
  ids: z.array(RequestId).min(1).max(100).readonly().optional(),
  ...Filter,
  limit: z.int().min(1).max(100).default(100),
});

/** The corrected body of exactly one request. Default: the body as it arrived. */
const Body = z.string().max(1_000_000).optional();

const AUDITED = ['ids', 'account', 'route', 'codes', 'since', 'limit'];

export const REFUSED_REQUESTS = {
  'GET /refused-requests': endpoint({
    role: 'viewer',
    summary: 'List refused requests of authenticated senders, newest first.',
    input: z.strictObject({
      ...Filter,
      /** Also those that were replayed or discarded. */
      resolved: z.boolean().default(false),
      limit: PageLimit,
      before: Cursor,
    }),
    output: z.object({
      requests: z.array(RefusedRequestSummary),
      next: z.string().nullable(),
      total: Count,
      /** Number of requests by route and code, the most first. Only `account` and `resolved` narrow it down. */
      counts: z.array(z.object({ account: z.string(), route: z.string(), code: z.string(), count: Count })),
    }),
  }),
  'GET /refused-requests/{id}': endpoint({
    role: 'viewer',
    summary: 'Show one refused request: why, its headers and body, and what a replay would come to.',
    input: z.strictObject({ id: RequestId, unmask: Unmask }),
    output: RefusedRequestDetail,
  }),
  'POST /refused-requests/{id}/dry-run': endpoint({
    role: 'operator',
    reads: true,
    audited: true,
    summary: 'Show what a request with a corrected body would come to. Nothing is accepted.',
    input: z.strictObject({ id: RequestId, body: Body, unmask: Unmask }),
    jsonBytes: 2_000_000,
    output: z.object({ now: DryRunNow }),
  }),
  'POST /refused-requests/replay': endpoint({
    role: 'operator',
    summary:
      'Hand refused requests to their routes again, the oldest first; one request with a corrected body. A repeated replay makes one event.',
    input: RefusedRequestChoice.extend({
      body: Body,
      /** `next` of the call before, which goes on behind the requests that are refused again. */
      after: Cursor,
    }),
    jsonBytes: 2_000_000,
    audit: AUDITED,
    auditOutput: ['results.id'],
    output: z.object({
      results: z.array(RefusedRequestResult),
      /** Null: no other open request matches. */
      next: z.string().nullable(),
    }),
  }),
  'POST /refused-requests/discard': endpoint({
    role: 'operator',
    summary: 'Mark refused requests as handled. They are deleted after retention.refused.',
    input: RefusedRequestChoice.extend({ reason: z.string().trim().min(1).max(500) }),
    audit: AUDITED,
    output: z.object({ count: Count }),
  }),
} as const;
