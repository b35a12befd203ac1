// Contacts (API text, Endpoints, Contacts).

import { checkArguments, queryText, route } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import type { ApiResult, Call, CallOptions } from '../call.ts';
import { placed } from '../field-spec.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { MAX_PAGE_SIZE } from '../page-cursor.ts';
import { type IterateOptions, iteratePages } from '../paging.ts';
import {
  Contact,
  ContactDetails,
  ContactQuery,
  type ContactUpdate,
  type ContactUpsert,
} from '../schemas/contact.ts';
import { objectAt, type Page, read, readPage, readShown, type Wrapper } from '../shapes.ts';

const LIST = '/v1/contacts';
const ONE = '/v1/contacts/{contactId}';

/** A written contact. The answer may contain a word or an id instead of the contact. */
export interface WrittenContact {
  /** Null if the answer does not show it. The write succeeded. */
  readonly contact: Contact | null;
  /** Null if the answer does not show it either. */
  readonly id: number | null;
}

export interface UpsertedContact extends WrittenContact {
  /** From the field `created`, else from the status (201 or 200). Null if neither is conclusive. */
  readonly created: boolean | null;
}

const UPDATE_INPUTS = [
  ['name', 'contactUpdate.nameField'],
  ['email', 'contactUpdate.emailField'],
  ['document', 'contactUpdate.documentField'],
  ['disableBot', 'contactUpdate.disableBotField'],
] as const;

/** API text, POST /v1/contacts, rule 1. */
function createdOf(answer: JsonObject, status: number): boolean | null {
  if (typeof answer.created === 'boolean') return answer.created;
  return status === 201 ? true : status === 200 ? false : null;
}

function written(answer: JsonObject, wrapper: Wrapper['path'] = 'any'): WrittenContact {
  const path = wrapper === 'any' && isObject(answer.contact) ? ['contact'] : wrapper;
  const { record, id } = readShown(Contact, answer, { key: 'wrapper.contactUpdate', path, usual: 'contact' });
  return { contact: record, id };
}

export class ContactsResource {
  readonly #call: Call;
  readonly #assumptions: Assumptions;

  constructor(call: Call, assumptions: Assumptions) {
    this.#call = call;
    this.#assumptions = assumptions;
  }

  /** One page. GET /v1/contacts, scope contacts:read. */
  async list(query: ContactQuery = {}, options?: CallOptions): Promise<ApiResult<Page<Contact>>> {
    const params = queryText(checkArguments(ContactQuery, query));
    return this.#call(
      {
        method: 'GET',
        route: route(LIST),
        query: params,
        read: (body) => readPage(Contact, body, 'contacts'),
      },
      options,
    );
  }

  /**
   * Yields all contacts that match, each once, even while the list changes. `pageSize` (20 to 100) is the largest page
   * requested. The deadline and the signal apply to each call.
   *
   * @example for await (const contact of client.contacts.iterate({ tagId: 3 })) …
   */
  iterate(
    query: Omit<ContactQuery, 'pageNumber'> = {},
    options: IterateOptions = {},
  ): AsyncGenerator<Contact> {
    return iteratePages({
      endpoint: LIST,
      pageSize: query.pageSize ?? MAX_PAGE_SIZE.contacts,
      maxPageSize: MAX_PAGE_SIZE.contacts,
      keyOf: ({ id }) => id,
      fetchPage: (window) => this.list({ ...query, ...window }, options),
      onInvalid: options.onInvalid,
    });
  }

  /** Creates or updates by number. POST /v1/contacts, scope contacts:write. Safe to repeat. */
  async upsert(body: ContactUpsert, options?: CallOptions): Promise<ApiResult<UpsertedContact>> {
    return this.#call(
      {
        method: 'POST',
        route: route(LIST),
        body,
        read: (answer, status) => ({ created: createdOf(answer, status), ...written(answer) }),
      },
      options,
    );
  }

  /** The only call whose answer has `extraInfo`. GET /v1/contacts/{contactId}, scope contacts:read. */
  async get(id: number, options?: CallOptions): Promise<ApiResult<ContactDetails>> {
    return this.#call(
      {
        method: 'GET',
        route: route(ONE, { contactId: id }),
        read: (body) => read(ContactDetails, objectAt(body, 'contact'), 'contact'),
      },
      options,
    );
  }

  /**
   * Changes the given fields only. PUT /v1/contacts/{contactId}, scope contacts:write. The API text does not show the
   * response. Names of inputs are assumptions.
   */
  async update(id: number, fields: ContactUpdate, options?: CallOptions): Promise<ApiResult<WrittenContact>> {
    const assumed = this.#assumptions;
    const body = placed([
      [assumed['contactUpdate.nameField'], fields.name],
      [assumed['contactUpdate.emailField'], fields.email],
      [assumed['contactUpdate.documentField'], fields.document],
      [assumed['contactUpdate.disableBotField'], fields.disableBot],
      [['extraInfo'], fields.extraInfo],
    ]);
    return this.#call(
      {
        method: 'PUT',
        route: route(ONE, { contactId: id }),
        body,
        allowEmpty: true,
        inputs: UPDATE_INPUTS.filter(([field]) => fields[field] !== undefined).map(([, key]) => key),
        read: (answer) => written(answer, assumed['wrapper.contactUpdate']),
      },
      options,
    );
  }

  /**
   * Replaces the whole tag list. The service ignores unknown ids without an error.
   * PUT /v1/contacts/{contactId}/tags, scope contacts:write.
   */
  async setTags(
    id: number,
    tagIds: readonly number[],
    options?: CallOptions,
  ): Promise<ApiResult<WrittenContact>> {
    return this.#call(
      {
        method: 'PUT',
        route: route(`${ONE}/tags`, { contactId: id }),
        body: { tagIds },
        read: (body) => written(body),
      },
      options,
    );
  }
}
