import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createProgress,
  formatCount,
  formatDuration,
  formatRate,
  formatTime,
  writeLines,
} from '../../../../src/cli/lib/terminal/progress.ts';

const CLEAR = '\r\u001b[2K';

function setUp(options: { isTTY: boolean; columns?: number; unit?: string }) {
  const writes: string[] = [];
  let time = 0;
  const stream = {
    isTTY: options.isTTY,
    columns: options.columns ?? 100,
    write: (text: string) => writes.push(text),
  };
  const progress = createProgress(stream, {
    label: 'sync leads',
    ...(options.unit === undefined ? {} : { unit: options.unit }),
    now: () => time,
  });
  const advance = (ms: number) => {
    time += ms;
  };
  return { progress, writes, stream, advance };
}

/** What a terminal shows after these writes. */
function screen(writes: readonly string[]): string[] {
  const lines = [''];
  for (const write of writes) {
    const text = write.split(CLEAR);
    for (const [index, part] of text.entries()) {
      if (index > 0) lines[lines.length - 1] = '';
      const [first = '', ...more] = part.split('\n');
      lines[lines.length - 1] += first;
      lines.push(...more);
    }
  }
  return lines;
}

describe('on a terminal', () => {
  it('redraws one line with bar, percent, counts, pace and time left', () => {
    const { progress, writes, advance } = setUp({ isTTY: true, columns: 120 });
    progress.update({ done: 0, total: 1200 });
    advance(10_000);
    progress.update({ done: 300, total: 1200, note: 'waiting for a slot' });
    expect(screen(writes)).toEqual([
      'sync leads [#######-----------------------] 25%, 300 of 1,200 records, 30.0/s, 30 s left, waiting for a slot',
    ]);
  });

  it('says at once that the work is paused, without pace and remaining time', () => {
    const { progress, writes, advance } = setUp({ isTTY: true, columns: 120 });
    progress.update({ done: 0, total: 1200 });
    advance(10_000);
    progress.update({ done: 300, total: 1200 });
    progress.update({ done: 300, total: 1200, paused: true });
    expect(screen(writes)).toEqual([
      'sync leads [#######-----------------------] 25%, 300 of 1,200 records, paused',
    ]);
  });

  it('that says it has no width takes 80 columns', () => {
    const { progress, writes } = setUp({ isTTY: true, columns: 0 });
    progress.update({ done: 3, total: 12 });
    expect(screen(writes)).toEqual(['sync leads [#######-----------------------] 25%, 3 of 12 records']);
  });

  it('draws at most ten times a second, yet always the last state', () => {
    const { progress, writes, advance } = setUp({ isTTY: true });
    for (let done = 1; done <= 1000; done++) {
      advance(1);
      progress.update({ done, total: 1000 });
    }
    expect(writes.length).toBeLessThanOrEqual(12);
    expect(screen(writes)[0]).toContain('100%, 1,000 of 1,000 records');
  });

  it('writes nothing when nothing on the line changed', () => {
    const { progress, writes } = setUp({ isTTY: true });
    progress.update({ done: 5, total: 5 });
    progress.update({ done: 5, total: 5 });
    expect(writes).toHaveLength(1);
  });

  it('makes way for lines and stands below them again', () => {
    const { progress, writes } = setUp({ isTTY: true });
    progress.line('first');
    progress.update({ done: 1, total: 2 });
    progress.line('row 7 rejected');
    expect(screen(writes)).toEqual(['first', 'row 7 rejected', expect.stringContaining('50%')]);
    progress.finish();
    expect(screen(writes)).toEqual(['first', 'row 7 rejected', 'sync leads: 1 record in 0.0 s', '']);
  });

  it('never says 100% before all is done, nor a time left when it cannot know', () => {
    const { progress, writes, advance } = setUp({ isTTY: true });
    progress.update({ done: 999_999, total: 1_000_000 });
    expect(screen(writes)[0]).toContain('99%');
    advance(1000);
    progress.update({ done: 999_999, total: null });
    expect(screen(writes)[0]).toBe('sync leads: 999,999 records');
  });

  it('takes a resumed run at its own pace', () => {
    const { progress, writes, advance } = setUp({ isTTY: true });
    progress.update({ done: 1_000_000, total: 1_000_200 });
    advance(10_000);
    progress.update({ done: 1_000_100, total: 1_000_200 });
    expect(screen(writes)[0]).toContain('10.0/s, 10 s left');
  });

  it('forgets an old pace after half a minute', () => {
    const { progress, writes, advance } = setUp({ isTTY: true });
    for (let second = 0; second <= 120; second++) {
      progress.update({ done: second < 60 ? second * 100 : 6000 + (second - 60), total: 10_000 });
      advance(1000);
    }
    expect(screen(writes)[0]).toContain('60/min');
  });

  it('fits any width without wrapping, whatever it has to say', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }),
        fc.array(
          fc.record({
            ms: fc.nat(60_000),
            done: fc.nat(1e9),
            total: fc.option(fc.nat(1e9)),
            note: fc.string({ maxLength: 30, unit: fc.constantFrom(...'abc ') }),
          }),
          { minLength: 1, maxLength: 20 },
        ),
        (columns, steps) => {
          const { progress, writes, advance } = setUp({ isTTY: true, columns });
          for (const { ms, ...state } of steps) {
            advance(ms);
            progress.update(state);
          }
          for (const write of writes) {
            expect(write.startsWith(CLEAR)).toBe(true);
            expect(write.length - CLEAR.length).toBeLessThan(columns);
            expect(write).not.toMatch(/NaN|Infinity|\n/);
          }
        },
      ),
    );
  });
});

describe('elsewhere', () => {
  it('prints every 10 % of a quick run, without control characters', () => {
    const { progress, writes, advance } = setUp({ isTTY: false });
    for (let done = 0; done <= 1000; done++) {
      advance(1);
      progress.update({ done, total: 1000 });
    }
    progress.finish();
    expect(writes).toHaveLength(12);
    expect(writes[0]).toBe('sync leads: 0%, 0 of 1,000 records\n');
    expect(writes[10]).toContain('100%, 1,000 of 1,000 records');
    expect(writes[11]).toBe('sync leads: 1,000 records in 1.0 s\n');
    expect(writes.join('').replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('prints every 5 s of a slow run, also when the total is unknown', () => {
    const { progress, writes, advance } = setUp({ isTTY: false, unit: 'call' });
    for (let done = 0; done < 20; done++) {
      progress.update({ done, total: null });
      advance(1000);
    }
    expect(writes).toHaveLength(4);
    expect(writes[3]).toBe('sync leads: 15 calls, 60/min\n');
  });

  it('prints lines as they are, and nothing after the end but them', () => {
    const { progress, writes } = setUp({ isTTY: false });
    progress.finish('done: see the report');
    progress.update({ done: 1, total: 1 });
    progress.finish();
    progress.line('still said');
    expect(writes).toEqual(['done: see the report\n', 'still said\n']);
  });
});

describe('lines of others on the stream of a bar', () => {
  it('stand above the bar, which is drawn again below them', () => {
    const { progress, stream, writes } = setUp({ isTTY: true });
    progress.update({ done: 1, total: 2 });
    const bar = (writes.at(-1) ?? '').replace(CLEAR, '');
    writeLines(stream, 'a warning\n');
    expect(writes.slice(-3)).toEqual([CLEAR, 'a warning\n', CLEAR + bar]);
    progress.finish('over');
    writeLines(stream, 'later\n');
    expect(writes.at(-1)).toBe('later\n');
  });
});

it.each([
  [0, '0.0 s'],
  [420, '0.4 s'],
  [9_949, '9.9 s'],
  [9_960, '10 s'],
  [59_499, '59 s'],
  [59_600, '1 min'],
  [200_000, '3 min 20 s'],
  [3_599_600, '1 h'],
  [7_500_000, '2 h 5 min'],
  [86_399_000, '1 d'],
  [273_600_000, '3 d 4 h'],
  [-5, '0.0 s'],
])('%d ms reads %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it('writes counts, rates and times for people', () => {
  expect(formatCount(1234567)).toBe('1,234,567');
  expect(formatRate(2)).toBe('2,000/s');
  expect(formatRate(0.0025)).toBe('2.5/s');
  expect(formatRate(0.0019)).toBe('114/min');
  expect(formatRate(0.0001)).toBe('6.0/min');
  const date = new Date('2026-11-20T13:00:05Z');
  expect(formatTime(date, 'America/Sao_Paulo')).toBe('2026-11-20 10:00:05 -03:00');
  expect(formatTime(date, 'UTC')).toBe('2026-11-20 13:00:05 UTC');
  expect(formatTime(new Date('2026-11-20T00:00:00Z'), 'UTC')).toBe('2026-11-20 00:00:00 UTC');
});
