// Messages: send to a number, read the delivery status (API text, POST /v1/messages/send and GET message status).
import { sentView } from '../http/chat-views.ts';
import { Problem } from '../http/errors.ts';
import { type Call, checked, isMissing, ok, type Reply, type Route } from '../http/route.ts';
import { SendFields } from '../openapi/message-inputs.ts';
import * as operations from '../openapi/messaging.ts';
import { outgoingConnection } from '../rules/connections.ts';
import { conversationFor } from '../rules/conversations.ts';
import { normalizeNumber } from '../rules/numbers.ts';
import { contentOf, formBody, needContent, needStorage, outgoingMessages } from '../rules/outgoing.ts';
import { contactFor } from '../rules/upsert.ts';
import type { Connection, Conversation, Message, Op } from '../state/model.ts';

function send(call: Call): Reply {
  const { account, body, choices, store } = call;
  const isKept = body['saveOnTicket'] !== false;
  const files = isKept ? call.files : [];
  needContent(body, files);
  if (isMissing(body['number'])) throw new Problem('ERR_NUMBER_REQUIRED');
  const fields = checked(SendFields, body);
  const number = normalizeNumber(fields.number, choices);
  const content = contentOf(body, files);
  const connection = outgoingConnection(account, body);
  needStorage(account, files);

  const { contact, ops } = contactFor(call, number, fields.contactName);
  const conversation = conversationFor(call, contact, connection, { status: 'open' });
  const messages = outgoingMessages(call, { connection, contact, conversation }, content);
  const isStored = isKept || connection.channel === 'waba';
  const stored: Op[] = isStored
    ? [
        ['conversation', account.id, conversation],
        ...messages.map((message) => ['message', account.id, message] as const),
      ]
    : [];
  store.commit([...ops, ...stored]);
  return sent(call, {
    connection,
    messages: isStored ? messages : messages.map((message) => ({ ...message, id: null })),
    ...(isKept ? { ticket: conversation } : {}),
  });
}

/** Builds the answer to a send or a reply. Without a ticket it is the fire-and-forget answer. */
export function sent(
  { at, choices }: Call,
  outcome: {
    readonly connection: Connection;
    readonly messages: readonly (Omit<Message, 'id'> & { readonly id: string | null })[];
    readonly ticket?: Conversation;
  },
): Reply {
  const { connection, messages, ticket } = outcome;
  return {
    status: choices.messageSentStatus,
    body: {
      ...(ticket === undefined ? {} : { ticketId: ticket.id, contactId: ticket.contactId }),
      whatsappId: connection.id,
      channel: connection.channel,
      messages: messages.map((message) => sentView(message, at, choices)),
    },
  };
}

function status({ account, params, at, choices }: Call): Reply {
  const message = account.message(params['messageId'] ?? '');
  if (message === undefined) throw new Problem('ERR_MESSAGE_NOT_FOUND');
  return ok(sentView(message, at, choices));
}

export const messageRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/messages/:messageId/status',
    scope: 'messages:read',
    operation: operations.getMessageStatus,
    handle: status,
  },
  {
    method: 'post',
    path: '/v1/messages/send',
    scope: 'messages:send',
    form: formBody,
    operation: operations.sendMessage,
    handle: send,
  },
];
