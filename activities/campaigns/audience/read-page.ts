// Reads one page of a part of the audience from the service, and filters it.

import type { CardsAudience, ContactsAudience } from '../../../src/jobs/campaigns/config.ts';
import { compileAudience } from '../../../src/jobs/campaigns/rules/audience-row.ts';
import type { FoundMember } from '../../../src/jobs/campaigns/store/audience.ts';
import type { CampaignRow } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { UnexpectedShapeError } from '../../../src/service/api-client/errors.ts';
import type { Window } from '../../../src/service/api-client/page-cursor.ts';
import type { Card } from '../../../src/service/api-client/schemas/card.ts';
import type { Contact } from '../../../src/service/api-client/schemas/contact.ts';
import type { Page } from '../../../src/service/api-client/shapes.ts';
import { type CallDeps, callApi } from '../../shared/api-call.ts';
import type { Deps } from '../../shared/deps.ts';
import { shapeRefusal } from '../../shared/failures.ts';
import {
  cardFilters,
  cardQuery,
  contactFilters,
  contactQuery,
  enteredStage,
  type QueryContext,
  type Sieved,
  sieve,
} from './filters.ts';
import { memberOfCard, memberOfContact } from './found.ts';
import type { RowsDeps } from './rows.ts';

export type ApiPart = CardsAudience | ContactsAudience;

/** A page, reduced to what the audience needs. */
export interface ReadPage {
  readonly count: number;
  readonly hasMore: boolean;
  /** Members that match the part, by id. */
  readonly members: ReadonlyMap<number, FoundMember>;
  /** Ids of all readable items. */
  readonly ids: readonly number[];
  /** Ids of unreadable items; null if even the id is unreadable. */
  readonly invalid: readonly (number | null)[];
  /** Ids of items that do not match a filter, and of those that do not show a value for it. */
  readonly others: ReadonlyMap<number, string>;
  readonly unshown: ReadonlyMap<number, string>;
}

export async function readPage(
  deps: CallDeps & Pick<Deps, 'account'> & Pick<RowsDeps, 'jsonata'>,
  { account, run_id, spec, as_of }: Pick<CampaignRow, 'account' | 'run_id' | 'spec' | 'as_of'>,
  part: ApiPart,
  context: QueryContext,
  { pageNumber, pageSize }: Window,
): Promise<ReadPage> {
  const access = deps.account(account);
  const compiled = compileAudience(spec.config, part, deps.jsonata);
  const window = { pageNumber, pageSize };
  if (part.from === 'cards') {
    const query = { ...cardQuery(part, context), ...window };
    const page = await callApi<Page<Card>>(deps, access, run_id, 'cards:read', (client, options) =>
      client.cards.list(query, options),
    );
    refuseUnreadable(account, page, '/v1/cards');
    const sieved = sieve(page?.items ?? [], cardFilters(part, query));
    const wanted = sieved.wanted.filter((card) => enteredStage(card, part.inStageSince, as_of));
    return await asRead(page, { ...sieved, wanted }, (card) => memberOfCard(compiled, card));
  }
  const query = { ...contactQuery(part, context), ...window };
  const page = await callApi<Page<Contact>>(deps, access, run_id, 'contacts:read', (client, options) =>
    client.contacts.list(query, options),
  );
  refuseUnreadable(account, page, '/v1/contacts');
  const sieved = sieve(page?.items ?? [], contactFilters(part, query));
  return await asRead(page, sieved, (contact) => memberOfContact(compiled, contact));
}

/**
 * Refuses a page with more unreadable items than readable ones: the service shows its items in another form.
 * @throws ApplicationFailure that ends the plan
 */
function refuseUnreadable<T>(
  account: string,
  page: Page<T> | null,
  path: '/v1/cards' | '/v1/contacts',
): void {
  const [first] = page?.invalid ?? [];
  if (page === null || first === undefined || page.invalid.length <= page.items.length) return;
  const { expected, assumption, seen } = first;
  const at = first.path.replaceAll(/\[\d+\]/g, '[]');
  const error = new UnexpectedShapeError({
    method: 'GET',
    path,
    at,
    expected,
    assumption,
    seen,
    status: 200,
    requestId: null,
  });
  throw shapeRefusal(account, error, 'readAudience');
}

async function asRead<T extends { readonly id: number }>(
  page: Page<T> | null,
  { wanted, others, unshown }: Sieved<T>,
  member: (item: T) => Promise<FoundMember>,
): Promise<ReadPage> {
  if (page === null) throw new Error('a read call returned no page');
  const { count, hasMore, items, invalid } = page;
  const members = new Map<number, FoundMember>();
  for (const item of wanted) members.set(item.id, await member(item));
  const ids = items.map(({ id }) => id);
  return { count, hasMore, members, ids, invalid: invalid.map(({ id }) => id), others, unshown };
}
