import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefusedError } from '../../../../src/ingress/intake.ts';
import { compileSchema } from '../../../../src/ingress/route/index.ts';
import { problemsOf } from './schema-support.ts';
import { http, kafka, refusal, scripted } from './support.ts';

describe('a text that a pattern never ends with', () => {
  it('refuses its event instead of holding the process, and the next one is checked', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(problemsOf(schema, { a: `${'a'.repeat(60)}!` })).toMatchObject({
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

  it('half a million faults in one event are counted, not told one by one', () => {
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
        code: 'unrecognized_keys',
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
    fc.assert(property, { numRuns: 300 });
  });
});
