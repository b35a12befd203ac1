// Progress and estimates of the overview, from what the ledger counted.
import type { RunningRun, WaitingWork } from '../../../contracts/operator/overview.ts';
import { eventLane } from '../../../contracts/wire/intake.ts';
import type { SinkRow } from '../../../ledger/operator/overview/health.ts';
import { PACE_MINUTES, type RunningRow, type WaitingRow } from '../../../ledger/operator/overview/work.ts';
import { callsPerMinuteOf, syncEta } from '../syncs/eta.ts';
import type { CampaignEstimate } from './campaigns.ts';
import { jobOf } from './jobs.ts';
import type { PausedSync } from './paused-syncs.ts';

/** State of a campaign that has not been started. */
const PLANNED = 'planned';

/**
 * @param pause of a sync, as its workflow reports it
 * @param estimate of a campaign: it knows its waves and windows, which the pace of its calls does not
 */
export function runningOf(
  row: RunningRow,
  pause: PausedSync | undefined,
  estimate: CampaignEstimate | undefined,
): RunningRun {
  const { total } = row;
  // The members of a planned campaign are in no wave yet.
  const done = total === null || row.state === PLANNED ? 0 : Math.max(0, total - row.pending);
  const { paused, blocked } = pause === undefined ? row : pauseOf(pause);
  const isMoving = paused === null && blocked === null && row.state !== PLANNED;
  const callsPerMinute = callsPerMinuteOf(row);
  const etaSeconds = () => {
    if (!isMoving || total === null) return null;
    return row.kind === 'campaign' ? (estimate?.etaSeconds ?? null) : (syncEta(row)?.seconds ?? null);
  };
  return {
    run: row.run,
    kind: row.kind,
    account: row.account,
    name: jobOf(row.sync).name,
    state: row.state,
    startedAt: row.startedAt,
    done,
    total,
    exact: row.exact,
    progress: progressOf(row, done),
    calls: row.calls,
    callsPerMinute: Math.round(callsPerMinute * 10) / 10,
    etaSeconds: etaSeconds(),
    waiting: estimate?.waiting ?? null,
    paused,
    blocked,
  };
}

function pauseOf({ by, reason, code }: PausedSync): Pick<RunningRun, 'paused' | 'blocked'> {
  if (code !== null) return { paused: null, blocked: { code, reason: reason ?? '' } };
  return { paused: { by: by ?? '', reason: reason ?? '' }, blocked: null };
}

function progressOf({ total, sourceProgress }: RunningRow, done: number): number | null {
  if (total === null) return sourceProgress === null ? null : clamp(sourceProgress);
  return total === 0 ? 1 : clamp(done / total);
}

const clamp = (share: number) => Math.min(1, Math.max(0, share));

/** Waiting work by lane, the most urgent lane first. */
export function waitingOf(
  running: readonly RunningRun[],
  waiting: readonly WaitingRow[],
  sinks: readonly SinkRow[],
): WaitingWork[] {
  const ofRuns = running.flatMap(
    ({ kind, account, name, state, done, total, exact, etaSeconds }): WaitingWork[] =>
      // A plan that nobody has started waits for a person, not for the budget.
      total === null || total === done || state === PLANNED
        ? []
        : [
            {
              lane: kind === 'campaign' ? 'campaign' : 'backfill',
              kind: kind === 'campaign' ? 'members' : 'records',
              account,
              name,
              count: total - done,
              exact,
              etaSeconds,
            },
          ],
  );
  const ofLedger = waiting.map((row): WaitingWork => {
    const perSecond = row.recent / (PACE_MINUTES * 60);
    return {
      lane: row.action === null ? 'poll' : eventLane(row.action, row.name),
      kind: row.kind,
      account: row.account,
      name: row.name,
      count: row.count,
      exact: row.exact,
      etaSeconds: perSecond === 0 ? null : Math.round(row.count / perSecond),
    };
  });
  const ofSinks = sinks.flatMap(({ sink, waiting: count, exact }): WaitingWork[] =>
    count === 0
      ? []
      : [{ lane: null, kind: 'outbox', account: null, name: sink, count, exact, etaSeconds: null }],
  );
  return [...ofRuns, ...ofLedger, ...ofSinks].sort((a, b) => rank(a) - rank(b));
}

const ORDER = ['reply', 'lead', 'poll', 'campaign', 'backfill'];
const rank = ({ lane }: WaitingWork) => (lane === null ? ORDER.length : ORDER.indexOf(lane));
