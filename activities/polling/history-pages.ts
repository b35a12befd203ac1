// Older pages of conversations after the first start, down to where the history begins or the list ends.
import type { HistoryResult, PollCall } from '../../src/contracts/poll.ts';
import { getProgress, saveHistory } from '../../src/ledger/poll-progress.ts';
import type { Deps } from '../deps.ts';
import { askPage, compare, pageOf, settle } from './pages.ts';
import { step } from './walk.ts';

/** Asks for the next older page (API text, GET /v1/conversations); polls of page 1 go on beside it. */
export async function historyPage(deps: Deps, call: PollCall): Promise<HistoryResult> {
  const { db } = deps;
  const { history: walk } = await getProgress(db, call);
  if (walk === null) return { done: true, found: 0 };
  const page = await askPage(deps, call, walk);
  return await db.transaction(async (tx) => {
    const { history, since } = await getProgress(tx, call, 'for update');
    const found = await compare(tx, call, page, { since: since?.getTime() ?? null, isOld: true });
    // Another attempt was quicker: what it has written down stands.
    if (history?.calls !== walk.calls) return { done: history === null, found };
    const next = await settle(tx, call, step(walk, pageOf(page)), page, found);
    await saveHistory(tx, call, next.done ? null : next.walk);
    return { done: next.done, found };
  });
}
