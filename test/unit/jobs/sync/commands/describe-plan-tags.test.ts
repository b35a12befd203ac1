import { expect, it } from 'vitest';
import { describeTags } from '../../../../../src/jobs/sync/commands/describe-plan-tags.ts';
import type { PlanTags } from '../../../../../src/jobs/sync/contract/plan.ts';

const readAt = '2026-11-02T12:00:00.000Z';
const list = Array.from({ length: 12 }, (_, n) => ({ tag: `t${n}`, people: 12 - n, rows: [1, 2, 3] }));

it.each<[string, PlanTags, RegExp[]]>([
  ['nobody has a tag', { wanted: 0, readAt: null, missing: null }, []],
  ['the list was never read', { wanted: 3, readAt: null, missing: null }, [/^ {2}tags: not checked;/]],
  [
    'all tags exist',
    { wanted: 3, readAt, missing: { tags: 0, people: 0, list: [] } },
    [/^ {2}tags: all exist in the account, as read at 2026-11-02 /],
  ],
  [
    'one is missing',
    { wanted: 3, readAt, missing: { tags: 1, people: 1, list: [{ tag: 'a "b"', people: 1, rows: [7] }] } },
    [
      /1 tag does not exist.*; wanted for 1 person$/,
      /creates no tags/,
      /^ {4}"a \\"b\\"": 1 person, in row 7$/,
    ],
  ],
  [
    'one is missing for people of earlier runs alone',
    { wanted: 3, readAt, missing: { tags: 1, people: 1, list: [{ tag: 'a', people: 1, rows: [] }] } },
    [/1 tag does not exist/, /creates no tags/, /^ {4}"a": 1 person$/],
  ],
  [
    'more are missing than it shows',
    { wanted: 90, readAt, missing: { tags: 12, people: 78, list } },
    [
      /12 tags do not exist.*; wanted for 78 people$/,
      /creates no tags/,
      ...list
        .slice(0, 10)
        .map(
          ({ tag, people }) =>
            new RegExp(`"${tag}": ${people} people, in rows 1, 2, 3${people > 3 ? ', …' : ''}$`),
        ),
      /and 2 more/,
    ],
  ],
])('says about tags when %s', (_, tags, lines) => {
  expect(describeTags(tags, 'main')).toEqual(lines.map((line) => expect.stringMatching(line)));
});
