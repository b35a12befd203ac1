// What `sluice dlq show` says below a dead letter: what a replay would come to, and the commands that settle it.
import { expect, it } from 'vitest';
import { nextSteps } from '../../../src/jobs/events/commands/dlq/show.ts';
import type { DryRunNow } from '../../../src/jobs/events/contract/refusals.ts';

const LETTER = { id: '0-2', code: 'SCHEMA', reason: 'phone: must be string' };

it.each<[string, DryRunNow, string | undefined, RegExp[]]>([
  [
    'a replay would be refused as before',
    { outcome: 'refused', code: 'SCHEMA', reason: 'phone: must be string' },
    undefined,
    [/a replay now: refused SCHEMA: phone: must be string \(as before\)/, /correct .*dlq replay 0-2`/],
  ],
  [
    'a replay would pass',
    { outcome: 'accepted', events: [{ action: 'tags', request: {} }] },
    'bus',
    [/a replay now: accepted as tags$/m, /next: `sluice dlq replay 0-2 --cluster bus` sends it again/],
  ],
  [
    'no route reads it',
    { outcome: 'no route', reason: 'no route reads "crm"' },
    undefined,
    [/no route reads "crm"/],
  ],
])('%s', (_, now, cluster, expected) => {
  const text = nextSteps(LETTER, now, cluster).join('\n');
  for (const line of expected) expect(text).toMatch(line);
  expect(text).toContain('sluice dlq discard 0-2');
});
