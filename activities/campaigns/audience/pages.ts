// Activities that read the audience of a campaign from the service, one page per call.

import type { Queryable } from '../../../src/core/sql/database.ts';
import { pick } from '../../../src/core/store/catalog.ts';
import { noteOptOuts } from '../../../src/core/store/opt-outs.ts';
import type {
  AudiencePage,
  AudiencePageInput,
  CampaignList,
  CampaignRunName,
  CampaignSpec,
} from '../../../src/jobs/campaigns/contract/batches.ts';
import {
  addFound,
  type FoundMember,
  forgetSeen,
  noteSeen,
  type PartProgress,
  progressOf,
  saveProgress,
  seenBefore,
} from '../../../src/jobs/campaigns/store/audience.ts';
import { type CampaignRow, getCampaign, lockCampaign } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { addedOptOuts } from '../../../src/jobs/outbox/store/opt-out-news.ts';
import { type Announced, putOutbox } from '../../../src/jobs/outbox/store/outbox.ts';
import { addWarning } from '../../../src/jobs/sync/store/run-warnings.ts';
import {
  firstPage,
  MAX_PAGE_SIZE,
  nextPage,
  type PageCursor,
} from '../../../src/service/api-client/page-cursor.ts';
import type { Deps } from '../../shared/deps.ts';
import { wakeSinks } from '../../shared/wake.ts';
import { asPlanFailure, type Counts, counted, requirePlanning, warnOf, warnOfFilters } from './failures.ts';
import type { QueryContext } from './filters.ts';
import { accountLists, checkNames, readList } from './names.ts';
import { type ApiPart, type ReadPage, readPage } from './read-page.ts';

/** Progress of a part that is read from the service. */
interface ListProgress extends PartProgress {
  readonly cursor: PageCursor;
  /** Number of items that differ from the API text. */
  readonly unreadable: number;
  /** Number of items that do not match, and of those that do not show a value, per filter. */
  readonly others: Counts;
  readonly unshown: Counts;
}

export function createAudienceActivities(deps: Deps) {
  const { db } = deps;

  return {
    /**
     * GET /v1/tags, /v1/pipelines, /v1/lost-reasons or /v1/connections: stores the list in the ledger and resolves the
     * campaign's names.
     * @throws ApplicationFailure UNKNOWN_TAG, UNKNOWN_PIPELINE, UNKNOWN_STAGE or UNKNOWN_LOST_REASON
     */
    async readCampaignList({ run, list }: CampaignRunName & { readonly list: CampaignList }): Promise<void> {
      const { account, spec } = await getCampaign(db, run);
      await asPlanFailure(account, async () => {
        const unreadable = await readList(deps, account, run, list);
        if (unreadable > 0) {
          const reason = `${unreadable} of the account's ${list} can't be read because they differ from the API text`;
          await addWarning(db, run, { step: 'readAudience', subject: list, code: 'LIST_UNREADABLE', reason });
        }
      });
      checkNames(spec, await accountLists(db, account), list);
    },

    /** GET /v1/cards or /v1/contacts, one page. A repeated call continues where the ledger is. */
    async readAudiencePage({ run, part }: AudiencePageInput): Promise<AudiencePage> {
      const campaign = await getCampaign(db, run);
      requirePlanning(campaign);
      const progress = listProgress(campaign, part);
      if (progress.done) return { done: true, found: progress.found };
      const config = apiPart(campaign.spec, part);
      const context: QueryContext = {
        lists: await accountLists(db, campaign.account),
        asOf: campaign.as_of,
        where: `audience.${part}`,
      };
      const page = await asPlanFailure(campaign.account, () =>
        readPage(deps, campaign, config, context, progress.cursor),
      );
      const at = new Date(await deps.clock.now());
      const rules = deps.announce(campaign.account);
      const { sinks, ...taken } = await db.transaction(async (tx) => {
        const { optOuts, ...taken } = await takePage(tx, run, part, progress.cursor.step, page, at);
        return { ...taken, sinks: await putOutbox(tx, campaign.account, rules, optOuts) };
      });
      await wakeSinks(sinks);
      return taken;
    },
  };
}

function listProgress({ parts }: Pick<CampaignRow, 'parts'>, part: number): ListProgress {
  return (
    (progressOf(parts, part) as ListProgress | null) ?? {
      found: 0,
      done: false,
      cursor: firstPage(Math.min(MAX_PAGE_SIZE.cards, MAX_PAGE_SIZE.contacts)),
      unreadable: 0,
      others: {},
      unshown: {},
    }
  );
}

function apiPart({ config }: CampaignSpec, part: number): ApiPart {
  const found = config.audience[part];
  if (found?.from === 'cards' || found?.from === 'contacts') return found;
  throw new Error(`part ${part} of the audience is not read from the service`);
}

async function takePage(
  tx: Queryable,
  run: string,
  part: number,
  step: number,
  page: ReadPage,
  at: Date,
): Promise<AudiencePage & { readonly optOuts: readonly Announced[] }> {
  const campaign = await lockCampaign(tx, run);
  const before = listProgress(campaign, part);
  // Another attempt has already taken this page.
  if (before.done || before.cursor.step !== step || campaign.state !== 'planning')
    return { done: before.done, found: before.found, optOuts: [] };
  const named = page.invalid.filter((id) => id !== null);
  const ids = [...page.ids, ...named];
  const known = await seenBefore(tx, run, part, ids);
  const nameless = page.invalid.length - named.length;
  const { take, cursor, end } = nextPage(before.cursor, {
    count: page.count,
    hasMore: page.hasMore,
    ids,
    nameless,
    known: known.size,
  });
  let { found, unreadable, others, unshown } = before;
  let optOuts: readonly Announced[] = [];
  if (take) {
    const members = [...page.members].filter(([id]) => !known.has(id)).map(([, member]) => member);
    await noteSeen(tx, run, part, ids);
    await addFound(tx, run, part, members);
    optOuts = await noteTagged(tx, campaign, members, at);
    found += members.length;
    others = counted(others, page.others, known);
    unshown = counted(unshown, page.unshown, known);
    unreadable += named.filter((id) => !known.has(id)).length + cursor.nameless - before.cursor.nameless;
  }
  const done = end !== null;
  const progress: ListProgress = { found, done, cursor, unreadable, others, unshown };
  await saveProgress(tx, run, part, progress);
  if (done) {
    await forgetSeen(tx, run, part);
    await warnOf(tx, run, part, { unsteady: end !== 'complete', unreadable });
    await warnOfFilters(tx, campaign, part, { others, unshown });
  }
  return { done, found, optOuts };
}

/**
 * Records members with one of the account's opt-out tags, so that every campaign excludes them from now on.
 * @returns events of the new ones
 */
async function noteTagged(
  tx: Queryable,
  { account, spec }: CampaignRow,
  members: readonly FoundMember[],
  at: Date,
): Promise<Announced[]> {
  if (spec.optOut.tags.length === 0) return [];
  const { tags } = await accountLists(tx, account);
  const wanted = new Set(spec.optOut.tags.flatMap((name) => pick(tags, name)?.id ?? []));
  const keys = members.flatMap(({ key, tagIds }) =>
    key !== null && tagIds?.some((id) => wanted.has(id)) ? [key] : [],
  );
  const recorded = await noteOptOuts(tx, account, keys, 'tag', at);
  return addedOptOuts(account, recorded, { via: 'tag' });
}
