// The part `routes` of sluice.yaml: where an event comes from, what it must look like, and what it makes happen.
import { z } from 'zod';
import { RouteAction } from './config-actions.ts';
import { described, durationWithin, name, SecretRef } from './config-base.ts';
import { topicName } from './config-kafka.ts';

const secrets = z.array(SecretRef).min(1).max(5);
const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'write the name of a header');

/** HMAC over the raw body. `style` fills in what a known sender does; single keys override it. */
export const HmacAuth = z.strictObject({
  type: z.literal('hmac').meta({ description: 'HMAC of the raw body in a header' }),
  secrets: described(secrets, 'References to the shared secrets; several while one is replaced by another'),
  style: z.enum(['plain', 'github', 'shopify', 'hubspot']).default('plain').meta({
    description:
      'Whose signatures these are: plain takes the keys below; github: X-Hub-Signature-256; shopify: X-Shopify-Hmac-Sha256; hubspot: version 3, over method, address, body and time',
  }),
  header: headerName
    .optional()
    .meta({ description: 'Header with the signature. Default with plain: X-Signature' }),
  encoding: z
    .enum(['hex', 'base64'])
    .optional()
    .meta({ description: 'How it is written. Default with plain: hex' }),
  prefix: z.string().max(20).optional().meta({ description: 'What stands before it, for example sha256=' }),
  algorithm: z.enum(['sha256', 'sha1', 'sha512']).optional().meta({ description: 'Hash. Default: sha256' }),
});

export const RouteAuth = z.discriminatedUnion('type', [
  z.strictObject({
    type: z
      .literal('standard-webhooks')
      .meta({ description: 'Signatures of the Standard Webhooks specification' }),
    secrets: described(
      secrets,
      'References to the secrets (whsec_…); several while one is replaced by another',
    ),
    tolerance: durationWithin('1s', '1h').default('5m').meta({
      description: 'How far the time of a signature may be off, either way',
    }),
  }),
  HmacAuth,
  z.strictObject({
    type: z.literal('token').meta({ description: 'A shared token in a header' }),
    secrets: described(secrets, 'References to the tokens; several while one is replaced by another'),
    header: headerName.default('Authorization').meta({
      description: 'Header with the token; in Authorization it stands behind "Bearer "',
    }),
  }),
  z.strictObject({
    type: z.literal('none').meta({ description: 'Nobody proves anything: on a loopback address only' }),
  }),
]);
export type RouteAuth = z.infer<typeof RouteAuth>;

const path = z
  .string()
  .regex(
    /^(\/[A-Za-z0-9._~-]+)+$/,
    'begin with "/" and use letters, digits, ".", "_", "~" and "-" between slashes',
  )
  .max(200);

export const RouteHttp = z.strictObject({
  path: path.meta({ description: 'Path that takes POST requests; no two routes share one' }),
  auth: RouteAuth.meta({ description: 'How a sender proves who it is' }),
  trustHeaders: z.boolean().optional().meta({
    description:
      'Whether headers that the proof does not cover count: Idempotency-Key, ids of known senders, ce-… attributes, the name of an uploaded file. Anybody between the sender and Sluice can change them. Default: false with a signature, true with token and none',
  }),
  perMinute: z.int().min(1).default(6000).meta({
    description: 'Requests a minute, of all senders together; further ones are answered with 429',
  }),
});
export type RouteHttp = z.infer<typeof RouteHttp>;

/** Does the proof cover certain bytes only? A token, or the loopback address, stands for the request as a whole. */
export function isSignature({ type }: RouteAuth): boolean {
  return type === 'standard-webhooks' || type === 'hmac';
}

/** Do headers count that the proof of a sender does not cover? */
export function headersCount({ auth, trustHeaders }: Pick<RouteHttp, 'auth' | 'trustHeaders'>): boolean {
  return trustHeaders ?? !isSignature(auth);
}

export const RouteKafka = z.strictObject({
  cluster: described(name, 'Which of `ingress.kafka`'),
  topics: z
    .array(topicName)
    .min(1)
    .meta({ description: 'Topics to read; no two routes of a cluster share one' }),
  format: z.enum(['auto', 'json', 'cloudevents', 'debezium']).default('auto').meta({
    description:
      'auto: CloudEvents where headers say so, else JSON; json: the value is the event; cloudevents: nothing else; debezium: change events, of which the row after the change is the event',
  }),
});
export type RouteKafka = z.infer<typeof RouteKafka>;

export const RouteConfig = z.strictObject({
  account: described(name, 'Which of `accounts` the event is for'),
  http: RouteHttp.optional().meta({ description: 'Take events over HTTP' }),
  kafka: RouteKafka.optional().meta({ description: 'Take events from Kafka' }),
  schema: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .optional()
    .meta({
      description:
        'JSON Schema of the event (of `data`, with CloudEvents), or a file with it, relative to this one; what does not match is refused. Default: anything that is an object',
    }),
  key: z.string().min(1).optional().meta({
    description:
      'Dot-path to what identifies the event: events with the same key are done once. With standard-webhooks it comes before the signed webhook-id. Otherwise it counts if the event has no usual key, such as event_id or the id of a CloudEvent',
  }),
  order: z.string().min(1).optional().meta({
    description:
      'Dot-path to a number or a time: an event that is older than one of the same person that was done already is left out. Default: as they come',
  }),
  batch: z
    .strictObject({
      max: z.int().min(2).max(200).meta({ description: 'Most events in one start' }),
      wait: durationWithin('0ms', '5s')
        .default('20ms')
        .meta({ description: 'How long the first waits for others' }),
    })
    .optional()
    .meta({ description: 'Start one workflow for several events, for bursts. Default: one each' }),
  action: RouteAction.meta({ description: 'What the event makes happen' }),
});
export type RouteConfig = z.infer<typeof RouteConfig>;

/** A route as the configuration hands it out: its schema is here, wherever it was written. */
export type ResolvedRoute = Omit<RouteConfig, 'schema'> & {
  schema?: Record<string, unknown> | undefined;
};
