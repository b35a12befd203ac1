// What counts as the value that was written: a service may tidy it, but an input that it ignores must show.
import { describe, expect, it } from 'vitest';
import { cardDifferences, contactDifferences } from '../../../../activities/records/verify-write.ts';
import { Card } from '../../../../src/service/api-client/schemas/card.ts';
import { NumberText } from '../../../../src/service/api-client/schemas/fields.ts';

const AT = '2026-11-20T10:00:00.000Z';
const card = (title: string, contactName: string) =>
  Card.parse({
    id: 1,
    title,
    value: 0,
    status: 'open',
    pipeline: { id: 1, name: 'Sales' },
    stage: null,
    createdAt: AT,
    updatedAt: AT,
    contact: { id: 1, name: contactName, number: '5511987652000', tags: [] },
  });
const nameOf = (shown: string) => ({ name: shown, email: null, document: null, disableBot: false });

type Verdict = 'same' | 'other form' | 'different';
const verdict = (differences: readonly { inOtherForm?: boolean }[]): Verdict => {
  if (differences.length === 0) return 'same';
  return differences.every(({ inOtherForm }) => inOtherForm === true) ? 'other form' : 'different';
};

describe('a name', () => {
  it.each<[string, string, Verdict]>([
    ['José  Ávila ', 'José Ávila', 'same'],
    ['Jose\u0301', 'José', 'same'],
    ['José Ávila', 'JOSÉ ÁVILA', 'other form'],
    ['José Ávila', 'Jose Avila', 'other form'],
    ['Ana 🎉', 'Ana', 'other form'],
    ['Maria Aparecida dos Santos Silva', 'Maria Aparecida dos Santo', 'other form'],
    ['Ana Maria', 'Ana', 'different'],
    ['Ana', 'Ana Maria', 'different'],
    ['Ana', 'Mariana', 'different'],
    ['Ana', '', 'different'],
    ['🎉', '🎈', 'different'],
  ])('%j shown as %j is %s', (written, shown, is) => {
    expect(verdict(contactDifferences({ name: written }, nameOf(shown), false))).toBe(is);
  });
});

describe('a title', () => {
  it.each<[string, string, string, Verdict]>([
    ['Deal of Ana', 'Deal of Ana', 'Ana', 'same'],
    ['Deal of Ana', '[API] Deal of Ana', 'Ana', 'other form'],
    ['Deal of Ana', 'DEAL OF ANA', 'Ana', 'other form'],
    ['Deal of Ana', 'Lead - Ana', 'Ana', 'different'],
    // The default title holds the name: that the input was taken can't be distinguished from it.
    ['Ana', 'Lead - Ana', 'Ana', 'different'],
    ['Maria', 'Lead - Ana Maria', 'Ana Maria', 'different'],
  ])('%j shown as %j for the contact %j is %s', (title, shown, contact, is) => {
    expect(verdict(cardDifferences({ pipelineId: 1, title }, card(shown, contact)))).toBe(is);
  });
});

it.each([
  ['+5511987652000', '5511987652000'],
  ['+55 (11) 98765-2000', '5511987652000'],
  [5511987652000, '5511987652000'],
  ['5511987652000', '5511987652000'],
  ['98123456789@lid', '98123456789@lid'],
  ['', ''],
  ['-', '-'],
])('the number %j of an answer is read as %j', (number, read) => {
  expect(NumberText.parse(number)).toBe(read);
});
