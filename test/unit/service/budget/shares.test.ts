// What lanes get when they want more than there is: a minute of calls on a clock of the test's own.
import { describe, expect, it } from 'vitest';
import { LANES } from '../../../../src/core/lanes.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { type Call, FOLLOWS, mostInAMinute, simulate } from './simulation.ts';

const db = await testLedger();

const { reply, lead, poll, campaign, backfill } = LANES;
const plan = (limit: number, over: object = {}) => ({ limit, reply: 0, lead: 0, floor: 0, ...over });
const of = (calls: readonly Call[], ...lanes: number[]) =>
  calls.filter(({ lane }) => lanes.includes(lane)).length;
const spread = (n: number) => (n * 0.7548776662) % 1;

describe('one process floods', () => {
  it.each([
    ['leads and backfill', [lead, backfill], { floor: 12 }, [[[backfill], 12]]],
    [
      'replies, leads and backfill',
      [reply, lead, backfill],
      { lead: 30, floor: 6 },
      [
        [[lead], 30],
        [[backfill], 6],
      ],
    ],
    [
      'all lanes',
      [reply, lead, poll, campaign, backfill],
      { reply: 10, lead: 20, floor: 12 },
      [
        [[lead], 20],
        [[poll, campaign, backfill], 12],
      ],
    ],
    [
      'shares beyond the limit',
      [reply, lead, backfill],
      { reply: 120, lead: 60, floor: 60 },
      [
        [[lead], 30],
        [[backfill], 30],
      ],
    ],
  ] as [string, number[], object, [number[], number][]][])(
    '%s: each lane keeps its share, and no slot is lost',
    async (_, lanes, over, shares) => {
      const { own } = await simulate(db, {
        seconds: 30,
        plan: plan(120, over),
        floods: lanes.map((lane) => ({ lane })),
      });
      expect(own.length).toBeGreaterThanOrEqual(59);
      for (const [kept, share] of shares)
        expect(of(own, ...kept), String(kept)).toBeGreaterThanOrEqual(share / 2 - 2);
    },
  );

  it.each([
    ['a reserve that nobody uses flows down', backfill, { reply: 40, lead: 60 }],
    ['a floor that nobody needs flows up', reply, { floor: 60 }],
  ])('%s whole', async (_, lane, over) => {
    const { own } = await simulate(db, { seconds: 30, plan: plan(120, over), floods: [{ lane }] });
    expect(own).toHaveLength(60);
  });
});

describe('a check and the trigger that must follow it', () => {
  it.each([
    ['beside a flood of leads', [{ lane: lead }]],
    [
      'beside floods of replies and of leads in other processes',
      [
        { lane: reply, process: 1 },
        { lane: lead, process: 2 },
      ],
    ],
    ['beside leads and a sync of the lowest lane', [{ lane: lead }, { lane: backfill }]],
  ])('%s: the second call follows within 2 s, and both are paid by the floor', async (_, floods) => {
    const seconds = 240;
    const { own } = await simulate(db, {
      seconds,
      plan: plan(120, { floor: 6 }),
      floods: [...floods, { lane: campaign, paired: true }],
    });
    const checks = own.filter(({ lane }) => lane === campaign).length;
    const triggers = own.filter(({ lane }) => lane === FOLLOWS);
    expect(triggers.length).toBeGreaterThanOrEqual(checks - 1);
    expect(triggers.length).toBeGreaterThan(seconds / 60);
    for (const { sent, wanted } of triggers) expect(sent - wanted).toBeLessThan(2);
    expect(of(own, poll, campaign, backfill, FOLLOWS)).toBeLessThanOrEqual((6 * seconds) / 60 + 3);
    expect(own.length).toBeGreaterThanOrEqual(seconds * 2 - 4);
  });
});

describe('a lead', () => {
  const wanted = Array.from({ length: 40 }, (_, n) => 2 + n * 1.43 + spread(n));

  it.each([0, 30])(
    'behind a full backfill of two processes waits less than a slot and a half (reserve %i)',
    async (kept) => {
      const { own } = await simulate(db, {
        seconds: 63,
        plan: plan(120, { floor: 6, lead: kept }),
        floods: [{ lane: backfill }, { lane: backfill, process: 1 }, { lane: lead, at: wanted }],
      });
      const waits = own
        .filter(({ lane }) => lane === lead)
        .map(({ sent, wanted: at }) => (sent - at) / 0.501);
      expect(waits).toHaveLength(40);
      expect(Math.max(...waits)).toBeLessThan(1.5);
      expect(own.length).toBeGreaterThanOrEqual(124);
    },
  );
});

describe('a token that only we use', () => {
  it.each([
    ['one process', 120, [0], () => 0.01, 0],
    ['two processes whose calls overtake each other', 120, [0, 1], (n: number) => 0.02 + 0.6 * spread(n), 0],
    ['240 calls a minute', 240, [0, 1], (n: number) => 0.01 + 0.2 * spread(n), 0],
    ['a service whose clock is 5 s ahead', 120, [0], () => 0.05, 5],
    ['a service whose clock is 5 s behind', 120, [0], () => 0.05, -5],
  ] as [string, number, number[], (n: number) => number, number][])(
    '%s: every window of the service is used, and none is overrun',
    async (_, limit, processes, latency, skew) => {
      const { own, windows } = await simulate(db, {
        seconds: limit > 120 ? 65 : 125,
        plan: plan(limit, { floor: 6 }),
        floods: processes.map((process) => ({ lane: backfill, process })),
        latency,
        skew,
      });
      expect(own.filter(({ allowed }) => !allowed)).toEqual([]);
      for (const window of windows.slice(0, -1)) expect(window.own).toBeGreaterThanOrEqual(limit * 0.995);
      for (const [n, { start }] of windows.entries()) expect(start).toBeLessThan(1 + n * 60.5);
      expect(mostInAMinute(own.map(({ sent }) => sent))).toBeLessThanOrEqual(limit);
    },
  );
});

describe('another program uses three tenths of the token', () => {
  const burst = (size: number, every: number) =>
    Array.from(
      { length: Math.floor(180 / every) * size },
      (_, n) => 9 + Math.floor(n / size) * every + (n % size) * 0.02,
    );

  it.each([
    ['evenly', burst(1, 60 / 36), 0],
    ['six at once', burst(6, 10), 0],
    ['a whole minute at once', burst(36, 60), 0],
    ['evenly, by a clock 5 s behind', burst(1, 60 / 36), -5],
  ])('%s: both fit into every window, which is used', async (_, foreign, skew) => {
    const { windows } = await simulate(db, {
      seconds: 185,
      plan: plan(120),
      floods: [{ lane: backfill }, { lane: lead, at: [30, 31, 90.2] }],
      foreign,
      skew,
    });
    const whole = windows.slice(1, 3);
    expect(whole).toHaveLength(2);
    for (const { own, foreign: others, refused } of whole) {
      expect(refused).toBeLessThanOrEqual(1);
      expect(own + others).toBeGreaterThanOrEqual(120 * 0.97);
    }
  });

  it('and stops: its share is ours again within a few windows', async () => {
    const { windows } = await simulate(db, {
      seconds: 305,
      plan: plan(120),
      floods: [{ lane: backfill }],
      foreign: burst(1, 60 / 36).filter((at) => at < 120),
    });
    expect(windows.at(-2)?.own).toBeGreaterThanOrEqual(115);
  });
});

it('two tokens give twice the calls, each within its own limit', async () => {
  const { own } = await simulate(db, {
    seconds: 30,
    plan: plan(120),
    floods: [{ lane: backfill }],
    tokens: 2,
  });
  for (const token of [0, 1]) {
    expect(own.filter((call) => call.token === token).length).toBeGreaterThanOrEqual(58);
    expect(mostInAMinute(own.filter((call) => call.token === token).map(({ at }) => at))).toBeLessThanOrEqual(
      120,
    );
  }
});
