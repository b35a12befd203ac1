// The tags that a contact is to have, out of those wanted, those there and those that Sluice set.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { targetTags } from '../../../../activities/records/record-diff.ts';
import type { SyncConfig } from '../../../../src/jobs/sync/config.ts';
import { names } from './arbitraries.ts';

describe('targetTags', () => {
  const set = (list: readonly string[]) => new Set(list);

  it.each<[string, string[], string[], string[], SyncConfig['tags'], string[] | null]>([
    ['nothing at all', [], [], [], 'merge', null],
    ['a wanted tag', [], ['a'], [], 'merge', ['a']],
    ['people set another', ['x'], ['a'], [], 'merge', ['x', 'a']],
    ['ours that is no longer wanted', ['a', 'x'], [], ['a'], 'merge', ['x']],
    ['people set what is wanted too', ['a'], ['a'], [], 'merge', null],
    ['replaced', ['x', 'a'], ['a'], [], 'replace', ['a']],
    ['replaced by none', ['x'], [], [], 'replace', []],
    ['replaced, but the same in another order', ['b', 'a'], ['a', 'b'], [], 'replace', null],
    ['ours that people removed and nobody wants', [], [], ['a'], 'merge', null],
  ])('%s', (_, current, wanted, added, mode, expected) => {
    expect(targetTags(current, wanted, added, mode)).toEqual(expected);
  });

  it('merging removes only tags that Sluice set, and adds all wanted ones', () => {
    fc.assert(
      fc.property(names, names, names, (current, wanted, added) => {
        const target = targetTags(current, wanted, added, 'merge') ?? current;
        for (const name of current) if (!added.includes(name)) expect(target).toContain(name);
        for (const name of wanted) expect(target).toContain(name);
        for (const name of target) expect([...current, ...wanted]).toContain(name);
        for (const name of added) if (!wanted.includes(name)) expect(target).not.toContain(name);
      }),
    );
  });

  it('replacing results in exactly the wanted list', () => {
    fc.assert(
      fc.property(names, names, names, (current, wanted, added) => {
        expect(set(targetTags(current, wanted, added, 'replace') ?? current)).toEqual(set(wanted));
      }),
    );
  });

  it('a list that is set needs no second call', () => {
    fc.assert(
      fc.property(
        names,
        names,
        names,
        fc.constantFrom('merge' as const, 'replace' as const),
        (current, wanted, added, mode) => {
          const target = targetTags(current, wanted, added, mode) ?? current;
          const mine = wanted.filter((name) => added.includes(name) || !current.includes(name));
          expect(targetTags(target, wanted, mine, mode)).toBeNull();
        },
      ),
    );
  });
});
