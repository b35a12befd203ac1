// The queue of one process: who asks, and who gets the slot.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LANES } from '../../../../src/core/lanes.ts';
import { SlotQueue, type Taken, type Wanted } from '../../../../src/service/budget/slot-queue.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const { reply, lead, poll, backfill } = LANES;

/**
 * A ledger with a slot every `gapMs`, the first one now. Lane 1 may take one 50 ms ahead, each lower lane 10 ms later.
 */
function ledger(gapMs: number) {
  let due = 0;
  let number = 0;
  const asked: number[] = [];
  const slack: number[] = [];
  const ask = async (wanted: Wanted, slackMs: number): Promise<Taken> => {
    const left = new Map(wanted);
    const lanes = [...left.keys()].toSorted((a, b) => a - b);
    asked.push(lanes[0] as number);
    slack.push(slackMs);
    const now = performance.now();
    const slots = [];
    for (const lane of lanes) {
      for (
        ;
        (left.get(lane) ?? 0) > 0 && due - (60 - 10 * lane) <= now;
        left.set(lane, (left.get(lane) ?? 0) - 1)
      ) {
        const dueAt = Math.max(due, now);
        due = dueAt + gapMs;
        number++;
        slots.push({
          lane,
          slot: { token: 't', number, marked: false, takenAt: 0, dueAt, toleranceMs: 200 },
        });
      }
    }
    return { slots, againMs: Math.max(0, due - (60 - 10 * (lanes[0] as number)) - now) };
  };
  return { ask, asked, slack };
}

it('callers get slots by lane, and by arrival within a lane', async () => {
  const { ask } = ledger(100);
  const queue = new SlotQueue(ask);
  const order: string[] = [];
  const wait = (name: string, lane: number) => queue.wait(lane).then(() => order.push(name));
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
  expect(queue.idle).toBe(true);
});

it('a lead that arrives while the queue pauses causes a query at once, not after the pause', async () => {
  const { ask, asked } = ledger(1000);
  const queue = new SlotQueue(ask);
  await queue.wait(backfill);
  const low = queue.wait(backfill);
  await vi.advanceTimersByTimeAsync(500);
  expect(asked).toEqual([backfill]);
  const high = queue.wait(lead);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.at(-1)).toBe(lead);
  await vi.advanceTimersByTimeAsync(2000);
  expect((await high).number).toBe(2);
  expect((await low).number).toBe(3);
});

it('a hundred callers cost as many queries as there are slots', async () => {
  const { ask, asked } = ledger(100);
  const queue = new SlotQueue(ask);
  const all = Promise.all(Array.from({ length: 100 }, () => queue.wait(backfill)));
  await vi.advanceTimersByTimeAsync(10_100);
  await all;
  expect(asked.length).toBeLessThanOrEqual(102);
});

it('if slots are closer together than a lane sees ahead, one query takes several', async () => {
  const { ask, asked } = ledger(1);
  const queue = new SlotQueue(ask);
  const all = Promise.all(Array.from({ length: 100 }, () => queue.wait(reply)));
  await vi.advanceTimersByTimeAsync(200);
  expect(new Set((await all).map(({ number }) => number)).size).toBe(100);
  expect(asked.length).toBeLessThan(60);
});

it('waits without a time limit, and asks again every few seconds', async () => {
  let asked = 0;
  const queue = new SlotQueue(async () => {
    asked++;
    return { slots: [], againMs: 60_000 };
  });
  let over = false;
  void queue.wait(lead).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(over).toBe(false);
  expect(asked).toBeLessThan(130);
});

it('a caller that missed a slot gets the next one of its lane, with the slack that it asks for', async () => {
  const { ask, slack } = ledger(100);
  const queue = new SlotQueue(ask);
  await queue.wait(backfill);
  const order: string[] = [];
  const wait = (name: string, options = {}) => queue.wait(backfill, options).then(() => order.push(name));
  const all = [wait('a'), wait('b'), wait('late', { first: true, slackMs: 700 })];
  await vi.advanceTimersByTimeAsync(1000);
  await Promise.all(all);
  expect(order).toEqual(['late', 'a', 'b']);
  expect(Math.max(...slack)).toBe(700);
  expect(slack.at(-1)).toBe(0);
});

it('a caller that leaves takes no slot: the slot goes to the next in the queue', async () => {
  const { ask } = ledger(200);
  const queue = new SlotQueue(ask);
  await queue.wait(backfill);
  const leaving = new AbortController();
  const gone = queue.wait(lead, { signal: leaving.signal });
  const next = queue.wait(backfill);
  leaving.abort(new Error('called off'));
  await expect(gone).rejects.toThrow('called off');
  await vi.advanceTimersByTimeAsync(1000);
  expect((await next).number).toBe(2);
  await expect(queue.wait(lead, { signal: leaving.signal })).rejects.toThrow('called off');
});

it('a failing ledger rejects all waiting callers, and the queue works again afterwards', async () => {
  const { ask } = ledger(10);
  let broken = true;
  const queue = new SlotQueue(async (wanted, slackMs) => {
    if (broken) throw new Error('the database is away');
    return await ask(wanted, slackMs);
  });
  const all = await Promise.allSettled([queue.wait(backfill), queue.wait(lead)]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken = false;
  const again = queue.wait(backfill);
  await vi.advanceTimersByTimeAsync(500);
  expect((await again).number).toBe(1);
});

it('one query asks for at most a hundred slots, and names every lane that waits', async () => {
  const queries: [lane: number, slots: number][][] = [];
  const queue = new SlotQueue(async (wanted) => {
    queries.push([...wanted]);
    return { slots: [], againMs: 60_000 };
  });
  for (let n = 0; n < 150; n++) void queue.wait(lead);
  void queue.wait(backfill);
  await vi.advanceTimersByTimeAsync(0);
  expect(queries.at(-1)).toEqual([
    [lead, 100],
    [backfill, 1],
  ]);
  // Every waiting lane was named, so the queue pauses.
  await vi.advanceTimersByTimeAsync(4000);
  expect(queries.length).toBeLessThanOrEqual(2);
});

it('a slot of a low lane goes to a caller of that lane, though a more urgent one waits', async () => {
  const slot = { token: 't', number: 1, marked: false, takenAt: 0, dueAt: 0, toleranceMs: 200 };
  let slots: Taken['slots'] = [{ lane: backfill, slot }];
  const queue = new SlotQueue(async () => {
    const taken = { slots, againMs: 60_000 };
    slots = [];
    return taken;
  });
  const order: string[] = [];
  void queue.wait(lead).then(() => order.push('lead'));
  void queue.wait(backfill).then(() => order.push('backfill'));
  await vi.advanceTimersByTimeAsync(0);
  expect(order).toEqual(['backfill']);
});
