// Contacts (API text, Endpoints, Contacts).

import { z } from 'zod';
import { checkArguments, queryText, route } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import type { ApiResult, Call, CallOptions } from '../call.ts';
import { type IterateOptions, iteratePages, MAX_PAGE_SIZE } from '../paging.ts';
import {
  Contact,
  ContactDetails,
  ContactQuery,
  type ContactUpdate,
  type ContactUpsert,
} from '../schemas/contact.ts';
import { type Page, read, readPage, readRecord } from '../shapes.ts';

const LIST = '/v1/contacts';
const ONE = '/v1/contacts/{contactId}';

export interface UpsertedContact {
  readonly created: boolean;
  readonly contact: Contact;
}

const Upserted = z.object({ created: z.boolean(), contact: Contact });

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
   * All contacts that match, each once, even while the list changes. `pageSize` (20 to 100) is the
   * largest page asked for; deadline and signal hold for each call.
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
      { method: 'POST', route: route(LIST), body, read: (answer) => read(Upserted, answer, '') },
      options,
    );
  }

  /** The only call that answers `extraInfo`. GET /v1/contacts/{contactId}, scope contacts:read. */
  async get(id: number, options?: CallOptions): Promise<ApiResult<ContactDetails>> {
    return this.#call(
      {
        method: 'GET',
        route: route(ONE, { contactId: id }),
        read: (body) => read(ContactDetails, body.contact, 'contact'),
      },
      options,
    );
  }

  /**
   * Changes the fields sent and no others. PUT /v1/contacts/{contactId}, scope contacts:write.
   * The response is not shown by the API text: `data` is null when it holds no contact.
   */
  async update(id: number, fields: ContactUpdate, options?: CallOptions): Promise<ApiResult<Contact | null>> {
    const assumed = this.#assumptions;
    const body = {
      [assumed['contactUpdate.nameField']]: fields.name,
      [assumed['contactUpdate.emailField']]: fields.email,
      [assumed['contactUpdate.documentField']]: fields.document,
      [assumed['contactUpdate.disableBotField']]: fields.disableBot,
      extraInfo: fields.extraInfo,
    };
    return this.#call(
      {
        method: 'PUT',
        route: route(ONE, { contactId: id }),
        body,
        allowEmpty: true,
        read: (answer) => {
          const keys = Object.keys(answer).filter((key) => key !== 'requestId');
          const wrapper = assumed['wrapper.contactUpdate'];
          return keys.length === 0 ? null : readRecord(Contact, answer, wrapper, 'contact');
        },
      },
      options,
    );
  }

  /**
   * Replaces the whole tag list; unknown ids are ignored by the service without an error.
   * PUT /v1/contacts/{contactId}/tags, scope contacts:write.
   */
  async setTags(id: number, tagIds: readonly number[], options?: CallOptions): Promise<ApiResult<Contact>> {
    return this.#call(
      {
        method: 'PUT',
        route: route(`${ONE}/tags`, { contactId: id }),
        body: { tagIds },
        read: (body) => read(Contact, body.contact, 'contact'),
      },
      options,
    );
  }
}
