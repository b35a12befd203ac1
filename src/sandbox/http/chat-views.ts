// Conversations and messages as answers show them.

import type { z } from 'zod';
import type { Choices } from '../choices.ts';
import type * as wire from '../openapi/wire.ts';
import { lastMessage } from '../rules/conversations.ts';
import { deliveryOf } from '../rules/delivery.ts';
import type { Account } from '../state/account.ts';
import type { Connection, Contact, Conversation, Message } from '../state/model.ts';

const iso = (at: number) => new Date(at).toISOString();

export function conversationView(account: Account, row: Conversation): z.infer<typeof wire.Conversation> {
  const { tables } = account;
  const contact = tables.contact.get(row.contactId) as Contact;
  const connection = tables.connection.get(row.connectionId) as Connection;
  return {
    id: row.id,
    status: row.status,
    channel: connection.channel,
    chatbot: row.chatbot,
    queueId: row.queueId,
    userId: row.userId,
    lastMessage: lastMessage(account, row.id),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    contact: {
      id: contact.id,
      name: contact.name,
      number: contact.number,
      email: contact.email,
      profilePicUrl: null,
    },
    connection: {
      id: connection.id,
      name: connection.name,
      channel: connection.channel,
      status: connection.status,
    },
    queue: row.queueId === null ? null : { id: row.queueId, name: `queue ${row.queueId}`, color: '#808080' },
    owner: row.userId === null ? null : { id: row.userId, name: tables.user.get(row.userId)?.name ?? '' },
  };
}

/** A message as sending returns it. */
export function sentView(
  message: Omit<Message, 'id'> & { readonly id: string | null },
  at: number,
  choices: Choices,
): z.infer<typeof wire.SentMessage> {
  return { id: message.id, ...deliveryOf(message, at, choices), createdAt: iso(message.at) };
}

/** A message in the history of its conversation. */
export function historyView(
  message: Message,
  at: number,
  choices: Choices,
): z.infer<typeof wire.HistoryMessage> {
  const template = message.templateData;
  return {
    id: message.id,
    ticketId: message.conversationId,
    body: message.body,
    fromMe: message.fromMe,
    ...deliveryOf(message, at, choices),
    media: message.media ?? null,
    templateData:
      template === undefined ? null : { ...template, templateParameters: [...template.templateParameters] },
    createdAt: iso(message.at),
  };
}
