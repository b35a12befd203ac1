// The state of a sync run that is carried over when the run continues as new. The ledger has everything else.

import type { LastResume } from '../../src/core/blocked-again.ts';
import { LANES } from '../../src/core/lanes.ts';
import type { Pause } from '../../src/core/pause.ts';
import { type RecordOutcome, type RunPhase, STEP_BITS } from '../../src/jobs/sync/constants.ts';
import type { Halt, ProblemTotal, RunProgress } from '../../src/jobs/sync/contract/run.ts';
import type { SnapshotState } from './snapshots.ts';

/** What a run passes on when it continues as new. */
export interface Carried {
  readonly state: RunState;
  readonly paused: Pause | null;
  /** Missing in runs that an earlier release carried over. */
  readonly resumed?: LastResume | null;
}

type Count = 'read' | 'merged' | 'rejected' | 'total' | 'cards' | RecordOutcome;

export interface RunState {
  /** Empty until the ledger has opened the run. */
  run: string;
  tokenKey: string;
  concurrency: number;
  lane: number;
  /** Calls per minute that the account's tokens allow, as last read from the ledger. */
  callsPerMinute: number;
  planned: boolean;
  prepared: boolean;
  /** Steps that the account refuses, as bits. This run does not try them again. */
  stopped: number;
  /** `verified`: kinds of writes whose first write was confirmed, or whose difference was accepted, as bits. */
  writes: { verified: number; differences: Halt[] };
  /** Some kind of write may still need verification by a batch that runs alone. */
  verifying: boolean;
  /** Number of batches started. */
  batches: number;
  counts: Record<Count, number>;
  /** Row problems by reason, once the source has been read. */
  totals?: readonly ProblemTotal[];
  /** How far the account's contacts have been read, while that is under way. */
  snapshot?: SnapshotState;
  /** The same for the cards of the pipeline. */
  cards?: SnapshotState;
}

export function newState(): RunState {
  return {
    run: '',
    tokenKey: '',
    concurrency: 1,
    lane: LANES.backfill,
    callsPerMinute: 1,
    planned: false,
    prepared: false,
    stopped: 0,
    writes: { verified: 0, differences: [] },
    verifying: true,
    batches: 0,
    counts: {
      read: 0,
      merged: 0,
      rejected: 0,
      total: 0,
      created: 0,
      updated: 0,
      unchanged: 0,
      failed: 0,
      unknown: 0,
      cards: 0,
    },
  };
}

/** Whether the account refused the step for all records. */
export function isStopped({ stopped }: Pick<RunState, 'stopped'>, step: 'setTags' | 'createCard'): boolean {
  return (stopped & STEP_BITS[step]) !== 0;
}

/** The answer to the progress query. */
export function progressOf(
  state: RunState,
  phase: RunPhase,
  paused: Pause | null,
  readShare: number | null,
): Omit<RunProgress, 'trouble'> {
  const { read, merged, rejected, total, created, updated, failed, unknown, cards } = state.counts;
  return {
    run: state.run === '' ? null : state.run,
    phase,
    paused,
    read,
    readShare,
    merged,
    total,
    done: created + updated + state.counts.unchanged + failed + unknown,
    created,
    updated,
    failed,
    unknown,
    rejected,
    cards,
    stoppedSteps: (['setTags', 'createCard'] as const).filter((step) => isStopped(state, step)),
    totals: state.totals ?? [],
  };
}
