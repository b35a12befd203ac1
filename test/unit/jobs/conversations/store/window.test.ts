// What is said of the 24-hour window, and when nothing is: a wrong "closed" keeps a message back, a wrong "open" loses it.
import { describe, expect, it } from 'vitest';
import {
  CLOSED_SINCE,
  DAY,
  HOUR,
  NEVER,
  NO_RULE,
  OPEN_UNTIL,
  unknown,
  type World,
  windowContext,
} from './window-context.ts';

const { build, ask } = windowContext();

describe('a conversation', () => {
  const cases: [string, World, object][] = [
    ['in which the contact wrote an hour ago', { talks: [{ inbound: HOUR }] }, OPEN_UNTIL(HOUR)],
    ['61 s before its end', { talks: [{ inbound: DAY - 61 }] }, OPEN_UNTIL(DAY - 61)],
    [
      '60 s before its end: what is sent now may come too late',
      { talks: [{ inbound: DAY - 60 }] },
      CLOSED_SINCE(DAY - 60),
    ],
    ['24 hours after', { talks: [{ inbound: DAY }] }, CLOSED_SINCE(DAY)],
    ['two days after', {}, CLOSED_SINCE(2 * DAY)],
    ['whose message lies ahead by a minute, as clocks do', { talks: [{ inbound: -60 }] }, OPEN_UNTIL(-60)],
    ['whose message lies in the next year', { talks: [{ inbound: -365 * DAY }] }, unknown(/future/)],
    ['of another channel', { talks: [{ channel: 'whatsapp' }] }, NO_RULE],
    [
      'of another channel, with nobody looking',
      { talks: [{ channel: 'instagram', inbound: null }], polls: [] },
      NO_RULE,
    ],
    ['that was never seen', { talks: [] }, unknown(/imported/)],
    ['that only another account has', { talks: [{ account: 'other', inbound: HOUR }] }, unknown(/imported/)],
    // Open is proved by one message, however old the knowledge.
    ['open, and the poller gone', { talks: [{ inbound: HOUR }], polls: [] }, OPEN_UNTIL(HOUR)],
    ['open, with messages still to be read', { talks: [{ inbound: HOUR, todo: true }] }, OPEN_UNTIL(HOUR)],
    ['open, with a gap', { talks: [{ inbound: HOUR }], gaps: [{}, { conversation: 1 }] }, OPEN_UNTIL(HOUR)],
    // Closed is not.
    ['and the last poll 300 s ago', { polls: [{ complete: 300 }] }, CLOSED_SINCE(2 * DAY)],
    ['and the last poll 301 s ago', { polls: [{ complete: 301 }] }, unknown(/5 minutes/)],
    ['and no poll complete yet', { polls: [{ complete: null }] }, unknown(/5 minutes/)],
    ['and no poller', { polls: [] }, unknown(/no poller/)],
    ['and the poller not configured any more', { scopes: {} }, unknown(/no poller/)],
    ['and the poller of this connection', { scopes: { main: 2 } }, CLOSED_SINCE(2 * DAY)],
    ['and the poller now of another connection', { scopes: { main: 3 } }, unknown(/no poller/)],
    [
      'and another poller that looks elsewhere',
      { polls: [{ complete: 301 }, { name: 'two' }], scopes: { main: 2, two: 3 } },
      unknown(/5 minutes/),
    ],
    [
      'and the poller under a new name',
      { polls: [{ name: 'new' }], scopes: { new: 'all' } },
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'and the poller under a new name since an hour',
      { polls: [{ name: 'new', since: HOUR }], scopes: { new: 'all' } },
      unknown(/no poller/),
    ],
    ['and messages to be read', { talks: [{ todo: true }] }, unknown(/to be read/)],
    ['and older pages to be read', { talks: [{ reading: true }] }, unknown(/to be read/)],
    ['and a gap in the list an hour ago', { gaps: [{}] }, unknown(/gap/)],
    ['and a gap in the list whose end is not known', { gaps: [{ before: null }] }, unknown(/gap/)],
    ['and a gap in the list of yesterday', { gaps: [{ before: DAY + 1 }] }, CLOSED_SINCE(2 * DAY)],
    ['and a gap of another poller', { gaps: [{ poller: 'two' }] }, CLOSED_SINCE(2 * DAY)],
    ['and a gap in it', { gaps: [{ conversation: 1 }] }, unknown(/missing/)],
    ['and a gap in another one', { gaps: [{ conversation: 2 }] }, CLOSED_SINCE(2 * DAY)],
    [
      'and a message without a known author',
      { messages: [{ fromMe: null, at: HOUR }] },
      unknown(/its author/),
    ],
    ['and a message of nobody knows when', { messages: [{ fromMe: false, at: null }] }, unknown(/its time/)],
    [
      'and a message of nobody knows anything',
      { messages: [{ fromMe: null, at: null }] },
      unknown(/its time/),
    ],
    ['and such a message of last week', { messages: [{ fromMe: null, at: 7 * DAY }] }, CLOSED_SINCE(2 * DAY)],
    [
      'and messages of our own',
      {
        messages: [
          { fromMe: true, at: HOUR },
          { fromMe: true, at: null },
        ],
      },
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'and messages that another reading has left behind',
      { messages: [{ fromMe: null, at: null, staged: true }] },
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'and a message that could not be read a week ago',
      { gaps: [{ conversation: 1, assumed: 'others', before: 8 * DAY, last: 7 * DAY }] },
      unknown(/may be missing/, true),
    ],
    [
      'and a gap of another conversation',
      { gaps: [{ conversation: 7, assumed: 'others' }] },
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'and behind many of our own one of the contact',
      {
        messages: [
          { fromMe: false, at: HOUR },
          { fromMe: true, at: 10 },
        ],
      },
      OPEN_UNTIL(HOUR),
    ],
    // A contact who never wrote.
    ['without any message of the contact', { talks: [{ inbound: null }] }, NEVER],
    [
      'without one, as far as five hours back',
      { talks: [{ inbound: null }], polls: [{ since: 5 * HOUR }] },
      unknown(/24 hours/),
    ],
    ['without one, where all was read', { talks: [{ inbound: null }], polls: [{ since: null }] }, NEVER],
    [
      'without one, and history still to be read',
      { talks: [{ inbound: null }], polls: [{ history: true }] },
      unknown(/24 hours/),
    ],
    [
      'without one, and quiet for longer',
      { talks: [{ inbound: null, updated: DAY }], polls: [{ since: HOUR, history: true }] },
      NEVER,
    ],
    [
      'with one, as far as five hours back',
      { polls: [{ since: 5 * HOUR, history: true }] },
      CLOSED_SINCE(2 * DAY),
    ],
  ];
  it.each(cases)('%s', async (_, world, expected) => {
    await build(world);
    expect(await ask({}, world)).toEqual(expected);
  });
});
