// Filters and order of GET /v1/cards.

import type { Choices } from '../choices.ts';
import type { CARD_SORT_COLUMNS } from '../openapi/parameters.ts';
import type { Account } from '../state/account.ts';
import type { Card } from '../state/model.ts';
import { dateFilter } from './dates.ts';
import { csv, csvIds, type Query, singleId, text } from './query.ts';

const SORT_KEYS = {
  createdAt: (card: Card) => card.createdAt,
  closedAt: (card: Card) => card.closedAt,
  value: (card: Card) => card.value,
  title: (card: Card) => card.title,
  stageEnteredAt: (card: Card) => card.stageEnteredAt,
} as const satisfies Record<(typeof CARD_SORT_COLUMNS)[number], (card: Card) => number | string | null>;

/** Returns all cards that match, in order. @throws Problem ERR_INVALID_DATE_FILTER */
export function matchingCards(account: Account, query: Query, choices: Choices): Card[] {
  const tests = [...columnTests(query), ...dateTests(query), ...tagTests(account, query)];
  const title = text(query, choices.cardQuery.titleSearch)?.toLowerCase();
  if (title !== undefined) tests.push((card) => card.title.toLowerCase().includes(title));
  // Cards of one contact are read from the index: reading back after a create must not scan the board.
  const contactId = singleId(query, 'contactId');
  const candidates = contactId === undefined ? account.tables.card.rows : account.cardsOf(contactId);
  return candidates.filter((card) => tests.every((test) => test(card))).sort(order(query, choices));
}

type Test = (card: Card) => boolean;

function columnTests(query: Query): Test[] {
  const tests: Test[] = [];
  for (const key of ['pipelineId', 'stageId', 'sourceId', 'userId', 'lostReasonId'] as const) {
    const id = singleId(query, key);
    if (id !== undefined) tests.push((card) => card[key] === id);
  }
  const statuses = csv(query, 'status');
  if (statuses !== undefined) tests.push((card) => statuses.has(card.status));
  return tests;
}

/** Both limits are inclusive. A card that is not closed is in no period of closing. */
function dateTests(query: Query): Test[] {
  const tests: Test[] = [];
  for (const key of ['createdAt', 'closedAt'] as const) {
    const after = dateFilter(`${key}After`, text(query, `${key}After`));
    const before = dateFilter(`${key}Before`, text(query, `${key}Before`));
    if (after !== undefined) tests.push((card) => (card[key] ?? Number.NaN) >= after);
    if (before !== undefined) tests.push((card) => (card[key] ?? Number.NaN) <= before);
  }
  return tests;
}

function tagTests(account: Account, query: Query): Test[] {
  const hasAny = (card: Card, ids: ReadonlySet<number>) =>
    account.tables.contact.get(card.contactId)?.tagIds.some((id) => ids.has(id)) ?? false;
  const wanted = csvIds(query, 'contactTagId');
  const unwanted = csvIds(query, 'notContactTagId');
  return [
    ...(wanted === undefined ? [] : [(card: Card) => hasAny(card, wanted)]),
    ...(unwanted === undefined ? [] : [(card: Card) => !hasAny(card, unwanted)]),
  ];
}

/** An unknown column means createdAt. Equal cards are ordered by id. Cards without a value are last. */
function order(query: Query, choices: Choices): (a: Card, b: Card) => number {
  const column = text(query, 'sortBy') ?? 'createdAt';
  const key = Object.hasOwn(SORT_KEYS, column)
    ? SORT_KEYS[column as keyof typeof SORT_KEYS]
    : SORT_KEYS.createdAt;
  const asked = text(query, choices.cardQuery.sortDirection)?.toLowerCase();
  const direction = asked === 'asc' || asked === 'desc' ? asked : choices.defaultSortDirection;
  const sign = direction === 'asc' ? 1 : -1;
  return (a, b) => {
    const [left, right] = [key(a), key(b)];
    if (left === right) return sign * (a.id - b.id);
    if (left === null) return 1;
    if (right === null) return -1;
    return left < right ? -sign : sign;
  };
}
