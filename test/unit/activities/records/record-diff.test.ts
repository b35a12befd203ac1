// What a record asks for against what is known: steps to do, and tags to keep.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactChange } from '../../../../activities/records/contact-change.ts';
import {
  canCombine,
  type DiffOptions,
  hashRecord,
  needsLookup,
  needsRead,
  planSteps,
  refName,
} from '../../../../activities/records/record-diff.ts';
import type { CrmRecord, ExtraField } from '../../../../src/core/record.ts';
import type { CardRow, KnownPerson } from '../../../../src/core/store/people.ts';
import { STEP_BITS, type Step } from '../../../../src/jobs/sync/constants.ts';
import { recordOf } from '../../core/sql/support.ts';
import { BR, extraInfo, names, options, optionsOf, record, US, word } from './arbitraries.ts';

const MERGE = optionsOf();
const SYNC = 'leads';

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
    tags_missing: [],
    tags_sent: null,
    sent: {},
    seen: null,
    created_by: null,
    card: null,
    ...over,
  };
}
/** A person for which the service already has everything that the record asks for. */
function syncedOf(r: CrmRecord, over: Partial<KnownPerson> = {}): KnownPerson {
  const { contact: hash_contact, extra: hash_extra, tags: hash_tags } = hashRecord(r, MERGE);
  return knownOf({
    hash_contact,
    hash_extra,
    hash_tags,
    sent: contactChange(r.contact, {}, null, MERGE, true).sent,
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
  const renamed = { ...rich, contact: { number: US, name: 'B' } };
  const bare = { ...rich, contact: { number: US } };
  const mailed = { ...rich, contact: { number: US, name: 'A', email: 'a@b.c' } };
  const clears = optionsOf({ fields: { email: { write: 'always', clear: true } } });

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
      optionsOf({ extraInfo: 'replace' }),
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
    ['another name', renamed, synced(), MERGE, ['upsertContact']],
    ['no name any more', bare, synced(), MERGE, []],
    ['an e-mail address that is gone', rich, syncedOf(mailed, { card: CARD }), MERGE, []],
    ['the same where it is cleared', rich, syncedOf(mailed, { card: CARD }), clears, ['upsertContact']],
    [
      'the same with another tag',
      { ...rich, tags: ['crm'] },
      syncedOf(mailed, { card: CARD }),
      clears,
      ['upsertContact', 'setTags'],
    ],
    ['nothing to clear that Sluice had not filled', rich, synced(), clears, []],
    [
      'another name where people are kept: a check goes first',
      renamed,
      synced(),
      optionsOf({ conflict: 'keep' }),
      ['readExtraInfo', 'upsertContact'],
    ],
    [
      'a name that nobody wrote before needs none',
      renamed,
      synced({ sent: {}, hash_contact: 'x' }),
      optionsOf({ conflict: 'keep' }),
      ['upsertContact'],
    ],
    [
      'another name where only empty ones are filled',
      renamed,
      synced(),
      optionsOf({ fields: { name: 'if-empty' } }),
      ['readExtraInfo', 'upsertContact'],
    ],
    ['another name that is never written', renamed, synced(), optionsOf({ fields: { name: 'never' } }), []],
    ['another name, only inserting', renamed, synced(), optionsOf({ mode: 'insert' }), []],
    [
      'what an insert left undone',
      rich,
      synced({ created_by: SYNC, hash_tags: null, card: null }),
      optionsOf({ mode: 'insert' }),
      ['upsertContact', 'setTags', 'findCard', 'createCard'],
    ],
    [
      'the same of another sync',
      rich,
      synced({ created_by: 'deals', hash_tags: null, card: null }),
      optionsOf({ mode: 'insert' }),
      [],
    ],
    [
      'a stranger abroad, only updating',
      plain,
      null,
      optionsOf({ mode: 'update' }),
      ['lookup', 'upsertContact'],
    ],
    ['another name, only updating', renamed, synced(), optionsOf({ mode: 'update' }), ['upsertContact']],
    [
      'other extra info, known',
      { ...rich, extraInfo: [{ name: 'a', value: 'c' }] },
      synced(),
      MERGE,
      ['readExtraInfo', 'upsertContact'],
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
      optionsOf({ extraInfo: 'merge-fresh' }),
      ['readExtraInfo', 'upsertContact'],
    ],
    [
      'other extra info that the contact holds already, by another sync',
      { ...rich, extraInfo: [{ name: 'a', value: 'c' }] },
      synced({
        extra_known: [
          { name: 'z', value: 'z' },
          { name: 'a', value: 'c' },
        ],
      }),
      MERGE,
      [],
    ],
    [
      'the same where the list is to be exactly that',
      { ...rich, extraInfo: [{ name: 'a', value: 'c' }] },
      synced({
        extra_known: [
          { name: 'z', value: 'z' },
          { name: 'a', value: 'c' },
        ],
      }),
      optionsOf({ extraInfo: 'replace' }),
      ['upsertContact'],
    ],
    ['extra info that is gone stays', { ...rich, extraInfo: [] }, synced(), MERGE, []],
    ['one more tag', { ...rich, tags: ['crm', 'vip'] }, synced(), MERGE, ['upsertContact', 'setTags']],
    ['the last own tag is gone', { ...rich, tags: [] }, synced(), MERGE, ['upsertContact', 'setTags']],
    ['no tag wanted, none set by Sluice', plain, syncedOf(plain, { hash_tags: null }), MERGE, []],
    [
      'the same where the list is replaced',
      plain,
      syncedOf(plain, { hash_tags: null }),
      optionsOf({ tags: 'replace', extraInfo: 'replace' }),
      ['setTags'],
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
    expect(stepsIn(planSteps(r, known, opts, SYNC))).toEqual(expected);
  });

  it('finds nothing more to do after its own steps', () => {
    const marks = fc.dictionary(fc.constantFrom('name', 'email', 'document', 'disableBot'), word);
    const known = fc.option(
      fc.record({
        remote_id: fc.option(fc.constant(5)),
        hash_contact: fc.option(word),
        hash_extra: fc.option(word),
        hash_tags: fc.option(word),
        extra_known: fc.option(extraInfo),
        tags_added: names,
        sent: marks,
        created_by: fc.constantFrom(SYNC, 'deals', null),
        card: fc.option(fc.constantFrom('New', '#1', null).map((stage): CardRow => ({ ...CARD, stage }))),
      }),
    );
    fc.assert(
      fc.property(record, known, options, fc.boolean(), (r, before, opts, wasThere) => {
        // Nobody has hashes, tags or a card before there is a contact.
        const person = before?.remote_id == null ? before && knownOf({ remote_id: null }) : knownOf(before);
        const isNew = person?.remote_id == null && !wasThere;
        // Whom an update did not find may be there the next time.
        fc.pre(!(isNew && opts.mode === 'update'));
        const todo = planSteps(r, person, opts, SYNC);
        expect(planSteps(r, afterwards(r, person, todo, opts, isNew), opts, SYNC)).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  /** What the steps in `todo` leave in the ledger; `isNew`: the service had no such contact. */
  function afterwards(
    r: CrmRecord,
    person: KnownPerson | null,
    todo: number,
    opts: DiffOptions,
    isNew: boolean,
  ): KnownPerson {
    const hashes = hashRecord(r, opts);
    const known = knownOf({ ...person, remote_id: person?.remote_id ?? 5 });
    const written: { -readonly [K in keyof KnownPerson]?: KnownPerson[K] } = {};
    if (isNew) written.created_by = SYNC;
    else if (opts.mode === 'insert' && known.created_by !== SYNC) return known;
    if (todo & STEP_BITS.upsertContact && !(opts.mode === 'insert' && !isNew))
      Object.assign(written, {
        hash_contact: hashes.contact,
        hash_extra: hashes.extra,
        sent: contactChange(r.contact, known.sent, null, opts, isNew).sent,
      });
    if (todo & STEP_BITS.setTags || (isNew && todo & STEP_BITS.upsertContact))
      Object.assign(written, { hash_tags: hashes.tags, tags_added: r.tags });
    const stage = r.card?.stage === undefined ? null : refName(r.card.stage);
    if (todo & (STEP_BITS.createCard | STEP_BITS.moveStage)) written.card = { ...CARD, stage };
    return { ...known, ...written };
  }
});

describe('look-up before the first write', () => {
  it.each<[string, string, ExtraField[], DiffOptions['extraInfo'], boolean]>([
    ['a Brazilian mobile number', BR, [], 'replace', true],
    ['a Brazilian landline', '551132654321', [], 'merge', false],
    ['a number abroad', US, [], 'merge', false],
    ['extra info that is merged', US, [{ name: 'a', value: 'b' }], 'merge', true],
    ['extra info that is replaced', US, [{ name: 'a', value: 'b' }], 'replace', false],
  ])('%s', (_, key, extra, mode, expected) => {
    expect(needsLookup(recordOf(key, { extraInfo: extra }), optionsOf({ extraInfo: mode }))).toBe(expected);
  });

  it.each<[string, Partial<DiffOptions>, boolean]>([
    ['only inserting', { mode: 'insert' }, true],
    ['only updating', { mode: 'update' }, true],
    ['mirroring', { mode: 'mirror' }, false],
    ['filling what is empty', { fields: { name: 'if-empty' } }, true],
    ['the same in the long form', { fields: { email: { write: 'if-empty', clear: false } } }, true],
    ['fields that are never written', { fields: { name: 'never' } }, false],
    ['keeping what people changed, of somebody never written to', { conflict: 'keep' }, false],
  ])('a number abroad, %s', (_, over, expected) => {
    expect(needsLookup(recordOf(US), optionsOf(over))).toBe(expected);
  });

  it.each<[DiffOptions['extraInfo'], boolean]>([
    ['merge', true],
    ['merge-fresh', true],
    ['replace', false],
  ])('extra info, %s', (mode, expected) => {
    expect(needsRead(optionsOf({ extraInfo: mode }))).toBe(expected);
  });
});

describe('contact and card in one call', () => {
  const card = { pipeline: 'Sales', customFields: {} };
  it.each<[string, Partial<CrmRecord>, Partial<DiffOptions>, boolean]>([
    ['a number and a card', { card }, {}, true],
    ['a name and tags as well', { card, contact: { number: US, name: 'A' }, tags: ['vip'] }, {}, true],
    ['no card', {}, {}, false],
    ['an e-mail address', { card, contact: { number: US, email: 'a@b.c' } }, {}, false],
    ['a document', { card, contact: { number: US, document: '1' } }, {}, false],
    ['the bot switch, off too', { card, contact: { number: US, disableBot: false } }, {}, false],
    [
      'an e-mail address that is never written',
      { card, contact: { number: US, email: 'a@b.c' } },
      { fields: { email: 'never' } },
      true,
    ],
    ['extra info', { card, extraInfo: [{ name: 'a', value: 'b' }] }, {}, false],
    ['a number that the service is to check', { card }, { validateNumber: true }, false],
    ['only updating', { card }, { mode: 'update' }, false],
    ['only inserting', { card }, { mode: 'insert' }, true],
  ])('%s', (_, over, opts, expected) => {
    expect(canCombine(recordOf(US, over), optionsOf(opts))).toBe(expected);
  });
});
