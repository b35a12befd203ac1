// The part `routes` of sluice.yaml: the source of events, the shape they must have, and the action they cause.
import { z } from 'zod';
import { topicName } from '../../connectors/kafka/config.ts';
import { described, durationWithin, name, SecretRef } from '../../core/config/base.ts';
import { RouteAction } from './config-actions.ts';

const secrets = z.array(SecretRef).min(1).max(5);
const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'write the name of a header');

/** HMAC over the raw body. `style` fills in what a known sender does; single keys override it. */
const HmacAuth = z.strictObject({
  type: z.literal('hmac').meta({ description: 'HMAC of the raw body, in a header.' }),
  secrets: described(
    secrets,
    'References to 1 to 5 shared secrets. Any of them is accepted, so that you can rotate them.',
  ),
  style: z.enum(['plain', 'github', 'shopify', 'hubspot']).default('plain').meta({
    description:
      'Sender whose signatures to expect. plain: set by the keys below. github: X-Hub-Signature-256. shopify: X-Shopify-Hmac-Sha256. hubspot: version 3, over method, URL, body and time. Default: plain.',
  }),
  header: headerName.optional().meta({
    description: 'Header with the signature. Default: the header of the style; X-Signature with plain.',
  }),
  encoding: z
    .enum(['hex', 'base64'])
    .optional()
    .meta({ description: 'Encoding of the signature. Default: the encoding of the style; hex with plain.' }),
  prefix: z.string().max(20).optional().meta({
    description:
      'Text before the signature, for example sha256=. Default: the prefix of the style; none with plain.',
  }),
  algorithm: z
    .enum(['sha256', 'sha1', 'sha512'])
    .optional()
    .meta({ description: 'Hash function. Default: sha256.' }),
});

export const RouteAuth = z.discriminatedUnion('type', [
  z.strictObject({
    type: z
      .literal('standard-webhooks')
      .meta({ description: 'Signatures of the Standard Webhooks specification.' }),
    secrets: described(
      secrets,
      'References to 1 to 5 secrets (whsec_…). Any of them is accepted, so that you can rotate them.',
    ),
    tolerance: durationWithin('1s', '1h').default('5m').meta({
      description:
        'Maximum difference between the time of a signature and now, in both directions, 1s to 1h. Default: 5m.',
    }),
  }),
  HmacAuth,
  z.strictObject({
    type: z.literal('token').meta({ description: 'Shared token in a header.' }),
    secrets: described(
      secrets,
      'References to 1 to 5 tokens. Any of them is accepted, so that you can rotate them.',
    ),
    header: headerName.default('Authorization').meta({
      description: 'Header with the token. In Authorization, "Bearer " precedes it. Default: Authorization.',
    }),
  }),
  z.strictObject({
    type: z.literal('none').meta({ description: 'No authentication. Only on a loopback address.' }),
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
  path: path.meta({ description: 'Path for POST requests. Each route has its own.' }),
  auth: RouteAuth.meta({ description: 'How senders authenticate.' }),
  trustHeaders: z.boolean().optional().meta({
    description:
      'true accepts headers that the signature does not cover: Idempotency-Key, ids of known senders, ce-… attributes and file names. Anyone between sender and Sluice can change them. Default: false with a signature, true with token and none.',
  }),
  perMinute: z.int().min(1).default(6000).meta({
    description:
      'Maximum number of requests per minute and process, for all senders together. More get 429. Default: 6000.',
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
  cluster: described(name, 'Kafka cluster to read: a name from `ingress.kafka`.'),
  topics: z
    .array(topicName)
    .min(1)
    .meta({ description: 'Topics to read. A topic of a cluster belongs to one route.' }),
  format: z.enum(['auto', 'json', 'cloudevents', 'debezium']).default('auto').meta({
    description:
      'Format of the records. auto: CloudEvents if the headers say so or the value has specversion, id, source, type and data, otherwise JSON. json: the value is the event. cloudevents: CloudEvents only. debezium: change events; the row after the change is the event. Default: auto.',
  }),
});
export type RouteKafka = z.infer<typeof RouteKafka>;

export const RouteConfig = z.strictObject({
  account: described(name, 'Account of the event: a name from `accounts`.'),
  http: RouteHttp.optional().meta({
    description: 'Accepts events over HTTP. Default: none. A route needs http, kafka or both.',
  }),
  kafka: RouteKafka.optional().meta({
    description: 'Accepts events from Kafka. Default: none. A route needs http, kafka or both.',
  }),
  schema: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .optional()
    .meta({
      description:
        'JSON Schema of the event (of `data` in a CloudEvent), or a file with it, relative to this file. Other events are refused. Default: none; any object is accepted.',
    }),
  key: z.string().min(1).optional().meta({
    description:
      'Dot-path to the idempotency key. With standard-webhooks it precedes the webhook-id; otherwise it counts if the event has no usual key, such as event_id or the id of a CloudEvent. Default: none; the usual keys alone.',
  }),
  order: z.string().min(1).optional().meta({
    description:
      'Dot-path to a number or a time. An event that is older than the last one of the same person and route is skipped. Default: none; events apply in the order of arrival.',
  }),
  batch: z
    .strictObject({
      max: z
        .int()
        .min(2)
        .max(200)
        .meta({ description: 'Maximum number of events per workflow start, 2 to 200.' }),
      wait: durationWithin('0ms', '5s').default('20ms').meta({
        description: 'How long the first event of a batch waits for others, up to 5s. Default: 20ms.',
      }),
    })
    .optional()
    .meta({
      description:
        'Starts one workflow for several events, for bursts. Default: none; one workflow per event.',
    }),
  erasedPeople: z.enum(['refuse', 'accept']).default('refuse').meta({
    description:
      'What happens to an event about a person who opted out of campaigns and was erased since. refuse: it is discarded, before any call. accept: it counts as a new request of the person, for example a form. Campaigns leave the person out either way. Default: refuse.',
  }),
  optOut: z.enum(['check', 'ignore']).default('check').meta({
    description:
      'What happens to a message or a flow to a person who opted out. check: it is discarded, before any call. ignore: it is sent. Use ignore for transactional messages, such as a receipt, and for answers to what the person wrote. For people who were erased since, erasedPeople decides instead. Default: check.',
  }),
  action: RouteAction.meta({ description: 'What the event does.' }),
});
export type RouteConfig = z.infer<typeof RouteConfig>;

/** A route as the configuration hands it out: its schema is here, wherever it was written. */
export type ResolvedRoute = Omit<RouteConfig, 'schema'> & {
  schema?: Record<string, unknown> | undefined;
};
