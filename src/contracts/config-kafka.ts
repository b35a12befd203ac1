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
        .meta({ description: 'host:port' }),
    )
    .min(1)
    .meta({ description: 'Brokers to ask for the cluster; one that answers is enough' }),
  tls: z.boolean().default(false).meta({
    description:
      'Encrypt the connection and check the certificate of the brokers (NODE_EXTRA_CA_CERTS names a private authority)',
  }),
  sasl: z
    .strictObject({
      mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).meta({
        description: 'How the password is proved; plain sends it as it is, so use it with tls only',
      }),
      username: z.string().min(1).meta({ description: 'User name at the brokers' }),
      password: described(SecretRef, 'Reference to the password: env:NAME or file:path'),
    })
    .optional()
    .meta({ description: 'Log in at the brokers; without it nobody does' }),
  insecure: insecure('mechanism plain without tls, the password unencrypted'),
} as const;

export const KafkaConnection = z.strictObject(KAFKA_CONNECTION);
export type KafkaConnection = z.infer<typeof KafkaConnection>;
