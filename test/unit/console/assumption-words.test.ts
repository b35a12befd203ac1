// The console says in words what each assumption is about.
import { expect, it } from 'vitest';
import english from '../../../src/console/i18n/en/assumptions.ts';
import portuguese from '../../../src/console/i18n/pt-BR/assumptions.ts';
import { ASSUMPTIONS } from '../../../src/service/api-client/assumption-table.ts';

it('in English as the server does, and in Portuguese with words of its own', () => {
  const said = Object.fromEntries(Object.entries(ASSUMPTIONS).map(([key, { unknown }]) => [key, unknown]));
  expect(english.unknown).toEqual(said);
  const texts: Readonly<Record<string, string>> = portuguese.unknown;
  expect(Object.keys(said).filter((key) => texts[key] === undefined || texts[key] === said[key])).toEqual([]);
});
