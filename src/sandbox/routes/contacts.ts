// Contacts: list, upsert by number, get, partial update, tag sync (API text, "Contacts").
import { Problem } from '../http/errors.ts';
import { type Call, checked, flatExtra, ok, pathId, type Reply, type Route } from '../http/route.ts';
import { contactView, fullContactView } from '../http/views.ts';
import * as operations from '../openapi/contacts.ts';
import { idIn, UpdateFields } from '../openapi/inputs.ts';
import { LIST_PAGE } from '../openapi/parameters.ts';
import { ninthDigitVariants, searchedDigits } from '../rules/numbers.ts';
import { csvIds, page, paged, text } from '../rules/query.ts';
import { upsertContact } from '../rules/upsert.ts';
import type { Contact } from '../state/model.ts';

function findContact(call: Call): Contact {
  const contact = call.account.tables.contact.get(pathId(call, 'contactId'));
  if (contact === undefined) throw new Problem('ERR_NO_CONTACT_FOUND');
  return contact;
}

function list(call: Call): Reply {
  const { account, query } = call;
  const window = paged(matching(call), page(query, LIST_PAGE));
  return ok({
    count: window.count,
    hasMore: window.hasMore,
    contacts: window.items.map((contact) => contactView(account, contact)),
  });
}

/** A query by `number` uses the index, so reading one contact back does not scan the account. */
function matching({ account, query }: Call): readonly Contact[] {
  const number = text(query, 'number');
  const candidates =
    number === undefined
      ? account.tables.contact.rows
      : ninthDigitVariants(number.replace(/\D/g, ''))
          .map((variant) => account.contactByNumber(variant))
          .filter((contact) => contact !== undefined)
          .sort((a, b) => a.id - b.id);
  const search = text(query, 'searchParam')?.toLowerCase();
  const email = text(query, 'email')?.toLowerCase();
  const channel = text(query, 'channel');
  const tagIds = csvIds(query, 'tagId');
  const tests: ((contact: Contact) => boolean)[] = [];
  if (search !== undefined) {
    const digits = searchedDigits(search);
    tests.push((contact) => contact.name.toLowerCase().includes(search) || contact.number.includes(digits));
  }
  if (email !== undefined) tests.push((contact) => contact.email?.toLowerCase().includes(email) ?? false);
  if (channel !== undefined) tests.push((contact) => contact.channel === channel);
  if (tagIds !== undefined) tests.push((contact) => contact.tagIds.some((id) => tagIds.has(id)));
  return tests.length === 0
    ? candidates
    : candidates.filter((contact) => tests.every((test) => test(contact)));
}

function upsert(call: Call): Reply {
  const { contact, created } = upsertContact(call);
  return { status: created ? 201 : 200, body: { created, contact: contactView(call.account, contact) } };
}

/** PUT /v1/contacts/{contactId}: changes the sent fields only; null erases. */
function update(call: Call): Reply {
  if (call.body['number'] !== undefined) throw new Problem('ERR_NUMBER_IMMUTABLE');
  const old = findContact(call);
  const inputs = call.choices.contactUpdate;
  const sent = Object.entries(inputs)
    .map(([field, input]) => [field, call.body[input]] as const)
    .filter(([, value]) => value !== undefined);
  const { extraInfo, disableBot, ...rest } = checked(UpdateFields, Object.fromEntries(sent));
  const contact: Contact = {
    ...old,
    ...rest,
    ...(disableBot === undefined ? {} : { disableBot: disableBot ?? false }),
    ...(extraInfo === undefined ? {} : { extraInfo: flatExtra(extraInfo ?? []) }),
    updatedAt: call.at,
  };
  call.store.commit([['contact', call.account.id, contact]]);
  return ok({ [call.choices.wrappers.updatedContact]: contactView(call.account, contact) });
}

/**
 * PUT /v1/contacts/{contactId}/tags: sets the whole list. It silently ignores unknown ids and those of other accounts.
 */
function syncTags(call: Call): Reply {
  const { tagIds } = call.body;
  if (!Array.isArray(tagIds)) throw new Problem('ERR_INVALID_TAG_IDS');
  const old = findContact(call);
  if (call.account.settings.tagMode === 'conversations') throw new Problem('ERR_INVALID_TAGMODE');
  const known = (tagIds as unknown[])
    .map(idIn)
    .filter((id) => id !== undefined)
    .filter((id) => call.account.tables.tag.get(id) !== undefined);
  const contact: Contact = { ...old, tagIds: [...new Set(known)], updatedAt: call.at };
  call.store.commit([['contact', call.account.id, contact]]);
  return ok({ contact: contactView(call.account, contact) });
}

const get = (call: Call): Reply => ok({ contact: fullContactView(call.account, findContact(call)) });

export const contactRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/contacts',
    scope: 'contacts:read',
    operation: operations.listContacts,
    handle: list,
  },
  {
    method: 'post',
    path: '/v1/contacts',
    scope: 'contacts:write',
    operation: operations.upsertContact,
    handle: upsert,
  },
  {
    method: 'get',
    path: '/v1/contacts/:contactId',
    scope: 'contacts:read',
    operation: operations.getContact,
    handle: get,
  },
  {
    method: 'put',
    path: '/v1/contacts/:contactId',
    scope: 'contacts:write',
    operation: operations.updateContact,
    handle: update,
  },
  {
    method: 'put',
    path: '/v1/contacts/:contactId/tags',
    scope: 'contacts:write',
    operation: operations.syncContactTags,
    handle: syncTags,
  },
];
