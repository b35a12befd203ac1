// Notes of campaigns and of mistakes in drafts: each has its sentences in both languages, whose placeholders are what the
// note names.
import { describe, expect, it } from 'vitest';
import { CONFIG_CHECKS } from '../../../src/app/config-checks.ts';
import { checkDraft } from '../../../src/config/edit/check-draft.ts';
import { describeEncoding } from '../../../src/connectors/sources/csv/encoding-note.ts';
import en from '../../../src/console/i18n/en/reasons.ts';
import pt from '../../../src/console/i18n/pt-BR/reasons.ts';
import type { NoteParams } from '../../../src/core/endpoint.ts';
import type { CampaignConfig } from '../../../src/jobs/campaigns/config.ts';
import { memberCase } from '../../../src/jobs/campaigns/rules/member-case.ts';
import { type PlanFacts, problemsOf, warningsOf } from '../../../src/jobs/campaigns/rules/plan-notes.ts';
import { brokenRules } from '../../../src/jobs/campaigns/rules/waves.ts';
import { conflictCase } from '../../../src/jobs/sync/operator/conflict-lines.ts';
import { phoneCase } from '../../../src/mapping/phone/cases.ts';
import * as refusals from '../../../src/mapping/phone/result.ts';
import type { Health } from '../../../src/operator/contract/health.ts';
import { failingNeed } from '../../../src/operator/service/overview/failing-need.ts';
import { outagesOf } from '../../../src/operator/service/overview/outages.ts';

const DAY = 86_400_000;
const WABA = { id: 1, name: 'Sales', channel: 'waba', status: 'CONNECTED' };
const END = new Date(10 * DAY).toISOString();

function facts(change: Partial<PlanFacts> = {}, config: object = {}): PlanFacts {
  const given: CampaignConfig = {
    connection: 1,
    audience: [],
    exclude: {},
    stop: {},
    waves: { callsPerMinute: 100 },
    ...config,
  } as never;
  return {
    account: 'acme',
    config: given,
    timeZone: 'UTC',
    optOut: { words: [] } as never,
    nowMs: 0,
    connections: [WABA],
    audience: 10,
    excluded: 0,
    holdout: 0,
    eligible: 10,
    forecast: { never: [], finishMs: 5 * DAY, byThen: 4, waves: [] } as never,
    horizonMs: 20 * DAY,
    startMs: 0,
    oneWaveMs: null,
    paceNeeded: 20,
    pacePerMinute: 10,
    callsPerMinute: 120,
    callsPerMember: 2,
    pollers: [],
    beside: { syncs: ['leads'], campaigns: ['spring'] },
    tokenRefused: null,
    missing: [],
    ...change,
  };
}

const late = { never: [], finishMs: 12 * DAY, byThen: 4, waves: [] } as never;
const endless = { never: [], finishMs: null, byThen: 4, waves: [] } as never;
const idle = [{ poller: 'main', follows: true, idle: 'is stopped', blocked: null }];
const stop = { failed: 0.1, unknown: 0.1, humanService: 0.1, optOut: 0.1, replies: 0.9, atLeast: 1 };
const tally = { triggered: 2, tried: 4, failed: 2, unknown: 2, humanService: 2, optedOut: 2, replied: 1 };

const NOTES = [
  ...problemsOf(facts({ connections: [{ ...WABA, id: 2 }] })),
  ...problemsOf(facts({ connections: [] })),
  ...problemsOf(facts({ connections: [{ ...WABA, channel: 'email' }] })),
  ...problemsOf(
    facts({
      connections: [
        { ...WABA, channel: 'email' },
        { ...WABA, id: 2 },
      ],
    }),
  ),
  ...problemsOf(facts({ audience: 0, eligible: 0 })),
  ...problemsOf(facts({ eligible: 0 })),
  ...problemsOf(facts({ nowMs: 11 * DAY }, { end: END })),
  ...problemsOf(facts({ forecast: { never: [['UTC', 'Asia/Tokyo']] } as never })),
  ...problemsOf(facts({ forecast: late }, { end: END })),
  ...problemsOf(facts({ forecast: endless, paceNeeded: null }, { end: END })),
  ...problemsOf(facts({ forecast: endless })),
  ...problemsOf(facts({ optOut: { words: ['stop'] } as never })),
  ...warningsOf(facts({ connections: [{ ...WABA, status: 'OPENING' }] })),
  ...warningsOf(facts({ pollers: idle })),
  ...warningsOf(
    facts({
      oneWaveMs: DAY,
      forecast: { ...(late as object), waves: [{ heldUp: null }, { heldUp: null }] } as never,
    }),
  ),
  ...brokenRules(stop, tally),
];

/** Drafts of campaigns with the mistakes that have sentences. */
const DRAFTS = [
  {},
  { account: 5, connection: 'x', approval: 'nope', audience: 'x', exclude: 5, colour: 1 },
  {
    account: 'nobody',
    connection: 1.5,
    audience: [],
    exclude: { humanService: 'x', tags: [''] },
    waves: { size: 0, every: 'x' },
    holdout: 2,
  },
  {
    account: 'acme',
    flow: 1,
    connection: 1,
    audience: [{ from: 'cards' }, { from: 'ledger', stage: 'New' }],
    windows: { days: {} },
    start: '2027-01-02T00:00:00Z',
    end: '2027-01-01T00:00:00Z',
    holdout: -1,
  },
  { windows: { days: { mon: ['09:00-09:00'] } } },
];
const FILE = `version: 1
accounts:
  acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: [ env:TOKEN ], timeZone: America/Sao_Paulo }
`;

async function draftNotes(): Promise<Note[]> {
  const options = { env: { TOKEN: 'svc_test_canary' }, ...CONFIG_CHECKS };
  const problems = await Promise.all(
    DRAFTS.map((draft) => checkDraft({ file: 'sluice.yaml', text: FILE }, 'spring', draft, options)),
  );
  return problems.flat().flatMap(({ note }) => note ?? []);
}

/** Of a file whose encoding was found. */
const ENCODINGS = [
  { encoding: 'utf-8', by: 'bytes', sure: 0.999 },
  { encoding: 'utf-16le', by: 'mark', sure: 1 },
  { encoding: 'utf-16le', by: 'bytes', sure: 1 },
  { encoding: 'windows-1252', by: 'detector', sure: 0.8 },
  { encoding: 'windows-1252', by: 'detector', sure: 0.7399, other: 'windows-1250' },
] as const;

describe('the encoding of a file', () => {
  it.each(ENCODINGS)('has one share, rounded down: %j', (found) => {
    for (const { reason, params } of describeEncoding({ start: 0, ...found })) {
      const [, percent] = /(\d+) %/.exec(reason) ?? [];
      expect(params?.['sureShare']).toBe(percent === undefined ? undefined : Number(percent) / 100);
      if (found.sure < 1) expect(Number(percent)).toBe(Math.floor(found.sure * 100));
    }
  });
});

/** Every phone number that is refused. */
const PHONES: readonly Note[] = [
  ...Object.values(refusals).filter((each) => typeof each === 'object'),
  refusals.notOf('BR'),
  refusals.groupedUnlike('MX'),
].map(({ code, reason }) => ({ code, params: phoneCase(reason) }));

const AT = '2026-11-18T13:00:00.000Z';
/** Reasons that campaigns store of members, with what is read from them. */
const MEMBERS: readonly (readonly [code: string, reason: string, params: NoteParams])[] = [
  ['VARIABLE_MISSING', 'no value for "mail", "plan"', { which: ['names'], names: '"mail", "plan"' }],
  ['OPTED_OUT', 'has the tag "no "way"", "\n"', { which: ['tag'], tags: '"no "way"", "\n"' }],
  ['OPTED_OUT', 'they have the tag "stop"', { which: ['tag'], tags: '"stop"' }],
  ['OPTED_OUT', 'Sluice gave them the tag "stop"', { which: ['given'], tags: '"stop"' }],
  ['OPTED_OUT', `a tag that says so was seen on ${AT}`, { which: ['tagSeen'], seenAt: AT }],
  ['OPTED_OUT', `an operator recorded an opt-out of ${AT}`, { which: ['recorded'], optedOutAt: AT }],
  ['OPTED_OUT', `an imported list has an opt-out of ${AT}`, { which: ['imported'], optedOutAt: AT }],
  ['OPTED_OUT', `they said so on ${AT}`, { which: ['said'], optedOutAt: AT }],
  ['OPTED_OUT', 'they have opted out of campaigns', { which: ['before'] }],
  ['EXCLUDED_NUMBER', 'the number is one of exclude.numbers', { which: ['listed'] }],
  ['EXCLUDED_TAG', 'they now have the tag "vip"', { which: ['tag'], tags: '"vip"' }],
  ['EXCLUDED_TAG', 'Sluice gave them the tag "vip"', { which: ['given'], tags: '"vip"' }],
  [
    'EXCLUDED_CAMPAIGN',
    `the campaign "a" reached them on b" reached them on ${AT}`,
    { which: ['reached'], campaign: 'a" reached them on b', reachedAt: AT },
  ],
  [
    'EXCLUDED_CAMPAIGN',
    'the campaign "spring" has reached them since the plan was made',
    { which: ['since'], campaign: 'spring' },
  ],
  [
    'CONTACTED_LATELY',
    `the campaign "spring" reached them on ${AT}`,
    { which: ['reached'], campaign: 'spring', reachedAt: AT },
  ],
  ['CONTACTED_LATELY', `a message went out to them on ${AT}`, { which: ['message'], sentAt: AT }],
  ['CONTACTED_LATELY', `an event sent them a message or a flow on ${AT}`, { which: ['event'], sentAt: AT }],
  [
    'OPEN_CONVERSATION',
    `has the open conversation 7, as it was seen last: updated on ${AT}`,
    { which: ['seen'], conversation: '7', updatedAt: AT },
  ],
  ['OPEN_CONVERSATION', 'their conversation 7 is open', { which: ['now'], conversation: '7' }],
  [
    'HUMAN_SERVICE',
    `a person serves conversation 7, as it was seen last: updated on ${AT}`,
    { which: ['seen'], conversation: '7', updatedAt: AT },
  ],
  ['HUMAN_SERVICE', 'a person is serving them in conversation 7', { which: ['now'], conversation: '7' }],
  [
    'FREQUENCY_CAP',
    `the campaign "spring" reached them once within 7d, on ${AT}`,
    { which: ['once'], campaign: 'spring', within: '7d', reachedAt: AT },
  ],
  [
    'FREQUENCY_CAP',
    `campaigns reached them 12 times within 7d, last "spring" on ${AT}`,
    { which: ['often'], campaign: 'spring', within: '7d', reachedAt: AT, times: '12' },
  ],
  ['FREQUENCY_CAP', 'campaigns have reached them within 7d', { which: ['some'], within: '7d' }],
  [
    'NO_COMMON_WINDOW',
    'no window is ever open in all of UTC, Asia/Tokyo',
    { which: ['never'], zones: 'UTC, Asia/Tokyo' },
  ],
];

describe('the reason of a member that a campaign left out', () => {
  it.each(MEMBERS)('%s: %s', (code, reason, params) => {
    expect(memberCase(code, reason)).toEqual(params);
  });

  it.each([
    ['OPTED_OUT', 'no longer wanted'],
    ['OPTED_OUT', `they said so on ${AT}, and again`],
    ['EXCLUDED_TAG', `they said so on ${AT}`],
    ['constructor', `they said so on ${AT}`],
    ['OPTED_OUT', null],
    [null, `they said so on ${AT}`],
  ])('has no case: %s, %s', (code, reason) => {
    expect(memberCase(code, reason)).toBeUndefined();
  });
});

/** Of a worker that is missed, with this number of runs that wait. */
function missedNotes(runs: number): Note[] {
  const since = '2026-11-27T10:00:00.000Z';
  const starts = Array.from({ length: runs }, (_, n) => ({
    kind: 'sync' as const,
    account: 'acme',
    name: `s${n}`,
    since,
  }));
  const health: Health = {
    configuration: null,
    ledger: { kind: 'pglite', roundTripMs: 1, lastFlushAt: null },
    temporal: null,
    kafka: null,
    workers: { alive: 0, lastSeenAt: null, versions: [] },
    api: [],
    pollers: [],
    sinks: [],
  };
  const outages = outagesOf({
    at: since,
    health,
    running: [],
    waiting: [],
    starts,
    hasBacklog: true,
    isMissed: true,
  });
  return outages.map(({ code, params }) => ({ code: code ?? '', params }));
}

/** Of work that failed several times. */
const RETRIES: readonly Note[] = [
  { isLedgerAway: true, nextAt: '2026-11-28T13:43:50.000Z', isPartial: true },
  { isLedgerAway: false, nextAt: null, isPartial: false },
].map((given) => {
  const failedAt = '2026-11-28T13:42:20.000Z';
  const work = {
    account: 'acme',
    kind: 'sync' as const,
    name: 'leads',
    activity: 'a',
    code: 'E',
    attempts: 8,
  };
  const success = () => '2026-11-28T13:43:00.000Z';
  const { code, params } = failingNeed(
    { ...work, workflows: 1, failedAt, ...given },
    { ofAccount: success, ofWork: success },
  );
  return { code: code ?? '', params };
});

/** Of rows that contradict each other. */
const CONFLICTS: readonly Note[] = ['rows', 'lines'].flatMap((what) =>
  [
    'names, so every row of the number',
    'e-mail addresses; Sluice left out row 2',
    'documents; Sluice merged them',
  ].map((end) => {
    const reason = `${what} 1 and 2 have this number and different ${end}`;
    return { code: 'conflict', params: conflictCase({ code: 'conflict', reason }) };
  }),
);

type Note = Pick<(typeof NOTES)[number], 'code' | 'params'>;

/** Keys of the sentences that a note needs. */
const keysOf = ({ code, params }: Note) =>
  params?.which === undefined ? [code] : params.which.map((each) => `${code}_${each}`);

describe.each([
  ['en', en.of],
  ['pt-BR', pt.of],
] as const)('in %s', (_language, sentences: Readonly<Record<string, string>>) => {
  it('every note with figures has its sentences, and these name nothing else', async () => {
    const withFigures = [
      ...NOTES,
      ...PHONES,
      ...ENCODINGS.flatMap((found) => describeEncoding({ start: 0, ...found })),
      ...MEMBERS.map(([code, , params]) => ({ code, params })),
      ...RETRIES,
      ...CONFLICTS,
      ...[0, 1, 9].flatMap(missedNotes),
      ...(await draftNotes()),
    ].filter(({ params }) => params !== undefined);
    for (const note of withFigures)
      for (const key of keysOf(note)) {
        const names = [...(sentences[key] ?? '{{missing}}').matchAll(/\{\{(\w+)\}\}/g)].map(
          ([, name]) => name,
        );
        expect(Object.keys(note.params ?? {}), key).toEqual(expect.arrayContaining(names));
      }
    expect(new Set(withFigures.flatMap(keysOf))).toEqual(new Set(Object.keys(sentences)));
  });
});
