// Progress and estimates of the overview, from what the ledger counted.

import { LANE_NAMES } from '../../../core/lanes.ts';
import { eventLane } from '../../../jobs/events/contract/intake.ts';
import { callsPerMinuteOf, syncEta } from '../../../jobs/sync/operator/eta.ts';
import type { SinkHealth } from '../../contract/health.ts';
import type { RunningRun, WaitingWork } from '../../contract/overview.ts';
import { PACE_MINUTES, type RunningRow, type WaitingRow } from '../../store/overview/work.ts';
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
  // As on the page of the sync: what had nothing to do from the start is no work that is done.
  const total = row.total === null ? null : Math.max(0, row.total - row.same);
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
    lane: row.kind === 'campaign' ? 'campaign' : (row.lane ?? 'backfill'),
    startedAt: row.startedAt,
    done,
    total,
    exact: row.exact,
    progress: progressOf({ total, sourceProgress: row.sourceProgress }, done),
    calls: row.calls,
    callsPerMinute: Math.round(callsPerMinute * 10) / 10,
    etaSeconds: etaSeconds(),
    waiting: estimate?.waiting ?? null,
    paused,
    blocked,
    waitsFor: null,
  };
}

function pauseOf({ by, reason, code }: PausedSync): Pick<RunningRun, 'paused' | 'blocked'> {
  if (code !== null) return { paused: null, blocked: { code, reason: reason ?? '' } };
  return { paused: { by: by ?? '', reason: reason ?? '' }, blocked: null };
}

function progressOf(
  { total, sourceProgress }: Pick<RunningRow, 'total' | 'sourceProgress'>,
  done: number,
): number | null {
  if (total === null) return sourceProgress === null ? null : clamp(sourceProgress);
  return total === 0 ? 1 : clamp(done / total);
}

const clamp = (share: number) => Math.min(1, Math.max(0, share));

/** Waiting work in the order in which the budget serves it: by lane, then by age. */
export function waitingOf(
  running: readonly RunningRun[],
  waiting: readonly WaitingRow[],
  sinks: readonly SinkHealth[],
): WaitingWork[] {
  const ofRuns = running.flatMap((run): Waiting[] => {
    const { kind, lane, account, name, state, startedAt, done, total, exact, etaSeconds } = run;
    // A plan that nobody has started waits for a person, not for the budget.
    if (total === null || total === done || state === PLANNED) return [];
    return [
      {
        lane,
        kind: kind === 'campaign' ? 'members' : 'records',
        account,
        name,
        count: total - done,
        exact,
        since: startedAt,
        etaSeconds,
        waitsFor: null,
        stands: run.paused !== null || run.blocked !== null,
      },
    ];
  });
  const ofLedger = waiting.map((row): Waiting => {
    const perSecond = row.recent / (PACE_MINUTES * 60);
    return {
      lane: row.action === null ? 'poll' : eventLane(row.action, row.name),
      kind: row.kind,
      account: row.account,
      name: row.name,
      count: row.count,
      exact: row.exact,
      since: row.since,
      etaSeconds: perSecond === 0 ? null : Math.round(row.count / perSecond),
      waitsFor: null,
      stands: false,
    };
  });
  const ofSinks = sinks.flatMap(({ sink, waiting: count, exact }): Waiting[] =>
    count === 0
      ? []
      : [
          {
            lane: null,
            kind: 'outbox',
            account: null,
            name: sink,
            count,
            exact,
            since: null,
            etaSeconds: null,
            waitsFor: null,
            stands: true,
          },
        ],
  );
  return inLine([...ofRuns, ...ofLedger, ...ofSinks]);
}

/** `stands`: it waits for something else than the budget. */
type Waiting = Omit<WaitingWork, 'place'> & { readonly stands: boolean };

/** Accounts have budgets of their own, so each has a line of its own. */
function inLine(work: readonly Waiting[]): WaitingWork[] {
  const before = new Map<string | null, number>();
  const sorted = work.toSorted((a, b) => rank(a) - rank(b) || ageOf(a) - ageOf(b));
  return sorted.map(({ stands, ...each }) => {
    if (stands) return { ...each, place: null };
    const place = (before.get(each.account) ?? 0) + 1;
    before.set(each.account, place);
    return { ...each, place };
  });
}

const rank = ({ lane }: Waiting) => (lane === null ? LANE_NAMES.length : LANE_NAMES.indexOf(lane));
const ageOf = ({ since }: Waiting) => (since === null ? Number.MAX_SAFE_INTEGER : Date.parse(since));
