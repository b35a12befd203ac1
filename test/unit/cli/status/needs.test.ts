// What needs a person, in the singular and the plural, with the command that decides it.
import { expect, it } from 'vitest';
import { describeNeed } from '../../../../src/cli/status/needs.ts';
import type { Need } from '../../../../src/contracts/operator/overview.ts';

const need = (over: Partial<Need>): Need => ({
  kind: 'unknown-members',
  severity: 'warning',
  account: 'acme',
  name: 'spring',
  run: 'acme/+spring/1',
  count: 1,
  since: null,
  code: null,
  reason: null,
  commands: [],
  ...over,
});

it.each([
  [
    {},
    '1 member of the campaign spring has an unknown outcome',
    'campaign resolve acme/+spring/1 --all --as …',
  ],
  [{ count: 1200 }, '1,200 members of the campaign spring have an unknown outcome', 'campaign resolve'],
  [
    { kind: 'failed-members', count: 2 },
    '2 members of the campaign spring failed',
    'campaign retry acme/+spring/1',
  ],
  [
    { kind: 'dead-letters', name: 'signup' },
    '1 dead letter of the route signup is open',
    'dlq list --route signup',
  ],
  [
    { kind: 'refused-events', name: 'signup', count: 2 },
    '2 requests to the route signup were refused',
    'refused list --route signup',
  ],
] as const)('%j', (over, fact, command) => {
  const [first, second] = describeNeed(need(over));
  expect(first).toContain(fact);
  expect(second).toContain(`npx sluice ${command}`);
});
