// The table of assumptions: complete, overridable, and strict about what it does not know.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ASSUMPTIONS,
  ASSUMPTIONS_SCHEMA,
  InvalidArgumentError,
  resolveAssumptions,
} from '../../../src/api-client/index.ts';

describe('assumptions', () => {
  it.each(Object.entries(ASSUMPTIONS))('%s has a default that fits its own schema', (_key, entry) => {
    expect(entry.schema.parse(entry.default)).toEqual(entry.default);
    expect(entry.unknown).not.toBe('');
    expect(entry.section).not.toBe('');
  });

  it('without overrides are the defaults', () => {
    const resolved = resolveAssumptions();
    expect(resolved['card.titleField']).toBe('title');
    expect(resolved['readBack.settleSeconds']).toBe(60);
    expect(Object.keys(resolved)).toEqual(Object.keys(ASSUMPTIONS));
  });

  it('an override replaces one and leaves the others', () => {
    const resolved = resolveAssumptions({ 'card.titleField': 'name', 'readBack.settleSeconds': 0 });
    expect(resolved['card.titleField']).toBe('name');
    expect(resolved['readBack.settleSeconds']).toBe(0);
    expect(resolved['card.contactNameField']).toBe('contactName');
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

  it('describe themselves in JSON Schema', () => {
    const schema = z.toJSONSchema(ASSUMPTIONS_SCHEMA, { io: 'input' }) as {
      properties: Record<string, { description?: string }>;
      additionalProperties: boolean;
    };
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties['card.titleField']?.description).toContain('default: "title"');
  });
});
