// How a Kafka cluster is reached: the same for those who write to it and those who read.
import { z } from 'zod';
import { described, insecure, SecretRef } from './config-base.ts';

export const topicName = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, 'use letters, digits, ".", "_" and "-" (at most 249)');

export const KAFKA_CONNECTION = {
  brokers: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z0-9._-]+:\d{1,5}$/, 'write host:port, for example kafka-1.example.com:9092')
        .meta({ description: 'host:port of a broker.' }),
    )
    .min(1)
    .meta({ description: 'Bootstrap brokers as host:port. One reachable broker is enough.' }),
  tls: z.boolean().default(false).meta({
    description:
      'true encrypts the connection and verifies the certificates of the brokers. NODE_EXTRA_CA_CERTS names a private authority. Default: false.',
  }),
  sasl: z
    .strictObject({
      mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).meta({
        description: 'SASL mechanism. plain sends the password itself: use it with tls.',
      }),
      username: z.string().min(1).meta({ description: 'User name for the brokers.' }),
      password: described(SecretRef, 'Reference to the password: env:NAME or file:path.'),
    })
    .optional()
    .meta({ description: 'SASL login for the brokers. Default: none.' }),
  insecure: insecure('mechanism plain without tls, which sends the password unencrypted to other machines'),
} as const;

export const KafkaConnection = z.strictObject(KAFKA_CONNECTION);
export type KafkaConnection = z.infer<typeof KafkaConnection>;
