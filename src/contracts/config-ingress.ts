// The part `ingress` of sluice.yaml: how events come in, whatever route they take.
import { z } from 'zod';
import { described, durationWithin, isPlainUrl, name } from './config-base.ts';
import { KAFKA_CONNECTION, topicName } from './config-kafka.ts';

export const IngressHttp = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').meta({
    description: 'Address to listen on; 0.0.0.0 is every one of this machine',
  }),
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
  maxConnections: z.int().min(1).default(1000).meta({
    description: 'Connections at once; further ones are closed as they come',
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
