// The part `ingress` of sluice.yaml: how events come in, whatever route they take.
import { z } from 'zod';
import { described, durationWithin, insecure, isPlainUrl, name } from './config-base.ts';
import { KAFKA_CONNECTION, topicName } from './config-kafka.ts';

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
const isNetwork = (text: string): boolean => Network.safeParse(text).success;

export const IngressHttp = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').meta({
    description: 'Address to listen on; 0.0.0.0 is every one of this machine',
  }),
  insecure: insecure(
    'tokens of senders on another host than loopback, where a proxy elsewhere terminates TLS',
  ),
  port: z.int().min(0).max(65_535).default(4020).meta({ description: 'Port to listen on' }),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .refine(
      isPlainUrl,
      'holds credentials, a query or a fragment; write https://host or https://host/path alone',
    )
    .optional()
    .meta({
      description:
        'Address under which senders reach this server, where a proxy stands before it: signatures of the style hubspot cover it',
    }),
  maxBodyBytes: z.int().min(1024).max(16_777_216).default(1_048_576).meta({
    description: 'Longest body, after decompression; a longer one is answered with 413',
  }),
  headersTimeout: durationWithin('100ms', '5m').default('10s').meta({
    description: 'A request must have its headers here by then',
  }),
  bodyTimeout: durationWithin('100ms', '10m')
    .default('20s')
    .meta({ description: 'A request must be here as a whole by then' }),
  bodyIdleTimeout: durationWithin('100ms', '5m').default('5s').meta({
    description: 'Sluice answers 408 to a body that brings no byte for this long',
  }),
  minBytesPerSecond: z.int().min(1).default(1024).meta({
    description:
      'Bytes a second that a body must bring, on average over each bodyIdleTimeout; Sluice answers 408 to a slower one',
  }),
  maxConnections: z.int().min(1).default(1000).meta({
    description:
      'Connections at once. Beyond this, Sluice closes the oldest unauthenticated one; if there is none, the new one',
  }),
  trustProxy: z
    .array(
      z
        .string()
        .refine(isNetwork, 'is no address or network; write for example 10.0.0.7 or 10.0.0.0/8')
        .meta({ description: 'IP address, or network as 10.0.0.0/8' }),
    )
    .default([])
    .meta({
      description:
        'Proxies whose X-Forwarded-For names the peer of a request. Otherwise the peer is the address that connects',
    }),
  unauthenticated: z
    .strictObject({
      maxBytes: z
        .int()
        .min(1024)
        .default(33_554_432)
        .meta({ description: 'Of all peers and routes together' }),
      maxBytesPerRoute: z.int().min(1024).default(16_777_216).meta({ description: 'Of one route' }),
      maxBytesPerPeer: z.int().min(1024).default(8_388_608).meta({
        description: 'Of one peer: an IPv4 address, or a /64 network of IPv6',
      }),
      maxConnectionsPerPeer: z.int().min(1).default(500).meta({
        description: 'Unauthenticated connections of one peer. Beyond this, Sluice closes the oldest of them',
      }),
    })
    .prefault({})
    .meta({
      description:
        'Bytes of memory for bodies whose sender is not authenticated yet. The first 16 KiB of each body do not count, and one body of maxBodyBytes always fits',
    }),
});
export type IngressHttp = z.infer<typeof IngressHttp>;

export const IngressKafka = z.strictObject({
  ...KAFKA_CONNECTION,
  group: z.string().min(1).max(249).default('sluice').meta({
    description: 'Consumer group: processes of one group share the partitions',
  }),
  deadLetters: topicName.meta({
    description: 'Topic for records that no route can take; it must exist, Sluice never creates one',
  }),
  from: z.enum(['earliest', 'latest']).default('earliest').meta({
    description: 'Where a group begins that has read nothing yet',
  }),
  concurrency: z.int().min(1).max(256).default(16).meta({
    description: 'Partitions worked on at once; each is read in its own order',
  }),
});
export type IngressKafka = z.infer<typeof IngressKafka>;

export const IngressConfig = z.strictObject({
  http: IngressHttp.prefault({}).meta({ description: 'The HTTP server' }),
  kafka: z
    .record(name, IngressKafka)
    .default({})
    .meta({ description: 'Kafka clusters that routes read from, by name' }),
  maxOpen: z.int().min(1).default(10_000).meta({
    description:
      'Accepted events of an account that may be unfinished at once; beyond, HTTP answers 503 and Kafka is paused',
  }),
  maxDelay: durationWithin('1s', '7d').default('30m').meta({
    description:
      'How far the calls of accepted events may be behind, at the calls a minute of the account; beyond, Kafka is paused, and HTTP goes on: its senders may not come again',
  }),
  remember: described(
    durationWithin('2h', '3650d').default('90d'),
    'How long an event is known as one that was here before; its personal data goes when it has ended well',
  ),
});
export type IngressConfig = z.infer<typeof IngressConfig>;
