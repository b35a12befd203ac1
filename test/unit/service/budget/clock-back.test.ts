// The database's clock is set back: its tokens go on calling soon, and never above the limit.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANES } from '../../../../src/core/lanes.ts';
import { blockToken, takeSlots } from '../../../../src/service/budget/statements.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { mostInAMinute } from './simulation.ts';
import { freshToken, planOf } from './slots-support.ts';

const db = await testLedger();

const EPOCH = Date.parse('2030-01-01T00:00:00.250Z');
/** The second at which the clock is set back. */
const SET_AT = 5;

interface World {
  readonly limit: number;
  readonly backS: number;
  readonly slackS: number;
  readonly lane: number;
  readonly perMinute: number | null;
  readonly seconds: number;
}

/**
 * Takes slots as soon as there are some.
 * @returns the second at which each is due, by a clock that nobody sets, and the first one that was taken afterwards
 */
async function run({ limit, backS, slackS, lane, perMinute, seconds }: World) {
  const [token, key] = [freshToken(), freshToken()];
  const due: number[] = [];
  let before = 0;
  for (let second = 0; second < seconds; ) {
    const { slots, next_s } = await takeSlots(db, {
      tokens: [token],
      plans: [planOf(limit)],
      wanted: new Map([[lane, 10]]),
      scopes: null,
      slackS: second < SET_AT ? slackS : 0,
      pace: perMinute === null ? null : { key, perMinute },
      now: new Date(EPOCH + (second - (second < SET_AT ? 0 : backS)) * 1000),
    });
    due.push(...slots.map(({ wait_s }) => second + Math.max(0, wait_s)));
    if (second < SET_AT) before = due.length;
    second += Math.max(0.001, Math.min(next_s, 1));
  }
  return { due, first: due[before] };
}

it('however far it is set back: slots resume soon, and no 60 s contain more calls than the limit or the rate', async () => {
  const world = fc.record({
    limit: fc.constantFrom(6, 30, 120, 400),
    backS: fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 600, max: 30 * 86_400 })),
    slackS: fc.constantFrom(0, 0.7, 5),
    lane: fc.constantFrom(LANES.reply, LANES.campaign, LANES.backfill),
    pace: fc.constantFrom(null, 0.3, 0.9),
  });
  const property = fc.asyncProperty(world, async ({ pace, ...over }) => {
    const perMinute = pace === null ? null : Math.ceil(over.limit * pace);
    // What a lane sees ahead and 10 gaps and 5 s; a further slot of the rate.
    const most = 11.2 * (60 / over.limit) + 5.2 + (perMinute === null ? 0 : (60 / perMinute) * 1.1 + 5.2);
    const { due, first } = await run({ ...over, perMinute, seconds: SET_AT + Math.max(most, 30) + 2 });
    expect(mostInAMinute(due)).toBeLessThanOrEqual(perMinute ?? over.limit);
    expect(first).toBeLessThan(SET_AT + most + 1);
  });
  await fc.assert(property, { numRuns: 20 });
});

describe('a token that rests when the clock is set back by a day', () => {
  const DAY_S = 86_400;
  const at = (second: number) => new Date(EPOCH + second * 1000);
  const ask = (tokens: readonly string[], now: Date) =>
    takeSlots(db, {
      tokens,
      plans: tokens.map(() => planOf(120)),
      wanted: new Map([[LANES.campaign, 1]]),
      scopes: null,
      now,
    });
  const block = (token: string) => blockToken(db, token, 3_600_000, at(0));
  const fill = (token: string) =>
    db.query('update slots set window_base = 200, window_ends = $2 where token = $1', [token, at(60)]);

  it.each([
    ['after a 429', block, 3600],
    ['until its window ends', fill, 60],
  ])('%s rests no longer than it would have', async (_, rest, seconds) => {
    // The second one is never the best of the two.
    for (const tokens of [[freshToken()], [freshToken(), freshToken()]]) {
      await ask(tokens, at(-1));
      for (const token of tokens) await rest(token);
      expect((await ask(tokens, at(-DAY_S))).slots).toEqual([]);
      expect((await ask(tokens, at(seconds - 5 - DAY_S))).slots).toEqual([]);
      for (const token of tokens) expect((await ask([token], at(seconds - DAY_S))).slots).toHaveLength(1);
    }
  });
});
