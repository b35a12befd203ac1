// Snapshots of the account by the hundred, instead of questions one by one, where that takes fewer calls.
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { Step } from '../src/contracts/run.ts';
import { LEDGER_OPTIONS } from './policies.ts';

const PAGE = 100;

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

/** How far a list of the account has been read. */
export interface SurveyState {
  next: number;
  pages: number;
  /** Calls that the pages read so far have spared. */
  saves?: number;
  /** Items of the whole list, as each page so far has said; null once two said something else. */
  count?: number | null;
  /** Set once all is settled: people who may have a card on the service. */
  finds?: number;
  /** And records that still have something to do. */
  pending?: number;
}

type Settled = Awaited<ReturnType<Activities['settleSurvey']>>;

/** What the reading needs of the run that it belongs to. */
export interface Surveyor {
  readonly state: { readonly run: string; survey?: SurveyState; cards?: SurveyState };
  readonly api: Activities;
  /** Makes a call on which the whole run depends; null when the account refuses the step. */
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
export async function surveyContacts(surveyor: Surveyor, lookups: number, blind: number): Promise<number> {
  const { state, api } = surveyor;
  const { run } = state;
  const at = (state.survey ??= { next: 1, pages: 1 });
  // The run continued as new behind this reading.
  if (at.finds !== undefined) return at.finds;
  let complete = false;
  let pages = 0;
  for (; at.next <= at.pages; at.next++) {
    await surveyor.continueWhenLong();
    const page = at.next;
    const answer = await surveyor.untilDone('lookup', () => api.surveyContacts({ run, page }));
    if (answer === null) return 0;
    at.saves = (at.saves ?? 0) + answer.saves;
    pages = Math.ceil(answer.count / PAGE);
    // The pages to come spare what those so far did, and all look-ups once the last is read.
    const rest = pages - page;
    at.pages = rest <= lookups + (rest * at.saves) / page ? Math.max(pages, page) : page;
    complete = isWhole(at, answer);
  }
  const choice = { of: 'contacts', single: lookups + blind, pages, read: at.pages } as const;
  let after: number | null = 0;
  let finds = 0;
  while (after !== null) {
    const settled: Settled = await ledger.settleSurvey({ run, complete, choice, after });
    after = settled.after;
    finds = settled.finds;
    if (settled.pending !== undefined) at.pending = settled.pending;
  }
  at.finds = finds;
  return finds;
}

/** Has all of the list been seen? Items that came, went or moved meanwhile may have slipped between two pages. */
function isWhole(
  at: SurveyState,
  { count, seen, hasMore }: { readonly count: number; readonly seen: number; readonly hasMore: boolean },
): boolean {
  at.count = at.count === undefined || at.count === count ? count : null;
  return at.count === seen && !hasMore;
}

/** Reads the pipeline's cards when that takes fewer calls than asking for the cards of `finds` people one by one. */
export async function surveyCards(surveyor: Surveyor, finds: number): Promise<void> {
  const { state, api } = surveyor;
  const { run } = state;
  const at = (state.cards ??= { next: 1, pages: 1 });
  let complete = false;
  let pages = 0;
  for (; at.next <= at.pages; at.next++) {
    await surveyor.continueWhenLong();
    const page = at.next;
    const answer = await surveyor.untilDone('findCard', () => api.surveyCards({ run, page }));
    if (answer === null) return;
    pages = Math.ceil(answer.count / PAGE);
    if (page === 1 && pages - 1 <= finds) at.pages = Math.max(1, pages);
    complete = isWhole(at, answer);
  }
  const choice = { of: 'cards', single: finds, pages, read: at.pages } as const;
  at.pending = (await ledger.settleCards({ run, complete, choice })).pending;
}
