// Operations of conversations, messages and connections (API text, "Conversations", "Connections").
import { z } from 'zod';
import type { Choices } from '../choices.ts';
import { Id } from './inputs.ts';
import { replyBody, replyForm, sendBody, sendForm } from './message-inputs.ts';
import type { Operation } from './operation.ts';
import { conversationQuery, historyQuery } from './parameters.ts';
import { ConnectionList, Conversation, HistoryMessage, messageStatus, paging, sentShape } from './wire.ts';

const path = z.object({ ticketId: Id });

export const listConversations = (): Operation => ({
  id: 'listConversations',
  group: 'Conversations',
  summary: 'List conversations',
  description: 'The most recently updated first.',
  query: conversationQuery(),
  answers: { 200: { description: 'One page.', body: { ...paging, conversations: z.array(Conversation) } } },
  errors: [],
});

export const listMessages = (): Operation => ({
  id: 'listMessages',
  group: 'Conversations',
  summary: 'Read the history of a conversation',
  description: 'Page 1 holds the newest messages; inside a page the oldest comes first.',
  path,
  query: historyQuery(),
  answers: { 200: { description: 'One page.', body: { ...paging, messages: z.array(HistoryMessage) } } },
  errors: ['ERR_NO_TICKET_FOUND'],
});

const REFUSALS = [
  'ERR_MISSING_CONTENT',
  'ERR_INVALID_BODY',
  'ERR_CONNECTION_NOT_FOUND',
  'ERR_UNSUPPORTED_CHANNEL',
  'ERR_STORAGE_LIMIT_REACHED',
] as const;
const sent = (description: string) => ({ description, body: sentShape });

export const reply = (choices: Choices): Operation => ({
  id: 'replyToConversation',
  group: 'Conversations',
  summary: 'Reply in a conversation',
  description: 'Over the connection of the conversation. Not idempotent: a repeat sends again.',
  path,
  body: replyBody(),
  form: replyForm(choices),
  answers: { [choices.messageSentStatus]: sent('One message for each thing that was sent.') },
  errors: ['ERR_NO_TICKET_FOUND', ...REFUSALS],
});

export const sendMessage = (choices: Choices): Operation => {
  const { ticketId, contactId, ...always } = sentShape;
  return {
    id: 'sendMessage',
    group: 'Messages',
    summary: 'Send to a number',
    description:
      "Contact and conversation are made when there are none. The connection: whatsappId, else whatsappName, else the account's default, else the first connected one. Not idempotent: a repeat sends again.",
    body: sendBody(choices),
    form: sendForm(choices),
    answers: {
      [choices.messageSentStatus]: {
        description:
          'One message for each thing that was sent. Without ticketId and contactId after saveOnTicket=false.',
        body: { ticketId: ticketId.optional(), contactId: contactId.optional(), ...always },
      },
    },
    errors: ['ERR_NUMBER_REQUIRED', 'ERR_NUMBER_INVALID', 'ERR_NO_CONNECTION_AVAILABLE', ...REFUSALS],
  };
};

export const getMessageStatus = (): Operation => ({
  id: 'getMessageStatus',
  group: 'Messages',
  summary: 'Ask how far a message is',
  path: z.object({
    messageId: z
      .string()
      .min(1)
      .meta({ description: 'The id that sending returned.', examples: ['m1'] }),
  }),
  answers: { 200: { description: 'Status and raw code.', body: messageStatus } },
  errors: ['ERR_MESSAGE_NOT_FOUND'],
});

export const listConnections = (): Operation => ({
  id: 'listConnections',
  group: 'Connections',
  summary: 'List all connections',
  description: 'Without pages, by id.',
  answers: { 200: { description: 'All of them.', body: ConnectionList } },
  errors: [],
});
