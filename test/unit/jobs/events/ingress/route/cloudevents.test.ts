import { CloudEvent, HTTP, Kafka } from 'cloudevents';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../../../../src/jobs/events/ingress/intake.ts';
import { http, idOf, kafka, refusal, scripted, viewOf } from './support.ts';

const STRUCTURED = { 'content-type': 'application/cloudevents+json; charset=UTF-8' };
const BATCH = { 'content-type': 'application/cloudevents-batch+json' };
const CORE = { specversion: '1.0', id: 'e-1', source: '/crm/leads', type: 'lead.created' };
const HEADERS = {
  'ce-specversion': '1.0',
  'ce-id': 'e-1',
  'ce-source': '/crm/leads',
  'ce-type': 'lead.created',
};
const { route } = scripted();
const onlyEvents = scripted({ format: 'cloudevents' }).route;

describe('what the package sends is read', () => {
  const event = new CloudEvent({
    ...CORE,
    subject: 'lead/7',
    time: '2026-11-21T10:00:00.123456Z',
    dataschema: 'https://example.com/lead.json',
    comexampleshop: 'Düsseldorf',
    datacontenttype: 'application/json',
    data: { phone: '5511987654321', name: 'Zoë 😀', price: 0.1 },
  });
  const lower = (headers: object) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const structured = HTTP.structured(event);
  const binary = HTTP.binary(event);
  const inKafka = Kafka.binary(event);

  it.each<[string, Delivery]>([
    ['HTTP, structured', http(String(structured.body), lower(structured.headers))],
    ['HTTP, binary', http(String(binary.body), lower(binary.headers))],
    ['Kafka, binary', kafka(JSON.stringify(inKafka.value), lower(inKafka.headers))],
    [
      'Kafka, structured',
      kafka(String(Kafka.structured(event).value), lower(Kafka.structured(event).headers)),
    ],
  ])('%s', async (_, delivery) => {
    const view = await viewOf({}, delivery);
    expect(view).toMatchObject({ phone: '5511987654321', name: 'Zoë 😀', price: 0.1 });
    const { time, ...about } = view.$event as { time: string };
    expect(about).toMatchObject({ ...CORE, subject: 'lead/7', comexampleshop: 'Düsseldorf' });
    expect(new Date(time).toISOString()).toBe('2026-11-21T10:00:00.123Z');
  });

  it('over whatever transport and in whatever form it came, it is the same event', async () => {
    const ids = [
      await idOf(route, http(String(structured.body), lower(structured.headers))),
      await idOf(route, http(String(binary.body), lower(binary.headers))),
      await idOf(route, kafka(JSON.stringify(inKafka.value), lower(inKafka.headers), 1)),
      await idOf(route, kafka(String(structured.body), lower(structured.headers), 2)),
    ];
    expect(new Set(ids).size).toBe(1);
  });
});

describe('attributes', () => {
  it('the time stays as the sender wrote it, and orders by its microseconds', async () => {
    const { route: ordered, views } = scripted({ order: '$event.time' });
    const event = { ...CORE, time: '2026-11-21T10:00:00.000001+02:00', data: {} };
    const { drafts } = await ordered.read(http(event, STRUCTURED));
    expect(views[0]?.$event).toMatchObject({ time: event.time });
    expect(drafts[0]?.rank).toBeCloseTo(Date.UTC(2026, 10, 21, 8) + 0.001, 3);
  });

  it('an event without a time has none, so nothing is ordered by one made up', async () => {
    const view = await viewOf({}, http({ ...CORE, data: {} }, STRUCTURED));
    expect(view.$event).toEqual(CORE);
    const refused = await refusal(
      scripted({ order: '$event.time' }).route,
      http({ ...CORE, data: {} }, STRUCTURED),
    );
    expect(refused.code).toBe('BAD_ORDER');
  });

  it.each<[object, string]>([
    ...['id', 'source', 'type', 'specversion'].flatMap((name): [object, string][] => [
      [{ [name]: undefined }, name],
      [{ [name]: null }, name],
      [{ [name]: '' }, name],
      [{ [name]: 1 }, name],
      [{ [name]: ['x'] }, name],
    ]),
    [{ specversion: '0.3' }, 'specversion'],
    [{ specversion: '1.1' }, 'specversion'],
    [{ source: 'not a uri reference' }, 'source'],
    [{ time: 'yesterday' }, 'time'],
    [{ time: '2026-11-21' }, 'time'],
    [{ time: '2026-02-30T00:00:00Z' }, 'time'],
    [{ time: 17 }, 'time'],
    [{ subject: '' }, 'subject'],
    [{ subject: {} }, 'subject'],
    [{ dataschema: 'relative' }, 'dataschema'],
    [{ id: 'a\u0000b' }, 'id'],
    [{ subject: '\ud800' }, 'subject'],
    [{ comextension: 1.5 }, 'comextension'],
    [{ comextension: { a: 1 } }, 'comextension'],
    [{ ComExtension: 'x' }, 'a-z'],
    [{ 'com-extension': 'x' }, 'a-z'],
    [JSON.parse('{"__proto__":"x"}') as object, 'a-z'],
  ])('%j is refused, naming the attribute', async (change, name) => {
    const event = { ...CORE, data: {}, ...change };
    const text = JSON.stringify(
      Object.hasOwn(change, '__proto__') ? { ...change, ...CORE, data: {} } : event,
    );
    const refused = await refusal(route, http(text, STRUCTURED));
    expect(refused).toMatchObject({ code: 'BAD_EVENT', status: 400 });
    expect(refused.message).toContain(name);
  });

  it.each(['validate', 'emit', 'constructor', 'schemaurl', 'datacontentencoding', 'data64'])(
    'an extension by the name of something in the package (%s) is an extension',
    async (name) => {
      const view = await viewOf({}, http({ ...CORE, [name]: 'x', data: {} }, STRUCTURED));
      expect(view.$event).toEqual({ ...CORE, [name]: 'x' });
    },
  );

  it('attributes that are null are none', async () => {
    const view = await viewOf({}, http({ ...CORE, subject: null, comextension: null, data: {} }, STRUCTURED));
    expect(view.$event).toEqual(CORE);
  });

  it.each([
    ['a%20b', 'a b'],
    ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
    ['%e2%82%ac', '€'],
    ['100%', '100%'],
    ['100%zz', '100%zz'],
    ['%2541', '%41'],
    ['"quoted \\"text\\" %41"', 'quoted "text" A'],
  ])('the header value %j is decoded once, to %j', async (value, expected) => {
    const view = await viewOf({}, http({}, { ...HEADERS, 'ce-subject': value }));
    expect(view.$event).toMatchObject({ subject: expected });
  });

  it.each(['%C0%A0', '%ff', '%ED%A0%80'])('the header value %j is no UTF-8, and refused', async (value) => {
    const refused = await refusal(route, http({}, { ...HEADERS, 'ce-subject': value }));
    expect(refused).toMatchObject({ code: 'BAD_EVENT' });
    expect(refused.message).toContain('subject');
  });

  it('headers in Kafka are text as it is', async () => {
    const headers = {
      ce_specversion: '1.0',
      ce_id: 'e-1',
      ce_source: '/a',
      ce_type: 't',
      ce_subject: 'a%20b',
    };
    expect((await viewOf({}, kafka({}, headers))).$event).toMatchObject({ subject: 'a%20b', topic: 'leads' });
  });

  it('a key that looks like a Kafka location does not count as one', async () => {
    const headers = {
      ce_specversion: '1.0',
      ce_id: 'e-1',
      ce_source: '/a',
      ce_type: 't',
      ce_topic: 'forged',
    };
    expect((await viewOf({}, kafka({}, headers))).$event).toMatchObject({ topic: 'leads' });
  });
});

describe('data', () => {
  it.each<[object, string]>([
    [{}, 'missing'],
    [{ data: null }, 'null'],
    [{ data: [] }, 'a list'],
    [{ data: 'text' }, 'a text'],
    [{ data: 0 }, 'a number'],
    [{ data: false }, 'a boolean'],
    [{ data: '{"a":1}' }, 'a text'],
    [{ data: {}, data_base64: 'e30=' }, 'both'],
    [{ data_base64: 'e30' }, 'Base64'],
    [{ data_base64: 'e 30=' }, 'Base64'],
    [{ data_base64: 17 }, 'Base64'],
    [{ data_base64: 'W10=' }, 'a list'],
    [{ data: {}, datacontenttype: 'text/xml' }, 'content type'],
    [{ data_base64: 'e30=', datacontenttype: 'application/octet-stream' }, 'content type'],
  ])('%j is refused', async (change, problem) => {
    const refused = await refusal(route, http({ ...CORE, ...change }, STRUCTURED));
    expect(refused).toMatchObject({ code: 'BAD_EVENT', status: 400 });
    expect(refused.message).toContain(problem);
  });

  it.each(['application/json', 'application/JSON; charset=utf-8', 'application/vnd.lead+json', 'text/json'])(
    'data of type %s is JSON',
    async (datacontenttype) => {
      expect(await viewOf({}, http({ ...CORE, datacontenttype, data: { a: 1 } }, STRUCTURED))).toMatchObject({
        a: 1,
      });
      expect(await viewOf({}, http({ a: 1 }, { ...HEADERS, 'content-type': datacontenttype }))).toMatchObject(
        { a: 1 },
      );
    },
  );

  it('data_base64 is read as the JSON that it contains', async () => {
    const event = { ...CORE, data_base64: Buffer.from('{"name":"Zoë"}').toString('base64') };
    expect(await viewOf({}, http(event, STRUCTURED))).toMatchObject({ name: 'Zoë' });
    const broken = { ...CORE, data_base64: Buffer.from('7b22ff223a317d', 'hex').toString('base64') };
    expect(await refusal(route, http(broken, STRUCTURED))).toMatchObject({ code: 'BAD_ENCODING' });
  });

  it('in binary form the body is the data', async () => {
    expect(await refusal(route, http('', HEADERS))).toMatchObject({ code: 'BAD_EVENT' });
    expect(await refusal(route, http('[1]', HEADERS))).toMatchObject({ code: 'BAD_EVENT' });
    expect(await refusal(route, http('{', HEADERS))).toMatchObject({ code: 'BAD_JSON' });
    const form = { ...HEADERS, 'content-type': 'application/x-www-form-urlencoded' };
    expect(await refusal(route, http('a=1', form))).toMatchObject({ code: 'BAD_EVENT' });
  });
});

describe('form', () => {
  it.each(['application/cloudevents', 'application/cloudevents+avro', 'application/cloudevents-batch+xml'])(
    '%s is refused',
    async (type) => {
      expect(await refusal(route, http('{}', { 'content-type': type }))).toMatchObject({ code: 'BAD_EVENT' });
    },
  );

  it('without headers that say so, JSON is JSON under format: json, but on a topic of CloudEvents nothing else is one', async () => {
    expect(await viewOf({ format: 'json' }, kafka({ ...CORE, data: { a: 1 } }))).toMatchObject({
      id: 'e-1',
      data: { a: 1 },
    });
    expect(await viewOf({ format: 'cloudevents' }, kafka({ ...CORE, data: { a: 1 } }))).toMatchObject({
      a: 1,
    });
    expect(await refusal(onlyEvents, kafka({ phone: 1 }))).toMatchObject({ code: 'BAD_EVENT' });
  });

  it('on a topic of JSON the headers of CloudEvents mean nothing', async () => {
    const headers = { ce_id: '1', 'content-type': 'application/cloudevents-batch+json' };
    expect(await viewOf({ format: 'json' }, kafka({ a: 1 }, headers))).toMatchObject({ a: 1 });
  });

  it('an id alone is a CloudEvent that lacks the rest', async () => {
    expect((await refusal(route, http({}, { 'ce-id': '1' }))).message).toContain('source is missing');
    expect((await refusal(route, kafka({}, { ce_specversion: '1.0' }))).message).toContain('id is missing');
  });
});

describe('batches', () => {
  const event = (id: string, change: object = {}) => ({ ...CORE, id, data: { n: id }, ...change });

  it('every event of a batch is one, in order', async () => {
    const { route: own, views } = scripted();
    const { drafts } = await own.read(http([event('a'), event('b')], BATCH));
    expect(views.map((view) => view.n)).toEqual(['a', 'b']);
    expect(new Set(drafts.map(({ id }) => id)).size).toBe(2);
    expect(drafts[1]?.id).toBe(await idOf(own, http(event('b'), STRUCTURED)));
  });

  it('a key in a header names the request, and none of its events', async () => {
    const keyed = { ...BATCH, 'idempotency-key': 'k', 'webhook-id': 'w' };
    const plain = await route.read(http([event('a'), event('b')], BATCH));
    expect(await route.read(http([event('a'), event('b')], keyed))).toEqual(plain);
  });

  it.each<[string, unknown, string]>([
    ['BAD_EVENT', [], 'empty'],
    ['BAD_EVENT', {}, 'an object'],
    ['BAD_EVENT', [event('a'), event('b', { type: undefined })], '[1]'],
    ['BAD_EVENT', [event('a'), 'text'], '[1]'],
    ['BAD_EVENT', [event('a'), event('b'), event('c', { data: [] })], '[2]'],
    ['NO_KEY', [event('a', { data: { event_id: '' } })], '[0]'],
  ])('%s: of a batch with anything wrong none is taken', async (code, batch, place) => {
    const { route: own, views } = scripted();
    const refused = await refusal(own, http(JSON.stringify(batch), BATCH));
    expect(refused.code).toBe(code);
    expect(refused.message).toContain(place);
    if (code === 'BAD_EVENT') expect(views).toEqual([]);
  });

  it('problems name the event as well', async () => {
    const schema = { properties: { n: { type: 'string', maxLength: 1 } } };
    const { route: own } = scripted({ schema });
    const refused = await refusal(own, http([event('a'), event('long')], BATCH));
    expect(refused).toMatchObject({ code: 'SCHEMA', status: 422, problems: [{ field: '[1].n' }] });
  });
});

it('what is long takes no long time to be refused', async () => {
  const long = 'a'.repeat(200_000);
  for (const change of [
    { source: `${long} ` },
    { source: `${'%41'.repeat(60_000)}%` },
    { time: long },
    { [long]: 1 },
  ]) {
    expect(await refusal(route, http({ ...CORE, data: {}, ...change }, STRUCTURED))).toMatchObject({
      code: 'BAD_EVENT',
    });
  }
  expect(
    await refusal(route, http('{}', { 'content-type': `application/cloudevents${long}` })),
  ).toBeDefined();
});

it('whatever is in them, attributes are read or refused', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant([]),
  );
  const attributes = fc.dictionary(
    fc.oneof(fc.constantFrom(...Object.keys(CORE), 'time', 'data'), fc.string()),
    value,
  );
  const property = fc.asyncProperty(attributes, async (given) => {
    const event = { ...CORE, data: {}, ...given };
    const read = await route.read(http(event, STRUCTURED)).catch((error: unknown) => error);
    if (read instanceof Error)
      expect(read).toMatchObject({ name: 'RefusedError', code: expect.stringMatching(/^BAD_EVENT$/) });
  });
  await fc.assert(property, { numRuns: 100 });
});

describe('a structured event that is sent as application/json', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  const whole = { ...CORE, data: { phone: '5511987654321' } };

  it('is the same event as under its own content type, over HTTP and Kafka', async () => {
    const text = JSON.stringify(whole);
    const ids = [
      await idOf(route, http(text, STRUCTURED)),
      await idOf(route, http(text, JSON_TYPE)),
      await idOf(route, kafka(text, {}, 1)),
      await idOf(route, kafka(text, JSON_TYPE, 2)),
    ];
    expect(new Set(ids).size).toBe(1);
    const view = await viewOf({}, http(text, JSON_TYPE));
    expect(view).toMatchObject({ phone: '5511987654321', $event: CORE });
  });

  it.each<[string, object]>([
    ['without data', CORE],
    ['without a source', { ...whole, source: undefined }],
    ['with a specversion that is no text', { ...whole, specversion: 1 }],
    ['with an id that is no text', { ...whole, id: 7 }],
    ['that only has such a field', { phone: '5511987654321', specversion: '1.0' }],
  ])('%s is the JSON of somebody else', async (_, body) => {
    const view = await viewOf({ key: 'specversion' }, http(JSON.stringify(body), JSON_TYPE));
    expect(view).toMatchObject(JSON.parse(JSON.stringify(body)));
  });

  it('is refused with a version that nobody knows, and stays JSON under format: json', async () => {
    expect(
      (await refusal(route, http(JSON.stringify({ ...whole, specversion: '9.9' }), JSON_TYPE))).code,
    ).toBe('BAD_EVENT');
    const view = await viewOf({ format: 'json', key: 'id' }, kafka(JSON.stringify(whole), JSON_TYPE, 3));
    expect(view).toMatchObject(whole);
  });
});
