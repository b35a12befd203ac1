// One page of conversations of a poll: what differs from the ledger is to be read, and the sweep goes one page down.
import type { Conversation } from '../../src/api-client/schemas/conversation.ts';
import type { Page } from '../../src/api-client/shapes.ts';
import type { PageResult, PollCall } from '../../src/contracts/poll.ts';
import { countTodo, findConversations, saveListings } from '../../src/ledger/conversations.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import {
  beginAt,
  endSweep,
  getProgress,
  noteGap,
  type PollProgress,
  saveHistory,
  saveSweep,
  type Walk,
} from '../../src/ledger/poll-progress.ts';
import { callApi } from '../api-call.ts';
import type { Deps } from '../deps.ts';
import { changeOf, listingOf } from './listing.ts';
import { listFailure } from './poll-failure.ts';
import { beginWalk, step, type WalkStep } from './walk.ts';

/** Rows may be committed so many milliseconds after the instant they carry: polls overlap by that. */
export const OVERLAP_MS = 10_000;

/**
 * Asks for the next page of the sweep under way, or for page 1 (API text, GET /v1/conversations). The first poll ever ends
 * with page 1, and leaves what is older to `historyPage`. "Now" is what that page shows, by the service's clock: all that is
 * on it was there before.
 */
export async function pollPage(deps: Deps, call: PollCall): Promise<PageResult> {
  const { db } = deps;
  const progress = await getProgress(db, call);
  const { pageSize, from } = deps.poller(call.account, call.poller);
  const walk = progress.sweep ?? begin(progress, pageSize);
  const isFirst = progress.watermark === null;
  const fromNow = isFirst && from === 'now';
  const page = await askPage(deps, call, walk);
  return await db.transaction(async (tx) => {
    const { sweep, since } = await getProgress(tx, call, 'for update');
    const told = fromNow ? Number.POSITIVE_INFINITY : (since?.getTime() ?? null);
    const changed = await compare(tx, call, page, { since: told, isOld: false });
    const result = async (done: boolean) => ({
      ...{ done, changed, todo: await countTodo(tx, call.account, call.poller) },
    });
    // Another attempt was quicker: what it has written down stands.
    if ((sweep?.calls ?? 0) !== walk.calls) return await result(false);
    const next = await settle(tx, call, step(walk, pageOf(page)), page, changed);
    if (!next.done && !isFirst) {
      await saveSweep(tx, call, next.walk);
      return await result(false);
    }
    const { top, changed: news, gaps, late } = next.walk;
    if (fromNow) await beginAt(tx, call, top === null ? null : new Date(top + 1));
    else if (!next.done) await saveHistory(tx, call, { ...next.walk, changed: 0 });
    // Of an empty list all is still to come, whatever the two clocks say.
    const empty = fromNow ? new Date(0) : since;
    const watermark = top === null ? empty : new Date(top);
    const settled = !isFirst && late && news === 0 && gaps === 0;
    await endSweep(tx, call, { watermark, complete: gaps === 0, news: news > 0, settled });
    return await result(true);
  });
}

/**
 * Down to the watermark, and OVERLAP_MS below it until a poll that began so long after has found nothing there: else a bulk of
 * conversations that were updated at once would be read again with every poll.
 */
function begin({ watermark, since, settled, still_ms }: PollProgress, pageSize: number): Walk {
  const late = still_ms !== null && still_ms > OVERLAP_MS;
  const below = settled ? 1 : -OVERLAP_MS;
  const floor = watermark === null ? (since?.getTime() ?? null) : watermark.getTime() + below;
  return { ...beginWalk(floor, pageSize), late };
}

/** One call of the API: the page that the walk wants. */
export async function askPage(deps: Deps, call: PollCall, walk: Walk): Promise<Page<Conversation>> {
  const { connection } = deps.poller(call.account, call.poller);
  const query = { ...walk.window, ...(connection === undefined ? {} : { whatsappId: connection }) };
  try {
    const page = await callApi(
      ...([deps, deps.account(call.account), call.run, 'conversations:read'] as const),
      (client, options) => client.conversations.list(query, options),
    );
    return page as Page<Conversation>;
  } catch (error) {
    throw listFailure(deps, call, error);
  }
}

/** @returns how many conversations of the page are to be read */
export async function compare(
  tx: Queryable,
  call: PollCall,
  { items }: Page<Conversation>,
  options: { since: number | null; isOld: boolean },
): Promise<number> {
  // Twice on one page, should that ever be, is what stands first: the newer one.
  const listings = new Map(items.toReversed().map((item) => [item.id, listingOf(item)]));
  const known = await findConversations(tx, call.account, [...listings.keys()]);
  const changes = [...listings.values()].flatMap(
    (listing) => changeOf(listing, known.get(listing.state.id), options) ?? [],
  );
  await saveListings(tx, call, changes);
  return changes.filter(({ todo }) => todo).length;
}

export function pageOf({ items, invalid, count, hasMore }: Page<Conversation>) {
  const places = items.map(({ id, updatedAt }) => ({ id, at: Date.parse(updatedAt) }));
  return { items: places, invalid: invalid.length, count, hasMore };
}

/** Writes down what may be missing, and counts it with what the page has brought. */
export async function settle(
  tx: Queryable,
  call: PollCall,
  { walk, done, gap }: WalkStep,
  { invalid }: Page<Conversation>,
  changed: number,
): Promise<{ walk: Walk; done: boolean }> {
  for (const { id, path } of invalid) {
    const reason = `the list shows it in a form that can't be read: ${path.replaceAll(/\[\d+\]/g, '[]')}`;
    await noteGap(tx, call, { code: 'UNREADABLE', reason, conversation: id });
  }
  if (gap !== null) await noteGap(tx, call, gap);
  const gaps = walk.gaps + invalid.length + (gap === null ? 0 : 1);
  return { walk: { ...walk, changed: walk.changed + changed, gaps }, done };
}
