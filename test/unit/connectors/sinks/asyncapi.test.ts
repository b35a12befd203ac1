// The AsyncAPI document: whole in itself, true to the schemas, with the sinks of a configuration as channels.
import { describe, expect, it } from 'vitest';
import { Config } from '../../../../src/config/schema/config.ts';
import { CONVERSATION_EVENT_TYPES } from '../../../../src/jobs/conversations/contract/events.ts';
import { SinkEvent } from '../../../../src/jobs/events/contract/envelope.ts';
import { describeEvents } from '../../../../src/jobs/outbox/asyncapi/asyncapi.ts';
import { MESSAGES } from '../../../../src/jobs/outbox/asyncapi/messages.ts';
import { ANNOUNCED_TYPES } from '../../../../src/jobs/outbox/contract/announce.ts';

interface Message {
  readonly name: string;
  readonly payload: { readonly $ref: string };
  readonly examples?: readonly { readonly payload: unknown }[];
  readonly traits?: readonly object[];
}
interface Document {
  readonly asyncapi: string;
  readonly servers?: Record<string, { host: string; protocol: string; security?: readonly object[] }>;
  readonly channels?: Record<
    string,
    { address: string; messages: Record<string, Message>; servers: object[] }
  >;
  readonly operations?: Record<
    string,
    { action: string; channel: { $ref: string }; messages: { $ref: string }[] }
  >;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly messages: Record<string, Message>;
    readonly messageTraits?: Record<string, { headers: { required: readonly string[] } }>;
    readonly securitySchemes?: Record<string, { type: string }>;
  };
  readonly 'x-sinks'?: Record<string, { type: string; events: readonly string[] }>;
}

const CONFIG = Config.parse({
  version: 1,
  accounts: {
    acme: {
      baseUrl: 'http://x/wapi',
      tokens: ['env:T'],
      announce: [
        { sink: 'bus', events: ['message.sent'] },
        { sink: 'bus', events: ['message.received'], connections: [1] },
        { sink: 'hooks' },
        { sink: 'log', events: ['message.status'] },
      ],
    },
    other: { baseUrl: 'http://x/wapi', tokens: ['env:T'], announce: [{ sink: 'shop' }] },
  },
  sources: { crm: { type: 'csv', path: 'x' } },
  mappings: { people: { contact: { number: 'phone' } } },
  syncs: { leads: { account: 'acme', source: 'crm', mapping: 'people', announce: 'bus' } },
  sinks: {
    bus: {
      type: 'kafka',
      brokers: ['a:1', 'b:2'],
      topic: 'conversations',
      tls: true,
      sasl: { mechanism: 'scram-sha-512', username: 'CANARY', password: 'env:CANARY_PASSWORD' },
    },
    hooks: { type: 'http', url: 'https://shop.example.com:8443/in/hooks', secrets: ['env:CANARY_KEY'] },
    log: { type: 'jsonl', path: '/CANARY/events.jsonl' },
    shop: { type: 'postgres', url: 'env:CANARY_DB' },
    idle: { type: 'kafka', brokers: ['a:1'], topic: 'idle' },
  },
});

/** Attributes that CloudEvents defines. */
const ENVELOPE = /^\/\w+\/(?:specversion|type|datacontenttype)$/;

const bare = describeEvents('1.2.3', null) as Document;
const full = describeEvents('1.2.3', CONFIG) as Document;

/** Every `$ref` in the document. */
function* refs(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref') yield inner as string;
    else if (key !== 'examples') yield* refs(inner);
  }
}

interface Field {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly items?: Field;
}

/** Paths of the fields that have no description, no fields of their own and no schema of their own. */
function* undescribed(fields: Readonly<Record<string, Field>>, path: string): Generator<string> {
  for (const [name, { $ref, description = $ref, properties, items }] of Object.entries(fields)) {
    const here = `${path}/${name}`;
    if (ENVELOPE.test(here)) continue;
    const below = (items ?? { properties }).properties;
    if (path !== '' && description === undefined && below === undefined) yield here;
    if (below !== undefined) yield* undescribed(below, here);
  }
}

function resolve(document: object, ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}

describe.each([
  ['without a configuration', bare],
  ['with the sinks of one', full],
])('the document %s', (_name, document) => {
  it('is JSON, of AsyncAPI 3.0, and leads nowhere outside of itself', () => {
    expect(document.asyncapi).toBe('3.0.0');
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    const all = [...refs(document)];
    expect(all.length).toBeGreaterThan(20);
    for (const ref of all) {
      expect(ref).toMatch(/^#\//);
      expect(resolve(document, ref), ref).toBeTypeOf('object');
    }
    expect(JSON.stringify(document)).not.toMatch(/"\$(?:id|schema)"/);
  });

  it('has every event that a sink can be given, each with an example that is one', () => {
    const types = Object.keys(document.components.messages);
    expect(types.sort()).toEqual(
      [...ANNOUNCED_TYPES, ...['cancelled', 'failed', 'finished'].map((s) => `sluice.sync.${s}`)].sort(),
    );
    for (const type of types) {
      const { name, payload, examples = [] } = document.components.messages[type] as Message;
      expect(name).toBe(type);
      expect(payload.$ref).toBe(`#/components/schemas/${type}`);
      expect(examples).toHaveLength(1);
      expect(SinkEvent.parse(examples[0]?.payload)).toMatchObject({ type });
    }
  });
});

it('every field of `data` has a description', () => {
  expect([...undescribed(bare.components.schemas, '')]).toEqual([]);
});

it('examples of runs add up, and ids of events differ', () => {
  const examples = Object.values(MESSAGES).map(({ example }) => example);
  expect(new Set(examples.map(({ id }) => id)).size).toBe(examples.length);
  for (const { data } of examples) {
    if (!('read' in data)) continue;
    const { read, created, updated, unchanged, merged, rejected, failed, unknown, pending } = data;
    expect(created + updated + unchanged + merged + rejected + failed + unknown + pending).toBe(read);
  }
});

describe('channels', () => {
  it('are there for sinks that are published something, with what they are published', () => {
    expect(Object.keys(full.channels ?? {})).toEqual(['bus', 'hooks']);
    expect(Object.keys(full.channels?.bus?.messages ?? {})).toEqual([
      'message.received',
      'message.sent',
      'sluice.sync.cancelled',
      'sluice.sync.failed',
      'sluice.sync.finished',
    ]);
    expect(Object.keys(full.channels?.hooks?.messages ?? {})).toEqual([...CONVERSATION_EVENT_TYPES].sort());
    expect(bare).not.toHaveProperty('channels');
  });

  it('have one operation each, which names a channel and messages of that channel', () => {
    const operations = Object.values(full.operations ?? {});
    expect(operations.map(({ channel }) => channel.$ref)).toEqual(['#/channels/bus', '#/channels/hooks']);
    for (const { action, channel, messages } of operations) {
      expect(action).toBe('send');
      for (const { $ref } of messages) expect($ref.startsWith(`${channel.$ref}/messages/`)).toBe(true);
    }
  });

  it('of Kafka are topics with the key that keeps the order', () => {
    expect(full.channels?.bus).toMatchObject({
      address: 'conversations',
      bindings: { kafka: { topic: 'conversations' } },
    });
    expect(full.servers).toMatchObject({
      'bus-1': { host: 'a:1', protocol: 'kafka-secure' },
      'bus-2': { host: 'b:2', protocol: 'kafka-secure' },
    });
    expect(full.components.securitySchemes?.['scram-sha-512']).toEqual({ type: 'scramSha512' });
    expect(full.components.messageTraits?.kafka).toHaveProperty('bindings.kafka.key.type', 'string');
  });

  it('of HTTP are addresses with the headers of Standard Webhooks', () => {
    expect(full.channels?.hooks?.address).toBe('/in/hooks');
    expect(full.servers?.['hooks-1']).toMatchObject({ host: 'shop.example.com:8443', protocol: 'https' });
    expect(full.components.messageTraits?.webhook?.headers.required).toEqual([
      'content-type',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
  });

  it('are not made of files and tables, which are listed beside them', () => {
    expect(full['x-sinks']).toMatchObject({
      log: { type: 'jsonl', events: ['message.status'] },
      shop: { type: 'postgres', description: 'One row per event in the table sluice_events.' },
    });
  });
});

it('contains no secret, no user and no path of a machine', () => {
  expect(JSON.stringify(full)).not.toContain('CANARY');
});
