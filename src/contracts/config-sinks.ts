// The part `sinks` of sluice.yaml: who is told of what happens.
import { z } from 'zod';
import { KAFKA_CONNECTION, topicName } from './config-kafka.ts';

export const KafkaSink = z.strictObject({
  type: z.literal('kafka').meta({ description: 'Kind of sink' }),
  brokers: KAFKA_CONNECTION.brokers,
  topic: topicName.meta({
    description: 'Topic that gets the events; it must exist, Sluice never creates one',
  }),
  tls: KAFKA_CONNECTION.tls,
  sasl: KAFKA_CONNECTION.sasl,
});
export type KafkaSink = z.infer<typeof KafkaSink>;

export const SinkConfig = z.discriminatedUnion('type', [KafkaSink]);
export type SinkConfig = z.infer<typeof SinkConfig>;
