// Builds the channels of the AsyncAPI document: one for each sink that receives events over a network, with its
// bindings.
import type { Config } from '../../../config/schema/config.ts';
import type { HttpSink, KafkaSink } from '../../../connectors/sinks/config.ts';
import { EVENT_CONTENT_TYPE } from '../../../connectors/sinks/event.ts';
import { RUN_END_STATUSES } from '../../events/contract/envelope.ts';
import { typesOf } from '../contract/announce.ts';
import { messageOf } from './messages.ts';
import type { EventType } from './schemas.ts';

type Announcing = Pick<Config, 'accounts' | 'sinks' | 'syncs'>;
type Part = Readonly<Record<string, object>>;

const ref = (...path: readonly string[]) => ({ $ref: `#/${path.join('/')}` });

/** Event types that each sink receives, by sink name. A sink that receives nothing is left out. */
function typesBySink({ accounts, sinks, syncs }: Announcing): ReadonlyMap<string, readonly EventType[]> {
  const received = new Map<string, Set<EventType>>();
  const add = (sink: string, types: readonly EventType[]) =>
    received.set(sink, new Set([...(received.get(sink) ?? []), ...types]));
  for (const { announce } of Object.values(accounts))
    for (const rule of announce) add(rule.sink, typesOf(rule));
  for (const { announce } of Object.values(syncs))
    if (announce !== undefined)
      add(
        announce,
        RUN_END_STATUSES.map((status) => `sluice.sync.${status}` as const),
      );
  const known = Object.keys(sinks).filter((sink) => received.has(sink));
  return new Map(known.map((sink) => [sink, [...(received.get(sink) ?? [])].sort()]));
}

export interface Channels {
  readonly servers: Part;
  readonly channels: Part;
  readonly operations: Part;
  readonly messageTraits: Part;
  readonly securitySchemes: Part;
  /** Sinks that no AsyncAPI protocol describes. */
  readonly others: Part;
}

export function describeChannels(config: Announcing): Channels {
  const parts: Record<keyof Channels, Record<string, object>> = {
    servers: {},
    channels: {},
    operations: {},
    messageTraits: {},
    securitySchemes: {},
    others: {},
  };
  for (const [name, types] of typesBySink(config)) {
    const sink = config.sinks[name];
    switch (sink?.type) {
      case 'kafka':
        addKafka(parts, name, sink);
        addChannel(parts, name, types, { ...kafkaChannel(sink), trait: 'kafka' });
        break;
      case 'http':
        addHttp(parts, name, sink);
        addChannel(parts, name, types, { ...httpChannel(sink), trait: 'webhook' });
        break;
      case 'jsonl':
        parts.others[name] = { type: 'jsonl', description: 'A file with one event per line.', events: types };
        break;
      case 'postgres':
        parts.others[name] = {
          type: 'postgres',
          description: `One row per event in the table ${sink.table}.`,
          events: types,
        };
        break;
    }
  }
  return parts;
}

type Parts = Record<keyof Channels, Record<string, object>>;

interface ChannelText {
  readonly address: string;
  readonly description: string;
  readonly servers: readonly number[];
  readonly trait: 'kafka' | 'webhook';
  readonly channelBindings?: object;
  readonly operationBindings: object;
}

function addChannel(parts: Parts, name: string, types: readonly EventType[], text: ChannelText): void {
  const { address, description, servers, trait, channelBindings, operationBindings } = text;
  parts.messageTraits[trait] = TRAITS[trait];
  parts.channels[name] = {
    address,
    description,
    servers: servers.map((at) => ref('servers', serverName(name, at))),
    messages: Object.fromEntries(
      types.map((type) => [
        type,
        { ...messageOf(type), traits: [ref('components', 'messageTraits', trait)] },
      ]),
    ),
    ...(channelBindings === undefined ? {} : { bindings: channelBindings }),
  };
  parts.operations[`send-${name}`] = {
    action: 'send',
    summary: `Sluice sends events to the sink "${name}".`,
    channel: ref('channels', name),
    messages: types.map((type) => ref('channels', name, 'messages', type)),
    bindings: operationBindings,
  };
}

const serverName = (sink: string, at: number) => `${sink}-${at + 1}`;

const MECHANISM = { plain: 'plain', 'scram-sha-256': 'scramSha256', 'scram-sha-512': 'scramSha512' } as const;

function addKafka(parts: Parts, name: string, { brokers, tls, sasl }: KafkaSink): void {
  if (sasl !== undefined) parts.securitySchemes[sasl.mechanism] = { type: MECHANISM[sasl.mechanism] };
  for (const [at, host] of brokers.entries())
    parts.servers[serverName(name, at)] = {
      host,
      protocol: tls ? 'kafka-secure' : 'kafka',
      ...(sasl === undefined ? {} : { security: [ref('components', 'securitySchemes', sasl.mechanism)] }),
    };
}

function kafkaChannel({ topic, brokers }: KafkaSink) {
  return {
    address: topic,
    description: 'Delivered at least once, in order within a key. A repeated event has the same `id`.',
    servers: brokers.map((_, at) => at),
    channelBindings: { kafka: { topic, bindingVersion: '0.5.0' } },
    operationBindings: { kafka: { bindingVersion: '0.5.0' } },
  };
}

function addHttp(parts: Parts, name: string, { url }: HttpSink): void {
  const { host, protocol } = new URL(url);
  parts.securitySchemes['standard-webhooks'] = {
    type: 'httpApiKey',
    name: 'webhook-signature',
    in: 'header',
    description:
      'Standard Webhooks 1.0: `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. While you rotate a secret, the header has several signatures, separated by spaces.',
  };
  parts.servers[serverName(name, 0)] = {
    host,
    protocol: protocol.replace(/:$/, ''),
    security: [ref('components', 'securitySchemes', 'standard-webhooks')],
  };
}

function httpChannel({ url, timeout }: HttpSink) {
  return {
    address: new URL(url).pathname,
    description: `Any 2xx within ${timeout} accepts the event. Delivered at least once, in order within a conversation. A repeated event has the same \`webhook-id\`.`,
    servers: [0],
    operationBindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
  };
}

const TEXT = { type: 'string' };

/** What each sink type adds to every message. */
const TRAITS = {
  kafka: {
    headers: {
      type: 'object',
      required: ['content-type'],
      properties: { 'content-type': { const: EVENT_CONTENT_TYPE } },
    },
    bindings: {
      kafka: { key: { ...TEXT, description: 'The `partitionkey` of the event.' }, bindingVersion: '0.5.0' },
    },
  },
  webhook: {
    headers: {
      type: 'object',
      required: ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
      properties: {
        'content-type': { const: EVENT_CONTENT_TYPE },
        'webhook-id': {
          ...TEXT,
          description:
            'The `id` of the event, the same at each attempt. Bytes other than letters, digits and _ - : / + = @ ~ are percent-encoded. A value longer than 256 characters is replaced by `sha256:` and its hash.',
        },
        'webhook-timestamp': { ...TEXT, description: 'Time of this attempt, in seconds since 1970.' },
        'webhook-signature': { ...TEXT, description: 'One signature per secret, separated by spaces.' },
      },
    },
  },
} as const;
