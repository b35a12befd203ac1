// The draft of a campaign: the form changes one value, and everything else of the YAML stays.
import { describe, expect, it } from 'vitest';
import {
  isSameAt,
  parseDraft,
  pathText,
  valueAt,
  withValue,
} from '../../../src/console/parts/draft/yaml-draft.ts';
import { fromText, isShown, type Kind, toText } from '../../../src/console/screens/campaigns/draft/values.ts';

const TEXT = `flow: 7 # reactivation
audience:
  - { from: contacts, tags: [a] } # first
waves: { size: 5 } # small
`;

describe('a problem of a place', () => {
  const counted = { audience: [{ from: 'contacts' }], stop: { failed: 0.1 } };
  it.each([
    [
      'the choice of the part has changed',
      { ...counted, audience: [{ from: 'source' }] },
      'audience[0]',
      false,
    ],
    ['another place has changed', { ...counted, flow: 8 }, 'audience[0]', true],
    ['the field was filled in', { ...counted, flow: 8 }, 'flow', false],
    ['the field is still missing', counted, 'flow', true],
    ['nothing was counted yet', counted, 'stop.failed', false],
  ])('where %s', (what, now, path, isSame) => {
    expect(isSameAt(now, what === 'nothing was counted yet' ? null : counted, path)).toBe(isSame);
  });
});

describe('one change', () => {
  it.each<[string, (string | number)[], unknown, unknown]>([
    ['of a number', ['flow'], 8, 8],
    ['in a mapping that is not there yet', ['stop', 'failed'], 0.1, 0.1],
    ['below a value that is no mapping', ['flow', 'x'], 1, 1],
    ['of a list', ['audience', 0, 'tags'], ['b', 'c'], ['b', 'c']],
    ['that adds a part', ['audience', 1], { from: 'cards' }, { from: 'cards' }],
  ])('%s', (_, path, value, expected) => {
    const text = withValue(TEXT, path, value);
    expect(valueAt(parseDraft(text).value, path)).toEqual(expected);
    expect(text).toContain('# first');
    expect(text).toContain('# small');
  });

  it('that empties a mapping removes it, but never a part of the audience', () => {
    expect(parseDraft(withValue(TEXT, ['waves', 'size'], undefined)).value).not.toHaveProperty('waves');
    const bare = withValue(
      withValue(TEXT, ['audience', 0, 'tags'], undefined),
      ['audience', 0, 'from'],
      undefined,
    );
    expect(valueAt(parseDraft(bare).value, ['audience'])).toEqual([{}]);
  });
});

describe('aliases of a draft', () => {
  const aliased = 'first: &a { days: { mon: x } } # kept\nsecond: *a\n';
  it.each([
    ['first', { first: { days: { mon: 'y' } }, second: { days: { mon: 'x' } } }],
    ['second', { first: { days: { mon: 'x' } }, second: { days: { mon: 'y' } } }],
  ])('share nothing after a change of the %s', (part, expected) => {
    const text = withValue(aliased, [part, 'days', 'mon'], 'y');
    expect(parseDraft(text).value).toEqual(expected);
    expect(text).toContain('# kept');
  });

  it.each(['a: *nothing', 'a: &x [*x]'])('%s is a problem, and no crash', (text) => {
    expect(parseDraft(text)).toEqual({ value: null, problem: expect.stringContaining('lias') });
  });
});

it.each(['', '- a', 'just text', 'a: [', '{', 'null'])('%j is no campaign', (text) => {
  expect(parseDraft(text).value).toBeNull();
});

it('names a path as problems do', () => {
  expect(pathText(['audience', 0, 'inStageSince', 'before'])).toBe('audience[0].inStageSince.before');
});

it.each<[Kind, string, unknown]>([
  ['number', '20', 20],
  ['number', 'many', 'many'],
  ['share', '2,5', 0.025],
  ['share', '10 %', 0.1],
  ['list', 'a, b c,, ', ['a', 'b c']],
  ['sizes', '50, 100', [50, 100]],
  ['sizes', '50', 50],
  ['nameOrId', '12', 12],
  ['nameOrId', 'New leads', 'New leads'],
  ['text', '  ', undefined],
])('%s: %j is %j', (kind, text, value) => {
  expect(fromText(kind, text)).toEqual(value);
  if (value !== undefined) expect(fromText(kind, toText(kind, value))).toEqual(value);
});

it.each<[Kind, unknown]>([
  ['list', { source: 'leads', number: 'phone' }],
  ['list', ['a, b']],
  ['nameOrId', '12'],
])('%s: %j is left to the YAML', (kind, value) => {
  expect(isShown(kind, value)).toBe(false);
});
