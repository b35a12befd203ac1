// Conversations: list, history, reply (API text, "Conversations").
import { conversationView, historyView } from '../http/chat-views.ts';
import { Problem } from '../http/errors.ts';
import { type Call, ok, pathId, type Reply, type Route } from '../http/route.ts';
import * as operations from '../openapi/messaging.ts';
import { HISTORY_PAGE, LIST_PAGE } from '../openapi/parameters.ts';
import { outgoingConnection } from '../rules/connections.ts';
import { matchingConversations } from '../rules/conversations.ts';
import { contentOf, formBody, needContent, needStorage, outgoingMessages } from '../rules/outgoing.ts';
import { page, pagedFromEnd } from '../rules/query.ts';
import type { Contact, Conversation } from '../state/model.ts';
import { sent } from './messages.ts';

function findConversation(call: Call): Conversation {
  const conversation = call.account.tables.conversation.get(pathId(call, 'ticketId'));
  if (conversation === undefined) throw new Problem('ERR_NO_TICKET_FOUND');
  return conversation;
}

function list({ account, query }: Call): Reply {
  const window = pagedFromEnd(matchingConversations(account, query), page(query, LIST_PAGE));
  return ok({
    count: window.count,
    hasMore: window.hasMore,
    conversations: window.items.map((row) => conversationView(account, row)).toReversed(),
  });
}

/** Page 1 has the newest messages. Within a page the oldest is first. */
function history(call: Call): Reply {
  const { account, query, at, choices } = call;
  const messages = account.messages.get(findConversation(call).id) ?? [];
  const window = pagedFromEnd(messages, page(query, HISTORY_PAGE));
  return ok({
    count: window.count,
    hasMore: window.hasMore,
    messages: window.items.map((message) => historyView(message, at, choices)),
  });
}

function reply(call: Call): Reply {
  const { account, at, body, files, store } = call;
  const old = findConversation(call);
  needContent(body, files);
  const content = contentOf(body, files);
  const connection = outgoingConnection(account, { whatsappId: old.connectionId });
  needStorage(account, files);
  const contact = account.tables.contact.get(old.contactId) as Contact;
  const conversation: Conversation = { ...old, status: 'open', updatedAt: at };
  const messages = outgoingMessages(call, { connection, contact, conversation }, content);
  store.commit([
    ['conversation', account.id, conversation],
    ...messages.map((message) => ['message', account.id, message] as const),
  ]);
  return sent(call, { connection, messages, ticket: conversation });
}

const MESSAGES = '/v1/conversations/:ticketId/messages';

export const conversationRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/conversations',
    scope: 'conversations:read',
    operation: operations.listConversations,
    handle: list,
  },
  {
    method: 'get',
    path: MESSAGES,
    scope: 'messages:read',
    operation: operations.listMessages,
    handle: history,
  },
  {
    method: 'post',
    path: MESSAGES,
    scope: 'messages:send',
    form: formBody,
    operation: operations.reply,
    handle: reply,
  },
];
