// The part `temporal` of sluice.yaml: the server, and encryption of what it stores.
import { z } from 'zod';
import { described, SecretRef } from '../../core/config/base.ts';
import { encryptionKeys } from './encryption.ts';

const pem = (text: string) => z.string().min(1).optional().meta({ description: text });

const TemporalTls = z
  .strictObject({
    ca: pem(
      'PEM file of the authority that signed the certificate of the server. Default: the authorities of Node.js and NODE_EXTRA_CA_CERTS.',
    ),
    cert: pem('PEM file of the client certificate. Default: none.'),
    key: pem('PEM file of the private key of `cert`. Default: none.'),
    serverName: z.string().min(1).optional().meta({
      description: 'Name in the certificate of the server. Default: the host of `address`.',
    }),
  })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), {
    error: 'a client certificate needs both cert and key',
  });

export const TemporalConfig = z.strictObject({
  address: z
    .string()
    .regex(/^[^/@\s]+$/, 'write host:port, for example temporal.example.com:7233')
    .optional()
    .meta({
      description:
        'host:port of the frontend of your Temporal server. Default: TEMPORAL_ADDRESS; without it, `sluice dev` starts a server.',
    }),
  namespace: z.string().min(1).optional().meta({
    description: 'Namespace on that server. Default: TEMPORAL_NAMESPACE, otherwise `default`.',
  }),
  tls: z.union([z.boolean(), TemporalTls]).optional().meta({
    description:
      'true encrypts the connection and verifies the certificate of the server. {ca, cert, key, serverName} does so with a private authority, a client certificate or another name. Sluice reads the files again when they change. Default: the variables TEMPORAL_TLS and TEMPORAL_TLS_*.',
  }),
  apiKey: described(
    SecretRef,
    'Reference to an API key, for example of Temporal Cloud: env:NAME, file:path or command:program. It turns TLS on. Default: TEMPORAL_API_KEY.',
  ).optional(),
  encryption: z
    .strictObject({
      keys: encryptionKeys(
        'Keys of AES-256-GCM. The first one encrypts; all of them decrypt. Add a new key at the end in every process before you move it to the front, and keep an old one for as long as Temporal keeps workflows. Default: []; payloads are not encrypted.',
      ),
    })
    .prefault({})
    .meta({
      description:
        'Encrypts inputs, results, heartbeats and failure texts of workflows before they leave the process. Default: off.',
    }),
});
export type TemporalConfig = z.infer<typeof TemporalConfig>;

/** Keys that have an effect only where an address names a server. The embedded one has neither TLS nor API keys. */
export function keysOfServer({ tls, apiKey }: TemporalConfig): string[] {
  return [
    ...(tls === undefined || tls === false ? [] : ['temporal.tls']),
    ...(apiKey === undefined ? [] : ['temporal.apiKey']),
  ];
}
