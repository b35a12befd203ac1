// What is said of the 24-hour window of a person, on a connection or on any.
import { describe, expect, it } from 'vitest';
import { type WindowQuestion, windowOf } from '../../../../../src/jobs/conversations/store/window.ts';
import {
  CLOSED_SINCE,
  DAY,
  HOUR,
  KEY,
  NEVER,
  NO_RULE,
  NOW,
  OPEN_UNTIL,
  type Talk,
  unknown,
  type World,
  windowContext,
} from './window-context.ts';

const { db, build, ask } = windowContext();

describe('a person', () => {
  const waba = (over: Talk = {}): Talk => over;
  const stranger = { key: '5511900000000' };
  const cases: [string, World, WindowQuestion['connection'], object][] = [
    ['on a connection by id', { talks: [waba({ inbound: HOUR })] }, 2, OPEN_UNTIL(HOUR)],
    ['on a connection by name', { talks: [waba({ inbound: HOUR })] }, 'line 2', OPEN_UNTIL(HOUR)],
    ['on the only one there is', { talks: [waba({ inbound: HOUR })] }, undefined, OPEN_UNTIL(HOUR)],
    [
      'who wrote on another connection',
      { talks: [{}, { inbound: HOUR, connection: 3 }] },
      2,
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'on one that the ledger has not seen',
      { talks: [waba({ inbound: HOUR })] },
      9,
      unknown(/no conversation/),
    ],
    [
      'on a name that the ledger has not seen',
      { talks: [waba({ inbound: HOUR })] },
      'line',
      unknown(/no conversation/),
    ],
    ['on one of another channel', { talks: [{ channel: 'whatsapp' }] }, 2, NO_RULE],
    ['in an account without conversations', { talks: [] }, undefined, unknown(/no conversation/)],
    [
      'who has two conversations',
      { talks: [{ inbound: 3 * DAY, status: 'closed' }, { inbound: HOUR }] },
      2,
      OPEN_UNTIL(HOUR),
    ],
    [
      'who wrote in one that is closed now',
      { talks: [{ inbound: HOUR, status: 'closed' }, {}] },
      2,
      unknown(/may start another/),
    ],
    [
      'who wrote in neither',
      { talks: [{ inbound: 3 * DAY, status: 'closed' }, {}] },
      2,
      CLOSED_SINCE(2 * DAY),
    ],
    ['with one of them to be read', { talks: [{ todo: true }, {}] }, 2, unknown(/to be read/)],
    ['with a gap in one of them', { talks: [{}, {}], gaps: [{ conversation: 2 }] }, 2, unknown(/missing/)],
    [
      'who may have conversations that were not imported',
      { polls: [{ since: HOUR }] },
      2,
      unknown(/24 hours/),
    ],
    ['who has none', { talks: [stranger] }, 2, NEVER],
    ['who has none, as far as 24 hours back', { talks: [stranger], polls: [{ since: DAY }] }, 2, NEVER],
    [
      'who has none, as far as five hours back',
      { talks: [stranger], polls: [{ since: 5 * HOUR }] },
      2,
      unknown(/24 hours/),
    ],
    ['who has none, where all was read', { talks: [stranger], polls: [{ since: null }] }, 2, NEVER],
    [
      'who has none, and history still to be read',
      { talks: [stranger], polls: [{ since: null, history: true }] },
      2,
      unknown(/24 hours/),
    ],
    ['who has none, and a gap', { talks: [stranger], gaps: [{}] }, 2, unknown(/gap/)],
    [
      'who has none, and nobody checks',
      { talks: [stranger], polls: [{ complete: 301 }] },
      2,
      unknown(/5 minutes/),
    ],
    [
      'who has none, and the poller looks elsewhere',
      { talks: [stranger], scopes: { main: 3 } },
      2,
      unknown(/no poller/),
    ],
    ['who has none on that connection', { talks: [{ connection: 3, inbound: HOUR }, stranger] }, 2, NEVER],
    // Where the service chooses the connection.
    [
      'where one of two is whatsapp',
      { talks: [waba(), { ...stranger, connection: 3, channel: 'whatsapp' }] },
      undefined,
      unknown(/not all/),
    ],
    [
      'where one of two sends nothing',
      { talks: [waba(), { ...stranger, connection: 3, channel: 'facebook' }] },
      undefined,
      CLOSED_SINCE(2 * DAY),
    ],
    ['where the poller has one of them only', { scopes: { main: 2 } }, undefined, unknown(/no poller/)],
    [
      'open on both',
      { talks: [{ inbound: HOUR }, { inbound: 2 * HOUR, connection: 3 }] },
      undefined,
      OPEN_UNTIL(2 * HOUR),
    ],
    ['open on one', { talks: [{ inbound: HOUR }, { connection: 3 }] }, undefined, unknown(/chooses/)],
    [
      'open on one, nothing on the other',
      { talks: [{ inbound: HOUR }, { ...stranger, connection: 3 }] },
      undefined,
      unknown(/chooses/),
    ],
    [
      'closed on both',
      { talks: [{}, { inbound: 3 * DAY, connection: 3 }] },
      undefined,
      CLOSED_SINCE(2 * DAY),
    ],
    [
      'closed on one, never on the other',
      { talks: [{}, { ...stranger, connection: 3 }] },
      undefined,
      CLOSED_SINCE(2 * DAY),
    ],
  ];
  it.each(cases)('%s', async (_, world, connection, expected) => {
    await build(world);
    expect(await ask({ to: { key: KEY }, connection }, world)).toEqual(expected);
  });

  it('is read in one statement, even with many connections whose names change', async () => {
    const talks = Array.from({ length: 30 }, (_, n) => ({ ...stranger, connection: n + 1, updated: n }));
    await build({ talks: [...talks, { ...stranger, connection: 5, name: 'renamed', updated: 0 }] });
    const statements: string[] = [];
    const counting = {
      query: (sql: string, params?: readonly unknown[]) => {
        statements.push(sql);
        return db().query(sql, params) as never;
      },
    };
    const about = (connection: string) =>
      windowOf(counting, { account: 'acme', to: { key: KEY }, connection, scopeOf: () => 'all', now: NOW });
    expect(await about('renamed')).toEqual(NEVER);
    expect(await about('line 5')).toEqual(unknown(/no conversation/));
    expect(await about('line 30')).toEqual(NEVER);
    expect(statements).toHaveLength(3);
  });
});
