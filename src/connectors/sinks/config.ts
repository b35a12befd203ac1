// The part `sinks` of sluice.yaml: where Sluice publishes events.
import { z } from 'zod';
import {
  Duration,
  described,
  durationWithin,
  insecure,
  isPlainUrl,
  SecretRef,
} from '../../core/config/base.ts';
import { KAFKA_CONNECTION, topicName } from '../kafka/config.ts';

export const KafkaSink = z.strictObject({
  type: z.literal('kafka').meta({ description: 'Writes events to a Kafka topic.' }),
  brokers: KAFKA_CONNECTION.brokers,
  topic: topicName.meta({
    description: 'Topic for the events. It must exist; Sluice creates no topic.',
  }),
  tls: KAFKA_CONNECTION.tls,
  sasl: KAFKA_CONNECTION.sasl,
  insecure: KAFKA_CONNECTION.insecure,
});
export type KafkaSink = z.infer<typeof KafkaSink>;

export const HttpSink = z.strictObject({
  type: z
    .literal('http')
    .meta({ description: 'Posts events to a URL, signed as Standard Webhooks specifies.' }),
  url: z
    .url({ protocol: /^https?$/ })
    .refine(isPlainUrl, 'holds credentials, a query or a fragment; write https://host/path alone')
    .meta({ description: 'URL that receives each event as a POST request.' }),
  insecure: insecure('unencrypted http:// in url, to other machines'),
  secrets: z.array(SecretRef).min(1).max(5).meta({
    description:
      'References to 1 to 5 signing keys (whsec_…). Each request carries a signature of every key, so that you can rotate them.',
  }),
  timeout: durationWithin('1s', '60s')
    .default('15s')
    .meta({ description: 'Timeout for a response, 1s to 60s. Default: 15s.' }),
  concurrency: z.int().min(1).max(50).default(4).meta({
    description:
      'Maximum number of requests at once, 1 to 50. Events of one conversation go one after the other. Default: 4.',
  }),
  retry: z
    .array(Duration)
    .min(1)
    .max(50)
    .default(['5s', '1m', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'])
    .meta({
      description:
        'Waits between the attempts for one event, each up to 20 % longer or shorter. After the last attempt the event is dead. Default: 5s, 1m, 5m, 30m, 2h, 5h, 10h, 14h, 20h, 24h.',
    }),
});
export type HttpSink = z.infer<typeof HttpSink>;

export const JsonlSink = z.strictObject({
  type: z.literal('jsonl').meta({ description: 'Appends events to a file, one JSON object per line.' }),
  path: z.string().min(1).meta({ description: 'File to append to, relative to this file.' }),
});
export type JsonlSink = z.infer<typeof JsonlSink>;

export const PostgresSink = z.strictObject({
  type: z.literal('postgres').meta({ description: 'Inserts events into a PostgreSQL table.' }),
  url: described(
    SecretRef,
    'Reference to the connection string, postgres://user:password@host:5432/database.',
  ),
  table: z
    .string()
    .regex(/^([A-Za-z_][A-Za-z0-9_]{0,62}\.)?[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'write table or schema.table')
    .default('sluice_events')
    .meta({
      description:
        'Table for the events, as table or schema.table. Sluice creates it if it is missing and the user may. Default: sluice_events.',
    }),
});
export type PostgresSink = z.infer<typeof PostgresSink>;

export const SinkConfig = z.discriminatedUnion('type', [KafkaSink, HttpSink, JsonlSink, PostgresSink]);
export type SinkConfig = z.infer<typeof SinkConfig>;

/** References to secrets that a sink needs. */
export function secretsOfSink(sink: SinkConfig): readonly string[] {
  switch (sink.type) {
    case 'kafka':
      return sink.sasl === undefined ? [] : [sink.sasl.password];
    case 'http':
      return sink.secrets;
    case 'jsonl':
      return [];
    case 'postgres':
      return [sink.url];
  }
}
