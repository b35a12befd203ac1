// How a Kafka cluster is reached: the same for those who write to it and those who read.
import { z } from 'zod';
import { described, insecure, SecretRef } from '../../core/config/base.ts';

export const topicName = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, 'use letters, digits, ".", "_" and "-" (at most 249)');

const KafkaTls = z
  .strictObject({
    ca: z.string().min(1).optional().meta({
      description:
        'PEM file of the authority that signed the certificates of the brokers. Default: the authorities of Node.js and NODE_EXTRA_CA_CERTS.',
    }),
    cert: z.string().min(1).optional().meta({
      description: 'PEM file of the client certificate. Sluice reads it for each connection. Default: none.',
    }),
    key: z.string().min(1).optional().meta({
      description: 'PEM file of the private key of `cert`. Default: none.',
    }),
  })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), {
    error: 'a client certificate needs both cert and key',
  });

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
  tls: z.union([z.boolean(), KafkaTls]).default(false).meta({
    description:
      'true encrypts the connection and verifies the certificates of the brokers. {ca, cert, key} does so with a private authority or a client certificate. Default: false.',
  }),
  sasl: z
    .strictObject({
      mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).meta({
        description: 'SASL mechanism. plain sends the password itself: use it with tls.',
      }),
      username: z.string().min(1).meta({ description: 'User name for the brokers.' }),
      password: described(SecretRef, 'Reference to the password: env:NAME, file:path or command:program.'),
    })
    .optional()
    .meta({ description: 'SASL login for the brokers. Default: none.' }),
  insecure: insecure(
    'a connection without tls, whose records and password of mechanism plain go unencrypted to other machines',
  ),
} as const;

export const KafkaConnection = z.strictObject(KAFKA_CONNECTION);
export type KafkaConnection = z.infer<typeof KafkaConnection>;
