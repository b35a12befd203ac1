// The part `ingress` of sluice.yaml: how events come in, whatever route they take.
import { z } from 'zod';
import { KAFKA_CONNECTION, topicName } from '../../../connectors/kafka/config.ts';
import {
  described,
  durationWithin,
  insecure,
  isPlainUrl,
  name,
  trustProxy,
} from '../../../core/config/base.ts';

export const IngressHttp = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').meta({
    description:
      'Address to listen on. 0.0.0.0 stands for all addresses of this machine. Default: 127.0.0.1.',
  }),
  insecure: insecure('routes with tokens on a host other than loopback, for a TLS proxy on another machine'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(4020)
    .meta({ description: 'Port to listen on; 0 takes a free one. Default: 4020.' }),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .refine(
      isPlainUrl,
      'holds credentials, a query or a fragment; write https://host or https://host/path alone',
    )
    .optional()
    .meta({
      description:
        'Public URL of this server behind a proxy. HMAC signatures of the style hubspot cover it. Default: none; the address of the request counts.',
    }),
  maxBodyBytes: z.int().min(1024).max(16_777_216).default(1_048_576).meta({
    description:
      'Maximum size of a body after decompression, in bytes, 1024 to 16777216. A larger body gets 413. Default: 1048576 (1 MiB).',
  }),
  headersTimeout: durationWithin('100ms', '5m').default('10s').meta({
    description: 'Timeout for the headers of a request, 100ms to 5m. Default: 10s.',
  }),
  bodyTimeout: durationWithin('100ms', '10m')
    .default('20s')
    .meta({ description: 'Timeout for a whole request, 100ms to 10m. Default: 20s.' }),
  bodyIdleTimeout: durationWithin('100ms', '5m').default('5s').meta({
    description:
      'Maximum time without a byte of a body, 100ms to 5m. After it, Sluice answers 408. Default: 5s.',
  }),
  minBytesPerSecond: z.int().min(1).default(1024).meta({
    description:
      'Minimum rate of a body in bytes per second, averaged over bodyIdleTimeout. Sluice answers 408 to a slower body. Default: 1024.',
  }),
  maxConnections: z.int().min(1).default(1000).meta({
    description:
      'Maximum number of connections per process. Above it, Sluice closes the oldest unauthenticated connection, or the new one if there is none. Default: 1000.',
  }),
  trustProxy: described(
    trustProxy,
    'Proxies whose X-Forwarded-For header names the peer of a request. Default: []; the peer is the address that connects.',
  ),
  unauthenticated: z
    .strictObject({
      maxBytes: z.int().min(1024).default(33_554_432).meta({
        description: 'Maximum for all peers and routes together, in bytes. Default: 33554432 (32 MiB).',
      }),
      maxBytesPerRoute: z
        .int()
        .min(1024)
        .default(16_777_216)
        .meta({ description: 'Maximum per route, in bytes. Default: 16777216 (16 MiB).' }),
      maxBytesPerPeer: z.int().min(1024).default(8_388_608).meta({
        description:
          'Maximum per peer, in bytes. A peer is an IPv4 address or a /64 network of IPv6. Default: 8388608 (8 MiB).',
      }),
      maxConnectionsPerPeer: z.int().min(1).default(500).meta({
        description:
          'Maximum number of unauthenticated connections per peer. Above it, Sluice closes the oldest of them. Default: 500.',
      }),
    })
    .prefault({})
    .meta({
      description:
        'Memory limits for bodies whose sender is not authenticated yet. The first 16 KiB of a body do not count, and one body of maxBodyBytes always fits. Default: 32 MiB in all.',
    }),
});
export type IngressHttp = z.infer<typeof IngressHttp>;

export const IngressKafka = z.strictObject({
  ...KAFKA_CONNECTION,
  group: z.string().min(1).max(249).default('sluice').meta({
    description: 'Consumer group. Processes with the same group share the partitions. Default: sluice.',
  }),
  deadLetters: topicName.meta({
    description: 'Topic for records that no route accepts. It must exist; Sluice creates no topic.',
  }),
  from: z.enum(['earliest', 'latest']).default('earliest').meta({
    description: 'Where a new consumer group begins. Default: earliest.',
  }),
  concurrency: z.int().min(1).max(256).default(16).meta({
    description:
      'Maximum number of partitions in work at once, 1 to 256. Each partition keeps its order. Default: 16.',
  }),
});
export type IngressKafka = z.infer<typeof IngressKafka>;

export const IngressConfig = z.strictObject({
  http: IngressHttp.prefault({}).meta({
    description: 'The HTTP server for events. Default: 127.0.0.1:4020.',
  }),
  kafka: z
    .record(name, IngressKafka)
    .default({})
    .meta({ description: 'Kafka clusters that routes read from, by name. Default: {}.' }),
  maxOpen: z.int().min(1).default(10_000).meta({
    description:
      'Maximum number of accepted, unfinished events per account. Above it, HTTP answers 503 and Kafka pauses. Default: 10000.',
  }),
  maxDelay: durationWithin('1s', '7d').default('30m').meta({
    description:
      'Maximum backlog of an account, as time at its calls per minute, 1s to 7d. Above it, Kafka pauses; HTTP goes on, since its senders may not retry. Default: 30m.',
  }),
  remember: described(
    durationWithin('2h', '3650d').default('90d'),
    'How long Sluice recognizes duplicates after an event has ended, 2h to 3650d. Personal data of a successful event is deleted at its end. Default: 90d.',
  ),
});
export type IngressConfig = z.infer<typeof IngressConfig>;
