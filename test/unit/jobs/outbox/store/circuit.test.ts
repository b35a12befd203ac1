// When an event is tried again, and when a sink is left alone.
import { describe, expect, it } from 'vitest';
import {
  circuitAfter,
  eventWaitMs,
  type Failure,
  patienceOf,
  probeWaitMs,
  type Tried,
} from '../../../../../src/jobs/outbox/store/circuit.ts';

const DIRECT = patienceOf(null);
const HTTP = patienceOf([5000, 60_000, 300_000]);
const failure = (over: Partial<Failure> = {}): Failure => ({
  code: 'X',
  reason: 'x',
  retryable: true,
  sinkWide: false,
  retryAfterMs: null,
  ...over,
});
const WIDE = failure({ sinkWide: true });
const FINAL = failure({ retryable: false });
const HOUR = 3_600_000;

describe('the wait of an event', () => {
  it.each([
    ['http: the first of the list', HTTP, 1, failure(), 5000],
    ['http: the last of the list', HTTP, 3, failure(), 300_000],
    ['http: dead after the last', HTTP, 4, failure(), null],
    ['http: dead after the last, be it the sink that is in trouble', HTTP, 4, WIDE, null],
    ['http: dead at once, as nothing would change', HTTP, 1, FINAL, null],
    ['direct: one second first', DIRECT, 1, failure(), 1000],
    ['direct: doubled', DIRECT, 4, failure(), 8000],
    ['direct: five minutes at most', DIRECT, 40, failure(), 300_000],
    ['direct: never dead by number', DIRECT, 100_000, WIDE, 300_000],
    ['direct: dead at once, as nothing would change', DIRECT, 1, FINAL, null],
    [
      'a wrong password speaks against no event',
      DIRECT,
      1,
      failure({ retryable: false, sinkWide: true }),
      1000,
    ],
    ['as long as the place asks', HTTP, 1, failure({ retryAfterMs: 90_000 }), 90_000],
    ['but not for ever', HTTP, 1, failure({ retryAfterMs: 86_400_000 }), HOUR],
    ['no shorter than its own wait', HTTP, 2, failure({ retryAfterMs: 1 }), 60_000],
    ['a nonsensical wish is none', HTTP, 1, failure({ retryAfterMs: -5 }), 5000],
  ])('%s', (_, patience, attempts, why, wait) => {
    expect(eventWaitMs(patience, attempts, why, 0.5)).toBe(wait);
  });

  it('is up to a fifth shorter or longer', () => {
    expect([0, 1].map((random) => eventWaitMs(HTTP, 1, failure(), random))).toEqual([4000, 6000]);
  });
});

describe('the wait for a probe', () => {
  it.each([
    ['5 s after it has opened', DIRECT, 1, WIDE, 5000],
    ['doubled by each that fails', DIRECT, 4, WIDE, 40_000],
    ['of an endpoint, counted from its own threshold', HTTP, 6, WIDE, 10_000],
    ['a quarter of an hour at most', DIRECT, 1000, WIDE, 900_000],
    ['as long as the place asks', HTTP, 5, failure({ sinkWide: true, retryAfterMs: 120_000 }), 120_000],
    ['but not for ever', HTTP, 5, failure({ sinkWide: true, retryAfterMs: 1e12 }), HOUR],
  ])('%s', (_, patience, failures, why, wait) => {
    expect(probeWaitMs(patience, failures, why, 0.5)).toBe(wait);
  });
});

const tried = (what: string): Tried[] =>
  [...what].map((letter, seq) =>
    letter === 's'
      ? { seq, state: 'sent' }
      : {
          seq,
          state: 'failed',
          failure:
            letter === 'w'
              ? WIDE
              : letter === 'a'
                ? failure({ sinkWide: true, retryAfterMs: 1000 })
                : failure(),
        },
  );

describe('the circuit', () => {
  // s: sent, f: failed by itself, w: the sink failed, a: the sink asked to be left alone
  it.each([
    ['stays closed while all is sent', HTTP, 0, false, 'sss', 0, false],
    ['counts failures of the sink in a row', HTTP, 2, false, 'ww', 4, false],
    ['opens at the fifth of an endpoint', HTTP, 4, false, 'w', 5, true],
    ['opens once, however many fail together', HTTP, 0, false, 'wwwwwwwww', 5, true],
    ['opens at the first of a broker', DIRECT, 0, false, 'w', 1, true],
    ['is not opened by events that fail by themselves', DIRECT, 0, false, 'ffff', 0, false],
    ['starts anew after one that is sent', HTTP, 4, false, 'sw', 1, false],
    ['starts anew after one that fails by itself: the place is there', HTTP, 4, false, 'fw', 1, false],
    ['stays closed when the last one was sent', DIRECT, 0, false, 'ws', 0, false],
    ['opens at once when the sink asks for it', HTTP, 0, false, 'a', 5, true],
    ['counts each probe that fails', DIRECT, 3, true, 'w', 4, true],
    ['closes with a probe that is sent', DIRECT, 9, true, 's', 0, false],
    ['closes with a probe that fails by itself', DIRECT, 9, true, 'f', 0, false],
    ['stays as it is when nothing was tried', DIRECT, 9, true, '', 9, true],
  ])('%s', (_, patience, failures, open, what, after, opens) => {
    expect(circuitAfter({ failures, open }, tried(what), patience)).toMatchObject({
      failures: after,
      open: opens,
    });
  });
});
