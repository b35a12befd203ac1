// Answers of a server with work in progress, for tests that look at the whole console.
import { busyOverview, callMinutes, spending } from './sample.ts';
import { eventAnswers } from './sample-events.ts';
import { type Answer, loginAnswers } from './stub.ts';

export const consoleAnswers = (
  more: Readonly<Record<string, Answer>> = {},
): Readonly<Record<string, Answer>> => ({
  ...loginAnswers(),
  ...eventAnswers(),
  'GET /overview': busyOverview,
  'GET /spending': spending,
  'GET /syncs/contacts/lanes': () => ({
    lanes: [
      {
        lane: 'lead',
        before: [{ kind: 'route', name: 'notify' }],
        beside: [],
        after: [
          { kind: 'poller', name: 'chats' },
          { kind: 'campaign', name: 'spring' },
        ],
      },
      { lane: 'backfill', before: [{ kind: 'campaign', name: 'spring' }], beside: [], after: [] },
    ],
  }),
  'GET /calls/minutes': (req) => callMinutes(Number(req.query['minutes'])),
  ...more,
});
