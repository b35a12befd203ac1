// Pollers and conversations as operators see and steer them.
import {
  type OperatorCommand,
  pausePollingUpdate,
  pollNowUpdate,
  resumePollingUpdate,
} from '../../../../workflows/messages.ts';
import type { ConversationSummary, KnownMessage, POLLERS } from '../../../contracts/operator/pollers.ts';
import type { PollerName } from '../../../contracts/wire/poll.ts';
import {
  findConversation,
  listConversations,
  listMessages,
} from '../../../ledger/conversations/conversation-queries.ts';
import { describePollers, listGaps } from '../../../ledger/conversations/pollers.ts';
import { listDeliveries } from '../../../ledger/events/delivery-queries.ts';
import { maskName, maskPhone } from '../../../observability/masking.ts';
import { OperatorError } from '../../error.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import { HIDDEN } from '../masking.ts';
import { badCursor, beforeId } from '../page.ts';
import { hasWorkers } from '../workflows.ts';
import { commandPoller, startPoller, stopPoller } from './command.ts';
import { findPollers, knownNames, matchingPollers, resolvePoller } from './find.ts';

/** Messages that Sluice sent into a conversation, at most. */
const SENT = 20;

export function pollerHandlers(deps: OperatorDeps): Handlers<keyof typeof POLLERS> {
  const { db } = deps;
  const resolve = (name: string) => resolvePoller(() => deps.config().config.pollers, name);

  async function imported({ account, poller }: PollerName): Promise<number> {
    const found = await describePollers(db, [poller]);
    return found.find((one) => one.account === account)?.messages ?? 0;
  }

  return {
    'GET /pollers': async ({ names }) => ({ pollers: await findPollers(deps, names) }),

    'GET /gaps': async ({ names, limit, before }) => {
      const pollers = names === undefined ? null : await matchingPollers(deps, names);
      return await listGaps(db, { pollers, limit, before: beforeId(before) });
    },

    'POST /pollers/start': async ({ names: given }, { identity }) => {
      const names = knownNames(deps.config(), given);
      const client = await deps.temporal();
      const pollers = [];
      for (const name of names) {
        const poller = resolve(name);
        pollers.push({ ...poller, started: await startPoller(client, poller, deps.workQueue) });
      }
      deps.log.info({ by: identity, pollers: names }, 'an operator starts pollers');
      return { pollers, workers: await hasWorkers(client, deps.workQueue) };
    },

    'POST /pollers/{poller}/stop': async ({ poller: name, reason }, { identity: by }) => {
      const poller = resolve(name);
      await stopPoller(await deps.temporal(), poller, { by, reason });
      return { ...poller, stopped: true };
    },

    'POST /pollers/{poller}/pause': async ({ poller: name, reason }, { identity: by }) => {
      const poller = resolve(name);
      const command: OperatorCommand = { by, reason };
      await commandPoller(await deps.temporal(), poller, (handle) =>
        handle.startUpdate(pausePollingUpdate, { args: [command], waitForStage: 'ACCEPTED' }),
      );
      return { ...poller, paused: true };
    },

    'POST /pollers/{poller}/resume': async ({ poller: name, reason }, { identity: by }) => {
      const poller = resolve(name);
      const command: OperatorCommand = { by, reason };
      await commandPoller(await deps.temporal(), poller, (handle) =>
        handle.startUpdate(resumePollingUpdate, { args: [command], waitForStage: 'ACCEPTED' }),
      );
      return { ...poller, paused: false };
    },

    'POST /pollers/{poller}/now': async ({ poller: name }) => {
      const poller = resolve(name);
      const before = await imported(poller);
      await commandPoller(await deps.temporal(), poller, (handle) =>
        handle.startUpdate(pollNowUpdate, { waitForStage: 'ACCEPTED' }),
      );
      return { ...poller, messages: (await imported(poller)) - before };
    },

    'GET /conversations': async ({ limit, before, unmask, ...filter }) => {
      if (before !== undefined && !/^\d{4}-[\d\-T:.]+Z_\d{1,18}_/.test(before)) throw badCursor();
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
        sent: sent.messages,
      };
    },
  };
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
