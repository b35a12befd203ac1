// Regular expressions out of a mapping: as good as plain ones, but none holds the process.
import { describe, expect, it } from 'vitest';
import { GuardedRegExp } from '../../../src/mapping/expression/guarded-regexp.ts';
import { compileMapping } from '../../../src/mapping/index.ts';

describe('a guarded regular expression', () => {
  it.each<[RegExp, string]>([
    [/b(c)d/, 'abcd'],
    [/x/, 'abc'],
    [/(?<year>\d{4})/u, 'in 2026'],
    [/é+/iu, 'ÉéÉ'],
  ])('%s finds what a plain one finds', (pattern, text) => {
    expect(new GuardedRegExp(pattern).exec(text)).toEqual(pattern.exec(text));
  });

  it('continues from match to match when it is global', () => {
    const pattern = new GuardedRegExp(/\d/g);
    expect(['a1b2'.match(pattern), 'a1b2'.replace(pattern, '#')]).toEqual([['1', '2'], 'a#b#']);
  });

  it('in a JSONata expression that would never end is a problem of its row, and the next row is mapped', async () => {
    const mapping = compileMapping({
      contact: { number: 'phone', name: '=$match(name, /^(a+)+$/).match' },
      tags: [],
      extraInfo: {},
    });
    const stuck = await mapping.apply({ phone: '+5511987654321', name: `${'a'.repeat(60)}!` });
    expect(stuck).toMatchObject({
      ok: false,
      problems: [{ field: 'contact.name', code: 'expression_timeout' }],
    });
    const next = await mapping.apply({ phone: '+5511987654321', name: 'aaa' });
    expect(next).toMatchObject({ ok: true, record: { contact: { name: 'aaa' } } });
  });
});
