// Endpoints of conversations: what the ledger knows of them, and their messages as the service has them now.
import { z } from 'zod';
import { Cursor, endpoint, Name, PageLimit, Time, Unmask } from '../../../core/endpoint.ts';
import { DeliveryEntry } from '../../events/contract/events.ts';

export const ConversationSummary = z.object({
  account: z.string(),
  id: z.int(),
  poller: z.string(),
  /** open, pending, closed, or another status of the service. */
  status: z.string(),
  channel: z.string(),
  connection: z.object({ id: z.int(), name: z.string() }),
  contactId: z.int(),
  name: z.string().nullable(),
  number: z.string().nullable(),
  chatbot: z.boolean(),
  /** Who serves it. Null: nobody. */
  userId: z.int().nullable(),
  queueId: z.int().nullable(),
  lastMessage: z.string().nullable(),
  updatedAt: Time,
  /** The contact's newest imported message. */
  inboundAt: Time.nullable(),
  /** When the contact wrote what nobody has answered yet. Null: nothing waits for an answer, or the conversation is closed. */
  waitingSince: Time.nullable(),
  /** Messages are still to be read. */
  todo: z.boolean(),
});
export type ConversationSummary = z.infer<typeof ConversationSummary>;

/** A message that the ledger knows. It keeps the text only until the message is published. */
export const KnownMessage = z.object({
  seq: z.int(),
  at: Time.nullable(),
  /** True: the account sent it. Null: the direction is unknown. */
  fromMe: z.boolean().nullable(),
  status: z.string().nullable(),
  /** False: it waits until older messages have been read. */
  published: z.boolean(),
  text: z.string().nullable(),
});
export type KnownMessage = z.infer<typeof KnownMessage>;

/** Whether the channel delivers free text now (the 24-hour window of waba). */
export const ConversationWindow = z.object({
  state: z.enum(['open', 'closed', 'unknown']),
  /** When it closes or has closed. Null: the channel has no window, or it is not known when. */
  at: Time.nullable(),
  /** Why it is unknown. */
  why: z.string().nullable(),
});
export type ConversationWindow = z.infer<typeof ConversationWindow>;

/** A message as the service shows it. Sluice does not store it. */
const ServiceMessage = z.object({
  /** Null: the service shows no id. */
  id: z.string().nullable(),
  at: Time.nullable(),
  /** True: the account sent it. */
  fromMe: z.boolean(),
  status: z.string().nullable(),
  text: z.string().nullable(),
  /** Name of the template that was sent. */
  template: z.string().nullable(),
});

export const CONVERSATIONS = {
  'GET /conversations': endpoint({
    role: 'viewer',
    summary:
      'List conversations, most recently changed first; or those that wait for an answer, the longest wait first.',
    input: z.strictObject({
      account: Name.optional(),
      poller: Name.optional(),
      status: Name.optional(),
      /** Only conversations that wait for an answer. */
      waiting: z.boolean().default(false),
      limit: PageLimit,
      before: Cursor,
      unmask: Unmask,
    }),
    output: z.object({ conversations: z.array(ConversationSummary), next: z.string().nullable() }),
    auditOutput: ['conversations.account', 'conversations.id'],
  }),
  'GET /conversations/{account}/{conversation}': endpoint({
    role: 'viewer',
    summary: 'Show a conversation with the newest messages that the ledger knows, newest first.',
    input: z.strictObject({
      account: Name,
      conversation: z.coerce.number().int().positive(),
      limit: PageLimit,
      before: Cursor,
      unmask: Unmask,
    }),
    output: ConversationSummary.extend({
      messages: z.array(KnownMessage),
      next: z.string().nullable(),
      window: ConversationWindow,
      /** Messages that Sluice sent into it, newest first, at most 20. */
      sent: z.array(DeliveryEntry),
    }),
  }),
  'POST /conversations/{account}/{conversation}/messages': endpoint({
    role: 'operator',
    reads: true,
    audited: true,
    summary: 'Read the newest messages of a conversation from the service, oldest first; takes one API call.',
    input: z.strictObject({
      account: Name,
      conversation: z.coerce.number().int().positive(),
      limit: z.int().min(1).max(200).default(50),
    }),
    output: z.object({
      readAt: Time,
      messages: z.array(ServiceMessage),
      /** Messages that the assumptions of the account cannot read. */
      unreadable: z.int().nonnegative(),
      /** There are older ones. */
      more: z.boolean(),
    }),
  }),
} as const;
