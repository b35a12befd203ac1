import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RouteConfig } from '../../../../../../src/jobs/events/config.ts';
import { RefusedError } from '../../../../../../src/jobs/events/ingress/intake.ts';
import { openRoute } from '../../../../../../src/jobs/events/ingress/route/index.ts';
import { compileAction } from '../../../../../../src/jobs/events/rules/actions.ts';
import { MappingConfig } from '../../../../../../src/mapping/config.ts';
import { http, kafka, refusal, scripted } from './support.ts';

function leads(over: object = {}, mapping: object = {}) {
  const config = RouteConfig.parse({
    account: 'acme',
    http: { path: '/leads', auth: { type: 'none' } },
    kafka: { cluster: 'main', topics: ['leads'] },
    action: { type: 'lead', mapping: 'crm' },
    ...over,
  });
  const crm = MappingConfig.parse({
    defaultCountry: 'BR',
    contact: { number: 'lead.phone', name: ['lead.name', '$event.subject'] },
    ...mapping,
  });
  return openRoute('leads', config, {
    compile: compileAction(config.action, config.action.type === 'lead' ? crm : null),
  });
}

describe('a route with its action', () => {
  it('makes an event of what came', async () => {
    const route = leads({ order: 'at', key: 'lead.id' });
    const body = { lead: { id: 7, phone: '(11) 98765-4321', name: 'Bia' }, at: 17 };
    expect(await route.read(http(body))).toEqual({
      drafts: [
        {
          account: 'acme',
          route: 'leads',
          id: expect.stringMatching(/^[\w-]{22}$/),
          rank: 17,
          subject: 'person/5511987654321',
          request: {
            type: 'lead',
            record: {
              key: '5511987654321',
              contact: { number: '5511987654321', name: 'Bia' },
              extraInfo: [],
              tags: [],
            },
          },
        },
      ],
    });
  });

  it('maps the attributes of a CloudEvent beside its data', async () => {
    const headers = {
      'ce-specversion': '1.0',
      'ce-id': '1',
      'ce-source': '/crm',
      'ce-type': 't',
      'ce-subject': 'Bia%20Luz',
    };
    const { drafts } = await leads().read(http({ lead: { phone: '11987654321' } }, headers));
    expect(drafts[0]?.request).toMatchObject({ record: { contact: { name: 'Bia Luz' } } });
  });

  it('with JSONata as well', async () => {
    const route = leads({}, { contact: { number: '=lead.phone', name: '=`$event`.topic' } });
    const { drafts } = await route.read(kafka({ lead: { phone: '11987654321' } }));
    expect(drafts[0]?.request).toMatchObject({ record: { contact: { name: 'leads' } } });
  });

  it('refuses what can not be mapped, with every problem and no value in what is said', async () => {
    const route = leads({}, { tags: ['=lead.tags.{"a": 1}'], card: { pipeline: 1, stage: 'lead' } });
    for (const body of [{ lead: { phone: 'CANARY', tags: [1] } }, {}]) {
      const refused = await refusal(route, http(body));
      expect(refused).toMatchObject({ code: 'MAPPING', status: 422 });
      expect(refused.problems.map(({ field }) => field)).toContain('contact.number');
      expect(refused.message).toContain('contact.number (lead.phone): ');
      expect(refused.message).not.toContain('CANARY');
    }
    const both = await refusal(route, http({ lead: { phone: 'CANARY', tags: [1] } }));
    expect(both.problems.length).toBeGreaterThan(1);
  });
});

it('whatever bytes and headers come, they are read or refused', async () => {
  const routes = (['auto', 'json', 'cloudevents', 'debezium'] as const).map(
    (format) =>
      scripted({
        format,
        action: 'message',
        order: '$event.ts_ms',
        key: 'a.0.b',
        schema: { properties: { a: { type: ['array', 'object'] } } },
      }).route,
  );
  const name = fc.oneof(
    fc.constantFrom(
      'content-type',
      'idempotency-key',
      'webhook-id',
      'ce-id',
      'ce_id',
      'ce-type',
      '__proto__',
      'constructor',
    ),
    fc.string({ maxLength: 8 }),
  );
  const value = fc.oneof(
    fc.constantFrom(
      'application/json',
      'application/cloudevents+json',
      'application/cloudevents-batch+json',
      '%ff',
      '"',
    ),
    fc.string({ unit: 'binary' }),
  );
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json({ maxDepth: 5 }).map((text) => Buffer.from(text)),
    fc
      .record(
        {
          op: fc.constantFrom('c', 'd', 'x', 1),
          after: fc.jsonValue(),
          payload: fc.jsonValue(),
          ts_ms: fc.jsonValue(),
        },
        { requiredKeys: [] },
      )
      .map((change) => Buffer.from(JSON.stringify(change))),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(...routes),
    body,
    fc.dictionary(name, value),
    fc.boolean(),
    async (route, bytes, headers, byHttp) => {
      const delivery = byHttp ? http(bytes, headers) : kafka(bytes, headers);
      const read = await route.read(delivery).catch((error: unknown) => error);
      if (!(read instanceof Error)) return;
      expect(read).toBeInstanceOf(RefusedError);
      expect(read.message.length).toBeLessThan(600);
    },
  );
  await fc.assert(property, { numRuns: 400 });
});
