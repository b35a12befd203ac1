// The health section of `sluice status`.
import { expect, it } from 'vitest';
import { describeOverview } from '../../../../src/cli/status/status.ts';
import { busyOverview } from '../../../support/console/sample.ts';

const AT = '2026-11-23T12:00:00.000Z';
const before = (minutes: number) => new Date(Date.parse(AT) - minutes * 60_000).toISOString();
const POLLER = {
  account: 'acme',
  poller: 'chats',
  state: 'polling',
  polledAt: before(1),
  startedAt: before(5),
} as const;

it.each([
  [90, 'polling, last poll 1 min ago, complete 1 min 30 s ago'],
  [0, 'polling, last poll 1 min ago, complete 0.0 s ago'],
  [null, 'polling, last poll 1 min ago, complete never, started 5 min ago'],
])('a poller whose complete view is %s seconds old is shown as "%s"', (lagSeconds, text) => {
  const overview = busyOverview();
  const lines = describeOverview({
    ...overview,
    at: AT,
    health: { ...overview.health, pollers: [{ ...POLLER, lagSeconds }] },
  });
  expect(lines.find((line) => line.includes('poller '))?.trim()).toBe(`poller    chats (acme): ${text}`);
});
