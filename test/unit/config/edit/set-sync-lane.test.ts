// The lane of one sync is set in the text of sluice.yaml, and nothing else of the text changes.
import { expect, it } from 'vitest';
import { setSyncLane } from '../../../../src/config/edit/set-sync-lane.ts';

const TEXT = `# Who we sync.
version: 1
syncs:
  # every night
  leads:
    account: acme # ours
    source: crm
    lane: backfill # can wait
  flow: { account: acme, source: crm }
  base: &base { account: acme, source: crm }
  copy: *base
  other:
    <<: *base
    source: x
`;

it.each<[string, string, 'lead' | 'backfill', readonly [string, string]]>([
  ['a lane that is there', 'leads', 'lead', ['lane: backfill # can wait', 'lane: lead # can wait']],
  ['the same lane', 'leads', 'backfill', ['', '']],
  [
    'a missing lane',
    'flow',
    'lead',
    ['flow: { account: acme, source: crm }', 'flow: { account: acme, source: crm, lane: lead }'],
  ],
  [
    'a sync that takes parts of another',
    'other',
    'lead',
    ['    source: x\n', '    source: x\n    lane: lead\n'],
  ],
])('%s: comments and all other entries stay', (_, sync, lane, [before, after]) => {
  expect(setSyncLane(TEXT, sync, lane)).toBe(TEXT.replace(before, after));
});

it.each([
  ['base', 'SYNC_SHARED'],
  ['copy', 'SYNC_SHARED'],
  ['nobody', 'SYNC_ELSEWHERE'],
])('%s is refused with %s, because another entry would change too or none is there', (sync, code) => {
  expect(() => setSyncLane(TEXT, sync, 'lead')).toThrow(expect.objectContaining({ code }));
});

it.each([
  ['', 'SYNC_ELSEWHERE'],
  ['- a', 'SYNC_ELSEWHERE'],
  ['syncs:', 'SYNC_ELSEWHERE'],
  ['syncs: { leads: 7 }', 'SYNC_SHARED'],
  ['a: [', 'YAML'],
])('the text %j is refused with %s', (text, code) => {
  expect(() => setSyncLane(text, 'leads', 'lead')).toThrow(expect.objectContaining({ code }));
});
