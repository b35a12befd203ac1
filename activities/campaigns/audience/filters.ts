// Filters of an audience, as queries of the API. Sluice applies them again to the results, because a service that
// does not know a parameter lists everybody.

import { durationMs } from '../../../src/core/config/base.ts';
import type { CardsAudience, ContactsAudience, Moment } from '../../../src/jobs/campaigns/config.ts';
import type { Card, CardQuery } from '../../../src/service/api-client/schemas/card.ts';
import type { Contact, ContactQuery } from '../../../src/service/api-client/schemas/contact.ts';
import { type AccountLists, lostReasonOf, placeOf, tagOf } from './names.ts';

/** Whether an item matches a filter; `unshown`: the item does not show it. */
type Fit = 'fits' | 'other' | 'unshown';

interface Filter<T> {
  /** Key of the filter in the configuration. */
  readonly key: string;
  readonly fit: (item: T) => Fit;
}

const fits = (is: boolean): Fit => (is ? 'fits' : 'other');

/** Filters on cards. The query contains ids instead of the names of tags and stages. */
export function cardFilters(part: CardsAudience, query: CardQuery): Filter<Card>[] {
  const { pipelineId, stageId, sourceId, contactId, userId, lostReasonId, title } = query;
  const tagIds = listOf(query.contactTagId);
  const notTagIds = listOf(query.notContactTagId);
  const status = listOf(query.status);
  const hasAny = (card: Card, ids: readonly unknown[]) =>
    card.contact.tags.some(({ id }) => ids.includes(id));
  const all: (Filter<Card> | false)[] = [
    pipelineId !== undefined && { key: 'pipeline', fit: (card) => fits(card.pipeline.id === pipelineId) },
    stageId !== undefined && { key: 'stage', fit: (card) => fits(card.stage?.id === stageId) },
    sourceId !== undefined && { key: 'source', fit: (card) => fits(card.source?.id === sourceId) },
    contactId !== undefined && { key: 'contact', fit: (card) => fits(card.contact.id === contactId) },
    userId !== undefined && { key: 'user', fit: (card) => fits(card.user?.id === userId) },
    status.length > 0 && { key: 'status', fit: (card) => fits(status.includes(card.status)) },
    lostReasonId !== undefined && { key: 'lostReason', fit: (card) => lostFor(card, lostReasonId) },
    tagIds.length > 0 && { key: 'tags', fit: (card) => fits(hasAny(card, tagIds)) },
    notTagIds.length > 0 && { key: 'withoutTags', fit: (card) => fits(!hasAny(card, notTagIds)) },
    title !== undefined && {
      key: 'title',
      fit: (card) => fits(lowerCase(card.title).includes(lowerCase(title))),
    },
    part.created !== undefined && {
      key: 'created',
      fit: ({ createdAt }) => fits(isWithin(createdAt, query.createdAtAfter, query.createdAtBefore)),
    },
    part.closed !== undefined && {
      key: 'closed',
      fit: ({ closedAt }) => fits(isWithin(closedAt, query.closedAtAfter, query.closedAtBefore)),
    },
  ];
  return all.filter((each) => each !== false);
}

export function contactFilters(part: ContactsAudience, query: ContactQuery): Filter<Contact>[] {
  const tagIds = listOf(query.tagId);
  const { channel, search, email } = part;
  const all: (Filter<Contact> | false)[] = [
    tagIds.length > 0 && {
      key: 'tags',
      fit: ({ tags }) => fits(tags.some(({ id }) => tagIds.includes(id))),
    },
    channel !== undefined && { key: 'channel', fit: (contact) => fits(contact.channel === channel) },
    search !== undefined && { key: 'search', fit: (contact) => fits(isFound(contact, search)) },
    email !== undefined && {
      key: 'email',
      fit: (contact) => fits(lowerCase(contact.email ?? '').includes(lowerCase(email))),
    },
  ];
  return all.filter((each) => each !== false);
}

/** Result of filtering the items of a page. */
export interface Sieved<T> {
  readonly wanted: readonly T[];
  /** Item → first filter that it does not match. */
  readonly others: ReadonlyMap<number, string>;
  /** Item → first filter that it does not show a value for. */
  readonly unshown: ReadonlyMap<number, string>;
}

export function sieve<T extends { readonly id: number }>(
  items: readonly T[],
  filters: readonly Filter<T>[],
): Sieved<T> {
  const others = new Map<number, string>();
  const unshown = new Map<number, string>();
  for (const item of items) {
    const verdicts = filters.map(({ key, fit }) => [key, fit(item)] as const);
    const other = verdicts.find(([, verdict]) => verdict === 'other');
    const silent = verdicts.find(([, verdict]) => verdict === 'unshown');
    if (other !== undefined) others.set(item.id, other[0]);
    else if (silent !== undefined) unshown.set(item.id, silent[0]);
  }
  return { wanted: items.filter(({ id }) => !others.has(id)), others, unshown };
}

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** The API text does not show the shape of the lost reason inside a card. */
function lostFor({ lostReason }: Card, id: number): Fit {
  if (lostReason === null) return 'other';
  const shown = (lostReason as Readonly<Record<string, unknown>>)['id'];
  if (shown === undefined || shown === null) return 'unshown';
  return fits(String(shown) === String(id));
}

function isWithin(
  at: string | null,
  after: Date | string | undefined,
  before: Date | string | undefined,
): boolean {
  if (at === null) return false;
  const ms = Date.parse(at);
  return (
    (after === undefined || ms >= new Date(after).getTime()) &&
    (before === undefined || ms <= new Date(before).getTime())
  );
}

function isFound({ name, number }: Contact, search: string): boolean {
  const digits = search.replace(/\D/g, '');
  const isNumber = digits !== '' && /^[+\d\s().-]+$/.test(search);
  return lowerCase(name).includes(lowerCase(search)) || (isNumber && number.includes(digits));
}

/** Normalizes a text the way that databases compare: without case and, often, without accents. */
const lowerCase = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .trim();

/** What a query needs besides its part of the audience. */
export interface QueryContext {
  readonly lists: AccountLists;
  /** Durations are counted back from this time. */
  readonly asOf: Date;
  /** Path of the part in the configuration, for messages. */
  readonly where: string;
}

/** Resolves a time: a duration counts back from `asOf`. */
function momentOf(moment: Moment, asOf: Date): Date {
  return /^\d+[a-z]+$/.test(moment) ? new Date(asOf.getTime() - durationMs(moment)) : new Date(moment);
}

/**
 * API text, GET /v1/cards. Sorted by creation, oldest first, so that cards created meanwhile come after all others.
 * @throws ApplicationFailure for names that the account lacks
 */
export function cardQuery(part: CardsAudience, { lists, asOf, where }: QueryContext): CardQuery {
  const { lostReason, created, closed } = part;
  const tagIds = (key: 'tags' | 'withoutTags') =>
    part[key]?.map((name) => tagOf(lists, name, `${where}.${key}`).id);
  const moment = (value: Moment | undefined) => (value === undefined ? undefined : momentOf(value, asOf));
  return withoutUndefined({
    ...placeOf(lists, { where, pipeline: part.pipeline, stage: part.stage }),
    sourceId: part.source,
    contactId: part.contact,
    userId: part.user,
    status: part.status,
    lostReasonId:
      lostReason === undefined ? undefined : lostReasonOf(lists, lostReason, `${where}.lostReason`),
    contactTagId: tagIds('tags'),
    notContactTagId: tagIds('withoutTags'),
    title: part.title,
    createdAtAfter: moment(created?.after),
    createdAtBefore: moment(created?.before),
    closedAtAfter: moment(closed?.after),
    closedAtBefore: moment(closed?.before),
    sortBy: 'createdAt' as const,
    sortDirection: 'asc' as const,
  });
}

/** API text, GET /v1/contacts. @throws ApplicationFailure for tags that the account lacks */
export function contactQuery(part: ContactsAudience, { lists, where }: QueryContext): ContactQuery {
  return withoutUndefined({
    tagId: part.tags?.map((name) => tagOf(lists, name, `${where}.tags`).id),
    channel: part.channel,
    searchParam: part.search,
    email: part.email,
  });
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<
    Defined<T>
  >;
}

/**
 * Both limits are inclusive, as in the API's filters. A card that does not show when it entered its stage does not
 * match.
 */
export function enteredStage(card: Card, between: CardsAudience['inStageSince'], asOf: Date): boolean {
  if (between === undefined) return true;
  if (card.stageEnteredAt === null) return false;
  const at = new Date(card.stageEnteredAt);
  const { after, before } = between;
  return (
    (after === undefined || at >= momentOf(after, asOf)) &&
    (before === undefined || at <= momentOf(before, asOf))
  );
}
