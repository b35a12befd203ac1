// The table of assumptions: complete, overridable, and strict about what it does not know.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ASSUMPTIONS,
  ASSUMPTIONS_SCHEMA,
  type AssumptionGroup,
  type AssumptionKey,
  type AssumptionOverrides,
  assumptionsFingerprint,
  InvalidArgumentError,
  resolveAssumptions,
} from '../../../../src/service/api-client/index.ts';

describe('assumptions', () => {
  it.each(Object.entries(ASSUMPTIONS))('%s has a default that fits its own schema', (_key, entry) => {
    expect(entry.schema.safeParse(entry.default).success).toBe(true);
    expect(entry.unknown).not.toBe('');
    expect(entry.section).not.toBe('');
  });

  it('without overrides are the defaults', () => {
    const resolved = resolveAssumptions();
    expect(resolved['card.titleField']).toEqual(['title']);
    expect(resolved['readBack.settleSeconds']).toBe(60);
    expect(Object.keys(resolved)).toEqual(Object.keys(ASSUMPTIONS));
  });

  it('an override replaces one and leaves the others', () => {
    const resolved = resolveAssumptions({ 'card.titleField': 'name', 'readBack.settleSeconds': 0 });
    expect(resolved['card.titleField']).toEqual(['name']);
    expect(resolved['readBack.settleSeconds']).toBe(0);
    expect(resolved['card.contactNameField']).toEqual(['contactName']);
  });

  it.each(['card.title', 'toString', '__proto__x', ''])(
    'the unknown key %j is refused, listing the known ones',
    (key) => {
      expect(() => resolveAssumptions({ [key]: 'x' })).toThrow(InvalidArgumentError);
      expect(() => resolveAssumptions({ [key]: 'x' })).toThrow(
        /card\.titleField, card\.expectedCloseDateField/,
      );
    },
  );

  it.each<[string, unknown]>([
    ['card.titleField', ''],
    ['card.titleField', 'a b'],
    ['card.titleField', 5],
    ['wrapper.tags', null],
    ['readBack.settleSeconds', -1],
    ['readBack.settleSeconds', '60'],
    ['success.statuses', [404]],
    ['success.statuses', []],
  ])('%s: %j is refused, naming the key', (key, value) => {
    expect(() => resolveAssumptions({ [key]: value })).toThrow(`assumptions.${key} is`);
  });

  it('have a fingerprint that changes with what reads, and with nothing else', () => {
    const of = (overrides: AssumptionOverrides, group: AssumptionGroup = 'history') =>
      assumptionsFingerprint(resolveAssumptions(overrides), group);
    const direction = (values: Record<string, boolean>): AssumptionOverrides => ({
      'message.fromMeField': { path: 'way', values },
    });
    expect(of({})).toBe(of({ 'message.bodyField': 'body' }));
    expect(of({})).toBe(of({ 'card.titleField': 'name' }));
    expect(of({}, 'all')).not.toBe(of({ 'card.titleField': 'name' }, 'all'));
    expect(of({})).not.toBe(of({ 'message.bodyField': 'text' }));
    expect(of(direction({ a: true, b: false }))).toBe(of(direction({ b: false, a: true })));
    expect(of(direction({ a: true, b: false }))).not.toBe(of(direction({ a: false, b: true })));
  });

  it.each<[key: AssumptionKey, value: unknown, path: (string | number)[], message: RegExp]>([
    ['message.fromMeField', 5, [], /write a field's name, a path such as content\.text, or \{ path/],
    ['message.fromMeField', { values: {} }, [], /write a field's name/],
    ['message.fromMeField', { path: 'a', values: { in: 'no' } }, ['values', 'in'], /true for a message that/],
    ['message.fromMeField', { path: 'a', values: { in: false } }, ['values'], /either way/],
    ['message.fromMeField', { path: 'a', unit: 's' }, ['unit'], /known are path, values/],
    ['message.timeField', { path: 'a', unit: 'minutes' }, ['unit'], /'iso', 's' or 'ms'/],
    ['message.bodyField', 'a..b', [], /name of a JSON field, a path/],
    ['message.bodyField', { path: '' }, ['path'], /name of a JSON field, a path/],
    ['message.statusField', { path: 'a', values: { 1: 5 } }, ['values', '1'], /word of the API text/],
    ['wrapper.tags', '.', [], /name of a JSON field, a path/],
    ['cards.titleSearchParam', 'a=b', [], /query parameter/],
  ])('an override of %s as %j is refused at its place', (key, value, path, message) => {
    const issues = ASSUMPTIONS_SCHEMA.safeParse({ [key]: value }).error?.issues ?? [];
    expect(issues[0]?.path).toEqual([key, ...path]);
    expect(issues[0]?.message).toMatch(message);
  });

  it('describe themselves in JSON Schema', () => {
    const schema = z.toJSONSchema(ASSUMPTIONS_SCHEMA, { io: 'input' }) as {
      properties: Record<string, { description?: string }>;
      additionalProperties: boolean;
    };
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties['card.titleField']?.description).toContain('default: "title"');
  });
});
