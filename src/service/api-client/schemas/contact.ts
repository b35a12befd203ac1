// Contact (API text, Resources, Contact) and the inputs of its calls.
import { z } from 'zod';
import { IdListArgument, PageArguments, TextArgument } from '../arguments.ts';
import { Id, Instant, NumberText, orNull } from './fields.ts';
import { Tag } from './tag.ts';

export const ExtraInfo = z.looseObject({ name: z.string(), value: z.string() });
export type ExtraInfo = z.infer<typeof ExtraInfo>;

/** Contact in the answers of lists, the upsert and the tag sync: without `extraInfo`. */
export const Contact = z.looseObject({
  id: Id,
  name: z.string(),
  /** E.164 without plus. */
  number: NumberText,
  email: orNull(z.string()),
  document: orNull(z.string()),
  channel: z.string(),
  profilePicUrl: orNull(z.string()),
  disableBot: z.boolean(),
  tags: z.array(Tag),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Contact = z.infer<typeof Contact>;

/** Contact in the answer of GET /v1/contacts/{contactId}, the only one with `extraInfo`. */
export const ContactDetails = Contact.extend({ extraInfo: z.array(ExtraInfo) });
export type ContactDetails = z.infer<typeof ContactDetails>;

/** Filters of GET /v1/contacts. */
export const ContactQuery = z.strictObject({
  ...PageArguments,
  /** Part of a name or number. */
  searchParam: TextArgument.optional(),
  /** Exact; covers the number with and without the Brazilian ninth digit. */
  number: TextArgument.optional(),
  /** Part of an address. */
  email: TextArgument.optional(),
  /** Exact. */
  channel: TextArgument.optional(),
  /** A contact with any of the tags matches. */
  tagId: IdListArgument.optional(),
});
export type ContactQuery = z.input<typeof ContactQuery>;

/** Body of POST /v1/contacts. An update does not write fields that are empty, null or absent. */
export interface ContactUpsert {
  /** Identity key; E.164 without plus. The service judges it. */
  readonly number: string;
  readonly name?: string | null;
  readonly email?: string | null;
  readonly document?: string | null;
  readonly disableBot?: boolean | null;
  /** Replaces the whole list when sent. */
  readonly extraInfo?: ReadonlyArray<{ readonly name: string; readonly value: string }> | null;
  /** Checks the number on the chat network first; never blocks on waba connections. */
  readonly validateNumber?: boolean | null;
  /** Connection for validateNumber. */
  readonly whatsappId?: number | null;
}

/** Fields of PUT /v1/contacts/{contactId}; their names on the wire are assumptions. */
export interface ContactUpdate {
  readonly name?: string;
  readonly email?: string | null;
  readonly document?: string | null;
  readonly disableBot?: boolean;
  /** Replaces the whole list when sent. */
  readonly extraInfo?: ReadonlyArray<{ readonly name: string; readonly value: string }>;
}
