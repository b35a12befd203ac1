// Operations of contacts and tags (API text, "Contacts").
import { z } from 'zod';
import type { Choices } from '../choices.ts';
import { Id, TagIds, updateBody, upsertBody } from './inputs.ts';
import type { Operation } from './operation.ts';
import { contactQuery } from './parameters.ts';
import { Contact, FullContact, paging, Tag } from './wire.ts';

const path = z.object({ contactId: Id });

export const listContacts = (): Operation => ({
  id: 'listContacts',
  group: 'Contacts',
  summary: 'List contacts',
  description: 'By id, ascending. Filters add up.',
  query: contactQuery(),
  answers: { 200: { description: 'One page.', body: { ...paging, contacts: z.array(Contact) } } },
  errors: [],
});

const written = {
  created: z.boolean().meta({ description: 'Whether the contact is new.' }),
  contact: Contact,
};

export const upsertContact = (choices: Choices): Operation => ({
  id: 'upsertContact',
  group: 'Contacts',
  summary: 'Create or update by number',
  description:
    'Only fields that are sent and not empty are written. Two calls at once for a new number make one contact.',
  body: upsertBody(choices),
  answers: {
    200: { description: 'The number was known: updated, created is false.', body: written },
    201: { description: 'The number was new: created is true.', body: written },
  },
  errors: [
    'ERR_MISSING_NUMBER',
    'ERR_NUMBER_INVALID',
    'ERR_INVALID_BODY',
    'ERR_WHATSAPP_NOT_FOUND',
    'ERR_NO_CONNECTION_AVAILABLE',
    'ERR_NUMBER_NOT_ON_WHATSAPP',
  ],
});

export const getContact = (): Operation => ({
  id: 'getContact',
  group: 'Contacts',
  summary: 'Get a contact',
  description: 'The only call that shows extraInfo.',
  path,
  answers: { 200: { description: 'The contact.', body: { contact: FullContact } } },
  errors: ['ERR_NO_CONTACT_FOUND'],
});

export const updateContact = (choices: Choices): Operation => ({
  id: 'updateContact',
  group: 'Contacts',
  summary: 'Update a contact',
  description: 'Only fields that are sent change; null erases. The number cannot change.',
  path,
  body: updateBody(choices),
  isBodyOptional: true,
  answers: {
    200: { description: 'The contact as it is now.', body: { [choices.wrappers.updatedContact]: Contact } },
  },
  errors: ['ERR_NUMBER_IMMUTABLE', 'ERR_NO_CONTACT_FOUND', 'ERR_INVALID_BODY'],
});

export const syncContactTags = (): Operation => ({
  id: 'syncContactTags',
  group: 'Contacts',
  summary: 'Replace the tags of a contact',
  path,
  body: TagIds,
  answers: { 200: { description: 'The contact with its new tags.', body: { contact: Contact } } },
  errors: ['ERR_INVALID_TAG_IDS', 'ERR_NO_CONTACT_FOUND', 'ERR_INVALID_TAGMODE'],
});

export const listTags = ({ wrappers }: Choices): Operation => ({
  id: 'listTags',
  group: 'Contacts',
  summary: 'List all tags',
  description: 'Without pages, by id.',
  answers: { 200: { description: 'All of them.', body: { [wrappers.tags]: z.array(Tag) } } },
  errors: [],
});
