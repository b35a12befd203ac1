// Conversations and events on which much goes on. Names are hostile where they come from people.
import type { Output } from '../../../src/operator/contract/index.ts';
import { HOSTILE_NAME } from './sample.ts';
import type { Answer } from './stub.ts';

const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

const pollers: Output<'GET /pollers'>['pollers'] = (['polling', 'blocked', 'stopped'] as const).map(
  (state, at) => ({
    account: 'acme',
    poller: ['inbox', 'sales', 'old'][at] ?? '',
    state,
    blocked: state === 'blocked' ? { code: 'ERR_TOKEN_REVOKED', reason: 'the token was revoked' } : null,
    paused: null,
    since: null,
    watermark: ago(1),
    history: false,
    conversations: 1234,
    todo: at === 0 ? 12 : 0,
    lagSeconds: at === 0 ? 75 : null,
    polls: 4321,
    calls: 9876,
    messages: 15_432,
    gaps: at,
    unread: at,
    polledAt: ago(at),
    newsAt: ago(at),
    startedAt: ago(9000),
    configured: at !== 2,
    trouble: null,
  }),
);

const sinks: Output<'GET /sinks'>['sinks'] = [
  {
    sink: 'crm',
    circuit: 'open',
    openUntil: ago(-2),
    code: 'HTTP_503',
    reason: 'the receiver answered 503',
    waiting: 1820,
    dead: 3,
    lagSeconds: 5400,
    sent: 90_123,
    sentAt: ago(90),
  },
  {
    sink: 'bus',
    circuit: 'closed',
    openUntil: null,
    code: null,
    reason: null,
    waiting: 0,
    dead: 0,
    lagSeconds: null,
    sent: 1_234_567,
    sentAt: ago(0),
  },
];

const conversation = (id: number): Output<'GET /conversations'>['conversations'][number] => ({
  account: 'acme',
  id,
  poller: 'inbox',
  status: ['open', 'pending', 'closed', 'snoozed'][id % 4] ?? 'open',
  channel: 'waba',
  connection: { id: 1, name: HOSTILE_NAME },
  contactId: id,
  name: id % 5 === 0 ? null : `M•••• ${id}`,
  number: '+55 11 9••••-4321',
  chatbot: id % 3 === 0,
  userId: id % 2 === 0 ? 7 : null,
  queueId: null,
  lastMessage: '•••',
  waitingSince: id % 4 === 2 ? null : ago(id),
  updatedAt: ago(id),
  inboundAt: ago(id + 3),
  todo: false,
});

const message = (seq: number): Output<'GET /conversations/{account}/{conversation}'>['messages'][number] => ({
  seq,
  at: ago(50 - seq),
  fromMe: seq % 2 === 0,
  status: seq % 2 === 0 ? 'read' : null,
  published: seq < 4,
  text: seq < 4 ? null : '•••',
});

const OUTCOMES = ['done', 'failed', 'unknown', 'unchanged', null] as const;
const event = (n: number): Output<'GET /events'>['events'][number] => {
  const outcome = OUTCOMES[n % OUTCOMES.length] ?? null;
  const isBad = outcome === 'failed' || outcome === 'unknown';
  return {
    id: `event-${n}`,
    account: 'acme',
    route: n % 4 === 0 ? HOSTILE_NAME : 'site-leads',
    action: 'message',
    state: outcome === null ? 'accepted' : 'ended',
    outcome,
    step: null,
    code: isBad ? 'WINDOW_CLOSED' : null,
    reason: isBad ? 'the contact has not written for 24 hours' : null,
    blocked: outcome === null ? { code: 'ERR_PLAN', reason: 'the plan lacks this feature' } : null,
    warnings: [],
    workflow: 'lead-intake/acme/site-leads/x',
    receivedAt: ago(n),
    acceptedAt: ago(n),
    endedAt: outcome === null ? null : ago(n - 0.2),
  };
};

const letter = (n: number): Output<'GET /dead-letters'>['deadLetters'][number] => ({
  id: `0-${n}`,
  failedAt: ago(n * 7),
  route: 'bus-leads',
  code: n % 2 === 0 ? 'SCHEMA' : 'BAD_JSON',
  reason: n % 2 === 0 ? 'the event does not fit its schema (phone: type)' : 'the body is not JSON',
  origin: { topic: 'crm.leads', partition: 1, offset: String(n), timestamp: '0' },
  resolution: null,
});

/** As its sender wrote it. */
export const REFUSED_BODY = '{\n  "event_id": "e1",\n  "phoen": "+55 11 98765-4321"\n}';

/** Id of a refused request. */
export const refusedId = (n: number) => `rr_${String(n).padStart(22, '0')}`;

const refused = (n: number): Output<'GET /refused-requests'>['requests'][number] => ({
  id: refusedId(n),
  account: 'acme',
  route: n % 4 === 0 ? HOSTILE_NAME : 'site-leads',
  code: n % 2 === 0 ? 'MAPPING' : 'SCHEMA',
  reason: n % 2 === 0 ? 'phone: is missing' : 'the event does not fit its schema (phone: type)',
  count: n * 1111,
  bytes: 41 * n,
  firstAt: ago(n * 700),
  lastAt: ago(n * 7),
  resolution: null,
});

const rows = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n + 1));

/** Answers of everything that the two screens read. */
export function eventAnswers(): Readonly<Record<string, Answer>> {
  const event7: Output<'GET /events/{event}'> = {
    ...event(1),
    attempts: 2,
    request: { type: 'message', to: { number: '+55 11 9••••-4321' }, text: '•••' },
    replacedBy: null,
    canCorrect: true,
    trace: '4bf92f3577b34da6a3ce929d0e0e4736',
    calls: [
      {
        at: ago(1),
        method: 'POST',
        route: '/v1/messages/send',
        status: 422,
        code: 'WINDOW_CLOSED',
        requestId: 'req_81',
        waitMs: 812,
        tookMs: 95,
      },
    ],
    messages: [],
  };
  return {
    'GET /pollers': () => ({ pollers }),
    'GET /sinks': () => ({ sinks }),
    'GET /conversations': () => ({ conversations: rows(60, conversation), next: null }),
    'GET /conversations/acme/7': () => ({
      ...conversation(7),
      messages: rows(5, message).toReversed(),
      next: null,
      window: { state: 'open', at: ago(-600), why: null },
      sent: [],
    }),
    'POST /conversations/acme/7/messages': () => ({
      readAt: ago(0),
      messages: [
        { id: 'm1', at: ago(9), fromMe: false, status: null, text: HOSTILE_NAME, template: null },
        { id: 'm2', at: ago(8), fromMe: true, status: 'read', text: null, template: 'welcome' },
      ],
      unreadable: 1,
      more: true,
    }),
    'GET /gaps': () => ({ gaps: [], next: null }),
    'GET /outbox': () => ({
      events: rows(3, (n) => ({
        id: `crm/${n}`,
        sink: 'crm',
        account: 'acme',
        stream: 'acme/7',
        type: 'message.received',
        eventId: 'hash',
        state: 'dead',
        attempts: 9,
        nextAt: null,
        code: 'REFUSED',
        reason: HOSTILE_NAME,
        createdAt: ago(n * 60),
        triedAt: ago(n),
      })),
      next: null,
    }),
    'POST /messages': () => ({ event: 'event-1', duplicate: false }),
    'GET /accounts': () => ({ accounts: [] }),
    'GET /event-values': () => ({ routes: ['site-leads'], codes: ['WINDOW_CLOSED'] }),
    'GET /events': () => ({ events: rows(60, event), next: null }),
    'GET /events/event-1': () => event7,
    'GET /events/event-2': () => ({ ...event7, ...event(2), replacedBy: null, canCorrect: false }),
    'GET /events/event-3': () => ({
      ...event7,
      id: 'event-3',
      outcome: 'superseded',
      request: null,
      replacedBy: 'event-2',
      canCorrect: false,
    }),
    'POST /events/event-1/dry-run': () => ({
      now: { outcome: 'accepted', events: [{ action: 'tags', request: { type: 'tags', add: ['vip'] } }] },
    }),
    'GET /refusals': () => ({
      refusals: rows(8, (n) => ({
        id: n,
        at: ago(n),
        via: 'http',
        route: n % 3 === 0 ? '-' : 'site-leads',
        code: n % 3 === 0 ? 'NOT_FOUND' : 'SIGNATURE',
        status: n % 3 === 0 ? 404 : 401,
        reason: n % 3 === 0 ? 'no route has this path' : 'the signature does not match',
      })),
      next: null,
    }),
    'GET /refusals/hours': () => ({
      since: ago(1440),
      hours: [
        {
          hour: ago(30),
          via: 'http',
          route: 'site-leads',
          code: 'SIGNATURE',
          status: 401,
          count: 31,
          lastAt: ago(1),
        },
        {
          hour: ago(90),
          via: 'kafka',
          route: 'bus-leads',
          code: 'SCHEMA',
          status: null,
          count: 4,
          lastAt: ago(80),
        },
      ],
    }),
    'GET /kafka/lag': () => ({
      clusters: [
        {
          cluster: 'bus',
          problem: null,
          partitions: rows(3, (n) => ({
            route: 'bus-leads',
            topic: 'crm.leads',
            partition: n,
            lag: n * 14,
            next: String(n * 100),
            end: String(n * 114),
          })),
        },
        { cluster: 'other', problem: { code: 'ECONNREFUSED', message: 'no broker answers' }, partitions: [] },
      ],
    }),
    'GET /refused-requests': () => ({
      requests: rows(30, refused),
      next: null,
      total: 130,
      counts: [
        { account: 'acme', route: 'site-leads', code: 'SCHEMA', count: 100 },
        { account: 'acme', route: HOSTILE_NAME, code: 'MAPPING', count: 30 },
      ],
    }),
    [`GET /refused-requests/${refusedId(2)}`]: (req) => ({
      ...refused(2),
      headers: { 'content-type': 'application/json', 'user-agent': '•••' },
      body:
        req.query['unmask'] === undefined
          ? '{\n  "event_id": "<text, 2 characters>",\n  "phoen": "<text, 17 characters>"\n}'
          : REFUSED_BODY,
      now: { outcome: 'refused', code: 'MAPPING', reason: 'phone: is missing' },
    }),
    [`POST /refused-requests/${refusedId(2)}/dry-run`]: () => ({
      now: {
        outcome: 'accepted',
        events: [{ action: 'tags', request: { number: '+55 11 98765-4321', add: ['vip'], remove: [] } }],
      },
    }),
    'POST /refused-requests/replay': (req) => ({
      results: [{ id: refusedId(2), outcome: 'accepted', events: [] }],
      next: (req.body as { readonly after?: string }).after === undefined ? '7' : null,
    }),
    'GET /dead-letters': () => ({
      clusters: ['bus'],
      deadLetters: rows(30, letter),
      next: null,
      total: 30,
      byCode: [
        { code: 'SCHEMA', count: 15 },
        { code: 'BAD_JSON', count: 15 },
      ],
      readAt: ago(0),
    }),
    'GET /dead-letters/0-2': () => ({
      ...letter(2),
      key: '+55 11 9••••-4321',
      headers: { 'content-type': 'application/json' },
      bytes: 41,
      value: '{\n  "phone": "<number, 13 digits>"\n}',
      omitted: false,
      account: 'acme',
      now: { outcome: 'accepted', events: [] },
    }),
    'POST /dead-letters/dry-run': () => ({
      results: [
        {
          id: '0-2',
          route: 'bus-leads',
          then: { outcome: 'refused', code: 'SCHEMA', reason: 'phone: type' },
          now: {
            outcome: 'accepted',
            events: [{ action: 'tags', request: { number: '+55 11 9••••-4321', add: ['vip'], remove: [] } }],
          },
        },
      ],
      total: 1,
    }),
    'POST /dead-letters/replay': () => replay(0, 'running'),
    'GET /dead-letters/replays/r1': () => replay(1, 'finished'),
  };
}

const replay = (done: number, state: 'running' | 'finished'): Output<'POST /dead-letters/replay'> => ({
  replay: 'r1',
  state,
  done,
  total: 1,
  omitted: 0,
  unread: [],
  problem: null,
});
