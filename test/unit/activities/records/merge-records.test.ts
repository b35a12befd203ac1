// Several rows about one person, and the hashes that show whether anything changed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashRecord, mergeRecords } from '../../../../activities/records/record-diff.ts';
import type { CrmRecord, ExtraField } from '../../../../src/core/record.ts';
import type { SyncConfig } from '../../../../src/jobs/sync/config.ts';
import { recordOf } from '../../core/sql/support.ts';
import { BR, optionsOf, record, records, US } from './arbitraries.ts';

const RULES = optionsOf();

describe('rows of one person', () => {
  it('that do not contradict each other may come in any order', () => {
    fc.assert(
      fc.property(record, fc.infiniteStream(fc.boolean()), (whole, coin) => {
        const flip = () => coin.next().value as boolean;
        const [a, b] = [recordOf(whole.key), recordOf(whole.key)] as [CrmRecord, CrmRecord];
        const half = () => (flip() ? a : b);
        const { number: _, ...fields } = whole.contact;
        for (const [name, value] of Object.entries(fields)) Object.assign(half().contact, { [name]: value });
        for (const field of whole.extraInfo) half().extraInfo.push(field);
        for (const tag of whole.tags) half().tags.push(tag);
        if (whole.card !== undefined) {
          const { pipeline, customFields, ...fields } = whole.card;
          for (const each of [a, b]) each.card = { pipeline, customFields: {} };
          for (const [name, value] of Object.entries(fields))
            Object.assign(half().card as object, { [name]: value });
          for (const [name, value] of Object.entries(customFields))
            Object.assign(half().card?.customFields as object, { [name]: value });
        }
        expect(mergeRecords(a, b)).toEqual(whole);
        expect(mergeRecords(b, a)).toEqual(whole);
        expect(hashRecord(mergeRecords(b, a), RULES)).toEqual(hashRecord(whole, RULES));
      }),
    );
  });

  it('that are read again change nothing', () => {
    fc.assert(
      fc.property(record, (r) => {
        expect(mergeRecords(r, r)).toEqual(r);
      }),
    );
  });

  it('may be merged page by page: only their order counts, the later value wins', () => {
    fc.assert(
      fc.property(
        records(BR).chain((a) => fc.tuple(fc.constant(a), records(BR), records(BR))),
        ([a, b, c]) => {
          expect(mergeRecords(mergeRecords(a, b), c)).toEqual(mergeRecords(a, mergeRecords(b, c)));
        },
      ),
    );
    const [first, second] = ['New', 'Won'].map((stage) =>
      recordOf(BR, {
        contact: { number: BR, name: stage },
        card: { pipeline: 'Sales', stage, customFields: {} },
      }),
    ) as [CrmRecord, CrmRecord];
    expect(mergeRecords(first, second)).toMatchObject({ contact: { name: 'Won' }, card: { stage: 'Won' } });
  });
});

describe('hashes', () => {
  it('do not depend on the order of keys', () => {
    const fields = (f: ExtraField) => ({ value: f.value, name: f.name });
    const turned = (o: object) => Object.fromEntries(Object.entries(o).toReversed());
    fc.assert(
      fc.property(record, (r) => {
        const other = { ...turned(r), contact: turned(r.contact), extraInfo: r.extraInfo.map(fields) };
        expect(hashRecord(other as CrmRecord, RULES)).toEqual(hashRecord(r, RULES));
      }),
    );
  });

  it.each<[string, Partial<CrmRecord>, Partial<CrmRecord>]>([
    [
      'a value and its neighbour',
      { contact: { number: US, name: 'x' } },
      { contact: { number: US, email: 'x' } },
    ],
    ['false and absent', { contact: { number: US, disableBot: false } }, { contact: { number: US } }],
    [
      'true and false',
      { contact: { number: US, disableBot: true } },
      { contact: { number: US, disableBot: false } },
    ],
    ['two tags and one with a comma', { tags: ['a', 'b'] }, { tags: ['a,b'] }],
    ['no tag and an odd one', { tags: [] }, { tags: ['[]'] }],
    [
      'name and value swapped',
      { extraInfo: [{ name: 'a', value: 'b' }] },
      { extraInfo: [{ name: 'b', value: 'a' }] },
    ],
  ])('distinguishes %s', (_, a, b) => {
    expect(hashRecord(recordOf(US, a), RULES)).not.toEqual(hashRecord(recordOf(US, b), RULES));
  });

  const filled = recordOf(US, { contact: { number: US, name: 'A', email: 'a@b.c' } });
  const bare = recordOf(US, { contact: { number: US, name: 'A' } });
  const clear = { email: { write: 'always' as const, clear: true } };

  it.each<[string, [CrmRecord, SyncConfig['fields']], [CrmRecord, SyncConfig['fields']], boolean]>([
    ['no rule is always', [filled, {}], [filled, { email: 'always' }], true],
    ['a rule that is relaxed asks again', [filled, { email: 'if-empty' }], [filled, {}], false],
    [
      'what is never written counts for nothing',
      [filled, { email: 'never' }],
      [bare, { email: 'never' }],
      true,
    ],
    ['an empty value asks for nothing', [bare, {}], [bare, { email: 'if-empty' }], true],
    ['but where it clears', [bare, {}], [bare, { email: clear.email }], false],
    ['a value that could be cleared is that value', [filled, {}], [filled, clear], true],
  ])('rules: %s', (_, [a, fields], [b, others], same) => {
    const [one, other] = [hashRecord(a, { fields }).contact, hashRecord(b, { fields: others }).contact];
    expect(one === other).toBe(same);
  });
});
