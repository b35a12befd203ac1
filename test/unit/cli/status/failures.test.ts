// `sluice failures` names the command for each failure, in every width.
import { expect, it } from 'vitest';
import { commandOf, describeFailures } from '../../../../src/cli/status/failures.ts';
import type { Failure } from '../../../../src/operator/contract/failures.ts';

const failure = (over: Partial<Failure> = {}): Failure => ({
  kind: 'record',
  account: 'acme',
  name: 'leads',
  run: 'acme/leads/3',
  outcome: 'failed',
  code: 'ERR_PLAN',
  reason: 'not in the plan',
  count: 1200,
  firstAt: '2026-11-23T01:00:00.000Z',
  lastAt: '2026-11-23T02:00:00.000Z',
  ...over,
});

it.each([
  [{}, 'sluice sync retry leads --failed --run acme/leads/3'],
  [{ outcome: 'unknown' }, 'sluice sync retry leads --unknown --run acme/leads/3'],
  [{ kind: 'row' }, 'sluice sync rows leads --rejected --run acme/leads/3'],
  [{ kind: 'run' }, 'sluice sync run leads'],
  [{ kind: 'run', name: 'spring', run: 'acme/+spring/1' }, 'sluice campaign status spring'],
  [{ kind: 'member', run: 'acme/+spring/1' }, 'sluice campaign retry acme/+spring/1 --code ERR_PLAN'],
  [
    { kind: 'member', run: 'acme/+spring/1', outcome: 'unknown' },
    'sluice campaign resolve acme/+spring/1 --all --as …',
  ],
  [{ kind: 'event', run: null }, 'sluice events retry --failed --route leads --code ERR_PLAN --yes'],
  [{ kind: 'refusal', run: null }, 'sluice refused list --route leads'],
  [{ kind: 'dead letter', run: null }, 'sluice dlq replay --route leads --code ERR_PLAN --dry-run'],
  [
    { kind: 'call', run: 'acme/~chats/1', outcome: 'unknown' },
    'sluice calls list --lost --run acme/~chats/1',
  ],
] as const)('%j is mended with %s', (over, command) => {
  expect(commandOf(failure(over as Partial<Failure>))).toBe(command);
});

it('the command has a column where the line fits, and a line of its own on a narrow terminal', () => {
  const wide = describeFailures([failure()], { isTTY: true, columns: 250 });
  expect(wide).toHaveLength(2);
  expect(wide[0]).toMatch(/^last +first +what .* run .* what to do$/);
  expect(wide[1]).toContain('sluice sync retry leads --failed --run acme/leads/3');
  const narrow = describeFailures([failure()], { isTTY: true, columns: 80 });
  expect(narrow).toHaveLength(3);
  expect(narrow[2]).toBe('  sluice sync retry leads --failed --run acme/leads/3');
  expect(describeFailures([failure()], {})).toHaveLength(2);
});
