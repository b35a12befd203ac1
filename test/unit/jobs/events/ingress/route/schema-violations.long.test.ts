import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefusedError } from '../../../../../../src/jobs/events/ingress/intake.ts';
import { compileSchema } from '../../../../../../src/jobs/events/ingress/route/index.ts';
import { propertyRuns } from '../../../../../support/runner/property-runs.ts';
import { problemsOf } from './schema-support.ts';
import { http, kafka, refusal, scripted } from './support.ts';

describe('a text that is too long for a large pattern', () => {
  it('refuses its event instead of blocking the process, and the next one is checked', () => {
    const schema = { properties: { a: { type: 'string', pattern: 'a[ab]{900}[cd]$|^a+$' } } };
    expect(problemsOf(schema, { a: 'ab'.repeat(100_000) })).toMatchObject({
      code: 'SCHEMA',
      status: 422,
      problems: [{ field: 'event', code: 'pattern_stuck' }],
    });
    expect(problemsOf(schema, { a: 'aaa' })).toBeNull();
  });
});

describe('violations', () => {
  const schema = {
    properties: {
      phone: { type: 'string', pattern: '^\\d+$' },
      tags: { type: 'array', items: { type: 'string' } },
      price: { type: ['number', 'null'] },
      status: { enum: ['new', 'won'] },
      extra: { additionalProperties: { type: 'string' } },
      address: {
        oneOf: [
          { type: 'string' },
          { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        ],
      },
    },
    required: ['phone'],
  };

  it.each<[object, string, RegExp]>([
    [{}, 'phone', /required/],
    [{ phone: 'SECRET' }, 'phone', /pattern/],
    [{ phone: '1', tags: ['a', 'b', 5511987654321] }, 'tags.2', /string/],
    [{ phone: '1', price: 'SECRET' }, 'price', /number, null/],
    [{ phone: '1', status: 'SECRET' }, 'status', /new/],
    [{ phone: '1', address: {} }, 'address.city', /required/],
    [{ phone: '1', address: { city: 1 } }, 'address.city', /string/],
    [{ phone: '1', address: 5511987654321 }, 'address', /one of string, object/],
    [{ phone: '1', extra: { SECRET: 1 } }, 'extra.*', /string/],
  ])('%j is refused with field and reason, and without values', (event, field, reason) => {
    const refused = problemsOf(schema, { ...event });
    expect(refused).toMatchObject({
      code: 'SCHEMA',
      status: 422,
      problems: [{ field, reason: expect.stringMatching(reason) }],
    });
    expect(JSON.stringify([refused?.message, refused?.problems])).not.toMatch(/SECRET|5511987654321/);
  });

  it('half a million faults in one event are counted, not listed one by one', () => {
    const refused = problemsOf(
      { properties: { list: { type: 'array', items: { type: 'string' } } } },
      { list: Array.from({ length: 500_000 }, () => 1) },
    );
    expect(refused?.problems).toHaveLength(21);
    expect(refused?.message).toContain('list.0: ');
    expect(refused?.message).toContain('and 499999 more');
  });

  it('names that the schema does not know are no part of what is said, but of what is kept', () => {
    const refused = problemsOf(
      { properties: { a: true }, additionalProperties: false },
      { a: 1, SECRET: 1, OTHER: 2 },
    );
    expect(refused?.problems).toEqual([
      {
        field: 'event',
        code: 'additionalProperties',
        reason: expect.stringContaining('2 fields'),
        value: 'SECRET, OTHER',
      },
    ]);
    expect(refused?.message).not.toContain('SECRET');
  });

  it('a thousand of them make a short list', () => {
    const refused = problemsOf(schema, {
      phone: '1',
      tags: Array.from({ length: 1000 }, (_, index) => index),
    });
    expect(refused?.problems).toHaveLength(21);
    expect(refused?.problems.at(-1)).toMatchObject({ reason: expect.stringContaining('980 more') });
    expect(refused?.message).toMatch(/tags\.0: .*, and 999 more$/);
  });

  it('of a union of many forms the reason stays short', () => {
    const oneOf = Array.from({ length: 200 }, (_, n) => ({
      properties: { kind: { const: `kind-${n}` }, [`field${n}`]: { type: 'string' } },
      required: ['kind', `field${n}`],
    }));
    const refused = problemsOf({ oneOf }, { kind: 'none' });
    expect(JSON.stringify(refused?.problems).length).toBeLessThan(500);
    expect(refused?.message.length).toBeLessThan(300);
    expect(refused?.message).toContain('200 forms');
    const long = problemsOf({ properties: { a: { enum: oneOf.map((_, n) => `value-${n}`) } } }, { a: 'x' });
    expect(long?.message.length).toBeLessThan(400);
  });

  it('FAULTS 37: a record of another schema is refused with what does not fit', async () => {
    const { route } = scripted({ schema });
    for (const delivery of [http({ order: 1 }), kafka({ order: 1 })]) {
      expect(await refusal(route, delivery)).toMatchObject({
        code: 'SCHEMA',
        status: 422,
        problems: [{ field: 'phone' }],
      });
    }
  });

  it('whatever comes, it fits or it is refused', () => {
    const check = compileSchema('leads', {
      ...schema,
      allOf: [{ minProperties: 1 }, { propertyNames: { maxLength: 20 } }],
    });
    const names = fc.oneof(
      fc.constantFrom(...Object.keys(schema.properties), '__proto__', 'constructor', 'toString'),
      fc.string(),
    );
    const property = fc.property(fc.dictionary(names, fc.jsonValue({ maxDepth: 4 })), (event) => {
      const text = JSON.stringify(event);
      try {
        check(JSON.parse(text) as Record<string, unknown>);
      } catch (error) {
        expect(error).toBeInstanceOf(RefusedError);
      }
    });
    fc.assert(property, { numRuns: propertyRuns(300) });
  });
});

describe('the form that comes closest', () => {
  const $defs = {
    phone: { type: 'string', pattern: '^\\d+$' },
    lead: { type: 'object', properties: { phone: { $ref: '#/$defs/phone' } }, required: ['phone'] },
    list: { type: 'array', items: { $ref: '#/$defs/lead' } },
    tree: {
      properties: { child: { oneOf: [{ type: 'null' }, { $ref: '#/$defs/tree' }] }, n: { type: 'null' } },
    },
  };
  const either = { oneOf: [{ $ref: '#/$defs/lead' }, { $ref: '#/$defs/list' }] };
  it.each<[object, object, string[]]>([
    [{ a: either }, { a: {} }, ['a.phone: is required']],
    [
      { a: either },
      { a: [{ phone: 'SECRET' }, {}] },
      ['a.0.phone: must match pattern "^\\d+$"', 'a.1.phone: is required'],
    ],
    [{ a: either }, { a: 'SECRET' }, ['a: needs one of object, array']],
    [
      { a: { $ref: '#/$defs/tree' } },
      { a: { child: { child: { n: 1 } } } },
      ['a.child.child.n: must be null'],
    ],
    [{ a: { anyOf: [either, { type: 'string' }] } }, { a: {} }, ['a.phone: is required']],
    [{ a: { contains: { type: 'string' } } }, { a: [1, {}] }, ['a: must contain at least 1 valid item(s)']],
    [
      { a: { propertyNames: { maxLength: 3 } } },
      { a: { SECRET: 1 } },
      ['a: has a field that the schema does not allow'],
    ],
    [{ a: { not: { type: 'string' } } }, { a: 'SECRET' }, ['a: matches a form that the schema forbids']],
    [{ a: { if: true, then: { type: 'number' } } }, { a: 'SECRET' }, ['a: must be number']],
    [
      { a: { oneOf: [{ type: 'string' }, { maxLength: 9 }] } },
      { a: 'SECRET' },
      ['a: matches more than one of the forms that exclude each other'],
    ],
    [{ a: false }, { a: 'SECRET' }, ['a: is not allowed here']],
    [{ a: { const: 1 }, b: { type: 'string' } }, { a: 2, b: 3 }, ['a: must be 1', 'b: must be string']],
    [{ a: {} }, { a: 1, '5511987654321': { SECRET: 1 } }, []],
    [{}, { list: 1 }, []],
  ])('%j given %j', (properties, event, reasons) => {
    const refused = problemsOf({ $defs, properties }, { ...event });
    expect((refused?.problems ?? []).map(({ field, reason }) => `${field}: ${reason}`)).toEqual(reasons);
    expect(JSON.stringify([refused?.message])).not.toMatch(/SECRET|5511987654321/);
  });

  it('names that look like a list index are not reported', () => {
    const schema = { properties: { a: { additionalProperties: { type: 'string' } } } };
    expect(problemsOf(schema, { a: { '5511987654321': 1 } })?.problems).toMatchObject([{ field: 'a.*' }]);
  });

  it('references that check one value in millions of ways refuse the event, and the next one is checked', () => {
    const ref = { $ref: '#/$defs/a' };
    const a = {
      anyOf: [
        { properties: { a: ref }, required: ['b'] },
        { properties: { a: ref }, required: ['c'] },
      ],
    };
    const schema = { $defs: { a }, properties: { a: ref } };
    const nested = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { a: nested(depth - 1) });
    expect(problemsOf(schema, nested(40))).toMatchObject({ problems: [{ code: 'pattern_stuck' }] });
    expect(problemsOf(schema, { a: { b: 1 } })).toBeNull();
  });

  it('long lists of unlike items are checked in time', () => {
    const schema = { properties: { a: { uniqueItems: true } } };
    const long = Array.from({ length: 100_000 }, (_, id) => ({ id }));
    expect(problemsOf(schema, { a: long })).toBeNull();
    expect(problemsOf(schema, { a: [...long, { id: 7 }] })?.problems).toEqual([
      {
        field: 'a',
        code: 'uniqueItems',
        reason: 'must NOT have duplicate items (items ## 7 and 100000 are identical)',
      },
    ]);
  });

  it('nothing keeps a schema that was compiled and left', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const megabytes = () => process.memoryUsage().heapUsed / 2 ** 20;
    const description = 'x'.repeat(2 ** 20);
    compileSchema('leads', { description });
    collect();
    const before = megabytes();
    for (let n = 0; n < 60; n += 1) compileSchema('leads', { description });
    await delay(1);
    collect();
    expect(megabytes() - before).toBeLessThan(30);
  });

  it('two routes may have the same $id, and the same object as their schema', () => {
    const schema = { $id: 'https://example.com/lead.json', properties: { a: { type: 'string' } } };
    const [one, two] = [compileSchema('one', schema), compileSchema('two', schema)];
    const other = compileSchema('other', { ...schema, properties: { a: { type: 'number' } } });
    for (const check of [one, two]) expect(() => check({ a: 1 })).toThrow('must be string');
    expect(() => other({ a: 1 })).not.toThrow();
  });
});
