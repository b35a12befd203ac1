// The part `sinks` of sluice.yaml: who is told of what happens.
import { z } from 'zod';
import { Duration, described, durationWithin, insecure, isPlainUrl, name, SecretRef } from './config-base.ts';
import { KAFKA_CONNECTION, topicName } from './config-kafka.ts';
import { CONVERSATION_EVENT_TYPES } from './conversation-events.ts';

export const KafkaSink = z.strictObject({
  type: z.literal('kafka').meta({ description: 'Kind of sink' }),
  brokers: KAFKA_CONNECTION.brokers,
  topic: topicName.meta({
    description: 'Topic that gets the events; it must exist, Sluice never creates one',
  }),
  tls: KAFKA_CONNECTION.tls,
  sasl: KAFKA_CONNECTION.sasl,
  insecure: KAFKA_CONNECTION.insecure,
});
export type KafkaSink = z.infer<typeof KafkaSink>;

export const HttpSink = z.strictObject({
  type: z.literal('http').meta({ description: 'Kind of sink' }),
  url: z
    .url({ protocol: /^https?$/ })
    .refine(isPlainUrl, 'holds credentials, a query or a fragment; write https://host/path alone')
    .meta({ description: 'Address that each event is posted to' }),
  insecure: insecure('http:// in url, unencrypted'),
  secrets: z.array(SecretRef).min(1).max(5).meta({
    description:
      'Keys that sign the events (Standard Webhooks, whsec_…); with several, while one replaces another, all of them sign',
  }),
  timeout: durationWithin('1s', '60s').default('15s').meta({ description: 'An answer must be here by then' }),
  concurrency: z.int().min(1).max(50).default(4).meta({
    description: 'Requests at once; those about one conversation always follow one another',
  }),
  retry: z
    .array(Duration)
    .min(1)
    .max(50)
    .default(['5s', '1m', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'])
    .meta({
      description:
        'Waits between the attempts for one event, each up to a fifth longer or shorter; after the last attempt the event is dead',
    }),
});
export type HttpSink = z.infer<typeof HttpSink>;

export const JsonlSink = z.strictObject({
  type: z.literal('jsonl').meta({ description: 'Kind of sink' }),
  path: z.string().min(1).meta({ description: 'File that each event is a line of, relative to this file' }),
});
export type JsonlSink = z.infer<typeof JsonlSink>;

export const PostgresSink = z.strictObject({
  type: z.literal('postgres').meta({ description: 'Kind of sink' }),
  url: described(SecretRef, 'Reference to the connection string, postgres://…'),
  table: z
    .string()
    .regex(/^([A-Za-z_][A-Za-z0-9_]{0,62}\.)?[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'write table or schema.table')
    .default('sluice_events')
    .meta({ description: 'Table that gets the events; made when it is missing and the user may' }),
});
export type PostgresSink = z.infer<typeof PostgresSink>;

export const SinkConfig = z.discriminatedUnion('type', [KafkaSink, HttpSink, JsonlSink, PostgresSink]);
export type SinkConfig = z.infer<typeof SinkConfig>;

/** Which sinks hear what of an account's conversations. */
export const AnnounceRule = z.strictObject({
  sink: described(name, 'Which of `sinks`'),
  events: z.array(z.enum(CONVERSATION_EVENT_TYPES)).min(1).optional().meta({
    description: 'Only these; without it all of them',
  }),
  connections: z.array(z.int().positive()).min(1).optional().meta({
    description: 'Only of conversations on these connections, by id',
  }),
});
export type AnnounceRule = z.infer<typeof AnnounceRule>;
