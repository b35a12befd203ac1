// What a running campaign does next: waves, windows, and members that a person serves.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/ledger/database.ts';
import { testLedger } from '../../../support/ledger.ts';
import { DAY, HOUR, NOON, type RoomOptions, refused, type TurnRoom, turnRoom } from './turn-room.ts';

let db: Database;
beforeAll(async () => {
  db = await testLedger();
});

const UTC = 'Etc/UTC';
const people = (count: number, zones = UTC) => Array.from({ length: count }, () => zones);
const WEEKDAYS_9_TO_5 = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => [day, ['09:00-17:00']]),
);

async function running(options: RoomOptions): Promise<TurnRoom> {
  const room = await turnRoom(db, options);
  await room.open();
  return room;
}

describe('starting', () => {
  it('FAULTS 20: two starts at once are one, and the first of them is who started it', async () => {
    const room = await turnRoom(db, { members: people(1) });
    const [one, other] = await Promise.all([room.open('ana'), room.open('ben')]);
    expect(one).toEqual(other);
    expect(one).toEqual({ tokenKey: 'key', callsPerMinute: 120, held: null, after: [] });
    expect(await room.row()).toMatchObject({
      state: 'running',
      started_by: 'ana',
      started_at: new Date(NOON),
    });
    expect((await room.audit()).map(({ action, by }) => [action, by])).toEqual([['start', 'ana']]);
  });

  it.each<[name: string, options: Partial<RoomOptions>, type: string]>([
    ['is being planned', { state: 'planning', plan: null }, 'NOT_PLANNED'],
    ['has no figures yet', { plan: null }, 'NOT_PLANNED'],
    ['could not be planned', { state: 'failed' }, 'NOT_PLANNED'],
    ['was replaced by a newer plan', { state: 'void' }, 'NOT_PLANNED'],
    ['was cancelled', { state: 'cancelled' }, 'CAMPAIGN_CANCELLED'],
    ['nobody has approved', { config: { approval: 'second-person' } }, 'NOT_APPROVED'],
    ['can not be carried out', { plan: { problems: [{ code: 'X', reason: 'no' }] } }, 'PLAN_HAS_PROBLEMS'],
  ])('a run that %s is not started', async (_, options, type) => {
    const room = await turnRoom(db, { members: people(1), ...options });
    expect(await refused(room.open())).toBe(type);
    expect(await room.audit()).toEqual([]);
  });

  it('a run that nobody knows is not started', async () => {
    const room = await turnRoom(db, { members: [] });
    const input = { account: room.account, campaign: 'win', by: 'ana', run: 'nobody/+win/7' };
    expect(await refused(room.activities.openCampaign(input))).toBe('NO_SUCH_RUN');
    expect(await refused(room.activities.decideNext(input))).toBe('NO_SUCH_RUN');
  });

  it('an edit voids a plan, and not a run that goes on', async () => {
    const room = await turnRoom(db, { members: people(1) });
    room.edit({ flow: 2 });
    expect(await refused(room.open())).toBe('PLAN_VOID');
    room.edit({});
    await room.open();
    room.edit({ flow: 2 });
    expect(await room.open()).toMatchObject({ held: null });
  });

  it('a run waits for another one of its campaign that is under way', async () => {
    const one = await turnRoom(db, { members: people(1), state: 'finished' });
    const other = await turnRoom(db, { members: people(1) }, one.account, 2);
    await db.query("update campaigns set state = 'running' where run_id = $1", [one.run]);
    expect(await refused(other.open())).toBe('ANOTHER_RUN');
  });

  it('events of the campaign that no workflow was started for are handed over again', async () => {
    const room = await turnRoom(db, { members: [] });
    await db.query(
      `insert into events (id, account, route, run_id, action, subject, state)
       select $1 || n, $1, route, $2, 'tags', 's', state
         from (values (1, '+win', 'received'), (2, '+win', 'accepted'), (3, '+other', 'received')) e(n, route, state)`,
      [room.account, room.run],
    );
    expect((await room.open()).after).toEqual([`${room.account}1`]);
  });
});

describe('waves', () => {
  it('takes members in the order of their places, by canary and ramp, and hands them out by id', async () => {
    const room = await running({
      members: people(8),
      config: { waves: { canary: 1, size: [2, 4], settle: '0s' } },
    });
    const taken: number[][] = [];
    while ((await room.next()).do === 'triggerBatch') taken.push(await room.all());
    expect(taken).toEqual([[8], [6, 7], [2, 3, 4, 5], [1]]);
    expect(await room.next()).toMatchObject({ do: 'finish', wave: 4, counts: { triggered: 8, waiting: 0 } });
    expect(await room.close()).toBe(true);
    expect((await room.waves()).map(({ kind, size }) => [kind, size])).toEqual([
      ...[
        ['canary', 1],
        ['wave', 2],
        ['wave', 4],
        ['wave', 1],
      ],
    ]);
  });

  it('members that a batch has in hand are not given to another one, until nobody renews their lease', async () => {
    const room = await running({ members: people(5) });
    const { members } = await room.batch({ limit: 2, seconds: 10 });
    expect(room.numbers(members)).toEqual([1, 2]);
    expect(room.numbers((await room.batch({ seconds: 20 })).members)).toEqual([3, 4, 5]);
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'retry', untilMs: NOON + 10_000 });
    room.clock.at += 10_000;
    expect((await room.batch()).members).toEqual(members);
  });

  it('the next wave waits until the last one is judged, and `every` from its first trigger is over', async () => {
    const room = await running({
      members: people(3),
      config: { waves: { size: 1, settle: '15m', every: '1h' } },
    });
    room.clock.at += HOUR;
    await room.next();
    await room.all();
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'every', untilMs: NOON + 2 * HOUR });
    room.clock.at = NOON + 2 * HOUR - 1;
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'every' });
    room.clock.at += 1;
    await room.next();
    // It took its time.
    room.clock.at += 2 * HOUR;
    await room.all();
    expect(await room.next()).toMatchObject({
      do: 'waitUntil',
      why: 'settle',
      untilMs: room.clock.at + HOUR / 4,
    });
    room.clock.at += HOUR / 4;
    await room.next();
    await room.all();
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'settle' });
    room.clock.at += HOUR / 4;
    expect(await room.next()).toMatchObject({ do: 'finish' });
    expect((await room.waves()).every(({ judged_at }) => judged_at !== null)).toBe(true);
  });

  it('a wave that is made while windows are closed begins when they open', async () => {
    const config = { windows: { days: WEEKDAYS_9_TO_5 }, waves: { size: 1, settle: '0s', every: '20h' } };
    const room = await running({ members: people(2), config });
    room.clock.at = Date.parse('2026-11-16T20:00:00Z');
    const opens = Date.parse('2026-11-17T09:00:00Z');
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'window', untilMs: opens });
    room.clock.at = opens;
    await room.next();
    await room.all();
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'every', untilMs: opens + 20 * HOUR });
  });

  it('figures beside the turn: pace as configured, or as an operator said', async () => {
    const room = await running({
      members: people(1),
      config: { waves: { callsPerMinute: 30 } },
      others: ['holdout', 'excluded'],
    });
    const counts = { waiting: 1, holdout: 1, excluded: 1, triggered: 0 };
    expect(await room.next()).toMatchObject({ pacePerMinute: 30, callsPerMinute: 120, counts, wave: 1 });
    await room.act({ action: 'rate', callsPerMinute: 7 });
    expect(await room.next()).toMatchObject({ pacePerMinute: 7 });
    await room.act({ action: 'rate', callsPerMinute: null });
    expect(await room.next()).toMatchObject({ pacePerMinute: null });
  });
});

describe('time', () => {
  it('nothing begins before the start, and who waits at the end is left out', async () => {
    const config = {
      start: '2026-11-16T13:00:00Z',
      end: '2026-11-16T15:00:00Z',
      waves: { size: 2, settle: '0s' },
    };
    const room = await running({ members: people(5), config });
    expect(await room.next()).toMatchObject({
      do: 'waitUntil',
      why: 'start',
      untilMs: NOON + HOUR,
      wave: null,
    });
    room.clock.at = NOON + HOUR;
    expect(await room.batch()).toMatchObject({ closesMs: NOON + 3 * HOUR });
    await room.all();
    expect(await room.next()).toMatchObject({ do: 'triggerBatch' });
    room.clock.at = NOON + 3 * HOUR;
    expect(await room.next()).toMatchObject({ do: 'finish' });
    expect(await room.close()).toBe(true);
    expect((await room.states()).toSorted()).toEqual([
      ...['skipped CAMPAIGN_ENDED', 'skipped CAMPAIGN_ENDED', 'skipped CAMPAIGN_ENDED'],
      ...['triggered', 'triggered'],
    ]);
  });

  it('a wait never lasts beyond the end', async () => {
    const config = { end: '2026-11-16T22:00:00Z', windows: { days: WEEKDAYS_9_TO_5 } };
    const room = await running({ members: people(1), config });
    room.clock.at = NOON + 8 * HOUR;
    expect(await room.next()).toMatchObject({ do: 'waitUntil', untilMs: NOON + 10 * HOUR });
  });

  it('hands out whose windows are open, until the first of them closes', async () => {
    const members = [
      'America/Sao_Paulo',
      'America/New_York',
      'Europe/Lisbon',
      'America/Sao_Paulo,Europe/Lisbon',
      '',
    ];
    const room = await running({ members, config: { windows: { days: WEEKDAYS_9_TO_5 } } });
    // 12:30 UTC: 09:30, 07:30, 12:30.
    room.clock.at = NOON + HOUR / 2;
    expect(await room.batch()).toMatchObject({ closesMs: NOON + 5 * HOUR });
    expect(await room.all()).toEqual([1, 3, 4, 5]);
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'window', untilMs: NOON + 2 * HOUR });
  });

  it('whose windows never open together is left out, and holds up nobody', async () => {
    const config = { windows: { days: { mon: ['00:00-02:00'] } }, waves: { size: 1, settle: '0s' } };
    const members = ['Pacific/Kiritimati,Pacific/Pago_Pago', UTC];
    const room = await running({ members, config });
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'window', untilMs: NOON + 6.5 * DAY });
    room.clock.at = NOON + 6.5 * DAY;
    await room.next();
    await room.all();
    expect(await room.next()).toMatchObject({ do: 'finish' });
    expect(await room.states()).toEqual(['skipped NO_COMMON_WINDOW', 'triggered']);
  });
});

describe('members whom a person serves', () => {
  const config = {
    humanService: { retryAfter: '4h', times: 2 },
    waves: { size: 2, settle: '0s' },
    stop: { atLeast: 1 },
  };

  it('come again after their delay in a wave of their own, and hold up none', async () => {
    const room = await running({ members: people(4), config });
    const first = await room.batch();
    for (const id of first.members)
      await room.outcome(id, { state: 'waiting', retryAt: room.clock.at + 4 * HOUR });
    await room.next();
    expect(await room.all()).toEqual([1, 2]);
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'retry', untilMs: NOON + 4 * HOUR });
    expect(await room.close()).toBe(false);
    room.clock.at = NOON + 4 * HOUR;
    await room.next();
    expect(await room.all()).toEqual([3, 4]);
    expect(await room.next()).toMatchObject({ do: 'finish' });
    expect(
      (await room.waves()).map(({ kind, size, members, moved_on }) => ({ kind, size, members, moved_on })),
    ).toEqual([
      { kind: 'wave', size: 2, members: 0, moved_on: { humanService: 2 } },
      { kind: 'wave', size: 2, members: 2, moved_on: {} },
      { kind: 'retry', size: 2, members: 2, moved_on: {} },
    ]);
  });

  it('come together when their times are close', async () => {
    const room = await running({
      members: people(3),
      config: { ...config, waves: { size: 3, settle: '0s' } },
    });
    const { members } = await room.batch();
    for (const [n, id] of members.entries())
      await room.outcome(id, { state: 'waiting', retryAt: NOON + (4 + n * 0.75) * HOUR });
    // Those within a quarter of the delay after the first: an hour.
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'retry', untilMs: NOON + 5 * HOUR });
    room.clock.at = NOON + 5 * HOUR;
    await room.next();
    expect(await room.all()).toEqual([1, 2]);
    expect(await room.next()).toMatchObject({ do: 'waitUntil', untilMs: NOON + 5.5 * HOUR });
  });

  it('stay with their wave while others of it wait for a window', async () => {
    const members = ['America/Sao_Paulo', 'Europe/Lisbon'];
    const room = await running({ members, config: { ...config, windows: { days: WEEKDAYS_9_TO_5 } } });
    room.clock.at = NOON - 2 * HOUR;
    const turn = await room.batch();
    expect(room.numbers(turn.members)).toEqual([2]);
    await room.outcome(turn.members[0] as number, { state: 'waiting', retryAt: NOON - HOUR });
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'retry', untilMs: NOON - HOUR });
    room.clock.at = NOON - HOUR;
    await room.next();
    await room.all();
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'window', untilMs: NOON });
    expect((await room.waves())[0]).toMatchObject({ ended_at: null, moved_on: {} });
  });

  it('are counted by the stop rules of the wave that they left', async () => {
    const stop = { humanService: 0.4, atLeast: 2 };
    const room = await running({ members: people(4), config: { ...config, stop } });
    const { members } = await room.batch();
    await room.outcome(members[0] as number, { state: 'waiting', retryAt: NOON + 4 * HOUR });
    await room.outcome(members[1] as number, { state: 'triggered' });
    expect(await room.next()).toMatchObject({ do: 'pause', code: 'STOP_RULE' });
  });
});
