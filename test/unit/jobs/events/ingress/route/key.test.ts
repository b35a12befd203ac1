import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../../../../src/jobs/events/ingress/intake.ts';
import { type EventKey, eventId } from '../../../../../../src/jobs/events/ingress/route/key.ts';
import { http, idOf, kafka, refusal, scripted } from './support.ts';

const CE = { 'ce-specversion': '1.0', 'ce-id': 'e-1', 'ce-source': '/crm', 'ce-type': 't' };
const { route } = scripted({ key: 'order.id' });
const id = (key: string) => eventId('acme', 'leads', { kind: 'key', key });

describe('the first key that is found counts', () => {
  const body = { idempotency_key: 'body-1', event_id: 'body-2', eventId: 'body-3', order: { id: 'path-1' } };
  const senders = {
    'webhook-id': 'sender-1',
    'x-github-delivery': 'sender-2',
    'x-shopify-event-id': 'sender-3',
    'x-shopify-webhook-id': 'sender-4',
  };
  const all = { 'idempotency-key': 'head-1', 'x-idempotency-key': 'head-2', ...senders, ...CE };
  const without = (object: object, ...names: string[]) =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

  it.each<[string, Delivery, string]>([
    ['Idempotency-Key', http(body, all), id('head-1')],
    ['X-Idempotency-Key', http(body, without(all, 'idempotency-key')), id('head-2')],
    ['idempotency_key', http(body, { ...senders, ...CE }), id('body-1')],
    ['event_id', http(without(body, 'idempotency_key'), { ...senders, ...CE }), id('body-2')],
    ['eventId', http(without(body, 'idempotency_key', 'event_id'), { ...senders, ...CE }), id('body-3')],
    [
      'source and id of a CloudEvent',
      http({ order: body.order }, { ...senders, ...CE }),
      eventId('acme', 'leads', { kind: 'cloudevent', source: '/crm', id: 'e-1' }),
    ],
    ['the path of the route', http({ order: body.order }, senders), id('path-1')],
    ['webhook-id', http({}, senders), id('sender-1')],
    ['X-GitHub-Delivery', http({}, without(senders, 'webhook-id')), id('sender-2')],
    ['X-Shopify-Event-Id', http({}, without(senders, 'webhook-id', 'x-github-delivery')), id('sender-3')],
    ['X-Shopify-Webhook-Id', http({}, { 'x-shopify-webhook-id': 'sender-4' }), id('sender-4')],
    ['the place in Kafka', kafka({}), eventId('acme', 'leads', { kind: 'place', place: 'leads/0/7' })],
  ])('%s', async (_, delivery, expected) => {
    expect(await idOf(route, delivery)).toBe(expected);
  });

  it('two long integers that differ are two keys', async () => {
    const keys = ['9007199254740992', '9007199254740993'];
    for (const key of keys) expect(await idOf(route, http(`{"order":{"id":${key}}}`))).toBe(id(key));
  });

  it('fields of data count in a CloudEvent, those of its envelope do not', async () => {
    const event = { specversion: '1.0', id: 'e-1', source: '/crm', type: 't', data: { event_id: 'body-2' } };
    const headers = { 'content-type': 'application/cloudevents+json' };
    expect(await idOf(route, http(event, headers))).toBe(id('body-2'));
    const extended = { ...event, eventid: 'no', data: {} };
    expect(await idOf(route, http(extended, headers))).toBe(
      eventId('acme', 'leads', { kind: 'cloudevent', source: '/crm', id: 'e-1' }),
    );
  });

  it('a field that is null is none, and neither is one that objects inherit', async () => {
    expect(await idOf(route, http({ event_id: null, eventId: 'k' }))).toBe(id('k'));
    const text = '{"__proto__":{"event_id":"inherited"},"order":{"id":"own"}}';
    expect(await idOf(route, http(text))).toBe(id('own'));
  });
});

describe('one event, wherever its key is', () => {
  it.each<[string, Delivery]>([
    ['in a header', http({}, { 'idempotency-key': '42' })],
    ['with blanks around it', http({}, { 'idempotency-key': ' 42\t' })],
    ['in the body', http({ event_id: '42' })],
    ['as a number', http({ event_id: 42 })],
    ['as a number written otherwise', http('{"event_id":4.2e1}')],
    ['at the path', http({ order: { id: 42 } })],
    ['in Kafka', kafka({ eventId: '42' })],
  ])('%s', async (_, delivery) => {
    expect(await idOf(route, delivery)).toBe(id('42'));
  });

  it('but not of another route or account, and not where a place happens to read like a key', async () => {
    const event = http({ event_id: '42' });
    const ids = [
      await idOf(route, event),
      await idOf(scripted({ name: 'other' }).route, event),
      await idOf(scripted({ account: 'other' }).route, event),
      await idOf(route, kafka({ event_id: 'leads/0/7' })),
      await idOf(route, kafka({})),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('what can be no key is refused with its place', () => {
  it.each<[unknown, string]>([
    ['', 'empty'],
    [' \t', 'empty'],
    ['x'.repeat(256), '255'],
    [true, 'a boolean'],
    [[], 'a list'],
    [{}, 'an object'],
    [1.5, 'number'],
  ])('%s', async (value, problem) => {
    const text = JSON.stringify(value);
    for (const [delivery, place] of [
      [http(`{"event_id":${text}}`), 'field event_id'],
      [http(`{"order":{"id":${text}}}`), 'key order.id'],
    ] as const) {
      const refused = await refusal(route, delivery);
      expect(refused).toMatchObject({ code: 'NO_KEY', status: 400 });
      expect(refused.message).toContain(place);
      expect(refused.message).toContain(problem);
    }
  });

  it('in a header as well', async () => {
    for (const value of ['', '  ', 'x'.repeat(256)]) {
      const refused = await refusal(route, http({ event_id: '1' }, { 'x-idempotency-key': value }));
      expect(refused.message).toContain('header X-Idempotency-Key');
    }
  });

  it('255 characters are a key, be they emoji', async () => {
    const long = '😀'.repeat(255);
    expect(await idOf(route, http({ event_id: long }))).toBe(id(long));
  });
});

describe('without any key', () => {
  it.each(['lead', 'stage', 'tags'] as const)(
    '%s brings about a state, so it goes on with an id of its own',
    async (action) => {
      const { route: own } = scripted({ action });
      const ids = [await idOf(own, http({})), await idOf(own, http({}))];
      expect(ids[0]).toMatch(/^[\w-]{22}$/);
      expect(ids[0]).not.toBe(ids[1]);
    },
  );

  it.each(['message', 'flow'] as const)(
    '%s could be done twice, so it is refused with the ways out',
    async (action) => {
      const { route: own } = scripted({ action });
      const refused = await refusal(own, http({}));
      expect(refused).toMatchObject({ code: 'NO_KEY', status: 400 });
      expect(refused.message).toMatch(/Idempotency-Key.*idempotency_key.*"key"/);
      await expect(own.read(kafka({}))).resolves.toMatchObject({ drafts: [{}] });
    },
  );
});

describe('ids', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\ud800', '\ud801', '\ufffd', '","', ''),
  );
  const key: fc.Arbitrary<EventKey> = fc.oneof(
    text.map((value) => ({ kind: 'key' as const, key: value })),
    fc.tuple(text, text).map(([source, id]) => ({ kind: 'cloudevent' as const, source, id })),
    text.map((place) => ({ kind: 'place' as const, place })),
  );
  const named = fc.tuple(text, text, key);

  it('the same key gives the same id, and different keys different ones', () => {
    const property = fc.property(named, named, (a, b) => {
      expect(eventId(...a)).toMatch(/^[\w-]{22}$/);
      expect(eventId(...a) === eventId(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
    });
    fc.assert(property, {
      numRuns: 500,
      examples: [
        [
          ['a', 'b', { kind: 'key', key: '\ud800' }],
          ['a', 'b', { kind: 'key', key: '\ud801' }],
        ],
      ],
    });
  });

  it('any two deliveries with the same key have the same id, and with different keys different ids', async () => {
    const value = fc
      .oneof(fc.string({ minLength: 1, maxLength: 20 }), fc.maxSafeInteger())
      .filter((one) => String(one).trim() !== '');
    const place = fc.constantFrom<(key: string | number) => Delivery>(
      (key) => http({}, { 'idempotency-key': String(key) }),
      (key) => http({ idempotency_key: key }),
      (key) => http({ eventId: key, noise: Math.E }),
      (key) => http({ order: { id: key } }),
      (key) => http({ order: {} }, { 'webhook-id': String(key) }),
      (key) => kafka({ event_id: key }),
    );
    const property = fc.asyncProperty(value, value, place, place, async (a, b, first, second) => {
      expect(await idOf(route, first(a))).toBe(await idOf(route, second(a)));
      const same = String(a).trim() === String(b).trim();
      expect((await idOf(route, first(a))) === (await idOf(route, second(b)))).toBe(same);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
