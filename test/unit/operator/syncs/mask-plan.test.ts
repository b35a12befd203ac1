// What operators see of a dry run. A mapping that takes tags from the wrong column turns a number into a tag.
import { expect, it } from 'vitest';
import type { PlanReport } from '../../../../src/jobs/sync/contract/plan.ts';
import { maskPlan } from '../../../../src/jobs/sync/operator/mask-plan.ts';

const readAt = '2026-11-02T12:00:00.000Z';
const masked = (tags: PlanReport['tags']) => maskPlan({ samples: [], tags } as unknown as PlanReport).tags;

it.each([
  ['vip', 'vip'],
  ['+55 11 98765-4321', '•••'],
  ['ana@mail.example', '•••'],
  ['123.456.789-09', '•••'],
])('a missing tag %j is shown as %j', (tag, shown) => {
  const missing = { tags: 1, people: 2, list: [{ tag, people: 2, rows: [1, 2] }] };
  expect(masked({ wanted: 2, readAt, missing })).toEqual({
    wanted: 2,
    readAt,
    missing: { tags: 1, people: 2, list: [{ tag: shown, people: 2, rows: [1, 2] }] },
  });
});

it('tags that were not checked stay so', () => {
  const tags = { wanted: 2, readAt: null, missing: null };
  expect(masked(tags)).toEqual(tags);
});
