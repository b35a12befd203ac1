// A campaign in sluice.yaml that shares parts with others: it is edited alone, and the others keep what they had.
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { EditEntryError, readEntry, writeEntry } from '../../../../src/config/edit/edit-entry.ts';
import { cpuMs } from '../../../support/cpu-time.ts';

const campaign = (name: string) => ({ section: 'campaigns', name }) as const;

const shared = { zone: 'account', days: { mon: ['09:00-18:00'], tue: ['09:00-18:00'] } };
const audience = [{ from: 'contacts', tags: ['newsletter'] }];
const values = {
  version: 1,
  campaigns: {
    first: { flow: 1, windows: shared, audience },
    second: { flow: 2, windows: shared, audience },
    third: { flow: 3, windows: shared },
  },
};
/** The first campaign has the anchors, and the others have aliases. */
const TEXT = stringify(values);

const HAND_WRITTEN = `base: &base { size: 5 } # of all
campaigns:
  first: &first # the model
    flow: 1
    waves: *base
    stop: &stop { failed: 0.1 }
  second: *first
  third: { flow: 3, stop: *stop }
`;

it.each(['first', 'second', 'third'] as const)('reads %s on its own', (name) => {
  expect(TEXT).toMatch(/&a1[\s\S]*\*a1/);
  const text = readEntry(TEXT, campaign(name)) ?? '';
  expect(text).not.toMatch(/[&*]a\d/);
  expect(parse(text)).toEqual(values.campaigns[name]);
});

it.each(['first', 'second', 'third'] as const)('replaces %s and no other', (name) => {
  const changed = { ...values.campaigns[name], flow: 9, windows: { days: {} } };
  const text = writeEntry(TEXT, campaign(name), JSON.stringify(changed));
  expect(parse(text)).toEqual({ version: 1, campaigns: { ...values.campaigns, [name]: changed } });
});

it('keeps what others share after each of the campaigns was replaced', () => {
  const names = ['first', 'second', 'third'] as const;
  const text = names.reduce(
    (all, name) => writeEntry(all, campaign(name), readEntry(all, campaign(name)) ?? ''),
    TEXT,
  );
  expect(parse(text)).toEqual(values);
});

it('reads and replaces what is written by hand, with its comments', () => {
  const before = parse(HAND_WRITTEN) as { campaigns: object };
  expect(parse(readEntry(HAND_WRITTEN, campaign('second')) ?? '')).toEqual(
    parse(HAND_WRITTEN).campaigns.second,
  );
  const text = writeEntry(HAND_WRITTEN, campaign('first'), 'flow: 7');
  expect(text).toContain('# of all');
  expect(parse(text)).toEqual({ ...before, campaigns: { ...before.campaigns, first: { flow: 7 } } });
});

it('does not take the anchors of a draft for those of the file', () => {
  const text = writeEntry(HAND_WRITTEN, campaign('second'), 'a: &base [1]\nb: *base\n');
  expect(parse(text).campaigns).toEqual({ ...parse(HAND_WRITTEN).campaigns, second: { a: [1], b: [1] } });
});

it.each(['a: *nothing', 'a: &x [*x]', '- a', 'a: ['])('refuses the draft %j', (draft) => {
  expect(() => writeEntry(TEXT, campaign('first'), draft)).toThrow(EditEntryError);
});

it.each([
  ['a file without campaigns', 'version: 1\n'],
  ['an empty section', 'version: 1\ncampaigns:\n'],
])('adds the first campaign to %s', (_, text) => {
  expect(readEntry(text, campaign('new'))).toBeNull();
  expect(parse(writeEntry(text, campaign('new'), 'flow: 1'))).toEqual({
    version: 1,
    campaigns: { new: { flow: 1 } },
  });
});

const nested = [
  'a0: &a0 [x,x,x,x,x,x,x,x,x]',
  ...Array.from({ length: 8 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(',')}]`),
].join('\n');
it.each([
  ['aliases of aliases', nested, /entries|aliases/],
  ['a long list that aliases repeat', `a: &a [${'x,'.repeat(9999)}x]\nb: [*a, *a]`, /entries/],
  ['many aliases', `a: &a [1]\nb: [${'*a,'.repeat(15_000)}*a]`, /aliases/],
  ['many keys', `a: {${Array.from({ length: 16_000 }, (_, n) => `k${n}`).join(',')}}`, /keys/],
  ['deep nesting', `a: ${'['.repeat(40_000)}${']'.repeat(40_000)}`, /nested too deeply/],
  ['nesting that the parser still takes', `a: ${'['.repeat(70)}${']'.repeat(70)}`, /64 levels/],
  ['blocks in blocks', Array.from({ length: 400 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'), /64 levels/],
  ['an error a byte', `a: ${']'.repeat(100_000)}`, /at line 1, column 4/],
])('refuses %s at once', (_, draft, problem) => {
  const took = cpuMs(() => expect(() => writeEntry('campaigns: {}', campaign('x'), draft)).toThrow(problem));
  // Without limits, on an idle machine: 5 s for the keys, 173 s for the aliases. With them: 0.6 s at most.
  expect(took).toBeLessThan(4000);
});

it.each([
  '!!binary AAAA',
  '!!omap [{ a: 1 }]',
  '!!set { a }',
  '!!timestamp 2026-01-01',
  '!!pairs [{ a: 1 }]',
])('a value with the tag %s is left to the check of the file, which refuses it', (value) => {
  const text = writeEntry('campaigns: {}', campaign('x'), `flow: ${value}`);
  expect(text).toContain(value.split(' ')[0]);
});
