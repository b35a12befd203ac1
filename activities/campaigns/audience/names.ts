// Resolves names in a campaign (tags, pipelines, stages, lost reasons) to ids of the API. A name that the account
// lacks refuses the plan, and the message lists the names that exist.

import { ApplicationFailure } from '@temporalio/activity';
import type { Queryable } from '../../../src/core/sql/database.ts';
import {
  type CatalogLostReason,
  type CatalogPipeline,
  type CatalogTag,
  pick,
  readCatalog,
} from '../../../src/core/store/catalog.ts';
import type { CampaignList, CampaignSpec } from '../../../src/jobs/campaigns/contract/batches.ts';
import type { CallDeps } from '../../shared/api-call.ts';
import { fetchList, keepList } from '../../shared/catalog-lists.ts';
import type { Deps } from '../../shared/deps.ts';

export interface AccountLists {
  readonly tags: readonly CatalogTag[];
  readonly pipelines: readonly CatalogPipeline[];
  readonly lostReasons: readonly CatalogLostReason[];
}

export async function accountLists(db: Queryable, account: string): Promise<AccountLists> {
  return {
    tags: (await readCatalog(db, account, 'tags')) ?? [],
    pipelines: (await readCatalog(db, account, 'pipelines')) ?? [],
    lostReasons: (await readCatalog(db, account, 'lostReasons')) ?? [],
  };
}

/** A name, and its path in the configuration. */
interface Named<T> {
  readonly where: string;
  readonly name: T;
}

/** Lists of the account that this campaign needs; reading each is one call. */
export function listsOf(spec: CampaignSpec): CampaignList[] {
  const lists: CampaignList[] = [];
  if (tagsOf(spec).length > 0) lists.push('tags');
  if (placesOf(spec).length > 0) lists.push('pipelines');
  if (lostReasonsOf(spec).length > 0) lists.push('lostReasons');
  // The plan checks that the campaign's connection exists and can run flows.
  return [...lists, 'connections'];
}

/**
 * @throws ApplicationFailure UNKNOWN_TAG, UNKNOWN_PIPELINE, UNKNOWN_STAGE or UNKNOWN_LOST_REASON; its detail is the
 *   path of the name in the campaign
 */
export function checkNames(spec: CampaignSpec, lists: AccountLists, list: CampaignList): void {
  if (list === 'tags') for (const { where, name } of tagsOf(spec)) tagOf(lists, name, where);
  if (list === 'pipelines') for (const place of placesOf(spec)) placeOf(lists, place);
  if (list === 'lostReasons')
    for (const { where, name } of lostReasonsOf(spec)) lostReasonOf(lists, name, where);
}

/**
 * All tags of the service that the campaign names. Tags in the ledger's parts are matched by name, so they need no id.
 */
function tagsOf({ account, config, optOut }: CampaignSpec): Named<string>[] {
  const at = (where: string, names: readonly string[] | undefined) =>
    (names ?? []).map((name) => ({ where, name }));
  return [
    ...config.audience.flatMap((part, n) => {
      if (part.from === 'contacts') return at(`audience.${n}.tags`, part.tags);
      if (part.from !== 'cards') return [];
      return [...at(`audience.${n}.tags`, part.tags), ...at(`audience.${n}.withoutTags`, part.withoutTags)];
    }),
    ...at('exclude.tags', config.exclude.tags),
    ...at('after.tags', config.after.tags),
    ...at(`accounts.${account}.optOut.tags`, optOut.tags),
  ];
}

interface Place {
  readonly where: string;
  readonly pipeline: string | number | undefined;
  readonly stage: string | number | undefined;
}

function placesOf({ config }: CampaignSpec): Place[] {
  const parts = config.audience.flatMap((part, n): Place[] =>
    part.from === 'cards' ? [{ where: `audience.${n}`, pipeline: part.pipeline, stage: part.stage }] : [],
  );
  const { stage } = config.after;
  const all = stage === undefined ? parts : [...parts, { where: 'after.stage', ...stage }];
  return all.filter(({ pipeline, stage: named }) => pipeline !== undefined || named !== undefined);
}

function lostReasonsOf({ config }: CampaignSpec): Named<string>[] {
  return config.audience.flatMap((part, n) =>
    part.from === 'cards' && typeof part.lostReason === 'string'
      ? [{ where: `audience.${n}.lostReason`, name: part.lostReason }]
      : [],
  );
}

/** @throws ApplicationFailure UNKNOWN_TAG */
export function tagOf({ tags }: Pick<AccountLists, 'tags'>, name: string, where: string): CatalogTag {
  return pick(tags, name) ?? unknown('UNKNOWN_TAG', 'tag', name, where, namesOf(tags));
}

/**
 * Ids of pipeline and stage; undefined where the part names none. A stage given by id alone may be in any pipeline.
 * @throws ApplicationFailure UNKNOWN_PIPELINE or UNKNOWN_STAGE
 */
export function placeOf({ pipelines }: Pick<AccountLists, 'pipelines'>, { where, pipeline, stage }: Place) {
  const named = pipeline === undefined ? null : pick(pipelines, pipeline);
  if (pipeline !== undefined && named === null) {
    return unknown('UNKNOWN_PIPELINE', 'pipeline', pipeline, `${where}.pipeline`, namesOf(pipelines));
  }
  if (stage === undefined) return { pipelineId: named?.id, stageId: undefined };
  const stages = named === null ? pipelines.flatMap((each) => each.stages) : named.stages;
  const found = named === null && typeof stage === 'string' ? null : pick(stages, stage);
  if (found !== null) return { pipelineId: named?.id, stageId: found.id };
  const what = named === null ? 'stage' : `stage of the pipeline "${named.name}"`;
  return unknown('UNKNOWN_STAGE', what, stage, `${where}.stage`, namesOf(stages));
}

/** @throws ApplicationFailure UNKNOWN_LOST_REASON, also if the service shows only ids */
export function lostReasonOf(
  { lostReasons }: Pick<AccountLists, 'lostReasons'>,
  wanted: string | number,
  where: string,
): number {
  if (typeof wanted === 'number') return wanted;
  const named = lostReasons.flatMap(({ id, name }) => (name === null ? [] : [{ id, name }]));
  const found = pick(named, wanted);
  if (found !== null) return found.id;
  if (named.length > 0 || lostReasons.length === 0)
    return unknown('UNKNOWN_LOST_REASON', 'lost reason', wanted, where, namesOf(named));
  const ids = listed(lostReasons.map(({ id }) => String(id)));
  const message = `${where} names "${wanted}", but the service shows no names of lost reasons; write the id, one of ${ids}`;
  throw ApplicationFailure.nonRetryable(message, 'UNKNOWN_LOST_REASON', where);
}

function namesOf(items: readonly { readonly id: number; readonly name: string }[]): string {
  return listed(items.map(({ id, name }) => `"${name}" (${id})`));
}

const SHOWN = 50;

function listed(items: readonly string[]): string {
  const more = items.length - SHOWN;
  return items.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function unknown(type: string, what: string, wanted: string | number, where: string, known: string): never {
  const named = typeof wanted === 'number' ? wanted : `"${wanted}"`;
  const message = `${where} names ${named}, but the account has no such ${what}; it has ${known || 'none'}`;
  throw ApplicationFailure.nonRetryable(message, type, where);
}

/** Reads a list of the account with one call. @returns the number of items that could not be read */
export async function readList(
  deps: CallDeps & Pick<Deps, 'account'>,
  account: string,
  run: string,
  list: CampaignList,
): Promise<number> {
  const found = await fetchList(deps, deps.account(account), run, list);
  await keepList(deps, account, list, found?.items ?? []);
  return found?.invalid.length ?? 0;
}
