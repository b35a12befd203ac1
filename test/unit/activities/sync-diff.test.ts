// What a record asks for against what is known: steps to do, and tags to keep.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalKey,
  type DiffOptions,
  hashRecord,
  needsLookup,
  needsRead,
  planSteps,
  refName,
  targetTags,
} from '../../../activities/sync-diff.ts';
import type { CrmRecord, ExtraField } from '../../../src/contracts/record.ts';
import { STEP_BITS, type Step } from '../../../src/contracts/run.ts';
import type { CardRow, KnownPerson } from '../../../src/ledger/people.ts';
import { recordOf } from '../ledger/support.ts';
import { BR, extraInfo, names, options, record, US, word } from './arbitraries.ts';

const MERGE: DiffOptions = { tags: 'merge', extraInfo: 'merge' };

const CARD: CardRow = {
  id: 1,
  person_id: 1,
  pipeline: 'Sales',
  remote_id: 9,
  remote_stage_id: 11,
  stage: 'New',
};
function knownOf(over: Partial<KnownPerson> = {}): KnownPerson {
  return {
    id: 1,
    key: US,
    remote_id: 5,
    remote_number: US,
    hash_contact: null,
    hash_extra: null,
    hash_tags: null,
    extra_known: null,
    tags_added: [],
    card: null,
    ...over,
  };
}
/** A person of whom the service has all that the record asks. */
function syncedOf(r: CrmRecord, over: Partial<KnownPerson> = {}): KnownPerson {
  const { contact: hash_contact, extra: hash_extra, tags: hash_tags } = hashRecord(r);
  return knownOf({
    hash_contact,
    hash_extra,
    hash_tags,
    tags_added: [...r.tags],
    extra_known: r.extraInfo,
    ...over,
  });
}
const stepsIn = (todo: number) => (Object.keys(STEP_BITS) as Step[]).filter((step) => todo & STEP_BITS[step]);

describe('planSteps', () => {
  const NEW = { pipeline: 'Sales', stage: 'New', customFields: {} };
  const rich = recordOf(US, {
    contact: { number: US, name: 'A' },
    extraInfo: [{ name: 'a', value: 'b' }],
    tags: ['vip'],
    card: NEW,
  });
  const plain = recordOf(US);
  const synced = (over: Partial<KnownPerson> = {}) => syncedOf(rich, { card: CARD, ...over });
  const replace = { tags: 'replace', extraInfo: 'replace' } as const;

  it.each<[string, CrmRecord, KnownPerson | null, DiffOptions, Step[]]>([
    ['a stranger abroad', plain, null, MERGE, ['upsertContact']],
    ['a stranger in Brazil', recordOf(BR), null, MERGE, ['lookup', 'upsertContact']],
    [
      'a stranger with extra info',
      { ...plain, extraInfo: rich.extraInfo },
      null,
      MERGE,
      ['lookup', 'upsertContact'],
    ],
    [
      'the same, replacing it',
      { ...plain, extraInfo: rich.extraInfo },
      null,
      { ...MERGE, extraInfo: 'replace' },
      ['upsertContact'],
    ],
    [
      'a stranger with tags and card',
      rich,
      null,
      MERGE,
      ['lookup', 'upsertContact', 'setTags', 'createCard'],
    ],
    ['nothing new', rich, synced(), MERGE, []],
    ['another name', { ...rich, contact: { number: US, name: 'B' } }, synced(), MERGE, ['upsertContact']],
    [
      'other extra info, known',
      { ...rich, extraInfo: [{ name: 'a', value: 'c' }] },
      synced(),
      MERGE,
      ['upsertContact'],
    ],
    [
      'other extra info, never seen',
      { ...rich, extraInfo: [{ name: 'a', value: 'c' }] },
      synced({ extra_known: null }),
      MERGE,
      ['readExtraInfo', 'upsertContact'],
    ],
    [
      'other extra info, always fresh',
      { ...rich, extraInfo: [{ name: 'a', value: 'c' }] },
      synced(),
      { ...MERGE, extraInfo: 'merge-fresh' },
      ['readExtraInfo', 'upsertContact'],
    ],
    ['extra info that is gone stays', { ...rich, extraInfo: [] }, synced(), MERGE, []],
    ['one more tag', { ...rich, tags: ['crm', 'vip'] }, synced(), MERGE, ['upsertContact', 'setTags']],
    ['the last own tag is gone', { ...rich, tags: [] }, synced(), MERGE, ['upsertContact', 'setTags']],
    ['no tag wanted, none set by Sluice', plain, syncedOf(plain, { hash_tags: null }), MERGE, []],
    [
      'the same where the list is replaced',
      plain,
      syncedOf(plain, { hash_tags: null }),
      replace,
      ['upsertContact', 'setTags'],
    ],
    ['another stage', { ...rich, card: { ...NEW, stage: 'Won' } }, synced(), MERGE, ['moveStage']],
    [
      'no stage named any more',
      { ...rich, card: { pipeline: 'Sales', customFields: {} } },
      synced(),
      MERGE,
      [],
    ],
    [
      'a stage by id is not one by name',
      { ...rich, card: { ...NEW, stage: 1 } },
      synced({ card: { ...CARD, stage: '1' } }),
      MERGE,
      ['moveStage'],
    ],
    ['a card for somebody who is there', rich, synced({ card: null }), MERGE, ['findCard', 'createCard']],
    [
      'a card that is no longer wanted stays',
      { ...plain, contact: rich.contact },
      synced({ tags_added: [] }),
      MERGE,
      [],
    ],
    [
      'known, but never on the service',
      rich,
      knownOf({ remote_id: null }),
      MERGE,
      ['lookup', 'upsertContact', 'setTags', 'createCard'],
    ],
  ])('%s', (_, r, known, opts, expected) => {
    expect(stepsIn(planSteps(r, known, opts))).toEqual(expected);
  });

  it('after its own steps finds nothing more to do', () => {
    const known = fc.option(
      fc.record({
        remote_id: fc.option(fc.constant(5)),
        hash_contact: fc.option(word),
        hash_extra: fc.option(word),
        hash_tags: fc.option(word),
        extra_known: fc.option(extraInfo),
        tags_added: names,
        card: fc.option(fc.constantFrom('New', '#1', null).map((stage): CardRow => ({ ...CARD, stage }))),
      }),
    );
    fc.assert(
      fc.property(record, known, options, fc.boolean(), (r, before, opts, wasThere) => {
        // Nobody has hashes, tags or a card before there is a contact.
        const person = before?.remote_id == null ? before && knownOf({ remote_id: null }) : knownOf(before);
        const todo = planSteps(r, person, opts);
        expect(planSteps(r, afterwards(r, person, todo, wasThere), opts)).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  /** What the steps in `todo` leave in the ledger; `wasThere`: the service had the contact already. */
  function afterwards(
    r: CrmRecord,
    person: KnownPerson | null,
    todo: number,
    wasThere: boolean,
  ): KnownPerson {
    const hashes = hashRecord(r);
    const known = knownOf({ ...person, remote_id: person?.remote_id ?? 5 });
    const created = person?.remote_id == null && !wasThere;
    const written: { -readonly [K in keyof KnownPerson]?: KnownPerson[K] } = {};
    if (todo & STEP_BITS.upsertContact)
      Object.assign(written, { hash_contact: hashes.contact, hash_extra: hashes.extra });
    if (todo & STEP_BITS.setTags || (created && todo & STEP_BITS.upsertContact))
      Object.assign(written, { hash_tags: hashes.tags, tags_added: r.tags });
    const stage = r.card?.stage === undefined ? null : refName(r.card.stage);
    if (todo & (STEP_BITS.createCard | STEP_BITS.moveStage)) written.card = { ...CARD, stage };
    return { ...known, ...written };
  }
});

describe('look before the first write', () => {
  it.each<[string, string, ExtraField[], DiffOptions['extraInfo'], boolean]>([
    ['a Brazilian mobile number', BR, [], 'replace', true],
    ['a Brazilian landline', '551132654321', [], 'merge', false],
    ['a number abroad', US, [], 'merge', false],
    ['extra info that is merged', US, [{ name: 'a', value: 'b' }], 'merge', true],
    ['extra info that is replaced', US, [{ name: 'a', value: 'b' }], 'replace', false],
  ])('%s', (_, key, extra, mode, expected) => {
    expect(needsLookup(recordOf(key, { extraInfo: extra }), { tags: 'merge', extraInfo: mode })).toBe(
      expected,
    );
  });

  it.each<[DiffOptions['extraInfo'], ExtraField[] | null | undefined, boolean]>([
    ['merge', undefined, true],
    ['merge', null, true],
    ['merge', [], false],
    ['merge-fresh', [], true],
    ['replace', null, false],
  ])('extra info, %s, known: %j', (mode, known, expected) => {
    const person = known === undefined ? null : { extra_known: known };
    expect(needsRead(person, { tags: 'merge', extraInfo: mode })).toBe(expected);
  });

  it.each([
    ['551187654321', BR],
    [BR, BR],
    ['551132654321', '551132654321'],
    [US, US],
  ])('the person behind %s is %s', (number, key) => expect(canonicalKey(number)).toBe(key));
});

describe('targetTags', () => {
  const set = (list: readonly string[]) => new Set(list);

  it.each<[string, string[], string[], string[], DiffOptions['tags'], string[] | null]>([
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

  it('merging takes away only what Sluice put there, and adds all that is wanted', () => {
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

  it('replacing ends with exactly the wanted list', () => {
    fc.assert(
      fc.property(names, names, names, (current, wanted, added) => {
        expect(set(targetTags(current, wanted, added, 'replace') ?? current)).toEqual(set(wanted));
      }),
    );
  });

  it('once set needs no second call', () => {
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
