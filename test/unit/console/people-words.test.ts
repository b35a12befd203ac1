// The timeline of a person: every code of the contract has a sentence in both languages, whose placeholders are fields.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import en from '../../../src/console/i18n/en/people.ts';
import pt from '../../../src/console/i18n/pt-BR/people.ts';
import { EVENT_OUTCOMES } from '../../../src/jobs/events/contract/intake.ts';
import { OUTCOMES } from '../../../src/jobs/sync/constants.ts';
import { PEOPLE } from '../../../src/operator/contract/people.ts';
import { TimelineEntry } from '../../../src/operator/contract/people-timeline.ts';
import { PLACES } from '../../../src/protect/person/person-places.ts';

type Words = Readonly<Record<string, string>>;

/** Codes that the contract leaves open, as the ledger writes them. */
const OPEN_CODES: Readonly<Record<string, readonly string[]>> = {
  event: ['received', 'blocked', ...EVENT_OUTCOMES],
  row: ['pending', ...OUTCOMES.filter((outcome) => outcome !== 'rejected')],
};

const KINDS = TimelineEntry.options.map(({ shape }) => {
  const [kind = ''] = shape.kind.values as ReadonlySet<string>;
  const { code } = shape;
  const codes =
    code instanceof z.ZodEnum
      ? Object.values(code.enum)
      : code instanceof z.ZodLiteral
        ? [...code.values]
        : (OPEN_CODES[kind] ?? []);
  return { kind, codes: codes as string[], fields: Object.keys(shape) };
});

describe.each([
  ['en', en],
  ['pt-BR', pt],
] as const)('the words in %s', (_language, catalog) => {
  const entries = catalog.entry as unknown as Readonly<Record<string, Words>>;

  it.each(KINDS)('$kind: a sentence for each code, from fields of the entry', ({ kind, codes, fields }) => {
    const sentences = entries[kind] ?? {};
    const missing = kind === 'call' ? [] : codes.filter((code) => sentences[code] === undefined);
    expect(missing).toEqual([]);
    for (const sentence of Object.values(sentences))
      for (const [, name] of sentence.matchAll(/\{\{(\w+)\}\}/g)) expect(fields).toContain(name);
  });

  it('every kind has a name for its filter', () => {
    expect(Object.keys(catalog.timeline.kind).sort()).toEqual(KINDS.map(({ kind }) => kind).sort());
  });

  it('every reason for no message has a sentence', () => {
    const { why } = PEOPLE['GET /people/{account}/{person}'].output.shape;
    const codes = Object.values(why.element.shape.code.enum);
    expect(Object.keys(catalog.why.code).sort()).toEqual([...codes].sort());
  });

  it('every table that an erasure counts has a name', () => {
    const tables = [...new Set(PLACES.map(({ table }) => table))];
    expect(tables.filter((table) => !(table in catalog.table))).toEqual([]);
  });
});
