// Steps that send an event's message, once. If the response is lost, they search for the message in the conversation.

import type { FetchedMedia } from '../../../src/connectors/media/fetch-media.ts';
import type { Queryable } from '../../../src/core/sql/database.ts';
import { findLookAlikes, type IntentRow, type MessageTrace } from '../../../src/core/store/intents.ts';
import type { EffectResult, RequestOf } from '../../../src/jobs/events/contract/intake.ts';
import { followMessages } from '../../../src/jobs/events/store/deliveries.ts';
import { type EffectDone } from '../../../src/jobs/events/store/event-end.ts';
import { noteProgress } from '../../../src/jobs/events/store/events.ts';
import { canonicalKey } from '../../../src/mapping/phone/index.ts';
import type { HistoryMessage } from '../../../src/service/api-client/schemas/message.ts';
import { callApi } from '../../shared/api-call.ts';
import type { Deps } from '../../shared/deps.ts';
import { comeBack } from '../../shared/failures.ts';
import { canBeSeen, claimMessage, findMessage, markOf } from '../../shared/message-match.ts';
import { CLOCK_SKEW_MS, MAX_READ_BACKS, readBack, type Seen } from '../../shared/read-back.ts';
import { wholeList } from '../../shared/whole-list.ts';
import { writeOnce } from '../../shared/write-once.ts';
import { type Effect, type EffectInput, failEvent, finish, isSent, runEffect, subjectOf } from './effect.ts';
import { createMediaCache } from './media-cache.ts';
import { sendingOf } from './message-call.ts';
import { chooseContent, contentSent, contentsSent } from './window.ts';

/** Number of last digits that are the same in all forms of a number; the Brazilian ninth digit is before them. */
const SUBSCRIBER_DIGITS = 8;

const UNVERIFIABLE = 'MESSAGE_UNVERIFIABLE';

/** How long a choice of content stays valid before the call. */
const FRESH_MS = 1000;

type Message = Effect<'message'>;

export function createMessageEffects(deps: Deps) {
  const { db } = deps;
  const cache = createMediaCache(db);

  return {
    /**
     * POST /v1/messages/send, or POST /v1/conversations/{ticketId}/messages. Before the call the step checks the
     * window of a waba conversation and downloads files.
     */
    async sendMessage(input: EffectInput): Promise<EffectResult> {
      const result = await runEffect(deps, 'sendMessage', ['message'], input, async (c) => {
        // Content that was already sent is not chosen again.
        const choice = isSent(c)
          ? { send: contentSent(c.request, c.intent?.mark ?? null) }
          : await chooseContent(deps, c);
        if ('code' in choice) return await failEvent(deps, c, choice.code, choice.reason);
        const { send } = choice;
        const chosenAt = performance.now();
        const trace = traceOf(c.request);
        const write = (files: readonly FetchedMedia[]) =>
          writeOnce(
            deps,
            subject(c, { mark: markOf(send), trace }),
            {
              scope: 'messages:send',
              call: sendingOf(send, files),
              // The window may have opened or closed while the message waited for its slot.
              check: async () => {
                if (performance.now() - chosenAt < FRESH_MS) return;
                const now = await chooseContent(deps, c);
                if ('code' in now || markOf(now.send) !== markOf(send))
                  throw comeBack(0, 'the window of the conversation has opened or closed');
              },
              accepted: (_, { messages, ticket, contact }, intent) => {
                const ids = messages.flatMap(({ id }) => (id === null ? [] : [`id:${id}`]));
                const effect = { intent, trace: Object.assign({ ticket, contact, messages: ids }, trace) };
                return db.transaction((tx) => done(tx, c, messages, effect));
              },
              ...(canBeSeen(send) ? {} : { unseen: UNVERIFIABLE }),
            },
            c.intent,
          );
        return await (isSent(c) ? write([]) : cache.withFiles(c.event, send, write));
      });
      if (result.next !== 'sendMessage') cache.drop(input.event);
      return result;
    },

    /**
     * GET /v1/conversations: finds conversations with the person that changed after the message was sent. If the
     * message named a connection, it finds only conversations on that connection.
     */
    async findConversation(input: EffectInput): Promise<EffectResult> {
      return await runEffect(deps, 'findConversation', ['message'], input, async (c) => {
        const { to, connection } = c.request;
        if (!('key' in to)) throw new Error('a reply has its conversation');
        const find = async (intent: IntentRow, settled: boolean): Promise<Seen<EffectResult>> => {
          const searchParam = to.key.slice(-SUBSCRIBER_DIGITS);
          const page = await callApi(deps, c.account, c.run, 'conversations:read', (client, options) =>
            client.conversations.list({ searchParam, pageSize: 100 }, options),
          );
          const all = wholeList({ method: 'GET', path: '/v1/conversations' }, page);
          const since = sinceOf(c, intent).getTime();
          const changed = all.filter(({ updatedAt }) => new Date(updatedAt).getTime() >= since);
          const tickets = changed.flatMap(({ id, contact, connection: { id: by, name } }) =>
            canonicalKey(contact.number ?? '') === to.key &&
            (connection === undefined || connection === by || connection === name)
              ? [id]
              : [],
          );
          // Sorted by update, newest first: if the page reaches back before the message was sent, nothing is missing.
          const doubt = page?.hasMore === true && changed.length === all.length;
          if (tickets.length === 0) return doubt ? 'unclear' : 'absent';
          await noteProgress(db, c.event.id, { round: { tickets, settled, doubt } });
          return { next: { next: 'readBackMessage' } };
        };
        return await readBack(deps, subject(c), c.intent, { find, unclear: UNVERIFIABLE });
      });
    },

    /** GET /v1/conversations/{ticketId}/messages: searches the newest page of the next conversation. */
    async readBackMessage(input: EffectInput): Promise<EffectResult> {
      return await runEffect(deps, 'readBackMessage', ['message'], input, async (c) => {
        const { to } = c.request;
        const round =
          'conversation' in to
            ? { tickets: [to.conversation], settled: true, doubt: false }
            : c.progress.round;
        const [ticket, ...others] = round?.tickets ?? [];
        if (round === undefined || ticket === undefined) return { next: begin(c.request) };
        const { settled } = round;
        const find = async (intent: IntentRow): Promise<Seen<EffectResult>> => {
          const seen = await searchIn(c, ticket, intent);
          if (typeof seen === 'function' || seen === 'later') return seen;
          const doubt = round.doubt || seen === 'unclear';
          if (others.length === 0) return doubt ? 'unclear' : 'absent';
          await noteProgress(db, c.event.id, { round: { ...round, tickets: others, doubt } });
          return { next: { next: 'readBackMessage' } };
        };
        return await readBack(deps, subject(c), c.intent, { find, settled, unclear: UNVERIFIABLE });
      });
    },
  };

  function subject(c: Message, says?: Parameters<typeof subjectOf>[4]) {
    const steps = { call: 'sendMessage', readBack: begin(c.request) } as const;
    return subjectOf(deps, c, 'event-message', steps, says);
  }

  async function searchIn(c: Message, ticket: number, intent: IntentRow): Promise<Seen<EffectResult>> {
    const { event, account } = c;
    const page = await callApi(deps, account, c.run, 'messages:read', (client, options) =>
      client.conversations.messages(ticket, { pageSize: 200 }, options),
    );
    const path = '/v1/conversations/{ticketId}/messages';
    const items = wholeList({ method: 'GET', path }, page);
    const since = sinceOf(c, intent);
    const shown = { items, hasMore: page?.hasMore ?? false };
    const searched = contentsSent(c.request, intent.mark).map((request) => {
      const found = findMessage(shown, request, since);
      return { request, kind: found.kind, messages: found.kind === 'like' ? found.messages : [] };
    });
    const like = searched.find(({ kind }) => kind === 'like');
    if (like === undefined) return searched.every(({ kind }) => kind === 'none') ? 'absent' : 'unclear';
    const { request, messages } = like;
    const { to } = traceOf(c.request);
    const lookAlikes = await findLookAlikes(
      db,
      { account: event.account, id: intent.id, mark: markOf(request) },
      { ticket, targets: [to, targetOf(ticket)], since: new Date(since.getTime() - CLOCK_SKEW_MS) },
    );
    const keys = new Set(items.map(({ key }) => key));
    const claim = claimMessage(messages, lookAlikes, {
      id: intent.id,
      settleSeconds: account.settleSeconds,
      keys,
    });
    if (claim.kind === 'none') return 'absent';
    if (claim.kind === 'own') return keep(c, ticket, claim.message);
    const waits = (c.progress.waits ?? 0) + 1;
    if (claim.kind === 'unclear' || waits > MAX_READ_BACKS) return 'unclear';
    await noteProgress(db, event.id, { waits });
    return 'later';
  }

  function keep(c: Message, ticket: number, message: HistoryMessage): Seen<EffectResult> {
    const found = { ticket, contact: null, messages: [message.key] };
    const trace: MessageTrace = Object.assign(found, traceOf(c.request));
    return (tx, intent) => done(tx, c, [message], { intent, trace });
  }

  /** Ends the event and starts following its messages. Messages without an id can't be followed. */
  async function done(
    tx: Queryable,
    { event: { account, id } }: Message,
    sent: readonly Pick<HistoryMessage, 'id' | 'status' | 'ack'>[],
    effect: EffectDone & { readonly trace: MessageTrace },
  ): Promise<EffectResult> {
    const messages = sent.flatMap(({ id, status, ack }) =>
      id === null ? [] : [{ id, status: status ?? 'unknown', ack }],
    );
    const conversation = effect.trace.ticket ?? null;
    if (messages.length > 0) await followMessages(tx, { account, event: id, conversation, messages });
    return await finish(deps, tx, id, { outcome: 'done' }, effect);
  }
}

/** The first step of the search for a message. */
function begin({ to }: RequestOf<'message'>): 'readBackMessage' | 'findConversation' {
  return 'conversation' in to ? 'readBackMessage' : 'findConversation';
}

/** The message is not older than this time. */
function sinceOf({ progress }: Message, intent: IntentRow): Date {
  const first = progress.since === undefined ? intent.sent_at : new Date(progress.since);
  return new Date((first ?? new Date()).getTime() - CLOCK_SKEW_MS);
}

const targetOf = (ticket: number) => `conversation ${ticket}`;

function traceOf({ to: recipient, uploads = [] }: RequestOf<'message'>): MessageTrace {
  const to = 'conversation' in recipient ? targetOf(recipient.conversation) : recipient.key;
  return uploads.length === 0 ? { to } : { to, uploads };
}
