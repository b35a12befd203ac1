// How a row whose outcome is unknown reads in a list: what was sent, and what speaks for or against its effect.
import { expect, it } from 'vitest';
import { describeHints } from '../../../../../src/jobs/sync/commands/describe-hints.ts';
import type { SyncRow } from '../../../../../src/jobs/sync/contract/runs.ts';

type Hints = NonNullable<SyncRow['hints']>;
const AT = '2026-11-20T06:00:00.000Z';
const CARD: Hints = {
  effect: 'card',
  target: 'Sales',
  sentAt: AT,
  sends: 3,
  contact: null,
  contactSeenAt: null,
  card: null,
};

it.each<[string, Partial<Hints>, string]>([
  [
    'nothing is known since',
    {},
    `card created in Sales: sent 3 times, last at ${AT}; no contact is known; no card is known`,
  ],
  [
    'the card was found since',
    { sends: 1, contact: 7, contactSeenAt: AT, card: { id: 9, since: true, inTarget: null } },
    `card created in Sales: sent 1 time, last at ${AT}; contact 7, seen at ${AT}; card 9, stored after the call`,
  ],
  [
    'the card was elsewhere before',
    { effect: 'stage', target: '#5', contact: 7, card: { id: 9, since: false, inTarget: false } },
    `card moved to #5: sent 3 times, last at ${AT}; contact 7; card 9 in another stage, stored before the call`,
  ],
  [
    'a retry was canceled before its call',
    { effect: 'contact', target: null, sends: 0, sentAt: null },
    'contact written: not sent since the last retry; no contact is known; no card is known',
  ],
])('%s', (_, over, line) => {
  expect(describeHints({ ...CARD, ...over })).toBe(line);
});
