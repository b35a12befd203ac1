// The line of one process: who asks, who gets the slot, and who is sent away.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Reservation, type Taken, WaitingLine } from '../../../src/budget/waiting.ts';
import { LANES } from '../../../src/contracts/run.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const { reply, lead, poll, backfill } = LANES;

/** A ledger with a slot every `gapMs`, the first one now. Lane 1 may take one 50 ms ahead, each lower lane 10 ms later. */
function ledger(gapMs: number) {
  let due = 0;
  let number = 0;
  const asked: number[] = [];
  const ask = async (lanes: readonly number[]): Promise<Taken> => {
    const lane = Math.min(...lanes);
    asked.push(lane);
    const now = performance.now();
    const opensIn = () => due - (60 - 10 * lane) - now;
    if (opensIn() > 0) return { slot: null, lane, againMs: opensIn(), gapMs };
    const waitMs = Math.max(0, due - now);
    due = Math.max(due, now) + gapMs;
    number++;
    return {
      slot: { granted: true, token: 't', number, marked: false, waitMs },
      lane,
      againMs: opensIn(),
      gapMs,
    };
  };
  return { ask, asked, block: (ms: number) => (due = performance.now() + ms) };
}

const outcome = (reservation: Reservation) =>
  reservation.granted ? reservation.number : reservation.retryMs;

it('callers get slots by lane, and in the order of their coming within one', async () => {
  const { ask } = ledger(100);
  const line = new WaitingLine(ask, 100);
  const order: string[] = [];
  const wait = (name: string, lane: number) => line.wait(lane).then(() => order.push(name));
  const all = [
    wait('first', backfill),
    wait('b1', backfill),
    wait('p', poll),
    wait('b2', backfill),
    wait('l', lead),
    wait('r', reply),
  ];
  await vi.advanceTimersByTimeAsync(1000);
  await Promise.all(all);
  expect(order).toEqual(['r', 'l', 'p', 'first', 'b1', 'b2']);
  expect(line.idle).toBe(true);
});

it('a lead that comes while the line pauses is asked for at once, not when the pause is over', async () => {
  const { ask, asked } = ledger(1000);
  const line = new WaitingLine(ask, 1000);
  await line.wait(backfill);
  const low = line.wait(backfill);
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toEqual([backfill, backfill]);
  const high = line.wait(lead);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.at(-1)).toBe(lead);
  await vi.advanceTimersByTimeAsync(2000);
  expect(outcome(await high)).toBe(2);
  expect(outcome(await low)).toBe(3);
});

it('a hundred callers cost as many questions as there are slots, and a refusal', async () => {
  const { ask, asked } = ledger(100);
  const line = new WaitingLine(ask, 100);
  const all = Array.from({ length: 100 }, () => line.wait(backfill));
  await vi.advanceTimersByTimeAsync(3000);
  const granted = (await Promise.all(all)).filter((each) => each.granted);
  expect(granted.length).toBeGreaterThanOrEqual(19);
  expect(asked.length).toBeLessThanOrEqual(granted.length + 2);
});

describe('sent away', () => {
  it('are low lanes beyond two seconds of slots, each to come back a slot later than the one before; a lead is let in', async () => {
    const { ask } = ledger(500);
    const line = new WaitingLine(ask, 500);
    const low = Array.from({ length: 10 }, () => line.wait(backfill));
    const urgent = Array.from({ length: 3 }, () => line.wait(lead));
    await vi.advanceTimersByTimeAsync(5000);
    const away = (await Promise.all(low))
      .filter((each) => !each.granted)
      .map(outcome)
      .sort((a, b) => a - b);
    expect(away.length).toBeGreaterThanOrEqual(6);
    for (const [n, ms] of away.slice(1).entries()) expect(ms - (away[n] as number)).toBeGreaterThanOrEqual(0);
    expect(new Set(away).size).toBeGreaterThan(5);
    expect((await Promise.all(urgent)).every((each) => each.granted)).toBe(true);
  });

  it('are all at once when the token is blocked, for as long as it is', async () => {
    const { ask, block } = ledger(500);
    const line = new WaitingLine(ask, 500);
    await line.wait(reply);
    block(40_000);
    for (const lane of [lead, backfill, backfill]) {
      const reservation = await line.wait(lane);
      expect(reservation.granted).toBe(false);
      expect(outcome(reservation)).toBeGreaterThanOrEqual(39_900);
      expect(outcome(reservation)).toBeLessThanOrEqual(42_000);
    }
  });
});

it('who leaves takes no slot: it goes to the next in line', async () => {
  const { ask } = ledger(200);
  const line = new WaitingLine(ask, 200);
  await line.wait(backfill);
  const leaving = new AbortController();
  const gone = line.wait(lead, leaving.signal);
  const next = line.wait(backfill);
  leaving.abort(new Error('called off'));
  await expect(gone).rejects.toThrow('called off');
  await vi.advanceTimersByTimeAsync(1000);
  expect(outcome(await next)).toBe(2);
  await expect(line.wait(lead, leaving.signal)).rejects.toThrow('called off');
});

it('a ledger that fails tells every one who waits, and the line works again after', async () => {
  const { ask } = ledger(10);
  let broken = true;
  const line = new WaitingLine(async (lanes) => {
    if (broken) throw new Error('the database is away');
    return await ask(lanes);
  }, 10);
  const all = await Promise.allSettled([line.wait(backfill), line.wait(lead)]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken = false;
  const again = line.wait(backfill);
  await vi.advanceTimersByTimeAsync(500);
  expect((await again).granted).toBe(true);
});
