// A rate of a key's own beside the token's, and the part of a token that one user has in its own lane.
import { expect, it } from 'vitest';
import { LANES } from '../../../../src/core/lanes.ts';
import { createBudget } from '../../../../src/service/budget/slots.ts';
import { type Pace, takeSlots } from '../../../../src/service/budget/statements.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { mostInAMinute } from './simulation.ts';
import { freshToken, planOf } from './slots-support.ts';

const db = await testLedger();

const EPOCH = Date.parse('2030-01-01T00:00:00.250Z');

/** Takes slots for `seconds` on a clock of its own, asking when the ledger says so. @returns when each was due */
async function run(
  token: string,
  pace: (second: number) => Pace | null,
  seconds: number,
  lane: number = LANES.campaign,
) {
  const due: number[] = [];
  for (let clock = 0; clock < seconds; ) {
    const { slots, next_s } = await takeSlots(db, {
      tokens: [token],
      plans: [planOf(120)],
      wanted: new Map([[lane, 10]]),
      scopes: null,
      pace: pace(clock),
      now: new Date(EPOCH + clock * 1000),
    });
    due.push(...slots.map(({ wait_s }) => clock + Math.max(0, wait_s)));
    clock += Math.max(0.001, Math.min(next_s, 1));
  }
  return due;
}

it.each([6, 40, 60, 119])(
  'at %i a minute of 120 calls keep that rate, and never more in any minute',
  async (perMinute) => {
    const key = freshToken();
    const due = await run(freshToken(), () => ({ key, perMinute }), 120);
    expect(mostInAMinute(due)).toBeLessThanOrEqual(perMinute);
    expect(due.length).toBeGreaterThanOrEqual(Math.floor(perMinute * 2 * 0.93));
  },
);

it('a changed rate applies from the next slot on, in either direction', async () => {
  const key = freshToken();
  const due = await run(freshToken(), (second) => ({ key, perMinute: second < 60 ? 2 : 60 }), 90);
  expect(due.filter((at) => at < 60)).toHaveLength(2);
  expect(due.filter((at) => at >= 60).length).toBeGreaterThan(25);
});

it('other callers get what a pace leaves of the token', async () => {
  const [token, key] = [freshToken(), freshToken()];
  const due: { at: number; paced: boolean }[] = [];
  for (let clock = 0; clock < 60; clock += 0.05) {
    for (const paced of [true, false]) {
      const { slots } = await takeSlots(db, {
        tokens: [token],
        plans: [planOf(120)],
        wanted: new Map([[paced ? LANES.campaign : LANES.backfill, 5]]),
        scopes: null,
        pace: paced ? { key, perMinute: 30 } : null,
        now: new Date(EPOCH + clock * 1000),
      });
      due.push(...slots.map(({ wait_s }) => ({ at: clock + Math.max(0, wait_s), paced })));
    }
  }
  expect(due.filter(({ paced }) => paced).length).toBeGreaterThanOrEqual(28);
  expect(due.length).toBeGreaterThanOrEqual(117);
});

it('a caller that waits at a low rate continues when the rate is raised', async () => {
  const [token, key] = [freshToken(), freshToken()];
  const budget = createBudget(db, () => planOf(60_000));
  await budget.reserve([token], LANES.campaign, { pace: { key, perMinute: 1 } });
  const waiting = budget.reserve([token], LANES.campaign, { pace: { key, perMinute: 1 } });
  const next = budget.reserve([token], LANES.campaign, { pace: { key, perMinute: 60_000 } });
  expect((await waiting).token).toBe(token);
  expect((await next).token).toBe(token);
});

it('beyond its share of the limit a poller waits behind lane backfill', async () => {
  const token = freshToken();
  const lanes: number[] = [];
  const watched = {
    ...db,
    query: <Row>(sql: string, params?: readonly unknown[]) => {
      if (sql.includes('sluice_take_slots')) lanes.push(...(params?.[2] as number[]));
      return db.query<Row>(sql, params);
    },
  };
  const budget = createBudget(watched, () => planOf(6000));
  // Half a minute of a hundredth of 6,000 calls a minute: 30 calls are saved up at most.
  const share = { key: 'poller', part: 0.01 };
  for (let n = 0; n < 60; n++) await budget.reserve([token], LANES.poll, { share });
  const own = lanes.filter((lane) => lane === LANES.poll).length;
  expect(own).toBeGreaterThanOrEqual(30);
  expect(lanes.filter((lane) => lane === LANES.backfill).length).toBeGreaterThanOrEqual(25);
});
