import { expect, it } from 'vitest';
import { nearest, suggestion } from '../../../src/core/suggest.ts';

it.each([
  ['acm', 'acme'],
  ['amce', 'acme'],
  ['ACME', 'acme'],
  ['warehous', 'warehouse'],
  ['wharehuose', 'warehouse'],
  ['zzz', undefined],
  ['', undefined],
])('%j is taken for %j', (wanted, expected) => {
  expect(nearest(wanted, ['acme', 'warehouse', 'crm'])).toBe(expected);
});

it('lists what there is when nothing is near, and says when there is nothing', () => {
  expect(suggestion('x', ['crm', 'shop'], 'sources')).toBe('sources: crm, shop');
  expect(suggestion('x', [], 'sources')).toBe('the file has no sources');
});
