import { describe, expect, it } from 'vitest';
import { describeRoutes } from '../../../../../../src/jobs/events/ingress/http/index.ts';
import { routeConfig } from './environment.ts';

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $defs: { phone: { type: 'string', pattern: '^\\d+$' } },
  type: 'object',
  required: ['phone'],
  properties: {
    phone: { $ref: '#/$defs/phone' },
    self: { $ref: '#' },
    elsewhere: { $ref: 'https://example.com/x.json#/a' },
    $ref: { type: 'string' },
    fixed: { const: { $ref: '#/$defs/phone' } },
  },
};

const SCHEMAS: Record<string, string | Record<string, unknown>> = {
  standard: SCHEMA,
  github: { $id: 'https://example.com/lead.json', ...SCHEMA },
  hubspot: 'schemas/lead.json',
};

const AUTHS: Record<string, object> = {
  standard: { type: 'standard-webhooks', secrets: ['env:A'], tolerance: '2m' },
  github: { type: 'hmac', style: 'github', secrets: ['env:A'] },
  hubspot: { type: 'hmac', style: 'hubspot', secrets: ['env:A'] },
  bearer: { type: 'token', secrets: ['env:A'] },
  header: { type: 'token', header: 'X-Service-Token', secrets: ['env:A'] },
  open: { type: 'none' },
};

interface Operation {
  readonly security: object[];
  readonly parameters: { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<string, { readonly headers?: object }>;
}
interface Document {
  readonly paths: Record<string, { readonly post: Operation }>;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly securitySchemes: Record<string, object>;
  };
}

const document = describeRoutes(
  [
    ...Object.entries(AUTHS).map(([name, auth]) => ({
      name,
      config: routeConfig({ path: `/hooks/${name}`, auth }, SCHEMAS[name]),
    })),
    { name: 'bus', config: routeConfig(null) },
    {
      name: 'notes',
      config: routeConfig({ path: '/notes', auth: AUTHS.standard }, undefined, { maxBytes: 4711 }),
    },
  ],
  { maxBodyBytes: 1_048_576, publicUrl: undefined },
) as Document;

const operation = (name: string): Operation => {
  const path = document.paths[`/hooks/${name}`];
  if (path === undefined) throw new Error(`${name} is not described`);
  return path.post;
};

function* refsOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') yield inner;
    else if (key !== 'const') yield* refsOf(inner);
  }
}

const at = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);

describe('the OpenAPI document', () => {
  it('is JSON, and every reference in it leads somewhere', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    const refs = [...refsOf(document)].filter((ref) => ref.startsWith('#/components'));
    expect(refs.length).toBeGreaterThan(30);
    for (const ref of refs) expect(at(ref), ref).toBeDefined();
  });

  it('has the routes with http, and no secret or reference to one', () => {
    expect(Object.keys(document.paths)).toEqual([
      ...Object.keys(AUTHS).map((name) => `/hooks/${name}`),
      '/notes',
      '/notes/files',
    ]);
    expect(JSON.stringify(document)).not.toContain('env:');
  });

  it("takes the route's schema along, whose references to itself follow it", () => {
    const base = '#/components/schemas/event-standard';
    const { $schema: _dialect, ...moved } = SCHEMA;
    expect(document.components.schemas['event-standard']).toEqual({
      ...moved,
      properties: {
        ...moved.properties,
        phone: { $ref: `${base}/$defs/phone` },
        self: { $ref: base },
      },
    });
  });

  it('leaves a schema with an id of its own as it is, and says little of one that is not here', () => {
    const { schemas } = document.components;
    expect(schemas['event-github']).toEqual(SCHEMAS.github);
    expect([schemas['event-hubspot'], schemas['event-open']]).toEqual([
      { type: 'object' },
      { type: 'object' },
    ]);
  });

  it('lists the sources of an idempotency key in the order in which they are checked', () => {
    const [key] = operation('open').parameters;
    expect(key).toMatchObject({ name: 'Idempotency-Key', in: 'header', required: false });
    expect((key as { description?: string }).description).toMatch(
      /X-Idempotency-Key; idempotency_key, event_id, eventId in the body; source and id of a CloudEvent; webhook-id, /,
    );
  });

  it('names the forms of a body, CloudEvents among them', () => {
    const { content } = operation('standard').requestBody;
    expect(Object.keys(content)).toEqual([
      'application/json',
      'application/cloudevents+json',
      'application/cloudevents-batch+json',
    ]);
    expect(document.components.schemas['cloudevent-standard']).toMatchObject({
      required: ['specversion', 'id', 'source', 'type', 'data'],
      properties: { data: { $ref: '#/components/schemas/event-standard' } },
    });
  });

  it.each([
    ['standard', { type: 'apiKey', name: 'webhook-signature' }, ['webhook-id', 'webhook-timestamp'], '401'],
    ['github', { type: 'apiKey', name: 'X-Hub-Signature-256' }, [], '401'],
    ['hubspot', { type: 'apiKey', name: 'X-HubSpot-Signature-v3' }, ['X-HubSpot-Request-Timestamp'], '401'],
    ['bearer', { type: 'http', scheme: 'bearer' }, [], '401'],
    ['header', { type: 'apiKey', name: 'X-Service-Token' }, [], '401'],
    ['open', undefined, [], '403'],
  ])('describes how a sender authenticates: %s', (name, scheme, headers, unproven) => {
    const { security, parameters, responses } = operation(name);
    if (scheme === undefined) expect(document.components.securitySchemes).not.toHaveProperty(name);
    else expect(document.components.securitySchemes[name]).toMatchObject(scheme);
    expect(security).toEqual(scheme === undefined ? [] : [{ [name]: [] }]);
    expect(parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual(headers);
    const signed = ['standard', 'github', 'hubspot'].includes(name);
    const names = parameters.map(({ name }) => name);
    expect(names.filter((one) => /^(?:x-)?idempotency-key$|^ce-/i.test(one)).length).toBe(signed ? 0 : 6);
    expect(Object.keys(responses)).toEqual([
      '202',
      '400',
      unproven,
      '405',
      '408',
      '413',
      '415',
      '422',
      '429',
      '431',
      '500',
      '503',
    ]);
    expect(responses['503']?.headers).toHaveProperty('Retry-After');
  });

  it('describes uploads for a route that accepts files', () => {
    const files = document.paths['/notes/files']?.post as Operation;
    expect(files.security).toEqual([{ notes: [] }]);
    expect(files.parameters.map(({ name, required }) => [name, required])).toEqual([
      ['webhook-id', true],
      ['webhook-timestamp', true],
      ['Content-Encoding', false],
    ]);
    expect(files.requestBody.content).toEqual({ '*/*': { schema: { type: 'string', format: 'binary' } } });
    expect(Object.keys(files.responses)).toEqual(
      [201, 400, 401, 405, 408, 413, 415, 429, 431, 500, 503].map(String),
    );
    expect(JSON.stringify(files.responses['413'])).toContain('4711 bytes');
  });
});
