// Snapshots of the account by the hundred, instead of questions one by one, where that takes fewer calls.
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { SnapshotInput, SnapshotProgress } from '../../activities/sync/snapshot.ts';
import type { SnapshotChoice, Step } from '../../src/contracts/wire/run.ts';
import { LEDGER_OPTIONS } from '../policies.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

/** How far a list of the account has been read, and what came of it. */
export interface SnapshotState {
  progress: SnapshotProgress | null;
  /** Set once all is settled: people who may have a card on the service. */
  finds?: number;
  /** And records that still have something to do. */
  pending?: number;
}

type Settled = Awaited<ReturnType<Activities['settleSnapshot']>>;

/** What the reading needs of the run that it belongs to. */
export interface SnapshotReader {
  readonly state: { readonly run: string; snapshot?: SnapshotState; cards?: SnapshotState };
  readonly api: Activities;
  /** Makes calls on which the whole run depends; null when the account refuses the step. */
  untilDone<T>(step: Step, call: () => Promise<T>): Promise<T | null>;
  continueWhenLong(): Promise<void>;
}

/**
 * Reads the account's contacts while that takes fewer calls than it spares: look-ups, and upserts that would
 * change nothing.
 * @param lookups calls that asking person by person takes
 * @param blind people of whom nobody asks: each costs an upsert, needed or not
 * @returns how many people may have a card on the service
 */
export async function snapshotContacts(
  snapshotReader: SnapshotReader,
  lookups: number,
  blind: number,
): Promise<number> {
  const { state, api } = snapshotReader;
  const { run } = state;
  const at = (state.snapshot ??= { progress: null });
  // The run continued as new behind this reading.
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

/** Reads the pipeline's cards when that takes fewer calls than asking for the cards of `finds` people one by one. */
export async function snapshotCards(snapshotReader: SnapshotReader, finds: number): Promise<void> {
  const { state, api } = snapshotReader;
  const { run } = state;
  const at = (state.cards ??= { progress: null });
  const progress = await readList(snapshotReader, at, 'findCard', finds, (input) => api.snapshotCards(input));
  if (progress === null) return;
  const choice = { of: 'cards', single: finds, ...pagesOf(progress) } as const;
  at.pending = (await ledger.settleCards({ run, complete: progress.whole, choice })).pending;
}

/** Batches read pages until the list ends, or the rest costs more than it spares. @returns null when it is refused */
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
