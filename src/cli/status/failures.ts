// `sluice failures`: what failed, and the command that helps.
import type { Command } from 'commander';
import { FAILURES, type Failure } from '../../operator/contract/failures.ts';
import type { Output } from '../../operator/contract/index.ts';
import { callCommand } from '../lib/route/call-command.ts';
import { formatCount, formatMany, formatTime } from '../lib/terminal/format.ts';
import { type Column, lineWidth, type TableStream, tableOf } from '../lib/terminal/table.ts';
import { widthOf } from '../lib/terminal/width.ts';
import { limitOf, PERIOD } from './period.ts';

type Failures = Output<'GET /failures'>;

export function registerFailures(program: Command, env: NodeJS.ProcessEnv): void {
  callCommand(program, env, {
    name: 'failures',
    about: 'show what failed in the last 24 hours, by kind and code, with the command that helps',
    contract: FAILURES,
    route: 'GET /failures',
    fields: { ...PERIOD, limit: limitOf(50) },
    json: 'print JSON',
    text: ({ failures }) => describeFailures(failures),
    says: footerOf,
  });
}

/** A table. Where it does not fit, the command stands below each failure, so that it can be copied. */
export function describeFailures(
  failures: readonly Failure[],
  stream: TableStream = process.stdout,
): string[] {
  if (failures.length === 0) return [];
  const width = lineWidth(stream);
  const whole = tableOf([...COLUMNS, COMMAND], failures, Number.POSITIVE_INFINITY);
  if (whole.every((line) => widthOf(line) <= width)) return whole;
  const [titles = '', ...rows] = tableOf(COLUMNS, failures, width);
  return [titles, ...rows.flatMap((row, at) => [row, `  ${commandOf(failures[at] as Failure)}`])];
}

/** `sluice calls list --failed` shows every call that failed. */
function footerOf({ failures, since, more, repaired, retriedCalls, problems }: Failures): string[] {
  const from = formatTime(since);
  return [
    failures.length === 0
      ? `nothing failed since ${from} that needs attention`
      : `since ${from}${more ? '; there is more: see --limit' : ''}`,
    ...(repaired === 0
      ? []
      : [`not listed: ${formatMany(repaired, 'failure')} that a later attempt or a correction made good`]),
    ...(retriedCalls === 0
      ? []
      : [`not listed: ${formatMany(retriedCalls, 'failed call')} that Sluice repeated with success`]),
    ...problems,
  ];
}

const COLUMNS: readonly Column<Failure>[] = [
  ['last', 'left', ({ lastAt }) => formatTime(lastAt), 'keep'],
  ['first', 'left', ({ firstAt }) => formatTime(firstAt), 'drop'],
  ['what', 'left', ({ kind, outcome }) => (outcome === 'unknown' ? `${kind}, unknown` : kind)],
  ['name', 'left', ({ name }) => name],
  ['account', 'left', ({ account }) => account, 'drop'],
  ['run', 'left', ({ run }) => run ?? '', 'drop'],
  ['count', 'right', ({ count }) => formatCount(count)],
  ['code', 'left', ({ code }) => code],
  ['reason', 'left', ({ reason }) => reason ?? '', 'cut'],
];
const COMMAND: Column<Failure> = ['what to do', 'left', commandOf];

/** Commands by kind, without `sluice`. */
const COMMANDS: Readonly<Record<Failure['kind'], (failure: Failure) => string>> = {
  run: ({ name, run }) => (isOfSync(run) ? `sync run ${name}` : `campaign status ${name}`),
  record: ({ name, outcome, run }) => `sync retry ${name} --${outcome}${run === null ? '' : ` --run ${run}`}`,
  row: ({ name, run }) => `sync rows ${name} --rejected${run === null ? '' : ` --run ${run}`}`,
  event: ({ name, outcome, code }) => `events retry --${outcome} --route ${name} --code ${code} --yes`,
  member: ({ name, outcome, run, code }) =>
    outcome === 'unknown'
      ? `campaign resolve ${run ?? name} --all --as …`
      : `campaign retry ${run ?? name} --code ${code}`,
  call: ({ outcome, run }) =>
    `calls list ${outcome === 'unknown' ? '--lost' : '--failed'}${run === null ? '' : ` --run ${run}`}`,
  outbox: ({ name }) => `outbox retry --dead --sink ${name} --yes`,
  poller: ({ name }) => `poll status ${name}`,
  refusal: ({ name }) => `refused list --route ${name}`,
  'dead letter': ({ name, code }) => `dlq replay --route ${name} --code ${code} --dry-run`,
};

function isOfSync(run: string | null): boolean {
  return !/^[^/]+\/[+~@]/.test(run ?? '');
}

export function commandOf(failure: Failure): string {
  return `sluice ${COMMANDS[failure.kind](failure)}`;
}
