import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFault } from '../../../../../../src/core/json/json-fault.ts';
import { decodeText, MAX_DEPTH, parseJson } from '../../../../../../src/jobs/events/ingress/route/json.ts';
import { propertyRuns } from '../../../../../support/runner/property-runs.ts';
import { http, kafka, refusal, scripted, viewOf } from './support.ts';

const { route } = scripted();
/** Integers above 2^53 keep their digits, as text. */
const digitsOfLongIntegers = (_: string, value: unknown) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))
    ? String(value)
    : value;
const nested = (levels: number, open: string, close: string) =>
  `{"a":${open.repeat(levels - 1)}1${close.repeat(levels - 1)}}`;

describe('bytes', () => {
  it.each([
    ['a stray byte', Buffer.from('7b2261223a22ff227d', 'hex')],
    ['a cut sequence', Buffer.from('7b2261223a22c3227d', 'hex')],
    ['an overlong slash', Buffer.from('7b2261223a22c0af227d', 'hex')],
    ['half a surrogate pair', Buffer.from('7b2261223a22eda080227d', 'hex')],
    ['UTF-16', Buffer.from('\ufeff{"a":1}', 'utf16le')],
  ])('FAULTS 32: a body with invalid UTF-8 (%s) is refused with 400', async (_, body) => {
    for (const delivery of [http(body), kafka(body)]) {
      expect(await refusal(route, delivery)).toMatchObject({ code: 'BAD_ENCODING', status: 400 });
    }
  });

  it('a byte order mark is taken off', async () => {
    expect(await viewOf({}, http('\ufeff{"a":1}'))).toMatchObject({ a: 1 });
  });
});

describe('depth', () => {
  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('%s are read down to the limit, and not one level deeper', async (_, open, close) => {
    await expect(route.read(http(nested(MAX_DEPTH, open, close)))).resolves.toBeDefined();
    expect(await refusal(route, http(nested(MAX_DEPTH + 1, open, close)))).toMatchObject({
      code: 'TOO_DEEP',
    });
  });

  it.each([10_000, 1_000_000])('FAULTS 36: JSON %d levels deep is refused with 400', async (levels) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"a":', '}]'],
    ] as const) {
      const whole = nested(levels, open, close);
      for (const text of [whole, whole.slice(0, whole.length / 2), open.repeat(levels)]) {
        expect(await refusal(route, http(text))).toMatchObject({ code: 'TOO_DEEP', status: 400 });
      }
    }
  });

  it('brackets inside texts are no levels', async () => {
    const body = { a: '['.repeat(1000), '{{{"\\': '\\"{'.repeat(1000) };
    expect(await viewOf({}, http(body))).toMatchObject(body);
  });

  it('what is inside data_base64 of a CloudEvent counts as well', async () => {
    const event = {
      specversion: '1.0',
      id: '1',
      source: '/a',
      type: 't',
      data_base64: Buffer.from(nested(100, '[', ']')).toString('base64'),
    };
    const headers = { 'content-type': 'application/cloudevents+json' };
    expect(await refusal(route, http(event, headers))).toMatchObject({ code: 'TOO_DEEP' });
  });
});

describe('JSON', () => {
  it.each([
    ['', 'empty'],
    [' \n\t ', 'empty'],
    ['{"phone": 5511987654321x}', 'line 1, column 24'],
    ['{"phone": secret}', 'line 1, column 11'],
    ["{'phone': 1}", 'line 1, column 2'],
    ['{"a":1,}', 'line 1, column 8'],
    ['{"a":1}{"b":2}', 'line 1, column 8'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3'],
    ['{"a":"secret\n"}', 'line 1, column 13'],
    ['{"a":"\\x41"}', 'line 1, column 7'],
    ['{"a":NaN}', 'line 1, column 6'],
    ['{"a":01}', 'line 1, column 7'],
    ['{"a":[1 2]}', 'line 1, column 9'],
    ['{"a"', 'ends too early'],
    ['{"a":"secret', 'ends too early'],
    ['[1,2', 'ends too early'],
    ['phone=secret', 'line 1, column 1'],
  ])('FAULTS 37: what is no JSON (%j) is refused with its place, and never quoted', async (text, place) => {
    const refused = await refusal(route, http(text));
    expect(refused).toMatchObject({ code: 'BAD_JSON', status: 400 });
    expect(refused.message).toContain(place);
    expect(refused.message).not.toMatch(/secret|551/);
  });

  it.each(['[]', '[{"a":1}]', '"text"', '12', 'true', 'null'])(
    'an event that is no object (%s) is refused',
    async (text) => {
      expect(await refusal(route, http(text))).toMatchObject({ code: 'BAD_JSON', status: 400 });
    },
  );

  it('the place is where the first wrong character is', () => {
    const text = fc.json({ maxDepth: 4 });
    const property = fc.property(text, fc.nat(), (json, at) => {
      const place = at % (json.length + 1);
      // A control character is right nowhere, inside texts or outside.
      const broken = `${json.slice(0, place)}\u0001${json.slice(place)}`;
      const fault = findFault(broken);
      expect(fault.column).toBeLessThanOrEqual(place + 1);
      expect(() => JSON.parse(broken.slice(0, fault.column - 1))).not.toThrow(RangeError);
    });
    fc.assert(property, { numRuns: propertyRuns(300) });
  });

  it('any JSON within the depth limit is read back as it was, long integers as text', async () => {
    const key = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', 'constructor', 'prototype', '', 'a.b'),
    );
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 6 },
        fc.string({ unit: 'binary' }),
        fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .map((number) => (Object.is(number, -0) ? 0 : number)),
        fc.maxSafeInteger(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('json'), { maxLength: 4 }),
        fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    const event = fc.dictionary(key, json, { maxKeys: 4, noNullPrototype: true });
    const property = fc.asyncProperty(event, async (sent) => {
      const view = await viewOf({}, http(sent));
      const { $event, ...root } = view;
      expect($event).toEqual({});
      expect(JSON.stringify(root)).toBe(JSON.stringify(sent, digitsOfLongIntegers));
      expect(Object.getPrototypeOf(view)).toBe(Object.prototype);
    });
    await fc.assert(property, { numRuns: propertyRuns(150) });
  });

  it('a name __proto__ is an own field of what came, and changes no object', async () => {
    const text =
      '{"__proto__":{"admin":true},"a":{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}}';
    const view = await viewOf({}, http(text));
    expect(Object.hasOwn(view, '__proto__')).toBe(true);
    expect(view.admin).toBeUndefined();
    expect((view.a as { admin?: unknown }).admin).toBeUndefined();
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it('what a body says of itself under $event does not pass for what Sluice knows', async () => {
    expect(await viewOf({}, http({ $event: { source: '/trusted' } }))).toEqual({ $event: {} });
    expect(await viewOf({}, kafka({ $event: { topic: 'forged' } }))).toEqual({
      $event: { topic: 'leads', offset: 7 },
    });
  });
});

it('long integers keep their digits, and so do floats that may be rounded phone numbers', () => {
  expect(
    parseJson('{"id":700000000000000001,"n":-9007199254740993,"phone":5.51199E+12,"x":1.5,"y":12}'),
  ).toEqual({
    id: '700000000000000001',
    n: '-9007199254740993',
    phone: '5.51199E+12',
    x: 1.5,
    y: 12,
  });
});

it('whatever JSON.parse takes is taken, and nothing else', () => {
  const text = fc.oneof(
    fc.json(),
    fc.string({ unit: fc.constantFrom(...'{}[]",:\\ 01.-eEtrufalsn'.split('')) }),
  );
  const property = fc.property(text, (json) => {
    fc.pre(!/\d{16}|\d[eE]/.test(json));
    const engine = outcome(() => JSON.parse(decodeText(Buffer.from(json))));
    const ours = outcome(() => parseJson(decodeText(Buffer.from(json))));
    expect(ours).toEqual(engine);
  });
  fc.assert(property, { numRuns: propertyRuns(500) });
});

function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    return error instanceof Error ? 'refused' : error;
  }
}
