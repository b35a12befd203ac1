// Endpoints of sinks and of the events that wait for them.
import { z } from 'zod';
import { Count, Cursor, endpoint, Name, PageLimit, Reason, Time } from '../../../core/endpoint.ts';

/** A sink, and what waits for it. */
export const SinkStatus = z.object({
  sink: z.string(),
  /** `open`: the sink failed several times in a row, and Sluice tries it again at `openUntil`. */
  circuit: z.enum(['closed', 'open']),
  openUntil: Time.nullable(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  waiting: Count,
  dead: Count,
  /** Seconds that the oldest event has waited; null if none waits. */
  lagSeconds: z.number().nullable(),
  sent: Count,
  sentAt: Time.nullable(),
});
export type SinkStatus = z.infer<typeof SinkStatus>;

const OUTBOX_STATES = ['waiting', 'dead'] as const;

/** One event for one sink, without its content. */
export const OutboxEntry = z.object({
  /** `{sink}/{seq}` */
  id: z.string(),
  sink: z.string(),
  account: z.string(),
  stream: z.string(),
  type: z.string(),
  /** Id of the event. A short hash replaces the key of a message, because it may contain a phone number. */
  eventId: z.string(),
  state: z.enum(OUTBOX_STATES),
  attempts: Count,
  nextAt: Time.nullable(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  createdAt: Time,
  triedAt: Time.nullable(),
});
export type OutboxEntry = z.infer<typeof OutboxEntry>;

const Names = z.array(Name).max(100).readonly().optional();

/** Selects events: exactly these ids, or all that match the other fields. */
export const OutboxFilter = z.strictObject({
  ids: z.array(z.string().max(300)).min(1).max(1000).readonly().optional(),
  states: z.array(z.enum(OUTBOX_STATES)).min(1).readonly().default(OUTBOX_STATES),
  sinks: Names,
  account: Name.optional().describe('Only entries of this account.'),
  types: Names,
  codes: Names,
});
export type OutboxFilter = z.infer<typeof OutboxFilter>;

export const OUTBOX = {
  'GET /sinks': endpoint({
    role: 'viewer',
    summary: 'Show all sinks with their waiting and dead events.',
    input: z.strictObject({}),
    output: z.object({ sinks: z.array(SinkStatus) }),
  }),
  'GET /outbox': endpoint({
    role: 'viewer',
    summary: 'List waiting and dead events, oldest first.',
    // More ids do not fit into a URL.
    input: OutboxFilter.extend({
      ids: z.array(z.string().max(300)).min(1).max(50).readonly().optional(),
      limit: PageLimit,
      after: Cursor,
    }),
    output: z.object({ events: z.array(OutboxEntry), next: z.string().nullable() }),
  }),
  'POST /outbox/retry': endpoint({
    role: 'operator',
    summary: 'Retry events at once, and probe their sinks.',
    input: OutboxFilter.extend({ limit: z.int().min(1).max(10_000).default(1000), reason: Reason }),
    audit: ['ids', 'states', 'sinks', 'account', 'types', 'codes'],
    output: z.object({ count: Count }),
  }),
  'POST /outbox/discard': endpoint({
    role: 'operator',
    summary: 'Discard events permanently; the events after them continue.',
    input: z.strictObject({ ids: z.array(z.string().max(300)).min(1).max(1000).readonly(), reason: Reason }),
    audit: ['ids'],
    output: z.object({ count: Count }),
  }),
} as const;
