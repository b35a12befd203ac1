// Conversation, also called ticket (API text, Resources, Conversation), and the filters of its list.
import { z } from 'zod';
import { IdArgument, PageArguments, TextArgument, wordsArgument } from '../arguments.ts';
import { Id, Instant, Mention, NumberText, openWord, orNull } from './fields.ts';

export type ConversationStatus = 'open' | 'pending' | 'closed' | (string & {});

export const Conversation = z.looseObject({
  id: Id,
  status: openWord<'open' | 'pending' | 'closed'>(),
  channel: openWord<'waba' | 'whatsapp' | 'facebook' | 'instagram'>(),
  /** True while the chatbot handles it. */
  chatbot: z.boolean(),
  queueId: orNull(Id),
  /** User who serves it. Null while nobody does; undefined if the answer does not show it. */
  userId: Id.nullish(),
  lastMessage: orNull(z.string()),
  createdAt: Instant,
  updatedAt: Instant,
  /**
   * The API text shows no types here. A person on facebook or instagram may have no number, which is null, not absent.
   */
  contact: z.looseObject({
    id: Id,
    name: orNull(z.string()),
    number: NumberText.nullable(),
    email: orNull(z.string()),
    profilePicUrl: orNull(z.string()),
  }),
  connection: z.looseObject({ id: Id, name: z.string(), channel: z.string(), status: z.string() }),
  queue: orNull(Mention),
  /** Undefined if the answer does not show it. */
  owner: Mention.nullish(),
});
export type Conversation = z.infer<typeof Conversation>;

/** Filters of GET /v1/conversations. */
export const ConversationQuery = z.strictObject({
  ...PageArguments,
  status: wordsArgument<ConversationStatus>('open, pending, closed').optional(),
  /** One connection. */
  whatsappId: IdArgument.optional(),
  /** Contact name or number, or a part of the last message. */
  searchParam: TextArgument.optional(),
});
export type ConversationQuery = z.input<typeof ConversationQuery>;
