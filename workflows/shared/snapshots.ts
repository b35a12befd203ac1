// Reads snapshots of the account, a hundred items per call, when that takes fewer calls than single look-ups.
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { SnapshotInput, SnapshotProgress } from '../../activities/sync/snapshot.ts';
import type { Step } from '../../src/jobs/sync/constants.ts';
import type { SnapshotChoice } from '../../src/jobs/sync/contract/run.ts';
import { LEDGER_OPTIONS } from '../policies.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

/** How far a list of the account has been read, and the result. */
export interface SnapshotState {
  progress: SnapshotProgress | null;
  /** Set once the whole list is settled: people who may have a card in the service. */
  finds?: number;
  /** Records that still have something to do. */
  pending?: number;
}

type Settled = Awaited<ReturnType<Activities['settleSnapshot']>>;

/** What reading a snapshot needs from its run. */
export interface SnapshotReader {
  readonly state: { readonly run: string; snapshot?: SnapshotState; cards?: SnapshotState };
  readonly api: Activities;
  /** Makes calls that the whole run depends on. Returns null when the account refuses the step. */
  untilDone<T>(step: Step, call: () => Promise<T>): Promise<T | null>;
  continueWhenLong(): Promise<void>;
}

/**
 * Reads the account's contacts while that takes fewer calls than it saves: look-ups, and upserts that would change
 * nothing.
 * @param lookups calls that single look-ups would take
 * @param blind people without a look-up: each costs an upsert, needed or not
 * @returns how many people may have a card in the service
 */
export async function snapshotContacts(
  snapshotReader: SnapshotReader,
  lookups: number,
  blind: number,
): Promise<number> {
  const { state, api } = snapshotReader;
  const { run } = state;
  const at = (state.snapshot ??= { progress: null });
  // The run continued as new after this reading.
  if (at.finds !== undefined) return at.finds;
  const read = (input: SnapshotInput) => api.snapshotContacts(input);
  const progress = await readList(snapshotReader, at, 'lookup', lookups, read);
  if (progress === null) return 0;
  const choice = { of: 'contacts', single: lookups + blind, ...pagesOf(progress) } as const;
  let after: number | null = 0;
  let finds = 0;
  while (after !== null) {
    const settled: Settled = await ledger.settleSnapshot({ run, complete: progress.whole, choice, after });
    after = settled.after;
    finds = settled.finds;
    if (settled.pending !== undefined) at.pending = settled.pending;
  }
  at.finds = finds;
  return finds;
}

/** Reads the pipeline's cards when that takes fewer calls than `finds` single look-ups. */
export async function snapshotCards(snapshotReader: SnapshotReader, finds: number): Promise<void> {
  const { state, api } = snapshotReader;
  const { run } = state;
  const at = (state.cards ??= { progress: null });
  const progress = await readList(snapshotReader, at, 'findCard', finds, (input) => api.snapshotCards(input));
  if (progress === null) return;
  const choice = { of: 'cards', single: finds, ...pagesOf(progress) } as const;
  at.pending = (await ledger.settleCards({ run, complete: progress.whole, choice })).pending;
}

/**
 * Runs batches that read pages until the list ends or the rest costs more than it saves.
 * @returns null when the service refuses it
 */
async function readList(
  { state: { run }, untilDone, continueWhenLong }: SnapshotReader,
  at: SnapshotState,
  step: Step,
  single: number,
  read: (input: SnapshotInput) => Promise<SnapshotProgress>,
): Promise<SnapshotProgress | null> {
  while (at.progress === null || at.progress.end === null) {
    await continueWhenLong();
    const { progress } = at;
    const next = await untilDone(step, () => read({ run, progress, single }));
    if (next === null) return null;
    at.progress = next;
  }
  return at.progress;
}

function pagesOf({ cursor, pages }: SnapshotProgress): Pick<SnapshotChoice, 'pages' | 'read'> {
  return { pages, read: cursor.step };
}
