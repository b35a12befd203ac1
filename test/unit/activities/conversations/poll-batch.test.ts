// Batches of polling: what one batch brings, what ends it, and what becomes of calls that fail.
import { CancelledFailure } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import type { PollFailures } from '../../../../src/jobs/conversations/contract/poll.ts';
import { list, pollingContext } from './context.ts';
import { at, chat, message } from './service.ts';
import { environment, NO_FAILURES as NONE, textsOf } from './support.ts';

const context = pollingContext();
const { hire } = context;
const SLOW = { interval: { min: '1h', max: '1h' } };
/** Newer than the start of any poller of these tests. */
const LATER = Date.parse('2030-01-01T00:00:00.000Z') / 1000 - Date.parse(at(0)) / 1000;

/** Conversations with one message each; `n` is their number and their second. */
function fill(numbers: readonly number[], from = LATER): void {
  // Long after: nothing hides behind the newest message.
  context.service.date = new Date(at(LATER + 86_400));
  for (const n of numbers) {
    context.service.messages.set(n, [message(`m${n}`, from + n)]);
    context.service.chats.push(chat(n, from + n));
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const sorted = (all: readonly unknown[]) => all.map(String).toSorted((a, b) => a.localeCompare(b));
const listsAsked = () => context.service.asked.filter(({ of }) => of === 'list').length;

describe('a batch', () => {
  it('polls, reads what has changed, wakes the sinks, and ends when the next poll is far away', async () => {
    fill(upTo(7));
    const hand = await hire({ config: SLOW });
    const end = await hand.batch();
    expect(end).toMatchObject({ polls: 1, oldInMs: null, failures: NONE, news: { calls: 8, block: null } });
    expect(end.pollInMs).toBeGreaterThan(3_500_000);
    expect(sorted(textsOf(await hand.published()))).toEqual(upTo(7).map((n) => `m${n}`));
    expect(new Set(hand.woken)).toEqual(new Set(['all']));
  });

  it('lists again after each 20 readings, until nothing is left', async () => {
    fill(upTo(45));
    const hand = await hire({ config: SLOW });
    expect(await hand.batch()).toMatchObject({ polls: 1, news: { calls: 48 } });
    expect(await hand.todo()).toEqual([]);
    expect(listsAsked()).toBe(3);
  });

  it('makes several polls if they are frequent, and fewer while nothing changes', async () => {
    const hand = await hire({ config: { interval: { min: '1s', max: '10s' } } });
    const end = await hand.batch({ intervalMs: 2000, pollInMs: 10 });
    // After 10 ms, 3 s and 4.5 s; the next one is due after 6.75 s.
    expect(end).toMatchObject({ polls: 3, intervalMs: 6750 });
  });

  it('with `once` ends after one poll, and reads nothing old', async () => {
    fill(upTo(3), -10_000_000);
    fill([4]);
    const hand = await hire({ config: { interval: { min: '500ms', max: '1s' } } });
    expect(await hand.batch({ once: true })).toMatchObject({ polls: 1, oldInMs: 0 });
    expect(textsOf(await hand.published())).toEqual(['m4']);
    expect(sorted(await hand.todo())).toEqual(['1', '2', '3']);
  });

  it('reads the history and what is old beside that, in lane backfill; news has its share of lane poll', async () => {
    fill(upTo(70), -10_000_000);
    const asked: { lane: number; share: object | undefined }[] = [];
    const hand = await hire({ config: { ...SLOW, pageSize: 20 } });
    const { reserve } = hand.deps.budget;
    Object.assign(hand.deps.budget, {
      reserve: (...args: Parameters<typeof reserve>) => {
        asked.push({ lane: args[1], share: args[2]?.share });
        return reserve(...args);
      },
    });
    expect(await hand.batch()).toMatchObject({ polls: 1, oldInMs: null });
    expect(textsOf(await hand.published())).toHaveLength(70);
    const [first, ...others] = asked;
    expect(first).toEqual({ lane: 3, share: { key: 'acme/chats', part: 0.5 } });
    expect(new Set(others.map(({ lane }) => lane))).toEqual(new Set([5]));
  });
});

describe('a call that fails', () => {
  it('temporarily is retried after the other conversations; the poll completes after it', async () => {
    fill(upTo(3));
    let failures = 0;
    context.service.bend = ({ of }) => (of === 1 && failures++ < 2 ? { status: 503, body: {} } : null);
    const hand = await hire({ config: SLOW });
    expect(await hand.batch()).toMatchObject({ polls: 1, failures: NONE, news: { block: null } });
    expect(sorted(textsOf(await hand.published()))).toEqual(['m1', 'm2', 'm3']);
    expect(failures).toBe(3);
  });

  it('repeatedly ends the batch; the next batch knows the number of failures', async () => {
    context.service.bend = () => ({ status: 503, body: {} });
    const hand = await hire({ config: SLOW });
    const end = await hand.batch({ failures: { ...NONE, list: 4 } });
    expect(end).toMatchObject({ polls: 0, failures: { ...NONE, list: 5 }, news: { calls: 0, block: null } });
    expect(end.pollInMs).toBeGreaterThan(10_000);
  });

  it('does not affect other kinds: failing reads of old conversations do not block the list', async () => {
    fill(upTo(3), -10_000_000);
    const hand = await hire({ config: SLOW });
    context.service.bend = ({ of }) => (of === 'list' ? null : { status: 503, body: {} });
    const { failures } = await hand.batch();
    expect(failures).toMatchObject({ list: 0, read: 0, history: 0 });
    expect(failures.readOld).toBeGreaterThan(1);
    // The third list in a row that can't be read blocks.
    let lists = 0;
    context.service.bend = ({ of }) => (of === 'list' && lists++ < 2 ? { status: 200, body: '{}' } : null);
    expect(await hand.batch({ failures, once: true })).toMatchObject({ polls: 1, news: { block: null } });
  });

  it('because the account refuses it ends the batch with the reason', async () => {
    fill(upTo(9));
    context.service.bend = ({ of }) =>
      of === 'list' ? null : { status: 403, body: { code: 'ERR_SCOPE_MISSING', error: 'no' } };
    const hand = await hire({ config: SLOW });
    const end = await hand.batch();
    expect(end).toMatchObject({ polls: 0, news: { block: { code: 'ERR_SCOPE_MISSING' } } });
    expect(context.service.asked.length).toBeLessThanOrEqual(5);
    expect(await hand.todo()).toHaveLength(9);
  });

  it('of an old conversation does not delay new messages', async () => {
    fill([1], -10_000_000);
    fill([2]);
    context.service.bend = ({ of }) =>
      of === 1 ? { status: 403, body: { code: 'ERR_SCOPE_MISSING', error: 'no' } } : null;
    const hand = await hire({ config: SLOW });
    expect(await hand.batch()).toMatchObject({
      polls: 1,
      news: { block: null },
      old: { block: { code: 'ERR_SCOPE_MISSING' } },
    });
    expect(textsOf(await hand.published())).toEqual(['m2']);
    expect(await hand.batch({ old: false })).toMatchObject({ polls: 1, old: { calls: 0, block: null } });
  });
});

it('FAULTS 23: a cancelled batch makes no more calls, and the next one publishes the rest once', async () => {
  fill(upTo(30));
  const hand = await hire({ config: SLOW });
  const env = environment();
  context.service.before = ({ of }) => {
    if (of !== 'list' && context.service.asked.length === 5) env.cancel();
  };
  const end = await hand.batch({}, env).catch((error: unknown) => error);
  expect(end).not.toBeInstanceOf(CancelledFailure);
  expect(end).toMatchObject({ polls: 0, pollInMs: 0 });
  const asked = context.service.asked.length;
  expect(asked).toBeLessThan(12);
  await hand.batch();
  expect(sorted(textsOf(await hand.published()))).toEqual(sorted(upTo(30).map((n) => `m${n}`)));
});

it('a retried attempt wakes all sinks of the account', async () => {
  const announce = [{ sink: 'one', events: ['conversation.closed' as const] }, { sink: 'two' }];
  const hand = await hire({ config: SLOW, announce });
  await hand.batch({}, environment(2));
  expect(hand.woken).toEqual(['one', 'two']);
});

it('a history of several pages is published in order although batches are interrupted at each page', async () => {
  context.service.date = new Date(at(LATER + 86_400));
  context.write(...list(95, LATER));
  const hand = await hire({ config: SLOW, polling: { messagePageSize: 10, keep: 25 } });
  let calls = 0;
  context.service.bend = () => (++calls % 3 === 0 ? { status: 200, body: '<html>' } : null);
  let failures: PollFailures = NONE;
  // An answer of the list that can't be read three times in a row blocks the poller.
  do ({ failures } = await hand.batch({ failures: { ...failures, list: 0 } }));
  while ((await hand.todo()).length > 0);
  expect(textsOf(await hand.published())).toEqual(list(95, LATER).map(({ id }) => id));
});
