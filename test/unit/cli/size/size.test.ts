// The estimate of `sluice size`: it agrees with what was measured, more load never needs less, and its units are right.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeSize, describeSizes } from '../../../../src/cli/size/describe-size.ts';
import { LINES, MEASURED, ROW_BYTES } from '../../../../src/cli/size/figures.ts';
import { ledgerMB, on, type SizeInput, sizeOf } from '../../../../src/cli/size/model.ts';

const input = (over: Partial<SizeInput> = {}): SizeInput => ({
  tokens: 500,
  callsPerMinute: 120,
  busy: 100,
  people: 10_000,
  events: 100,
  keepCalls: 14,
  keepMinutes: 90,
  ...over,
});
const partOf = (of: SizeInput, name: string) => sizeOf(of).parts.find((part) => part.name === name);

/** Share of the measured value by which an estimate may differ. */
const TOLERANCE = 0.15;
/** Below these, a difference of a few hundredths of a core or of some MB is no share of anything. */
const LEAST = { cores: 0.005, MB: 10 };

describe.each(MEASURED.points)('$tokens tokens with $callsPerSecond calls a second, as measured', (point) => {
  const load = { tokens: point.tokens, calls: point.callsPerSecond };
  const more = point.workers - 1;
  const figures: ReadonlyArray<readonly [string, number, number | null, number]> = [
    [
      'worker cores',
      on(LINES.workerCores, load) + more * LINES.workerCores.fixed,
      point.workerCores,
      LEAST.cores,
    ],
    ['PostgreSQL cores', on(LINES.ledgerCores, load), point.ledgerCores, LEAST.cores],
    ['Temporal cores', on(LINES.temporalCores, load), point.temporalCores, LEAST.cores],
    ['worker memory', on(LINES.workersMB, load) + more * LINES.workersMB.fixed, point.workersMB, LEAST.MB],
    ['PostgreSQL memory', ledgerMB(point.connections ?? 0), point.ledgerMB, LEAST.MB],
    ['Temporal memory', on(LINES.temporalMB, load), point.temporalMB, LEAST.MB],
  ];
  it.each(figures.filter(([, , measured]) => measured !== null))(
    '%s: the model gives %d, measured were %d',
    (_name, modeled, measured, least) => {
      expect(Math.abs(modeled - Number(measured))).toBeLessThanOrEqual(
        Math.max(least, Number(measured) * TOLERANCE),
      );
    },
  );
});

describe('load', () => {
  it.each<[string, Partial<SizeInput>, number]>([
    ['500 busy tokens of 120 calls a minute', {}, 1000],
    ['half of them busy, the others poll twice a minute', { busy: 50 }, 508.333],
    ['nobody busy', { busy: 0 }, 16.667],
    ['one token', { tokens: 1 }, 2],
    ['a limit below what polling takes', { tokens: 60, callsPerMinute: 1, busy: 0 }, 1],
    ['part of a token is a whole one', { tokens: 1, busy: 1 }, 2],
  ])('%s', (_name, over, callsPerSecond) => {
    expect(sizeOf(input(over)).callsPerSecond).toBeCloseTo(callsPerSecond, 3);
  });
});

describe('disk', () => {
  it('holds calls for their days, and everything else by token', () => {
    const { stored, diskBytes } = sizeOf(
      input({ tokens: 2, people: 1000, events: 10, keepCalls: 1, keepMinutes: 2 }),
    );
    const rows = Object.fromEntries(stored.map(({ kind, rows: count }) => [kind, count]));
    expect(rows).toEqual({
      calls: 2 * 120 * 1440,
      'minutes with calls': 2 * 1440 * 2 * 2,
      'people with a card': 2000,
      'records of the last runs': 2000,
      events: 2 * 10 * 90,
    });
    expect(diskBytes).toBe(
      345_600 * ROW_BYTES.call +
        11_520 * ROW_BYTES.minute +
        2000 * (ROW_BYTES.person + ROW_BYTES.record) +
        1800 * ROW_BYTES.event,
    );
  });
});

describe('processes', () => {
  it('one token needs one worker; several have two, so that one may end', () => {
    expect(partOf(input({ tokens: 1 }), 'worker')?.processes).toBe(1);
    expect(partOf(input({ tokens: 2, callsPerMinute: 1 }), 'worker')?.processes).toBe(2);
  });

  it('tokens that call rarely still need room for their batches', () => {
    const { processes = 0 } = partOf(input({ tokens: 5000, callsPerMinute: 1 }), 'worker') ?? {};
    expect(processes).toBeGreaterThanOrEqual(10);
  });

  it('a worker stays below 70 % of a core', () => {
    for (const tokens of [1, 50, 500, 5000]) {
      const { processes = 0 } = partOf(input({ tokens }), 'worker') ?? {};
      const { tokens: busy, calls } = { tokens, calls: tokens * 2 };
      expect(on(LINES.workerCores, { tokens: busy, calls }) / processes).toBeLessThanOrEqual(0.7);
    }
  });
});

describe('limits', () => {
  it('the fullest one is first, and each share is use by limit', () => {
    const { limits } = sizeOf(input({ tokens: 5000 }));
    expect(limits.map(({ share }) => share)).toEqual(
      limits.map(({ share }) => share).toSorted((one, other) => other - one),
    );
    for (const { use, limit, share } of limits) expect(share).toBeCloseTo(use / limit);
  });

  it.each<[string, Partial<SizeInput>]>([
    ['activities per second of a Temporal dev server', { tokens: 5000 }],
    ["polling's share of a token's limit", { tokens: 1, callsPerMinute: 2, busy: 0 }],
    ['calls per second of one token', { tokens: 1, callsPerMinute: 60_000 }],
  ])('%s gives out first', (name, over) => {
    expect(sizeOf(input(over)).limits[0]).toMatchObject({ name });
  });
});

it('more of anything never needs less', () => {
  const size = fc.record({
    tokens: fc.integer({ min: 1, max: 100_000 }),
    callsPerMinute: fc.integer({ min: 2, max: 6000 }),
    busy: fc.integer({ min: 0, max: 100 }),
    people: fc.integer({ min: 0, max: 1_000_000 }),
    events: fc.integer({ min: 0, max: 100_000 }),
    keepCalls: fc.integer({ min: 1, max: 365 }),
    keepMinutes: fc.integer({ min: 1, max: 365 }),
  });
  fc.assert(
    fc.property(
      size,
      fc.constantFrom('tokens', 'callsPerMinute', 'people', 'events', 'keepCalls'),
      (of, key) => {
        const [small, large] = [sizeOf(of), sizeOf({ ...of, [key]: of[key] * 2 })];
        for (const figure of ['callsPerSecond', 'cores', 'memoryMB', 'diskBytes'] as const) {
          expect(Number.isFinite(large[figure])).toBe(true);
          expect(large[figure]).toBeGreaterThanOrEqual(small[figure]);
        }
      },
    ),
  );
});

describe('what is printed', () => {
  it('names what was measured, when, and every assumption', () => {
    const text = describeSize(sizeOf(input({ tokens: 5000 }))).join('\n');
    expect(text).toContain(`measured on ${MEASURED.on}, 2 cores`);
    expect(text).toContain('50 tokens, 61.7 calls a second (bench size)');
    expect(text).toContain('beyond what was measured');
    expect(text).toContain('0.053: Temporal activities per call (bench cost');
    expect(text).toContain('too small: activities per second of a Temporal dev server, 1,000 % of the limit');
  });

  it('a load that was measured is not called an extrapolation', () => {
    expect(describeSize(sizeOf(input({ tokens: 50, callsPerMinute: 60 }))).join('\n')).not.toContain(
      'beyond',
    );
  });

  it('several sizes are one line each', () => {
    const lines = describeSizes([1, 50, 500, 5000].map((tokens) => sizeOf(input({ tokens }))));
    expect(lines[0]).toMatch(/^tokens +calls\/s +workers/);
    expect(lines.slice(1, 5).map((line) => line.trim().split(' ')[0])).toEqual(['1', '50', '500', '5,000']);
  });
});
