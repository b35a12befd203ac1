// When a channel is notified, over a clock that the tests set.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsFor } from '../../../../src/observe/notices/needs.ts';
import {
  backoffMs,
  type ChannelRules,
  dueNotice,
  ENDS_AFTER_MS,
  type NeedFacts,
  type TrackedNeed,
  track,
} from '../../../../src/observe/notices/rules.ts';
import { factsOf, MINUTE, needOf } from './fixtures.ts';

const RULES: ChannelRules = { severity: 'info', afterMs: 5 * MINUTE, groupMs: MINUTE, quiet: null };
const START = Date.parse('2026-11-27T12:00:00Z');
const SURE = () => false;

interface Step {
  readonly minute: number;
  /** Keys of what stands, or null: Sluice was not running. */
  readonly standing: readonly string[];
  readonly mayStand?: (need: NeedFacts) => boolean;
}

/** Each notice as `minute +began -ended`. */
function play(steps: readonly Step[], rules = RULES): string[] {
  let needs: TrackedNeed[] = [];
  return steps.flatMap(({ minute, standing, mayStand = SURE }) => {
    const now = START + minute * MINUTE;
    needs = track(
      needs,
      standing.map((key) => factsOf(key)),
      mayStand,
      now,
    );
    const due = dueNotice(needs, rules, now);
    if (due === null) return [];
    const [began, ended] = [due.began, due.ended].map((list) => new Set(list.map(({ key }) => key)));
    needs = needs
      .filter(({ key }) => !ended?.has(key))
      .map((need) => (began?.has(need.key) ? { ...need, notifiedAt: now } : need));
    return [
      [
        minute,
        ...[...(began ?? [])].map((key) => `+${key}`),
        ...[...(ended ?? [])].map((key) => `-${key}`),
      ].join(' '),
    ];
  });
}

/** A step a minute. */
const minutes = (from: number, to: number, standing: readonly string[]): Step[] =>
  Array.from({ length: to - from }, (_, at) => ({ minute: from + at, standing }));

describe('a channel', () => {
  it.each<[string, Step[], string[]]>([
    [
      'is notified once when a need begins, and once when it has ended',
      [...minutes(0, 20, ['a']), ...minutes(20, 40, [])],
      ['6 +a', '23 -a'],
    ],
    [
      'hears nothing of a need that is over before it is due',
      [...minutes(0, 4, ['a']), ...minutes(4, 20, [])],
      [],
    ],
    [
      'gets needs that begin within the group as one notice',
      [...minutes(0, 1, ['a']), ...minutes(1, 9, ['a', 'b'])],
      ['6 +a +b'],
    ],
    [
      'gets what begins later in a notice of its own',
      [...minutes(0, 3, ['a']), ...minutes(3, 12, ['a', 'b'])],
      ['6 +a', '9 +b'],
    ],
    [
      'is not notified each time when a need comes and goes',
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((minute) => ({
        minute,
        standing: minute % 2 === 0 ? ['a'] : [],
      })),
      ['6 +a'],
    ],
    [
      'is notified again when a need comes back after its end',
      [...minutes(0, 8, ['a']), ...minutes(8, 14, []), ...minutes(14, 21, ['a'])],
      ['6 +a', '11 -a', '20 +a'],
    ],
    [
      'is notified late, and once, of what began while no process ran',
      [
        { minute: 0, standing: ['a'] },
        { minute: 600, standing: ['a'] },
        { minute: 601, standing: ['a'] },
      ],
      ['600 +a'],
    ],
    [
      'takes no need for ended while it cannot be read',
      [
        ...minutes(0, 8, ['a']),
        ...minutes(8, 20, []).map((step) => ({
          ...step,
          mayStand: ({ kind }: NeedFacts) => kind === 'blocked-campaign',
        })),
        ...minutes(20, 22, ['a']),
      ],
      ['6 +a'],
    ],
  ])('%s', (_, steps, notices) => {
    expect(play(steps)).toEqual(notices);
  });

  const QUIET: ChannelRules = {
    ...RULES,
    quiet: { from: '22:00', to: '07:00', timeZone: 'America/Sao_Paulo' },
  };
  // 12:00 UTC is 09:00 in São Paulo, so quiet hours are from minute 780 to minute 1320.
  it.each<[string, Step[], string[]]>([
    ['holds what begins until they end', minutes(790, 1330, ['a']), ['1320 +a']],
    [
      'never hears of what began and ended in them',
      [...minutes(790, 900, ['a', 'b']), ...minutes(900, 1330, ['b'])],
      ['1320 +b'],
    ],
    [
      'gets one notice after them, with ends of what it knows',
      [...minutes(0, 790, ['a']), ...minutes(790, 1330, ['b'])],
      ['6 +a', '1320 +b -a'],
    ],
  ])('with quiet hours: %s', (_, steps, notices) => {
    expect(play(steps, QUIET)).toEqual(notices);
  });

  it('is notified of the end of what it may have been notified of, when nobody could write that down', () => {
    const unclear = {
      ...factsOf('a'),
      firstSeenAt: START,
      goneAt: null,
      attemptedAt: START,
      notifiedAt: null,
    };
    const gone = track([unclear], [], SURE, START);
    const later = START + ENDS_AFTER_MS + MINUTE;
    expect(dueNotice(track(gone, [], SURE, later), RULES, later)?.ended).toMatchObject([{ key: 'a' }]);
  });

  it('alternates begin and end of each need, whatever comes and goes', () => {
    const steps = fc.array(
      fc.record({
        standing: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
        minutes: fc.integer({ min: 1, max: 9 }),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        let minute = 0;
        const notices = play(
          all.map(({ standing, minutes: pause }) => ({ minute: (minute += pause), standing })),
        );
        for (const key of ['a', 'b', 'c']) {
          const signs = notices.flatMap((notice) =>
            notice
              .split(' ')
              .filter((word) => word.slice(1) === key)
              .map((word) => word[0]),
          );
          expect(signs).toEqual(signs.map((_, at) => (at % 2 === 0 ? '+' : '-')));
        }
      }),
    );
  });
});

describe('the list of needs', () => {
  it('has runs of one sync once, and each plan that waits for approval by itself', () => {
    const needs = [
      needOf('leads', { kind: 'failed-run', run: 'acme/leads/1', count: 1 }),
      needOf('leads', { kind: 'failed-run', run: 'acme/leads/2', count: 1 }),
      needOf('spring', { kind: 'approval', severity: 'info', run: 'acme/+spring/1' }),
      needOf('spring', { kind: 'approval', severity: 'info', run: 'acme/+spring/2' }),
    ];
    expect(factsFor('ops', needs, 'info').map(({ kind, count }) => [kind, count])).toEqual([
      ['failed-run', 2],
      ['approval', 1],
      ['approval', 1],
    ]);
    expect(factsFor('ops', needs, 'critical')).toHaveLength(1);
  });

  it('does not notify a channel of its own failures', () => {
    const failing = needOf('ops', { kind: 'failing-notices', account: null });
    expect(factsFor('ops', [failing], 'info')).toEqual([]);
    expect(factsFor('mail', [failing], 'info')).toHaveLength(1);
  });
});

it('waits twice as long after each failure, up to 30 minutes', () => {
  expect([1, 2, 3, 7, 8, 2000].map((failures) => backoffMs(failures) / 1000)).toEqual([
    30, 60, 120, 1800, 1800, 1800,
  ]);
});
