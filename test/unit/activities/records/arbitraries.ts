// Records as fast-check makes them: few values, so that they meet often.
import fc from 'fast-check';
import { type DiffOptions, mergeExtraInfo } from '../../../../activities/records/record-diff.ts';
import type { CrmRecord, RecordCard } from '../../../../src/core/record.ts';
import { SyncConfig } from '../../../../src/jobs/sync/config.ts';
import { recordOf } from '../../core/sql/support.ts';

export const BR = '5511987654321';
export const US = '12025550123';

export const word = fc.constantFrom('a', 'b', 'c', 'ç', '__proto__');
export const names = fc.uniqueArray(word, { maxLength: 4 });
export const extraInfo = fc
  .uniqueArray(fc.record({ name: word, value: word }), { selector: ({ name }) => name, maxLength: 4 })
  .map((fields) => mergeExtraInfo([], fields));
const card: fc.Arbitrary<RecordCard> = fc
  .record(
    {
      stage: fc.oneof(word, fc.integer({ min: 1, max: 3 })),
      title: word,
      sourceId: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: [] },
  )
  .chain((fields) =>
    fc
      .dictionary(fc.constantFrom('p', 'q'), word)
      .map((customFields) => ({ pipeline: 'Sales', ...fields, customFields })),
  );
const contact = fc.record(
  { name: word, email: word, document: word, disableBot: fc.boolean() },
  { requiredKeys: [] },
);
export const records = (key: string): fc.Arbitrary<CrmRecord> =>
  fc
    .record(
      { contact, extraInfo, tags: names.map((tags) => [...tags].sort()), card },
      { requiredKeys: ['contact', 'extraInfo', 'tags'] },
    )
    .map((parts) => recordOf(key, { ...parts, contact: { number: key, ...parts.contact } }));
export const record = fc.constantFrom(BR, US).chain(records);

export function optionsOf(over: Partial<DiffOptions> = {}): DiffOptions {
  const { tags, extraInfo, mode, fields, conflict, validateNumber } = DEFAULTS;
  return { tags, extraInfo, mode, fields, conflict, validateNumber, ...over };
}
const DEFAULTS = SyncConfig.parse({ account: 'acme', source: 'leads', mapping: 'leads' });

const write = fc.constantFrom('always' as const, 'if-empty' as const, 'never' as const);
const clearable = fc.oneof(write, fc.record({ write, clear: fc.boolean() }));
/** Rules of the fields; with `clear` where the API lets a field be empty. */
export const fields = fc.record(
  { name: write, email: clearable, document: clearable, disableBot: write },
  { requiredKeys: [] },
);

export const options: fc.Arbitrary<DiffOptions> = fc.record({
  tags: fc.constantFrom('merge' as const, 'replace' as const),
  extraInfo: fc.constantFrom('merge' as const, 'merge-fresh' as const, 'replace' as const),
  mode: fc.constantFrom('upsert' as const, 'insert' as const, 'update' as const, 'mirror' as const),
  fields,
  conflict: fc.constantFrom('overwrite' as const, 'keep' as const, 'fail' as const),
  validateNumber: fc.boolean(),
});
