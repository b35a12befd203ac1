// What failed in a period.
import { z } from 'zod';
import { Count, endpoint, PageLimit, Period, Time } from '../../core/endpoint.ts';

export const Failure = z.object({
  kind: z.enum([
    'run',
    'record',
    'row',
    'event',
    'member',
    'call',
    'outbox',
    'poller',
    'dead letter',
    'refusal',
  ]),
  account: z.string(),
  /** Sync, campaign, route, poller, sink, or the path template of the call. */
  name: z.string(),
  /** Null: it belongs to no run, or to many. */
  run: z.string().nullable(),
  /** `failed`: refused, or given up. `unknown`: whether it took effect is not known. */
  outcome: z.enum(['failed', 'unknown']),
  code: z.string(),
  /** Reason of the newest one. */
  reason: z.string().nullable(),
  count: Count,
  firstAt: Time,
  lastAt: Time,
});
export type Failure = z.infer<typeof Failure>;

export const FAILURES = {
  'GET /failures': endpoint({
    role: 'viewer',
    summary:
      'What failed in a period, by kind, run and code, the newest first. A call that something else shows, or that a later attempt made good, is left out.',
    input: z.strictObject({ ...Period, limit: PageLimit }),
    output: z.object({
      since: Time,
      until: Time,
      failures: z.array(Failure),
      more: z.boolean(),
      /** Failures of the period that a later attempt or a correction made good, without calls. */
      repaired: Count,
      /** Failed calls of the period after which the same was done with success. */
      retriedCalls: Count,
      /** What could not be read, such as the dead letters of a Kafka cluster that does not answer. */
      problems: z.array(z.string()),
    }),
  }),
} as const;
