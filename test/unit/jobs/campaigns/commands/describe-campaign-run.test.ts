// How a run of a campaign is shown to people.
import { describe, expect, it } from 'vitest';
import {
  describeRun,
  describeRuns,
  type Live,
} from '../../../../../src/jobs/campaigns/commands/describe-campaign-run.ts';
import { describeAudit } from '../../../../../src/jobs/campaigns/commands/show.ts';
import type {
  CampaignFigures,
  CampaignReport,
  WaveResult,
} from '../../../../../src/jobs/campaigns/contract/report.ts';

const FIGURES: CampaignFigures = {
  audience: 1200,
  eligible: 1000,
  found: 0,
  holdout: 50,
  excluded: { OPTED_OUT: 100, CONTACTED_LATELY: 50 },
  waiting: 300,
  sending: 1,
  triggered: 640,
  delivered: 600,
  read: 320,
  replied: 64,
  optedOut: 1,
  moved: 640,
  tagged: 0,
  unknown: 2,
  cancelled: 0,
  skipped: { HUMAN_SERVICE: 50 },
  failed: { ERR_CONTACT_INVALID: 7 },
};
const NONE: CampaignFigures = {
  audience: 0,
  eligible: 0,
  found: 0,
  holdout: 0,
  excluded: {},
  waiting: 0,
  sending: 0,
  triggered: 0,
  delivered: 0,
  read: 0,
  replied: 0,
  optedOut: 0,
  moved: 0,
  tagged: 0,
  skipped: {},
  failed: {},
  unknown: 0,
  cancelled: 0,
};
const WAVE: WaveResult = {
  ...NONE,
  audience: 700,
  triggered: 640,
  replied: 64,
  failed: { ERR_CONTACT_INVALID: 7 },
  wave: 1,
  kind: 'canary',
  startedAt: '2026-11-02T13:00:00.000Z',
  endedAt: '2026-11-02T14:00:00.000Z',
  judgedAt: null,
  isEvaluated: false,
  broken: [],
};
const REPORT: CampaignReport = {
  account: 'acme',
  campaign: 'spring',
  run: 'acme/+spring/3',
  state: 'running',
  paused: null,
  blocked: null,
  verified: null,
  timeZone: 'America/Sao_Paulo',
  plannedAt: '2026-11-01T13:00:00.000Z',
  plannedBy: 'ana',
  startedBy: null,
  approvedBy: 'bia',
  startedAt: '2026-11-02T13:00:00.000Z',
  finishedAt: null,
  calls: 1300,
  approval: 'none',
  digest: 'as planned',
  problems: [],
  reason: null,
  pollerSees: true,
  deliveries: 'known',
  replies: 'known',
  total: FIGURES,
  waves: [WAVE],
};
const show = (over: Partial<CampaignReport> = {}, live: Live = null) =>
  describeRun({ ...REPORT, ...over }, live).join('\n');
const total = (over: Partial<CampaignFigures>) => ({ total: { ...FIGURES, ...over } });

describe('a run', () => {
  it('that is blocked says why, and how its first trigger was verified', () => {
    const blocked = { code: 'REPLIES_UNREAD', reason: 'nobody reads' };
    const verified = { how: 'answer', member: 7, reason: 'it names the contact' } as const;
    const text = show({ blocked, verified });
    expect(text).toMatch(/^run .*: running, blocked\n/);
    expect(text).toContain(
      '\n  blocked: nobody reads [REPLIES_UNREAD]; it continues by itself after that is corrected\n',
    );
    expect(text).toContain('\n  first trigger: verified by its answer (it names the contact)\n');
  });

  it('stands with its figures, what is to be done, and its waves', () => {
    expect(describeRun(REPORT)).toEqual([
      'run acme/+spring/3 of the campaign "spring" for acme: running',
      '  planned by ana 2026-11-01 10:00:00 -03:00; approved by bia; begun 2026-11-02 10:00:00 -03:00; 1,300 calls',
      '',
      '  audience              1,200  100 %  ████████████████████',
      '  excluded                150   13 %  ███·················  OPTED_OUT 100, CONTACTED_LATELY 50',
      '  control                  50    4 %  █···················',
      '  to be reached         1,000   83 %  █████████████████···',
      '  triggered               640   53 %  ███████████·········',
      '    delivered             600   94 %  ███████████████████·',
      '    read                  320   50 %  ██████████··········',
      '    replied                64   10 %  ██··················',
      '    opted out               1   <1 %  █···················',
      '    moved                 640  100 %  ████████████████████',
      '    tagged                  0    0 %  ····················',
      '  waiting                 300   25 %  █████···············',
      '  sending                   1   <1 %  █···················',
      '  skipped                  50    4 %  █···················  HUMAN_SERVICE 50',
      '  failed                    7   <1 %  █···················  ERR_CONTACT_INVALID 7',
      '  unknown                   2   <1 %  █···················',
      "  Sluice can't tell whether 2 flows were triggered, and does not trigger them again: check in the service (`sluice find PHONE` shows a conversation that changed right after the call), then",
      '  `sluice campaign resolve spring --all --as triggered`, or `--as not-triggered` (see --help)',
      '  `sluice campaign retry spring` retries the 7 that failed; first correct what the codes say',
      '',
      'wave  kind    begun                       members  triggered  delivered  read    replied  opted out  skipped  failed  unknown  state',
      '   1  canary  2026-11-02 10:00:00 -03:00      700        640          0     0  64 (10 %)          0        0       7        0  ended',
    ]);
  });

  it.each<[string, Partial<CampaignReport>, Live, RegExp]>([
    [
      'a paused run names who paused it, why, and the commands that go on',
      {
        paused: {
          by: 'sluice',
          code: 'ERR_FLOW_NOT_EXECUTABLE',
          reason: 'ERR_FLOW_NOT_EXECUTABLE: the flow 7 is not published',
        },
      },
      null,
      /running, paused\n.*\n {2}paused by sluice: ERR_FLOW_NOT_EXECUTABLE.*\n.*campaign resume spring.*campaign cancel spring/,
    ],
    [
      'a run that the same refusal has blocked again names the resume, in the zone of the account',
      {
        paused: {
          by: 'sluice',
          code: 'ERR_TOKEN_REVOKED',
          reason: 'the token was revoked',
          at: '2026-11-01T13:06:00.000Z',
          again: { by: 'user:ana', at: '2026-11-01T13:05:00.000Z' },
        },
      },
      null,
      /resumed by user:ana at 2026-11-01 10:05:00 -03:00, and blocked again at 2026-11-01 10:06:00 -03:00 for the same reason: the token was revoked\n/,
    ],
    [
      'a paused run without a reason says so',
      { paused: { by: 'ana', reason: '' } },
      null,
      /paused by ana: no reason given/,
    ],
    [
      'planned: how it begins',
      { state: 'planned', startedAt: null },
      null,
      /waits for `sluice campaign start spring`/,
    ],
    [
      'planned with problems: that it can not be started, and why',
      { state: 'planned', startedAt: null, problems: [{ code: 'END_PASSED', reason: 'its end is over' }] },
      null,
      /problem: its end is over \[END_PASSED\]\n.*can't be started.*campaign plan spring/,
    ],
    [
      'planned, and not approved: who has to',
      { state: 'planned', startedAt: null, approvedBy: null, approval: 'second-person' },
      null,
      /somebody else than ana approves it with `sluice campaign approve spring`; then/,
    ],
    [
      'planned by a schedule, and not approved: nobody made it',
      {
        state: 'planned',
        startedAt: null,
        approvedBy: null,
        approval: 'second-person',
        plannedBy: 'schedule',
      },
      null,
      /waits until a person approves it with `sluice campaign approve spring`; then/,
    ],
    [
      'not to be planned: why',
      { state: 'failed', startedAt: null, reason: 'the account has no tag "vip"' },
      null,
      /could not be planned: the account has no tag "vip"; `sluice campaign plan spring`/,
    ],
    [
      'with one of each',
      total({ unknown: 1 }),
      null,
      /whether 1 flow was triggered, and does not trigger it again/,
    ],
    [
      'without a workflow, though it should have one',
      {},
      { progress: null, failure: null, etaAt: null },
      /no workflow runs it.*campaign start spring/,
    ],
    [
      'no delivery was seen, and no poller reads them: that they are not known',
      { deliveries: 'no-poller' },
      null,
      /delivered +– +not known: no poller reads deliveries\n +read +– /,
    ],
    [
      'no delivery was seen although a poller reads: that none was reported',
      { deliveries: 'not-reported' },
      null,
      /delivered +– +not known: the service has reported no delivery status\n(.*\n)*.*canary .* – +– +64/,
    ],
    ['without a poller', { pollerSees: false }, null, /no poller of acme .* may be missing/],
    ['being planned', { state: 'planning', ...total({ found: 9 }) }, null, /found, being read +9/],
    [
      'with a wave that broke a rule',
      {
        waves: [
          { ...WAVE, judgedAt: WAVE.endedAt, broken: [{ code: 'STOP_FAILED', reason: '12 % failed' }] },
        ],
      },
      null,
      /broke a rule\n {2}12 % failed \[STOP_FAILED\]/,
    ],
    [
      'with a wave that is too small for the stop rules',
      { waves: [{ ...WAVE, judgedAt: WAVE.endedAt, isEvaluated: false }] },
      null,
      /too small to evaluate/,
    ],
    [
      'with a wave that was evaluated',
      { waves: [{ ...WAVE, judgedAt: WAVE.endedAt, isEvaluated: true }] },
      null,
      /  evaluated/,
    ],
    [
      'whose replies nobody reads: that they are not known',
      { replies: 'no-poller', pollerSees: false },
      null,
      /replied +– +not known: no poller reads conversations/,
    ],
    [
      'with more waves than are listed',
      { waves: [{ ...WAVE, wave: 41 }] },
      null,
      /40 earlier waves are not listed/,
    ],
    ['of all but one', total({ delivered: 639, triggered: 640 }), null, /delivered +639 +99 %/],
  ])('%s', (_, over, live, expected) => {
    expect(show(over, live)).toMatch(expected);
  });

  it.each([
    [
      'window',
      /waits until 2026-11-03 09:00:00 -03:00, in America\/Sao_Paulo: the next sending window opens then/,
    ],
    ['settle', /Sluice evaluates the wave/],
    ['retry', /tried again then/],
    ['something new', /: something new/],
  ])('says what it waits for: %s', (why, expected) => {
    const progress = {
      run: REPORT.run,
      phase: 'waiting' as const,
      paused: null,
      wave: 2,
      batches: 0,
      pacePerMinute: 30,
      counts: null,
      waiting: { until: '2026-11-03T12:00:00.000Z', why },
    };
    const live: Live = { progress, failure: null, etaAt: '2026-11-04T12:00:00.000Z' };
    expect(show({}, live)).toMatch(expected);
    expect(show({}, live)).toContain('expected to end 2026-11-04 09:00:00 -03:00');
    expect(show({}, live)).toContain('waiting, wave 2; no batch active; at most 30 a minute');
  });

  it('of nobody divides by nothing', () => {
    expect(show({ total: NONE, waves: [{ ...WAVE, ...NONE }] })).not.toMatch(/NaN|Infinity/);
  });
});

it('runs stand in a table', () => {
  expect(
    describeRuns([
      REPORT,
      { ...REPORT, run: 'acme/+spring/2', state: 'finished', paused: { by: 'a', reason: '' } },
    ]),
  ).toEqual([
    'run             state             planned                     audience  to reach  triggered  replied  skipped  failed  unknown',
    'acme/+spring/3  running           2026-11-01 10:00:00 -03:00     1,200     1,000        640       64       50       7        2',
    'acme/+spring/2  finished, paused  2026-11-01 10:00:00 -03:00     1,200     1,000        640       64       50       7        2',
  ]);
});

describe('an audit', () => {
  it('has its times in the zone of the account, a line an entry whatever the reason, and no counts of nothing', () => {
    const at = '2026-11-01T13:00:00.000Z';
    const entries = [
      { seq: 1, at, by: 'ana', action: 'rate', reason: '', details: { members: 0, callsPerMinute: null } },
      { seq: 2, at, by: 'bia', action: 'cancel', reason: 'a\n\u001b[2Jb', details: { members: 3 } },
    ];
    expect(describeAudit(entries, 'America/Sao_Paulo')).toEqual([
      'at                          by   action  what              reason',
      '2026-11-01 10:00:00 -03:00  ana  rate    callsPerMinute –',
      '2026-11-01 10:00:00 -03:00  bia  cancel  members 3         a\\u000a\\u001b[2Jb',
    ]);
    expect(describeAudit([], 'UTC')).toEqual([]);
  });
});
