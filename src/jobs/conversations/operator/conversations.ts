// Conversations as operators see them: who waits for an answer, what the ledger knows, and what the service has now.

import { maskName, maskPhone } from '../../../observe/masking.ts';
import { OperatorError } from '../../../operator/error.ts';
import { requireAccount } from '../../../operator/service/accounts.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { HIDDEN } from '../../../operator/service/masking.ts';
import { badCursor, beforeId } from '../../../operator/service/page.ts';
import { listDeliveries } from '../../events/store/delivery-queries.ts';
import type {
  CONVERSATIONS,
  ConversationSummary,
  ConversationWindow,
  KnownMessage,
} from '../contract/conversations.ts';
import { findConversation, listConversations, listMessages } from '../store/queries.ts';
import { type Window, windowOf } from '../store/window.ts';
import { pollerScopes } from './scopes.ts';

/** Messages that Sluice sent into a conversation, at most. */
const SENT = 20;

export function conversationHandlers(deps: OperatorDeps): Handlers<keyof typeof CONVERSATIONS> {
  const { db } = deps;

  return {
    'GET /conversations': async ({ limit, before, unmask, ...filter }) => {
      if (before !== undefined && !isCursor(before)) throw badCursor();
      const { conversations, next } = await listConversations(db, filter, { limit, before: before ?? null });
      return { conversations: unmask ? conversations : conversations.map(masked), next };
    },

    'GET /conversations/{account}/{conversation}': async ({ account, conversation: id, ...page }) => {
      const { limit, before, unmask } = page;
      const conversation = await findConversation(db, account, id);
      if (conversation === null)
        throw new OperatorError(
          'notFound',
          `the ledger knows no conversation ${id} of the account "${account}"; a poller imports it when it changes`,
          { code: 'NO_SUCH_CONVERSATION' },
        );
      const { messages, next } = await listMessages(db, { account, id }, { limit, before: beforeId(before) });
      const sent = await listDeliveries(db, { account, conversation: id }, { limit: SENT });
      return {
        ...(unmask ? conversation : masked(conversation)),
        messages: unmask ? messages : messages.map(maskedMessage),
        next,
        window: windowNow(
          await windowOf(db, {
            account,
            to: { conversation: id },
            now: new Date(),
            scopeOf: pollerScopes(deps.config, account),
          }),
        ),
        sent: sent.messages,
      };
    },

    'POST /conversations/{account}/{conversation}/messages': async (
      { account, conversation, limit },
      { identity },
    ) => {
      requireAccount(deps.config(), account);
      // One read of a user at a time: they take calls from new leads.
      return await deps.tools.expensive.run(identity, () =>
        deps.tools.readMessages(account, conversation, limit),
      );
    },
  };
}

function isCursor(before: string): boolean {
  const [, time] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z)_\d{1,18}_/.exec(before) ?? [];
  return time !== undefined && !Number.isNaN(Date.parse(time));
}

function windowNow(window: Window): ConversationWindow {
  switch (window.state) {
    case 'open':
      return { state: 'open', at: window.until?.toISOString() ?? null, why: null };
    case 'closed':
      return { state: 'closed', at: window.since?.toISOString() ?? null, why: null };
    case 'unknown':
      return { state: 'unknown', at: null, why: window.why };
  }
}

function masked(conversation: ConversationSummary): ConversationSummary {
  const { name, number, lastMessage } = conversation;
  return {
    ...conversation,
    name: name === null ? null : maskName(name),
    number: number === null ? null : maskPhone(number),
    lastMessage: lastMessage === null ? null : HIDDEN,
  };
}

function maskedMessage(message: KnownMessage): KnownMessage {
  return message.text === null ? message : { ...message, text: HIDDEN };
}
