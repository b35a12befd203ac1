// Plans of campaigns and the progress of runs as operators read them.
import { describe, expect, it } from 'vitest';
import {
  describeCampaignPlan,
  describeSample,
} from '../../../../../src/jobs/campaigns/commands/describe-plan.ts';
import { stateOf } from '../../../../../src/jobs/campaigns/commands/follow-campaign.ts';
import { describeNext } from '../../../../../src/jobs/campaigns/commands/plan.ts';
import { describeEnd, exitCodeOf } from '../../../../../src/jobs/campaigns/commands/start.ts';
import { MEMBER_STATES } from '../../../../../src/jobs/campaigns/constants.ts';
import {
  type CampaignCounts,
  type CampaignProgress,
} from '../../../../../src/jobs/campaigns/contract/batches.ts';
import { type CampaignPlan, type PlannedWave } from '../../../../../src/jobs/campaigns/contract/plan.ts';
import type { CampaignReport } from '../../../../../src/jobs/campaigns/contract/report.ts';

const wave = (
  n: number,
  startsAt: string,
  endsAt: string,
  kind: PlannedWave['kind'] = 'wave',
): PlannedWave => ({
  wave: n,
  kind,
  size: 500,
  startsAt,
  endsAt,
});

const PLAN: CampaignPlan = {
  account: 'acme',
  campaign: 'back',
  run: 'acme/+back/3',
  plannedBy: 'ana',
  approval: 'none',
  plannedAt: '2026-11-23T12:00:00.000Z',
  found: 1700,
  audience: 1500,
  merged: 200,
  holdout: 100,
  eligible: 1200,
  parts: [
    { from: 'cards', found: 1000 },
    { from: 'contacts', found: 700 },
  ],
  excluded: { CONTACTED_LATELY: 50, OPTED_OUT: 150 },
  zones: [{ zones: ['America/Sao_Paulo'], members: 1200 }],
  calls: { planning: 22, triggers: 1200, rechecks: 0, lookups: 0, after: 0 },
  pacePerMinute: 120,
  callsPerMinute: 120,
  timeZone: 'America/Sao_Paulo',
  waves: [
    wave(1, '2026-11-23T12:00:00.000Z', '2026-11-23T12:04:00.000Z', 'canary'),
    wave(2, '2026-11-23T12:20:00.000Z', '2026-11-24T12:10:00.000Z'),
  ],
  moreWaves: 0,
  days: [
    {
      day: '2026-11-23',
      members: 1000,
      startsAt: '2026-11-23T12:00:00.000Z',
      endsAt: '2026-11-23T21:00:00.000Z',
    },
    {
      day: '2026-11-24',
      members: 200,
      startsAt: '2026-11-24T12:00:00.000Z',
      endsAt: '2026-11-24T12:10:00.000Z',
    },
  ],
  moreDays: 0,
  finishAt: '2026-11-24T12:10:00.000Z',
  problems: [],
  warnings: [],
};
const shown = (over: Partial<CampaignPlan>) => describeCampaignPlan({ ...PLAN, ...over }).join('\n');

describe('a plan', () => {
  it('shows the audience first and the end time last', () => {
    expect(describeCampaignPlan(PLAN)).toEqual([
      'plan acme/+back/3 of the campaign "back", made by ana at 2026-11-23 09:00:00 -03:00',
      '  1,700 rows found: cards 1,000, contacts 700; 1,500 people (200 rows are of people found before)',
      '  1,200 to be reached, 200 excluded, 100 in the control group',
      '  excluded: OPTED_OUT 150, CONTACTED_LATELY 50',
      '  1,200 calls: 1,200 triggers; the plan took 22',
      '  120 triggers a minute, of 120 calls a minute that the tokens allow: done 2026-11-24 09:10:00 -03:00, if it starts now and nothing else uses the budget',
      '  2 waves (times in America/Sao_Paulo):',
      '    Mon 2026-11-23  ##############################  1,000  09:00-18:00  waves 1 (canary)-2',
      '    Tue 2026-11-24  ######                            200  09:00-09:10  wave 2',
    ]);
  });

  it('names three of the many zones of a number, and one of anything as one', () => {
    const zones = ['A/A', 'B/B', 'C/C', 'D/D', 'E/E'];
    const one = { planning: 1, triggers: 1, rechecks: 0, lookups: 0, after: 0 };
    const text = shown({ zones: [{ zones, members: 1 }], found: 1, merged: 1, pacePerMinute: 1, calls: one });
    expect(text).toContain('windows go by: A/A + B/B + C/C + 2 more zones 1\n');
    expect(text).toContain('  1 row found');
    expect(text).toContain('(1 row is of people found before)');
    expect(text).toContain('  1 call: 1 trigger; the plan took 1\n  1 trigger a minute, of');
  });

  it.each<[string, Partial<CampaignPlan>, string]>([
    [
      'zones other than the account’s are listed',
      {
        zones: [
          { zones: ['America/New_York', 'America/Chicago'], members: 1100 },
          { zones: ['America/Sao_Paulo'], members: 100 },
        ],
      },
      '\n  windows go by: America/New_York + America/Chicago 1,100, America/Sao_Paulo 100\n',
    ],
    [
      'the calls of each kind',
      { calls: { planning: 0, triggers: 10, rechecks: 10, lookups: 3, after: 40 } },
      '\n  63 calls: 10 triggers, 10 rechecks, 3 lookups of contacts, up to 40 for cards and tags after them; the plan took 0\n',
    ],
    ['nobody is merged', { merged: 0, audience: 1 }, '; 1 person\n'],
    ['no end', { finishAt: null }, ': the end time is unknown\n'],
    ['waves that are not listed', { moreWaves: 3 }, '\n  5 waves (times'],
    ['their days go on', { moreWaves: 3 }, '  wave 2-\n'.replace('wave', 'waves').trimEnd()],
    ['days that are not listed', { moreDays: 1 }, '\n    and 1 more day'],
    [
      'problems and warnings, with their codes',
      {
        problems: [{ code: 'NO_WINDOW', reason: 'never' }],
        warnings: [{ code: 'NO_POLLER', reason: 'nobody checks' }],
      },
      '\n  problem: never [NO_WINDOW]\n  warning: nobody checks [NO_POLLER]',
    ],
  ])('%s', (_, over, text) => {
    expect(shown(over)).toContain(text);
  });

  it('of nobody has neither pace nor days', () => {
    const text = shown({ eligible: 0, days: [], waves: [], finishAt: null });
    expect(text).not.toContain('a minute');
    expect(text).not.toContain('waves');
  });

  it('of a year shows a month', () => {
    const [day] = PLAN.days;
    const days = Array.from({ length: 200 }, () => day as (typeof PLAN.days)[number]);
    expect(shown({ days, moreDays: 165 })).toContain('\n    and 334 more days');
  });

  it.each([
    [{}, '`sluice campaign start back` starts it'],
    [
      { approval: 'second-person' },
      /^somebody else than ana approves it with `sluice campaign approve back`; then/,
    ],
    [{ approval: 'second-person', problems: [{ code: 'X', reason: 'x' }] }, /^it can't be started as it is/],
  ] as const)('%j: what comes next', (over, text) => {
    const [line] = describeNext({ ...PLAN, ...over } as CampaignPlan);
    expect(line).toMatch(text);
  });

  it('a sample shows variables as they are sent', () => {
    expect(
      describeSample([
        { member: 1, number: '+55 11 9••••-4321', variables: { name: 'Bia "B"', n: 3 } },
        { member: 2, number: null, variables: {} },
      ]),
    ).toEqual([
      '  variables of the first members (personal data):',
      '    +55 11 9••••-4321: name="Bia \\"B\\"" n=3',
      '    no number: none',
    ]);
    expect(describeSample([])).toEqual([]);
  });
});

describe('how a run gets on', () => {
  const none = Object.fromEntries(MEMBER_STATES.map((state) => [state, 0])) as Record<
    keyof CampaignCounts,
    number
  >;
  const progress: CampaignProgress = {
    run: 'r',
    phase: 'running',
    paused: null,
    wave: 2,
    waiting: null,
    batches: 0,
    pacePerMinute: null,
    counts: { ...none, excluded: 9, holdout: 9, waiting: 5, sending: 1, triggered: 3, skipped: 1 },
  };

  it('counts those whose turn may come, and no others', () => {
    expect(stateOf(progress, 'UTC')).toEqual({
      done: 4,
      total: 10,
      note: 'wave 2, 3 triggered, 1 skipped',
      paused: false,
    });
    expect(stateOf({ ...progress, counts: null }, 'UTC')).toBeNull();
  });

  it('says what it waits for', () => {
    const waiting = { until: '2026-11-24T12:00:00.000Z', why: 'window' };
    expect(stateOf({ ...progress, waiting }, 'America/Sao_Paulo')?.note).toMatch(
      /waits until 2026-11-24 09:00:00 -03:00 \(window\)$/,
    );
    const paused = stateOf({ ...progress, waiting, paused: { by: 'ana', reason: '' } }, 'UTC');
    expect(paused).toMatchObject({ paused: true, note: 'wave 2, 3 triggered, 1 skipped' });
  });

  const total = (over: object) =>
    ({
      total: { skipped: {}, failed: {}, unknown: 0, ...over },
      state: 'finished',
    }) as unknown as CampaignReport;
  it.each([
    ['all went well', total({ skipped: { FREQUENCY_CAP: 3 } }), 0],
    ['some failed', total({ failed: { ERR_X: 1 } }), 6],
    ['an unknown outcome is the first thing to check', total({ failed: { ERR_X: 1 }, unknown: 1 }), 7],
    ['it was cancelled', { ...total({}), state: 'cancelled' as const }, 1],
  ])('%s', (_, report, code) => {
    expect(exitCodeOf(report)).toBe(code);
  });

  it('and how it ended', () => {
    const end = total({ triggered: 1000, skipped: { A: 1, B: 2 }, eligible: 1003, cancelled: 0 });
    expect(describeEnd({ ...end, run: 'acme/+back/3' })).toBe(
      'acme/+back/3 is finished: of 1,003 members 1,000 triggered, 3 skipped, 0 failed, 0 unknown',
    );
  });
});
