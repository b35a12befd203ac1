// Endpoints of what did not get in: refused deliveries, the lag of Kafka, and dead letters.
import { z } from 'zod';
import { Count, Cursor, endpoint, Name, PageLimit, Time, Unmask } from '../../../core/endpoint.ts';

const Via = z.enum(['http', 'kafka']);

/** Codes of requests over HTTP whose content is kept: their sender was authenticated, and somebody can correct them. */
export const KEPT_REFUSALS = [
  'BAD_ENCODING',
  'BAD_JSON',
  'TOO_DEEP',
  'BAD_EVENT',
  'NO_KEY',
  'BAD_ORDER',
  'SCHEMA',
  'MAPPING',
] as const;
/** Kafka only: a record without a value, or one that is too large to keep. */
export type RefusalCode = (typeof KEPT_REFUSALS)[number] | 'TOMBSTONE' | 'TOO_LARGE';

/** A refused delivery, without its content. */
export const Refusal = z.object({
  id: z.int(),
  at: Time,
  via: Via,
  /** `-`: no route has the path. */
  route: z.string(),
  code: z.string(),
  /** Null: of Kafka. */
  status: z.int().nullable(),
  /** What was wrong, and in which fields. */
  reason: z.string(),
});
export type Refusal = z.infer<typeof Refusal>;

export const RefusalHour = z.object({
  hour: Time,
  via: Via,
  route: z.string(),
  code: z.string(),
  status: z.int().nullable(),
  count: Count,
  lastAt: Time,
});
export type RefusalHour = z.infer<typeof RefusalHour>;

export const KafkaPartition = z.object({
  route: z.string(),
  topic: z.string(),
  partition: Count,
  /** Records between the committed offset and the end. */
  lag: Count,
  /** Next offset to read. Null: nothing is committed yet. */
  next: z.string().nullable(),
  end: z.string(),
});

export type KafkaPartition = z.infer<typeof KafkaPartition>;

export const KafkaCluster = z.object({
  cluster: z.string(),
  /** Null: the cluster answered. */
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  partitions: z.array(KafkaPartition),
});
export type KafkaCluster = z.infer<typeof KafkaCluster>;

const Origin = z.object({
  topic: z.string(),
  partition: z.int(),
  offset: z.string(),
  timestamp: z.string(),
});

/** How a dead letter was dealt with. */
export const Resolution = z.object({
  how: z.enum(['replayed', 'discarded']),
  by: z.string(),
  at: z.string(),
  reason: z.string().nullable(),
});

export const DeadLetterSummary = z.object({
  /** `{partition}-{offset}` in the dead-letter topic. */
  id: z.string(),
  failedAt: z.string(),
  route: z.string(),
  code: z.string(),
  reason: z.string(),
  origin: Origin,
  /** Null: it is open. */
  resolution: Resolution.nullable(),
});
export type DeadLetterSummary = z.infer<typeof DeadLetterSummary>;

/** What a dead letter would come to if it were replayed now. */
export const DryRunNow = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('accepted'),
    events: z.array(z.object({ action: z.string(), request: z.unknown() })),
  }),
  z.object({ outcome: z.literal('refused'), code: z.string(), reason: z.string() }),
  z.object({ outcome: z.literal('skipped'), reason: z.string() }),
  z.object({ outcome: z.literal('no route'), reason: z.string() }),
]);
export type DryRunNow = z.infer<typeof DryRunNow>;

/** Key, headers, value and `now` are masked unless asked otherwise. */
export const DeadLetterDetail = DeadLetterSummary.extend({
  key: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  /** Length of the value. */
  bytes: Count,
  /** Null: a tombstone, or omitted. */
  value: z.string().nullable(),
  /** The value was too long for the dead-letter topic. The origin has it. */
  omitted: z.boolean(),
  /** Account of the route that reads the topic today; null if no route does. */
  account: z.string().nullable(),
  /** What a replay would come to; null if it was replayed or discarded. */
  now: DryRunNow.nullable(),
});
export type DeadLetterDetail = z.infer<typeof DeadLetterDetail>;

export const DryRunResult = z.object({
  id: z.string(),
  route: z.string(),
  then: z.object({ outcome: z.literal('refused'), code: z.string(), reason: z.string() }),
  now: DryRunNow,
});
export type DryRunResult = z.infer<typeof DryRunResult>;

export const LetterId = z
  .string()
  .regex(/^\d{1,9}-\d{1,18}$/, 'ids of dead letters look like 0-17, as the list shows them');
const codes = z.array(Name).min(1).max(100).readonly().optional();
/** A cluster of `ingress.kafka`. It may be left out if there is only one. */
const cluster = Name.optional();

/** Selects open dead letters: exactly these, or all that match the other fields. */
export const DeadLetterChoice = z.strictObject({
  cluster,
  ids: z.array(LetterId).min(1).max(1000).readonly().optional(),
  route: Name.optional(),
  codes,
  /** Failed at this time or later. */
  since: Time.optional(),
  limit: z.int().min(1).max(100_000).optional(),
});
export type DeadLetterChoice = z.infer<typeof DeadLetterChoice>;

export const Replay = z.object({
  replay: z.string(),
  state: z.enum(['running', 'finished', 'stopped', 'failed']),
  done: Count,
  total: Count,
  /** Dead letters without their value: they cannot be replayed. */
  omitted: Count,
  /** Topics that no route reads any more: what is replayed waits there. */
  unread: z.array(z.string()),
  problem: z.string().nullable(),
});
export type Replay = z.infer<typeof Replay>;

const AUDITED = ['cluster', 'ids', 'route', 'codes', 'since', 'limit'];

export const REFUSALS = {
  'GET /refusals': endpoint({
    role: 'viewer',
    summary: 'List the newest refused deliveries, newest first.',
    input: z.strictObject({
      route: Name.optional(),
      codes,
      via: Via.optional(),
      limit: PageLimit,
      before: Cursor,
    }),
    output: z.object({ refusals: z.array(Refusal), next: z.string().nullable() }),
  }),
  'GET /refusals/hours': endpoint({
    role: 'viewer',
    summary: 'Count refused deliveries by hour, route and code, newest hour first.',
    input: z.strictObject({
      route: Name.optional(),
      codes,
      via: Via.optional(),
      /** From the hour of this time on. Without it, of the last 24 hours. */
      since: Time.optional(),
      limit: z.int().min(1).max(5000).default(1000),
    }),
    output: z.object({
      /** Beginning of the first hour that is counted: full hours, so that the period may be longer than asked for. */
      since: Time,
      hours: z.array(RefusalHour),
    }),
  }),
  'GET /kafka/lag': endpoint({
    role: 'viewer',
    summary: 'Show how many records each route has yet to read, by partition.',
    input: z.strictObject({}),
    output: z.object({ clusters: z.array(KafkaCluster) }),
  }),
  'GET /dead-letters': endpoint({
    role: 'viewer',
    summary: 'List dead letters in the order of their topic, with their number by code.',
    input: z.strictObject({
      cluster,
      route: Name.optional(),
      codes,
      since: Time.optional(),
      /** Also those that were replayed or discarded. */
      resolved: z.boolean().default(false),
      limit: PageLimit,
      after: Cursor,
    }),
    output: z.object({
      /** Clusters that can have dead letters. */
      clusters: z.array(z.string()),
      deadLetters: z.array(DeadLetterSummary),
      next: z.string().nullable(),
      total: Count,
      byCode: z.array(z.object({ code: z.string(), count: Count })),
      /** When the topic was read. */
      readAt: Time.nullable(),
    }),
  }),
  'GET /dead-letters/{id}': endpoint({
    role: 'viewer',
    summary: 'Show one dead letter: origin, error, headers and value.',
    input: z.strictObject({ id: LetterId, cluster, unmask: Unmask }),
    output: DeadLetterDetail,
  }),
  'POST /dead-letters/dry-run': endpoint({
    role: 'viewer',
    reads: true,
    audited: true,
    summary: 'Show what dead letters would come to if they were replayed now. Nothing is sent.',
    input: DeadLetterChoice.extend({ limit: z.int().min(1).max(1000).default(100), unmask: Unmask }),
    output: z.object({ results: z.array(DryRunResult), total: Count }),
    auditOutput: ['results.id'],
  }),
  'POST /dead-letters/replay': endpoint({
    role: 'operator',
    summary:
      'Write the records of dead letters to their topics again, at a limited pace. A repeated replay makes one event.',
    input: DeadLetterChoice.extend({
      /** Dead letters per minute. */
      rate: z.int().min(1).max(60_000).default(60),
    }),
    audit: [...AUDITED, 'rate'],
    output: Replay,
  }),
  'GET /dead-letters/replays/{replay}': endpoint({
    role: 'viewer',
    summary: 'Show the progress of a replay that this process runs.',
    input: z.strictObject({ replay: Name }),
    output: Replay,
  }),
  'POST /dead-letters/replays/{replay}/stop': endpoint({
    role: 'operator',
    summary: 'Stop a replay. What is not replayed yet stays a dead letter.',
    input: z.strictObject({ replay: Name }),
    output: Replay,
  }),
  'POST /dead-letters/discard': endpoint({
    role: 'operator',
    summary: 'Mark dead letters as handled. Nothing is deleted.',
    input: DeadLetterChoice.extend({ reason: z.string().trim().min(1).max(500) }),
    audit: AUDITED,
    output: z.object({ count: Count }),
  }),
} as const;
