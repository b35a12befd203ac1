// What a tab keeps of a form: nothing but what was typed, with the time when it was typed.
import { describe, expect, it } from 'vitest';
import { dropDraft, keepDraft, readDraft } from '../../../src/console/parts/draft/kept-draft.ts';
import { hasPhoneNumbers } from '../../../src/console/screens/campaigns/draft/phone-numbers.ts';

const AT = new Date('2026-11-20T10:12:00.000Z');
const LATER = new Date('2026-11-20T10:40:00.000Z');

function storeOf() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => void items.set(key, text),
    removeItem: (key: string) => void items.delete(key),
  };
}

describe('a draft', () => {
  it('is read back with the time when it was typed', () => {
    const store = storeOf();
    expect(readDraft(store, 'a')).toBeNull();
    keepDraft(store, 'a', { name: 'x' }, AT);
    expect(readDraft(store, 'a')).toEqual({ at: AT.toISOString(), value: { name: 'x' } });
    expect(readDraft(store, 'b')).toBeNull();
  });

  it('that was only restored keeps its time, and a changed one gets a new time', () => {
    const store = storeOf();
    keepDraft(store, 'a', { name: 'x' }, AT);
    keepDraft(store, 'a', { name: 'x' }, LATER);
    expect(readDraft(store, 'a')?.at).toBe(AT.toISOString());
    keepDraft(store, 'a', { name: 'xy' }, LATER);
    expect(readDraft(store, 'a')?.at).toBe(LATER.toISOString());
  });

  it('leaves nothing once it is dropped', () => {
    const store = storeOf();
    keepDraft(store, 'a', 'text', AT);
    dropDraft(store, 'a');
    expect(store.items.size).toBe(0);
  });
});

it.each([
  ['exclude:\n  numbers: ["+55 11 98765-4321"]\n', true],
  ['exclude: { numbers: [5511987654321] }\n', true],
  ['exclude: { numbers: [33334444] }\n', true],
  ['# ask (11) 98765-4321 first\nflow: 1\n', true],
  // Text that is no YAML yet.
  ['exclude: { numbers: [+5511987654321', true],
  ['exclude: { numbers: [] }\n', false],
  ['exclude: { numbers: { source: blocked, number: Telefone } }\n', false],
  ['flow: 123456\nconnection: 42\nstart: 2026-12-01T09:00:00-03:00\n', false],
  ['windows:\n  holidays: [12-25, 2026-12-31]\n  days: { mon: ["09:00-12:00", "13:00-18:00"] }\n', false],
  ['waves: { canary: 20, size: 200 }\nstop: { failed: 0.1 }\n', false],
])('%j: phone numbers %s', (yaml, has) => {
  expect(hasPhoneNumbers(yaml)).toBe(has);
});
