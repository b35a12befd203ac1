// Runs of syncs as text, and the exit codes that they end with.

import { describePause } from '../../../cli/lib/describe-pause.ts';
import { EXIT } from '../../../cli/lib/exit.ts';
import { formatDuration, formatMany, formatCount as n } from '../../../cli/lib/terminal/format.ts';
import type { RunProgress, RunReport } from '../contract/run.ts';
import type { Eta, SyncProgress, SyncRunSummary } from '../contract/runs.ts';
import { describeTotals, placeOf } from './describe-problems.ts';
import { describeWarning } from './describe-warning.ts';

/** State of a progress bar. */
export function barOf(now: RunProgress): { done: number; total: number | null; note: string } {
  if (now.phase === 'opening' || now.phase === 'planning') {
    return { done: 0, total: null, note: `reading the source: ${formatMany(now.read, 'row')}` };
  }
  if (now.phase === 'preparing') return { done: 0, total: null, note: 'reading what the account has' };
  const parts = [
    `${n(now.created)} created`,
    `${n(now.updated)} updated`,
    formatMany(now.cards, 'card'),
    ...(now.failed > 0 ? [`${n(now.failed)} failed`] : []),
    ...(now.unknown > 0 ? [`${n(now.unknown)} unknown`] : []),
  ];
  return { done: now.done, total: now.total, note: parts.join(', ') };
}

/** The progress of a run as text. */
export function describeProgress(now: RunProgress): string[] {
  const paused = now.paused === null ? '' : `, ${describePause(now.paused)}`;
  return [
    `run ${now.run ?? '(not opened yet)'}: ${now.phase}${paused}`,
    `  ${formatMany(now.read, 'row')} read, ${n(now.merged)} merged, ${n(now.rejected)} rejected; ${n(now.done)} of ${formatMany(now.total, 'record')} done`,
    `  ${n(now.created)} created, ${n(now.updated)} updated, ${n(now.failed)} failed, ${n(now.unknown)} unknown, ${formatMany(now.cards, 'card')}`,
    ...(now.stoppedSteps.length === 0 ? [] : [`  stopped steps: ${now.stoppedSteps.join(', ')}`]),
    ...describeTotals(now.totals),
  ];
}

/** A report as text. @param rowsCommand the command that lists all rows */
export function describeReport(report: RunReport, rowsCommand: string): string[] {
  const { read, created, updated, unchanged, merged, rejected, failed, unknown } = report;
  return [
    `run ${report.run}: ${formatMany(read, 'row')} read in ${report.seconds} s`,
    `  ${n(created)} created, ${n(updated)} updated, ${n(unchanged)} unchanged, ${n(merged)} merged, ${n(rejected)} rejected, ${n(failed)} failed, ${n(unknown)} unknown`,
    `  ${formatMany(report.cards, 'card')} created, ${formatMany(report.calls, 'API call')} made`,
    ...(report.pending > 0 ? [`  ${formatMany(report.pending, 'record')} left undone`] : []),
    ...(report.carried === undefined
      ? []
      : [`  ${n(report.carried)} of the rows were left undone by the run before`]),
    ...describeVanished(report),
    ...describeProblems(report, rowsCommand),
    ...report.warnings.map((warning) => `  ${describeWarning(warning)}`),
  ];
}

function describeVanished({ vanished = 0, vanishedFailed = 0 }: RunReport): string[] {
  if (vanished + vanishedFailed === 0) return [];
  const failed = vanishedFailed === 0 ? '' : `, ${n(vanishedFailed)} of them failed`;
  const people = vanished + vanishedFailed;
  const who = people === 1 ? '1 person' : `${n(people)} people`;
  return [`  ${who} left the source and ${people === 1 ? 'was' : 'were'} processed${failed}`];
}

function describeProblems(
  { totals, problems, rejected, failed, unknown }: RunReport,
  rowsCommand: string,
): string[] {
  const rows = new Set(problems.map(({ row }) => row)).size;
  const more = rejected + failed + unknown - rows;
  return [
    ...describeTotals(totals),
    ...problems.map(
      ({ row, outcome, where, column, reason }) =>
        `  row ${n(row)} ${outcome}: ${placeOf(where, column)}: ${reason}`,
    ),
    ...(more > 0 ? [`  and ${formatMany(more, 'more row', 'more rows')}: see \`${rowsCommand}\``] : []),
  ];
}

/** State of a sync's run in words, where its phase does not say it. */
export function describeState({ state, sync, eta, end }: SyncProgress): string[] {
  if (state === 'interrupted' || state === 'unknown')
    return [`  the run has not ended, and no Sluice works on it; continue with \`sluice sync run ${sync}\``];
  if (state === 'waiting') return ['  no worker is alive; the run waits until one starts'];
  if (end !== null && end.status !== 'finished')
    return [`  ${end.status}${end.message === null ? '' : `: ${end.message}`}`];
  if (end !== null && end.report !== null) return describeUnchanged(end.report);
  return eta === null ? [] : [`  ${describeEta(eta)}`];
}

/** A run that had nothing to do must not look like one that failed to do it. */
function describeUnchanged({ unchanged, created, updated, failed, unknown, cards }: RunReport): string[] {
  if (unchanged === 0) return [];
  const rows = formatMany(unchanged, 'row is', 'rows are');
  const others = created + updated + failed + unknown + cards;
  return others === 0
    ? [`  nothing has changed since the run before: ${rows} unchanged, so nothing was sent`]
    : [
        `  ${rows} unchanged since the run before, so nothing was sent for ${unchanged === 1 ? 'it' : 'them'}`,
      ];
}

function describeEta({ seconds, minSeconds, maxSeconds }: Eta): string {
  const time = (count: number) => formatDuration(count * 1000);
  const range = minSeconds === maxSeconds ? '' : ` (${time(minSeconds)} to ${time(maxSeconds)})`;
  return `about ${time(seconds)} left${range}`;
}

/** Counts of a run that are not zero. */
export function describeOutcomes({ outcomes, read, pending }: SyncRunSummary): string {
  const parts = Object.entries(outcomes).flatMap(([name, count]) =>
    count > 0 ? [`${n(count)} ${name}`] : [],
  );
  if (pending > 0) parts.push(`${n(pending)} pending`);
  return parts.length === 0 ? formatMany(read, 'row') : parts.join(', ');
}

/** Exit code of a finished run. */
export function exitCodeOf(report: RunReport): number {
  if (report.unknown > 0) return EXIT.unknownOutcomes;
  // No row could be mapped: the mapping or the file is wrong.
  const nothing = report.read > 0 && report.rejected === report.read;
  const cut = report.warnings.some(({ code }) => code === 'NOT_READ');
  const failed = report.failed + (report.vanishedFailed ?? 0) + report.stoppedSteps.length > 0;
  return failed || nothing || cut ? EXIT.failedRecords : EXIT.ok;
}
