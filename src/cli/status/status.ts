// `sluice status`: one screen with health, budget per token, what runs, and what needs a person.
import type { Command } from 'commander';
import { LANE_NAMES } from '../../core/lanes.ts';
import { WHY_IT_WAITS } from '../../jobs/campaigns/commands/describe-campaign-run.ts';
import { neutralLine } from '../../observe/neutral.ts';
import type { Output } from '../../operator/contract/index.ts';
import {
  OVERVIEW,
  type RunningRun,
  type TokenGauge,
  type WaitingWork,
} from '../../operator/contract/overview.ts';
import { callCommand } from '../lib/route/call-command.ts';
import { formatCount, formatDuration, formatMany, formatTime } from '../lib/terminal/format.ts';
import { type Column, lineWidth, tableOf } from '../lib/terminal/table.ts';
import { describeNeed } from './needs.ts';

type Overview = Output<'GET /overview'>;

export function registerStatus(program: Command, env: NodeJS.ProcessEnv): void {
  callCommand(program, env, {
    name: 'status',
    about: 'show health, budget, what runs with its end, and what needs a person',
    contract: OVERVIEW,
    route: 'GET /overview',
    fields: { account: ['--account <name>', 'only this account'] },
    json: 'print JSON',
    text: describeOverview,
  });
}

export function describeOverview(overview: Overview): string[] {
  const { tokens, waiting, running, needs, more, calmSince } = overview;
  const width = lineWidth(process.stdout) - INDENT.length;
  return [
    ...section('Health', healthLines(overview), 'nothing is configured'),
    ...section(
      'Budget, calls in the current minute of each token',
      tableOf(TOKENS, tokens, width),
      'no token has made a call yet',
      1,
    ),
    ...section('Running', tableOf(RUNNING, running, width), 'nothing', 1),
    ...section('Waiting', tableOf(WAITING, waiting, width), 'nothing', 1),
    ...section(
      'Needs a person',
      needs.flatMap((need) => describeNeed(need, overview.health.ledger.kind)),
      calmSince === null ? 'nothing' : `nothing since ${formatTime(calmSince)}`,
    ),
    ...(more ? ['  and more: `sluice status --json` lists the first ones'] : []),
  ].slice(0, -1);
}

const INDENT = '  ';

/** @param titles number of lines that are titles of a table */
function section(title: string, lines: readonly string[], otherwise: string, titles = 0): string[] {
  const shown = lines.length > titles ? lines : [otherwise];
  return [title, ...shown.map((line) => `${INDENT}${neutralLine(line)}`), ''];
}

function healthLines({ health, at }: Overview): string[] {
  const { configuration, ledger, temporal, kafka, workers, api, pollers, sinks } = health;
  const since = (time: string | null) => (time === null ? 'never' : `${ago(time, at)} ago`);
  const kind = ledger.kind === 'pglite' ? 'embedded' : 'PostgreSQL';
  return [
    ...configurationLines(configuration),
    `ledger    ok, ${kind}, ${formatDuration(ledger.roundTripMs)}; last call written ${since(ledger.lastFlushAt)}`,
    `Temporal  ${temporal === null ? 'not known in this process' : `${temporal.ok ? 'ok' : 'NOT OK'}, ${formatDuration(temporal.roundTripMs)}${temporal.detail === null ? '' : `: ${temporal.detail}`}`}`,
    `workers   ${workers.alive === 0 ? `NONE, last seen ${since(workers.lastSeenAt)}` : `${formatMany(workers.alive, 'process')} alive, version ${workers.versions.join(', ')}`}`,
    ...(kafka === null
      ? []
      : [`Kafka     ${kafka.ok ? 'ok' : 'NOT OK'}${kafka.detail === null ? '' : `: ${kafka.detail}`}`]),
    ...api.map(
      ({ account, calls, failed, lastSuccessAt, lastCode }) =>
        `API       ${account}: ${calls === 0 ? 'no calls in the last 5 minutes' : `${formatMany(calls, 'call')} in 5 minutes, ${formatCount(failed)} failed${lastCode === null ? '' : ` [${lastCode}]`}`}; last success ${since(lastSuccessAt)}`,
    ),
    ...pollers.map(
      ({ account, poller, state, polledAt, lagSeconds, startedAt }) =>
        `poller    ${poller} (${account}): ${state}, last poll ${since(polledAt)}, complete ${
          lagSeconds === null
            ? `never, started ${since(startedAt)}`
            : `${formatDuration(lagSeconds * 1000)} ago`
        }`,
    ),
    ...sinks.map(
      ({ sink, circuit, waiting, exact, dead, code }) =>
        `sink      ${sink}: ${circuit === 'closed' ? 'takes events' : 'left alone'}, ${formatCount(waiting)}${exact ? '' : '+'} waiting, ${formatCount(dead)} dead${code === null ? '' : ` [${code}]`}`,
    ),
  ];
}

/** Nothing while the process works with the configuration on the disk. */
function configurationLines(state: Overview['health']['configuration']): string[] {
  if (state === null) return [];
  const { brokenSince, error, loadedAt, needsRestart } = state;
  const [first = '', ...more] = (error ?? '').split('\n');
  const others = more.length === 0 ? '' : `, and ${formatMany(more.length, 'further problem')}`;
  return [
    ...(brokenSince === null
      ? []
      : [
          `config    BROKEN on the disk since ${formatTime(brokenSince)}; the one of ${formatTime(loadedAt)} is in use`,
          `          ${first}${others}`,
        ]),
    ...(needsRestart.length === 0 ? [] : [`config    needs a restart for ${needsRestart.join(', ')}`]),
  ];
}

function ago(time: string, now: string): string {
  return formatDuration(Math.max(0, Date.parse(now) - Date.parse(time)));
}

const TOKENS: readonly Column<TokenGauge>[] = [
  ['account', 'left', ({ account }) => account],
  ['token', 'right', ({ position }) => String(position)],
  ['used', 'right', ({ used, limit }) => `${formatCount(used)}/${formatCount(limit)}`],
  ['', 'left', ({ used, limit }) => bar(limit === 0 ? 0 : used / limit), 'drop'],
  [
    'by lane',
    'left',
    ({ lanes }) =>
      LANE_NAMES.flatMap((lane) => (lanes[lane] ? [`${lane} ${formatCount(lanes[lane])}`] : [])).join(', ') ||
      '–',
  ],
  ['429 in 1 h', 'right', ({ limited }) => formatCount(limited)],
  ['state', 'left', stateOfToken],
];

function stateOfToken({ blockedUntil, marks, foreign }: TokenGauge): string {
  const parts = [
    ...(blockedUntil === null ? [] : [`blocked until ${formatTime(blockedUntil)}`]),
    ...marks.map(({ scope, code }) => `${code}${scope === null ? '' : ` (${scope})`}`),
    ...(foreign < 1 ? [] : [`others use ${Math.round(foreign)} a minute`]),
  ];
  return parts.length === 0 ? 'ok' : parts.join('; ');
}

function bar(share: number, width = 10): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

const RUNNING: readonly Column<RunningRun>[] = [
  ['run', 'left', ({ run }) => run, 'keep'],
  ['state', 'left', ({ state, paused, blocked }) => (paused ? 'paused' : blocked ? 'blocked' : state)],
  [
    'done',
    'right',
    ({ done, total, exact }) =>
      `${formatCount(done)}${total === null ? '' : ` of ${exact ? '' : '~'}${formatCount(total)}`}`,
  ],
  ['calls/min', 'right', ({ callsPerMinute }) => formatCount(Math.round(callsPerMinute))],
  ['left', 'right', ({ etaSeconds }) => (etaSeconds === null ? '–' : formatDuration(etaSeconds * 1000))],
  ['why', 'left', whyOf, 'cut'],
];

function whyOf({ paused, blocked, waiting }: RunningRun): string {
  if (paused !== null) return `by ${paused.by}${paused.reason === '' ? '' : `: ${paused.reason}`}`;
  if (blocked !== null) return blocked.reason;
  if (waiting === null) return '';
  return `waits until ${formatTime(waiting.until)}: ${WHY_IT_WAITS[waiting.why] ?? waiting.why}`;
}

const WAITING: readonly Column<WaitingWork>[] = [
  ['line', 'right', ({ place }) => (place === null ? '–' : String(place))],
  ['lane', 'left', ({ lane }) => lane ?? '–'],
  ['what', 'left', ({ kind, name }) => `${kind} of ${name}`],
  ['count', 'right', ({ count, exact }) => `${exact ? '' : '~'}${formatCount(count)}`],
  ['done in', 'right', ({ etaSeconds }) => (etaSeconds === null ? '–' : formatDuration(etaSeconds * 1000))],
];
