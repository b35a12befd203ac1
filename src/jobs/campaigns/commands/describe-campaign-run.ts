// A run of a campaign as text: its state, what comes next, and its results. It has no personal data.

import { describePause } from '../../../cli/lib/describe-pause.ts';
import { formatMany, formatTime, formatCount as n } from '../../../cli/lib/terminal/format.ts';
import { type Column, tableOf } from '../../../cli/lib/terminal/table.ts';
import type { Approval } from '../contract/approval.ts';
import type { CampaignNow } from '../contract/campaigns.ts';
import type { CampaignFigures, CampaignReport, FirstVerified, WaveResult } from '../contract/report.ts';
import { describeApprovers } from './describe-approvers.ts';
import { approverOf } from './describe-plan.ts';

/** Cells of a full bar. */
const BAR = 20;

/** What the run does now; null: not asked. */
export type Live = Pick<CampaignNow, 'progress' | 'failure' | 'etaAt'> | null;

export function describeRun(
  report: CampaignReport,
  live: Live = null,
  approval: Approval | null = null,
): string[] {
  return [
    ...describeState(report, live),
    ...(approval === null ? [] : describeApproval(approval)),
    '',
    ...describeFigures(report),
    ...describeTrouble(report),
    ...(report.waves.length === 0 ? [] : ['', ...describeWaves(report)]),
  ];
}

function describeApproval({ refusal, ...others }: Approval): string[] {
  return [
    `  ${describeApprovers(others)}`,
    ...(refusal === null ? [] : [`  you may not: ${refusal.reason}`]),
  ];
}

const sum = (codes: Readonly<Record<string, number>>) => Object.values(codes).reduce((a, b) => a + b, 0);
const byCode = (codes: Readonly<Record<string, number>>) =>
  Object.entries(codes)
    .map(([code, members]) => `${code} ${n(members)}`)
    .join(', ');

/** A share of nothing is empty. */
function share(part: number, whole: number): string {
  if (whole === 0) return '';
  const percent = (100 * part) / whole;
  // One of a thousand is not 0 %, and all but one is not 100 %.
  if (part > 0 && percent < 1) return '<1 %';
  return `${part < whole ? Math.min(99, Math.round(percent)) : 100} %`;
}

function describeState(report: CampaignReport, live: Live): string[] {
  const { account, campaign, run, state, paused, blocked, verified, timeZone } = report;
  const at = (time: string) => formatTime(new Date(time), timeZone);
  const { plannedBy, plannedAt, approvedBy, startedAt, finishedAt, calls } = report;
  const steps = [
    `planned by ${plannedBy} ${at(plannedAt)}`,
    ...(approvedBy === null ? [] : [`approved by ${approvedBy}`]),
    ...(startedAt === null ? [] : [`begun ${at(startedAt)}`]),
    ...(finishedAt === null ? [] : [`ended ${at(finishedAt)}`]),
  ];
  return [
    `run ${run} of the campaign "${campaign}" for ${account}: ${state}${paused !== null ? ', paused' : blocked !== null ? ', blocked' : ''}`,
    `  ${steps.join('; ')}; ${formatMany(calls, 'call')}`,
    ...(paused === null ? [] : [`  ${describePause(paused, timeZone)}`]),
    ...(blocked === null || paused !== null
      ? []
      : [`  blocked: ${blocked.reason} [${blocked.code}]; it continues by itself after that is corrected`]),
    ...(verified === null ? [] : [`  first trigger: ${VERIFIED[verified.how]} (${verified.reason})`]),
    ...(paused === null || state !== 'running'
      ? []
      : [
          `  continue with \`sluice campaign resume ${campaign}\`, or end it with \`sluice campaign cancel ${campaign}\``,
        ]),
    ...(paused === null ? describePlanned(report) : []),
    ...describeLive(report, live),
  ];
}

const VERIFIED: Readonly<Record<FirstVerified['how'], string>> = {
  answer: 'verified by its answer',
  conversation: 'verified by a conversation',
  operator: 'verified by a person',
  none: 'could not be verified',
};

/** Why a campaign waits. */
export const WHY_IT_WAITS: Readonly<Record<string, string>> = {
  start: 'the campaign starts then',
  window: 'the next sending window opens then',
  retry: 'members in human service are tried again then',
  settle: 'people have until then to reply; then Sluice evaluates the wave',
  every: 'the next wave is due then',
  replies: 'Sluice cannot read the replies that the campaign needs; it checks again then',
};

/** What a plan waits for, or why it failed. */
function describePlanned({ campaign, state, ...of }: CampaignReport): string[] {
  const { reason, problems, approval, approvedBy, plannedBy } = of;
  const again = `\`sluice campaign plan ${campaign}\` plans it again`;
  if (state === 'failed') return [`  it could not be planned: ${reason ?? 'see its audit'}; ${again}`];
  if (state !== 'planned') return [];
  if (problems.length > 0)
    return [
      ...problems.map(({ code, reason }) => `  problem: ${reason} [${code}]`),
      `  it can't be started as it is; correct that, then ${again}`,
    ];
  const start = `\`sluice campaign start ${campaign}\``;
  return approval === 'none' || approvedBy !== null
    ? [`  waits for ${start}`]
    : [
        `  waits until ${approverOf(plannedBy)} approves it with \`sluice campaign approve ${campaign}\`; then ${start}`,
      ];
}

const BATCHES = ['no batch', 'one batch'];

function describeLive({ campaign, timeZone, state }: CampaignReport, live: Live): string[] {
  if (live === null || state !== 'running') return [];
  const { progress, failure, etaAt } = live;
  const at = (time: string) => `${formatTime(time, timeZone)}, in ${timeZone}`;
  if (progress === null)
    return [
      ...(failure === null ? [] : [`  its workflow ended: ${failure.reason} [${failure.code}]`]),
      `  no workflow runs it now; continue with \`sluice campaign start ${campaign}\``,
    ];
  const { phase, wave, waiting, batches, pacePerMinute } = progress;
  const pace =
    pacePerMinute === null ? 'as fast as the budget allows' : `at most ${n(pacePerMinute)} a minute`;
  return [
    `  ${phase}${wave === null ? '' : `, wave ${n(wave)}`}; ${BATCHES[batches] ?? `${n(batches)} batches`} active; ${pace}`,
    ...(waiting === null
      ? []
      : [`  waits until ${at(waiting.until)}: ${WHY_IT_WAITS[waiting.why] ?? waiting.why}`]),
    ...(etaAt === null ? [] : [`  expected to end ${at(etaAt)}, if nothing else uses the budget`]),
  ];
}

function describeFigures({
  total,
  pollerSees,
  deliveries,
  replies,
  account,
  state,
}: CampaignReport): string[] {
  const { audience, eligible, found, holdout, excluded, triggered } = total;
  const ofAll = (name: string, members: number, note = '') => line(name, members, audience, note);
  const ofReached = (name: string, members: number | null, note = '') =>
    line(`  ${name}`, members, triggered, note);
  const why = WHY_UNMEASURED[deliveries];
  const isSeen = replies === 'known';
  const rest = [
    ['waiting', total.waiting, ''],
    ['sending', total.sending, ''],
    ['skipped', sum(total.skipped), byCode(total.skipped)],
    ['failed', sum(total.failed), byCode(total.failed)],
    ['unknown', total.unknown, ''],
    ['cancelled', total.cancelled, ''],
  ] as const;
  return [
    ofAll('audience', audience),
    ...(found === 0 ? [] : [ofAll('found, being read', found)]),
    ofAll('excluded', sum(excluded), byCode(excluded)),
    ofAll('control', holdout),
    ofAll('to be reached', eligible),
    ...(state === 'planning' || state === 'planned'
      ? []
      : [
          ofAll('triggered', triggered),
          ofReached('delivered', why === null ? total.delivered : null, why ?? ''),
          ofReached('read', why === null ? total.read : null, why ?? ''),
          ofReached('replied', isSeen ? total.replied : null, isSeen ? '' : UNSEEN_REPLIES),
          ofReached(
            'opted out',
            isSeen || total.optedOut > 0 ? total.optedOut : null,
            isSeen ? '' : UNSEEN_REPLIES,
          ),
          ofReached('moved', total.moved),
          ofReached('tagged', total.tagged),
          ...rest.flatMap(([name, members, note]) => (members === 0 ? [] : [ofAll(name, members, note)])),
          ...(pollerSees
            ? []
            : [
                `  no poller of ${account} has seen all conversations within the hour: replies, deliveries and opt-outs may be missing`,
              ]),
        ]),
  ];
}

const UNSEEN_REPLIES = 'not known: no poller reads conversations';

/** Null: they are known. */
const WHY_UNMEASURED = {
  known: null,
  'not-reported': 'not known: the service has reported no delivery status',
  'no-poller': 'not known: no poller reads deliveries',
} as const satisfies Record<CampaignReport['deliveries'], string | null>;

/** @param members null: not known */
function line(name: string, members: number | null, whole: number, note: string): string {
  if (members === null) return `  ${name.padEnd(18)}${'–'.padStart(9)}  ${note}`;
  const full = whole === 0 ? 0 : Math.round((BAR * members) / whole);
  const bar = '█'.repeat(members > 0 ? Math.max(1, full) : 0).padEnd(BAR, '·');
  return `  ${name.padEnd(18)}${n(members).padStart(9)}  ${share(members, whole).padStart(5)}  ${bar}${note === '' ? '' : `  ${note}`}`;
}

/** What an operator has to do. */
function describeTrouble({ total, campaign }: CampaignReport): string[] {
  const failed = sum(total.failed);
  return [
    ...(total.unknown === 0
      ? []
      : [
          `  Sluice can't tell whether ${formatMany(total.unknown, 'flow was', 'flows were')} triggered, and does not trigger ${total.unknown === 1 ? 'it' : 'them'} again: check in the service (\`sluice find PHONE\` shows a conversation that changed right after the call), then`,
          `  \`sluice campaign resolve ${campaign} --all --as triggered\`, or \`--as not-triggered\` (see --help)`,
        ]),
    ...(failed === 0
      ? []
      : [
          `  \`sluice campaign retry ${campaign}\` retries ${failed === 1 ? 'the one' : `the ${n(failed)}`} that failed; first correct what the codes say`,
        ]),
  ];
}

function describeWaves({ waves, timeZone, total, deliveries, replies }: CampaignReport): string[] {
  const isMeasured = deliveries === 'known';
  const at = (time: string | null) => (time === null ? '–' : formatTime(new Date(time), timeZone));
  const of = (members: number, { triggered }: CampaignFigures) =>
    `${n(members)}${members === 0 ? '' : ` (${share(members, triggered)})`}`;
  const columns: readonly Column<WaveResult>[] = [
    ['wave', 'right', ({ wave }) => n(wave)],
    ['kind', 'left', ({ kind }) => kind],
    ['begun', 'left', ({ startedAt }) => at(startedAt), 'drop'],
    ['members', 'right', ({ audience }) => n(audience)],
    ['triggered', 'right', ({ triggered }) => n(triggered)],
    ['delivered', 'right', (wave) => (isMeasured ? of(wave.delivered, wave) : '–'), 'drop'],
    ['read', 'right', (wave) => (isMeasured ? of(wave.read, wave) : '–'), 'drop'],
    ['replied', 'right', (wave) => (replies === 'known' ? of(wave.replied, wave) : '–')],
    ['opted out', 'right', (wave) => of(wave.optedOut, wave), 'drop'],
    ['skipped', 'right', ({ skipped }) => n(sum(skipped))],
    ['failed', 'right', ({ failed }) => n(sum(failed))],
    ['unknown', 'right', ({ unknown }) => n(unknown)],
    [
      'state',
      'left',
      ({ endedAt, judgedAt, isEvaluated, broken }) =>
        endedAt === null
          ? 'active'
          : judgedAt === null
            ? 'ended'
            : broken.length > 0
              ? 'broke a rule'
              : isEvaluated
                ? 'evaluated'
                : 'too small to evaluate',
    ],
  ];
  const lines = tableOf(columns, waves);
  const [first] = waves;
  const earlier = (first?.wave ?? 1) - 1;
  return [
    ...(earlier === 0
      ? []
      : [
          `${formatMany(earlier, 'earlier wave is', 'earlier waves are')} not listed; the total of ${n(total.audience)} has ${earlier === 1 ? 'it' : 'them'}`,
        ]),
    ...lines.flatMap((text, row) => {
      const broken = waves[row - 1]?.broken ?? [];
      return [text, ...broken.map(({ code, reason }) => `  ${reason} [${code}]`)];
    }),
  ];
}

/** A table of runs. */
export function describeRuns(runs: readonly CampaignReport[]): string[] {
  const columns: readonly Column<CampaignReport>[] = [
    ['run', 'left', ({ run }) => run, 'keep'],
    [
      'state',
      'left',
      ({ state, paused, blocked }) =>
        paused !== null ? `${state}, paused` : blocked !== null ? `${state}, blocked` : state,
    ],
    ['planned', 'left', ({ plannedAt, timeZone }) => formatTime(plannedAt, timeZone), 'drop'],
    ['audience', 'right', ({ total }) => n(total.audience), 'drop'],
    ['to reach', 'right', ({ total }) => n(total.eligible)],
    ['triggered', 'right', ({ total }) => n(total.triggered)],
    ['replied', 'right', ({ total, replies }) => (replies === 'known' ? n(total.replied) : '–'), 'drop'],
    ['skipped', 'right', ({ total }) => n(sum(total.skipped)), 'drop'],
    ['failed', 'right', ({ total }) => n(sum(total.failed))],
    ['unknown', 'right', ({ total }) => n(total.unknown)],
  ];
  return tableOf(columns, runs);
}
