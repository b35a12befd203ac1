// Edits of sluice.yaml: what they do not change stays as somebody wrote it, whatever the library would make of it.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { addEntries } from '../../../../src/config/edit/add-entries.ts';
import { readEntry, removeEntry, writeEntry } from '../../../../src/config/edit/edit-entry.ts';
import { setSyncLane } from '../../../../src/config/edit/set-sync-lane.ts';

const TEXT = `# ours
version:   1
accounts:
    acme: {baseUrl: 'https://x/wapi',  tokens: [env:TOKEN]}   # the only one

mappings:
    leads:
        defaultCountry: BR
        contact: {number: Telefone,name: "Nome"}
        tags: [a,   b]


    # of the shop
    shop: {contact: {number: [x, y]}}
syncs:
    leads:
        account: acme
        source: leads
        tags: [new]
        extra:   ["it's",   'so']
    other:   {account: acme}
sources: {leads: {type: csv,path: leads.csv}}
# the end`;

/** The lines of a text that another one does not have. */
const lost = (text: string, from: string) => {
  const kept = new Set(text.split('\n'));
  return from.split('\n').filter((line) => !kept.has(line));
};
const sync = { section: 'syncs', name: 'leads' } as const;

describe('an edit', () => {
  it('that changes nothing keeps each byte', () => {
    expect(writeEntry(TEXT, sync, readEntry(TEXT, sync) ?? '')).toBe(TEXT);
  });

  it('of a sync keeps the lines of its other keys, and all other entries', () => {
    const yaml = (readEntry(TEXT, sync) ?? '').replace('[ new ]', '[ new, hot ]');
    const text = writeEntry(TEXT, sync, yaml);
    expect(lost(text, TEXT)).toEqual(['        tags: [new]']);
    expect(parse(text).syncs.leads.tags).toEqual(['new', 'hot']);
  });

  it('that sets a lane adds one line', () => {
    const text = setSyncLane(TEXT, 'leads', 'backfill');
    expect(lost(text, TEXT)).toEqual([]);
    expect(parse(text).syncs.leads.lane).toBe('backfill');
  });

  it('that removes an entry keeps the others', () => {
    const text = removeEntry(TEXT, { section: 'mappings', name: 'leads' });
    expect(parse(text).mappings).toEqual({ shop: { contact: { number: ['x', 'y'] } } });
    expect(lost(text, TEXT).every((line) => /leads:|defaultCountry|number: Tel|tags: \[a/.test(line))).toBe(
      true,
    );
    expect(text).toContain('    shop: {contact: {number: [x, y]}}');
  });

  it('that adds entries keeps what was there, and adds no empty keys', () => {
    const card = { pipeline: 'Sales', stage: { path: 'Fase', map: {} }, customFields: {}, lost: [] };
    const mapping = { contact: { number: 'Telefone', extraInfo: {} }, card, tags: [] };
    const text = addEntries(TEXT, {
      name: 'fair',
      source: { type: 'csv', path: 'f.csv' },
      mapping,
      sync: { account: 'acme', tags: [] },
    });
    expect(text).toContain(`    acme: {baseUrl: 'https://x/wapi',  tokens: [env:TOKEN]}   # the only one\n`);
    expect(text).toContain('        contact: {number: Telefone,name: "Nome"}');
    expect(text).not.toMatch(/\{\s*\}|\[\s*\]|customFields|extraInfo/);
    // What shares a line with a new entry is written again.
    expect(lost(text, TEXT)).toEqual(['sources: {leads: {type: csv,path: leads.csv}}']);
    const { mappings, sources, syncs } = parse(text);
    expect(syncs.fair).toEqual({ account: 'acme' });
    expect(mappings.fair).toEqual({
      contact: { number: 'Telefone' },
      card: { pipeline: 'Sales', stage: { path: 'Fase' } },
    });
    expect(sources.fair).toEqual({ type: 'csv', path: 'f.csv' });
  });

  it.each([
    ['with Windows lines', TEXT.replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\ufeff${TEXT}`],
    ['with a text of several lines', `${TEXT}\nnotes: |\n  a: b\n\n  c:   d\n`],
    [
      'with an anchor that moves',
      TEXT.replace('tags: [new]', 'tags: &t [new]').replace('{account: acme}', '{account: acme, tags: *t}'),
    ],
    ['with a comment in the middle of a list', TEXT.replace('[a,   b]', '[a, # one\n          b]')],
    ['without entries of the section', 'version: 1\nsyncs:\naccounts: {acme: {tokens: [env:T]}}\n'],
    [
      'with lists that are not indented',
      'syncs:\n    leads:\n        tags:\n        - a\n        - b\nversion: 1\n',
    ],
  ])('of a file %s means the same', (_, text) => {
    const before = parse(text) ?? {};
    const edited = writeEntry(text, sync, 'account: acme\nsource: [ x ]\n');
    expect(parse(edited)).toEqual({
      ...before,
      syncs: { ...before.syncs, leads: { account: 'acme', source: ['x'] } },
    });
  });
});
