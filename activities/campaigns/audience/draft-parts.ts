// Reads the parts of a draft's audience as far as the limits allow. A part that cannot be read says why; the others
// are counted all the same.
import { ApplicationFailure } from '@temporalio/activity';
import { deadlineSignal } from '../../../src/core/deadline.ts';
import { SourceError } from '../../../src/core/source.ts';
import type { DraftAudience } from '../../../src/jobs/campaigns/contract/campaign-drafts.ts';
import type { FoundMember } from '../../../src/jobs/campaigns/store/audience.ts';
import type { CampaignRow } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { ApiError, TransportError, UnexpectedShapeError } from '../../../src/service/api-client/errors.ts';
import { MAX_PAGE_SIZE } from '../../../src/service/api-client/page-cursor.ts';
import { callReason } from '../../shared/failures.ts';
import type { DraftContext } from './draft-context.ts';
import type { AccountLists } from './names.ts';
import { type ApiPart, readPage } from './read-page.ts';
import { type RowsPage, type RowsProgress, reader } from './rows.ts';

export type DraftPart = DraftAudience['parts'][number];
/** A campaign that is being written. `run_id` names no run. */
export type Draft = Pick<CampaignRow, 'spec' | 'as_of' | 'account' | 'run_id'>;
type Note = NonNullable<DraftPart['note']>;

interface ReadPart {
  readonly part: DraftPart;
  readonly members: readonly FoundMember[];
  /** Keys of excluded numbers. */
  readonly barred: readonly string[];
}

/** The first page of a list, and the service's own count. */
export async function readListPart(
  { deps: { jsonata }, calls, pages, replaced }: DraftContext,
  draft: Draft,
  { index, part, lists }: { readonly index: number; readonly part: ApiPart; readonly lists: AccountLists },
): Promise<ReadPart> {
  const { account, spec, as_of } = draft;
  const { variables, defaultCountry, numberFormat, windows } = spec.config;
  const key = JSON.stringify([account, part, variables, defaultCountry, numberFormat, windows.zone]);
  const none = (note: Note): ReadPart => ({
    part: { ...partOf(index, part.from), note },
    members: [],
    barred: [],
  });
  let kept = pages.get(key);
  if (kept === null) {
    if (calls.left === 0)
      return none({ code: 'NO_CALLS_LEFT', reason: 'one count makes at most 4 API calls' });
    const context = { lists, asOf: as_of, where: `audience.${index}` };
    const window = { pageNumber: 1, pageSize: MAX_PAGE_SIZE[part.from] };
    try {
      const page = await calls.make((caller) =>
        readPage({ ...caller, jsonata }, draft, part, context, window),
      );
      kept = { page, at: as_of.toISOString() };
    } catch (error) {
      return none(callFailed(error, replaced));
    }
    pages.set(key, kept);
  }
  const { count, hasMore, ids, invalid, members, others } = kept.page;
  const read = ids.length + invalid.length;
  const note =
    others.size === 0
      ? null
      : {
          code: 'FILTER_IGNORED',
          reason: `the service ignored a filter for ${others.size} entries of its page`,
        };
  return {
    part: {
      part: index,
      from: part.from,
      found: Math.max(count, read),
      read,
      basis: hasMore ? 'page' : 'all',
      readAt: kept.at,
      note,
    },
    members: [...members.values()],
    barred: [],
  };
}

/** Rows of a source, people of the ledger, or excluded numbers. */
export async function readRowsPart(
  { deps, limits, signal, replaced }: DraftContext,
  draft: Draft,
  {
    index,
    from,
    room,
  }: { readonly index: number; readonly from: 'source' | 'ledger' | 'numbers'; readonly room: number },
): Promise<ReadPart> {
  const members: FoundMember[] = [];
  const barred: string[] = [];
  let found = 0;
  const place = from === 'numbers' ? null : index;
  const ended = (basis: DraftPart['basis'], note: Note | null): ReadPart => ({
    part: { part: place, from, found, read: found, basis, readAt: null, note },
    members,
    barred,
  });
  const type = sourceTypeOf(draft, index);
  if (type === 'http')
    return ended('none', { code: 'HTTP_SOURCE', reason: 'a source of the type http is read only by a plan' });
  const limit = AbortSignal.any([signal, deadlineSignal(limits.partMs)]);
  const read = reader(deps, draft, index);
  try {
    let cursor: RowsProgress['cursor'] = null;
    for (;;) {
      if (found >= room)
        return ended('start', { code: 'LIMIT', reason: `one count reads ${limits.entries} entries at most` });
      const page: RowsPage = await orAborted(() => read(cursor, limit), limit);
      members.push(...page.members);
      barred.push(...page.barred);
      found += page.rows;
      if (page.next === null) return ended('all', null);
      cursor = page.next;
    }
  } catch (error) {
    replaced.throwIfAborted();
    if (limit.aborted)
      return ended(found === 0 ? 'none' : 'start', {
        code: 'TIMEOUT',
        reason: `it was not read within ${limits.partMs / 1000} s`,
      });
    if (!(error instanceof SourceError)) throw error;
    return ended(found === 0 ? 'none' : 'start', {
      code: error.failure,
      reason: error.message,
    });
  }
}

function sourceTypeOf({ spec: { config, sources } }: Draft, index: number): string | null {
  const part = config.audience[index];
  const { numbers } = config.exclude;
  const excluded = numbers === undefined || Array.isArray(numbers) ? null : numbers.source;
  const name = part === undefined ? excluded : part.from === 'source' ? part.source : null;
  return name === null ? null : (sources[name]?.type ?? null);
}

function partOf(part: number | null, from: DraftPart['from']): DraftPart {
  return { part, from, found: 0, read: 0, basis: 'none', readAt: null, note: null };
}

/** Rejects when the signal aborts, even if the source does not obey it. */
async function orAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, fail) => {
    abort = () => fail(signal.reason as Error);
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** @throws the error itself if it is none of the service, the budget or the clock */
export function callFailed(error: unknown, replaced: AbortSignal): Note {
  replaced.throwIfAborted();
  if (error instanceof ApplicationFailure) return { code: error.type ?? 'FAILED', reason: error.message };
  if (error instanceof ApiError) return { code: error.code ?? 'REFUSED', reason: callReason(error) };
  if (error instanceof UnexpectedShapeError) return { code: 'SHAPE', reason: error.message };
  if (error instanceof TransportError) return { code: error.reason.toUpperCase(), reason: error.message };
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return {
      code: 'BUDGET',
      reason: 'more urgent work took all calls of the account, or the service is slow',
    };
  throw error;
}
