// What operators see of the outbox, and what they may do to it.
import { beforeEach, describe, expect, it } from 'vitest';
import { shortHash } from '../../../../../src/core/sql/short-hash.ts';
import type { OutboxFilter } from '../../../../../src/jobs/outbox/contract/operator.ts';
import {
  describeSinks,
  discardOutbox,
  listOutbox,
  reopenOutbox,
} from '../../../../../src/jobs/outbox/store/queries.ts';
import { emptyLedger, testLedger } from '../../../../support/postgres/ledger.ts';
import { published, put } from '../../../activities/outbox/outbox-context.ts';

const db = await testLedger();
beforeEach(async () => {
  await emptyLedger(db);
  await put(db, ['bus', 'hooks'], [published(1, 1), published(1, 2), published(2, 3)]);
  await put(db, ['bus'], [published(1, 4, { account: 'other' })]);
  // bus/1 and hooks/2 are 1, bus/3 and hooks/4 are 2, bus/5 and hooks/6 are 3, bus/7 is the other account's.
  await db.query(
    `update outbox set state = 'dead', attempts = 9, code = 'REFUSED', reason = 'no', tried_at = now() where seq in (1, 4)`,
  );
  await db.query(
    `update outbox set attempts = 1, code = 'DOWN', reason = 'away', sink_wide = true, next_at = now() + interval '1 hour'
      where seq = 2`,
  );
  await db.query(`update outbox set next_at = now() + interval '1 hour' where seq = 3`);
  await db.query(
    `insert into sink_states (sink, failures, open_until, code, reason) values
       ('hooks', 7, now() + interval '1 hour', 'DOWN', 'away'), ('bus', 0, null, null, null)`,
  );
});

const filter = (over: Partial<OutboxFilter> = {}): OutboxFilter => ({
  states: ['waiting', 'dead'],
  ...over,
});
const ids = async (over: Partial<OutboxFilter>, page: { limit?: number; after?: string } = {}) =>
  (await listOutbox(db, filter(over), { limit: 100, ...page })).map(({ id }) => id);

describe('the list', () => {
  it.each<[string, Partial<OutboxFilter>, string[]]>([
    [
      'is of both states, the oldest first',
      {},
      ['bus/1', 'hooks/2', 'bus/3', 'hooks/4', 'bus/5', 'hooks/6', 'bus/7'],
    ],
    ['of dead ones', { states: ['dead'] }, ['bus/1', 'hooks/4']],
    ['of one sink', { sinks: ['hooks'] }, ['hooks/2', 'hooks/4', 'hooks/6']],
    ['of one account', { account: 'other' }, ['bus/7']],
    ['of a type that nobody has', { types: ['message.sent'] }, []],
    ['of a type', { types: ['message.status'], sinks: ['hooks'] }, ['hooks/2', 'hooks/4', 'hooks/6']],
    ['of a code', { codes: ['DOWN'] }, ['hooks/2']],
    ['of several conditions', { states: ['waiting'], sinks: ['bus'], account: 'acme' }, ['bus/3', 'bus/5']],
    [
      'of ids, whatever the rest says',
      { ids: ['bus/1', 'hooks/6'], states: [], account: 'none' },
      ['bus/1', 'hooks/6'],
    ],
    [
      'of ids that are none',
      { ids: ['bus', '/1', 'bus/x', 'bus/1/2', 'bus/-1', 'bus/99999999999999999999', 'hooks/1'] },
      [],
    ],
    ['of no ids at all', { ids: [] }, []],
  ])('%s', async (_, over, found) => {
    expect(await ids(over)).toEqual(found);
  });

  it('has pages: each begins after the last event of the one before', async () => {
    expect(await ids({}, { limit: 2 })).toEqual(['bus/1', 'hooks/2']);
    expect(await ids({}, { limit: 2, after: 'hooks/2' })).toEqual(['bus/3', 'hooks/4']);
    expect(await ids({}, { after: 'hooks/6' })).toEqual(['bus/7']);
    expect(await ids({}, { after: 'bus/7' })).toEqual([]);
  });

  it('shows nothing of the event’s content', async () => {
    const [first] = await listOutbox(db, filter(), { limit: 100 });
    expect(first).toEqual({
      id: 'bus/1',
      sink: 'bus',
      account: 'acme',
      stream: 'acme/1',
      type: 'message.status',
      // The id of a message may contain the number.
      eventId: `message.status/acme/1/${shortHash('acme/1/1')}`,
      state: 'dead',
      attempts: 9,
      nextAt: null,
      code: 'REFUSED',
      reason: 'no',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      triedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });
});

it('the status lists sinks that are configured, have events, or had some', async () => {
  const sinks = await describeSinks(db, ['new', 'bus']);
  expect(sinks).toMatchObject([
    { sink: 'bus', circuit: 'closed', openUntil: null, waiting: 3, dead: 1, sent: 0, sentAt: null },
    { sink: 'hooks', circuit: 'open', code: 'DOWN', reason: 'away', waiting: 2, dead: 1 },
    { sink: 'new', circuit: 'closed', code: null, waiting: 0, dead: 0, lagSeconds: null, sent: 0 },
  ]);
  expect(sinks[0]?.lagSeconds).toBeGreaterThanOrEqual(0);
});

const ready = () =>
  db.query('select seq, attempts from outbox where state = $1 and next_at is null order by seq', ['waiting']);
const open = async () =>
  (
    await db.query<{ open: boolean }>(
      `select open_until > now() as open from sink_states where sink = 'hooks'`,
    )
  )[0];

describe('a retry', () => {
  it('of dead events resets their attempts, and their sinks are probed at once', async () => {
    expect(await db.transaction((tx) => reopenOutbox(tx, filter({ states: ['dead'] }), 100))).toEqual({
      count: 2,
      sinks: ['bus', 'hooks'],
    });
    expect(await ids({ states: ['dead'] })).toEqual([]);
    // bus/3 stood behind bus/1, and nothing holds it any more.
    expect(await ready()).toEqual([1, 3, 4, 5, 6, 7].map((seq) => ({ seq, attempts: 0 })));
    expect(await open()).toEqual({ open: false });
  });

  it('of a waiting event keeps its attempts, and does not touch other sinks', async () => {
    expect(
      await db.transaction((tx) => reopenOutbox(tx, filter({ ids: ['hooks/2'], states: [] }), 100)),
    ).toEqual({
      count: 1,
      sinks: ['hooks'],
    });
    expect(await ready()).toContainEqual({ seq: 2, attempts: 1 });
    expect(await ids({ states: ['dead'] })).toEqual(['bus/1', 'hooks/4']);
  });

  it('repeated after a lost answer changes nothing, and names the sinks again', async () => {
    const again = () =>
      db.transaction((tx) => reopenOutbox(tx, filter({ states: ['dead'], sinks: ['hooks'] }), 100));
    expect(await again()).toEqual({ count: 1, sinks: ['hooks'] });
    expect(await again()).toEqual({ count: 0, sinks: ['hooks'] });
  });

  it('takes no more than the limit', async () => {
    expect(await db.transaction((tx) => reopenOutbox(tx, filter({ states: ['dead'] }), 1))).toMatchObject({
      count: 1,
    });
    expect(await ids({ states: ['dead'] })).toEqual(['hooks/4']);
  });
});

it('a discarded event is deleted, and the events behind it continue', async () => {
  const command = filter({ ids: ['hooks/2', 'bus/1', 'bus/99'], states: [] });
  expect(await db.transaction((tx) => discardOutbox(tx, command, 100))).toEqual({
    count: 2,
    sinks: ['hooks', 'bus'],
  });
  expect(await ids({})).toEqual(['bus/3', 'hooks/4', 'bus/5', 'hooks/6', 'bus/7']);
  expect(await ready()).toContainEqual({ seq: 3, attempts: 0 });
});
