// Health of what Sluice works with: the ledger, Temporal, Kafka, workers, the service, pollers and sinks.
import { z } from 'zod';
import { Count, Seconds, Time } from '../../core/endpoint.ts';
import { ConfigurationState } from './settings.ts';

const AccountHealth = z.object({
  account: z.string(),
  /** Calls of the last five minutes, and those of them without success. An answer with 429 is neither. */
  calls: Count,
  failed: Count,
  /** Calls since the last success, at most of those five minutes, that got no answer, a 5xx or a 401. */
  unanswered: Count,
  /** Null: none in those five minutes. */
  lastCallAt: Time.nullable(),
  lastSuccessAt: Time.nullable(),
  /** Code of the newest failure in those five minutes. */
  lastCode: z.string().nullable(),
});
export type AccountHealth = z.infer<typeof AccountHealth>;

const PollerHealth = z.object({
  account: z.string(),
  poller: z.string(),
  state: z.enum(['polling', 'paused', 'blocked']),
  polledAt: Time.nullable(),
  /** Since a poll last brought the ledger up to the newest page. Null: none has since `startedAt`. */
  lagSeconds: Seconds.nullable(),
  startedAt: Time,
});
export type PollerHealth = z.infer<typeof PollerHealth>;

const SinkHealth = z.object({
  sink: z.string(),
  circuit: z.enum(['closed', 'open']),
  /** Why the newest attempt failed. Null: it did not. */
  code: z.string().nullable(),
  reason: z.string().nullable(),
  waiting: Count,
  /** False: there are more. */
  exact: z.boolean(),
  dead: Count,
  /** Age of the oldest waiting message. Null: none waits. */
  lagSeconds: Seconds.nullable(),
  sentAt: Time.nullable(),
});
export type SinkHealth = z.infer<typeof SinkHealth>;

/** Health of what this process asks on its own. Null: not known in this process. */
const ServiceHealth = z.object({
  ok: z.boolean(),
  detail: z.string().nullable(),
  /** Until the answer, or until Sluice gave up. */
  roundTripMs: z.number().nonnegative(),
});
const KafkaLag = z.object({
  ok: z.boolean(),
  detail: z.string().nullable(),
  topics: z.array(z.object({ route: z.string(), topic: z.string(), lag: Count })),
});

export const Health = z.object({
  /** Of the process that answers. Null: it has no valid configuration. */
  configuration: ConfigurationState.nullable(),
  ledger: z.object({
    kind: z.enum(['pglite', 'postgres']),
    roundTripMs: z.number().nonnegative(),
    /** When a worker last wrote calls; null when none did in 14 days. */
    lastFlushAt: Time.nullable(),
  }),
  temporal: ServiceHealth.nullable(),
  kafka: KafkaLag.nullable(),
  workers: z.object({
    /** Worker processes that were seen within 30 s. */
    alive: Count,
    /** Null: none in seven days. */
    lastSeenAt: Time.nullable(),
    /** Versions of Sluice that they run. */
    versions: z.array(z.string()),
  }),
  api: z.array(AccountHealth),
  pollers: z.array(PollerHealth),
  sinks: z.array(SinkHealth),
});
export type Health = z.infer<typeof Health>;
