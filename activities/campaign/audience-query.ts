// Parts of an audience as queries of the API, and what the API can't filter.
import type { Card, CardQuery } from '../../src/api-client/schemas/card.ts';
import type { ContactQuery } from '../../src/api-client/schemas/contact.ts';
import { durationMs } from '../../src/contracts/config-base.ts';
import type { CardsAudience, ContactsAudience, Moment } from '../../src/contracts/config-campaigns.ts';
import { type AccountLists, lostReasonOf, placeOf, tagOf } from './audience-names.ts';

/** What a part goes by beside itself. */
export interface QueryContext {
  readonly lists: AccountLists;
  /** Spans of time are counted back from here. */
  readonly asOf: Date;
  /** Where the part stands in the configuration, for messages. */
  readonly where: string;
}

/** The instant that is meant. */
export function momentOf(moment: Moment, asOf: Date): Date {
  return /^\d+[a-z]+$/.test(moment) ? new Date(asOf.getTime() - durationMs(moment)) : new Date(moment);
}

/**
 * API text, GET /v1/cards. Oldest first: what is made while the list is read comes behind all that is there.
 * @throws ApplicationFailure for names that the account does not have
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

/** API text, GET /v1/contacts. @throws ApplicationFailure for tags that the account does not have */
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

/** Both limits count, as with the filters of the API. A card that does not say when it entered its stage is in no span. */
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
