import { expect, it } from 'vitest';
import list from '../../../../src/operator/identity/common-passwords.json' with { type: 'json' };
import { commonPasswords } from '../../../../src/operator/identity/common-passwords.ts';

it('has at least 3,000 passwords that the rules of length accept, as they are compared', () => {
  const all = commonPasswords();
  expect(all.length).toBe(list.count);
  expect(all.length).toBeGreaterThan(3000);
  expect(new Set(all).size).toBe(all.length);
  const wrong = all.filter((each) => {
    const { length } = [...each];
    return length < 12 || length > 256 || each !== each.normalize('NFKC').toLowerCase();
  });
  expect(wrong).toEqual([]);
});
