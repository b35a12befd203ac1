// Steps that send an event's message: once, and when the answer was lost look into the conversation for it.
import type { HistoryMessage, SentMessage } from '../../src/api-client/schemas/message.ts';
import type { EffectResult, RequestOf } from '../../src/contracts/intake.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import { followMessages } from '../../src/ledger/deliveries.ts';
import { noteProgress } from '../../src/ledger/events.ts';
import {
  findTwins,
  getIntent,
  type IntentRow,
  type MessageTrace,
  traceIntent,
} from '../../src/ledger/intents.ts';
import { type Call, callApi } from '../api-call.ts';
import type { Deps } from '../deps.ts';
import { canonicalKey } from '../sync-diff.ts';
import { MAX_LOOKS } from '../uncertain-write.ts';
import { wholeList } from '../whole-list.ts';
import { type Effect, type EffectInput, failEvent, runEffect } from './effect.ts';
import { createMediaShelf } from './media-shelf.ts';
import { canBeSeen, claimMessage, findMessage, markOf } from './message-match.ts';
import { callOnce, intentOf, type Look, lookFor, type Seen } from './once.ts';
import { chooseContent, contentSent } from './window.ts';

/** Clocks of the two sides may differ by so much. */
const CLOCK_SKEW_MS = 5 * 60_000;
/** Part of a number that is the same in all its forms: the Brazilian ninth digit stands before it. */
const SUBSCRIBER_DIGITS = 8;

const KIND = 'event-message' as const;
const UNSEEN = 'MESSAGE_UNVERIFIABLE';

type Message = Effect<'message'>;

interface Sent {
  readonly ticket: number | null;
  readonly contact: number | null;
  readonly messages: readonly SentMessage[];
}

export function createMessageEffects(deps: Deps) {
  const { db } = deps;
  const shelf = createMediaShelf(db);

  return {
    /**
     * POST /v1/messages/send, or POST /v1/conversations/{ticketId}/messages. Before it the window of a waba conversation
     * is looked at, and files are downloaded.
     */
    async sendMessage(input: EffectInput): Promise<EffectResult> {
      const result = await runEffect(deps, 'sendMessage', ['message'], input, async (c) => {
        const intent = await getIntent(db, intentOf(c, KIND));
        // What went out already is not chosen again.
        const choice =
          intent === null || intent.state === 'open'
            ? await chooseContent(deps, c)
            : { send: contentSent(c.request, intent.mark) };
        if ('code' in choice) return await failEvent(deps, c, choice.code, choice.reason);
        const request = choice.send;
        const { to } = traceOf(request);
        return await callOnce(deps, c, {
          ...{ kind: KIND, scope: 'messages:send' as const },
          says: { mark: markOf(request), trace: { to } },
          prepare: () => sending({ ...c, request }),
          writeDown: async (tx, { messages, ...where }, intent) => {
            const keys = messages.flatMap(({ id }) => (id === null ? [] : [`id:${id}`]));
            await traceIntent(tx, intent, { to, ...where, messages: keys });
            await follow(tx, c, where.ticket, messages);
          },
          look: canBeSeen(request) ? begin(request) : null,
          unseen: UNSEEN,
        });
      });
      if (result.next !== 'sendMessage') shelf.drop(input.event);
      return result;
    },

    /**
     * GET /v1/conversations: those with the person that changed since the message went out, on the connection that it was to
     * take, where one was named.
     */
    async findConversation(input: EffectInput): Promise<EffectResult> {
      return await runEffect(deps, 'findConversation', ['message'], input, async (c) => {
        const { to, connection } = c.request;
        if (!('key' in to)) throw new Error('a reply has its conversation');
        return await lookFor(deps, c, lookOf(c), async (intent, settled) => {
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
          // Most recently updated first: when the page ends before the message went out, nothing lies behind it.
          const doubt = page?.hasMore === true && changed.length === all.length;
          if (tickets.length === 0) return doubt ? 'unclear' : 'absent';
          await noteProgress(db, c.event.id, { round: { tickets, settled, doubt } });
          return { next: 'readBackMessage' };
        });
      });
    },

    /** GET /v1/conversations/{ticketId}/messages: the newest page of the next conversation that may hold it. */
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
        return await lookFor(deps, c, { ...lookOf(c), settled }, async (intent) => {
          const seen = await lookInto(c, ticket, intent);
          if (typeof seen === 'function' || seen === 'later') return seen;
          const doubt = round.doubt || seen === 'unclear';
          if (others.length === 0) return doubt ? 'unclear' : 'absent';
          await noteProgress(db, c.event.id, { round: { ...round, tickets: others, doubt } });
          return { next: 'readBackMessage' };
        });
      });
    },
  };

  /** The call that sends, with its files. */
  async function sending({ request, event }: Message): Promise<Call<Sent>> {
    const { to, text, template, connection, contactName, saveOnTicket } = request;
    const files = await shelf.filesOf(event, request);
    const content = {
      ...(text === undefined ? {} : { body: text }),
      ...(template === undefined ? {} : { templateData: templateData(template) }),
      ...(files.length === 0 ? {} : { medias: files }),
    };
    if ('conversation' in to) {
      return async (client, options) => {
        const { data, meta } = await client.conversations.reply(to.conversation, content, options);
        return { data: { ticket: to.conversation, contact: null, messages: data.messages }, meta };
      };
    }
    const message = {
      ...{ number: to.number, ...content },
      ...(typeof connection === 'number' ? { whatsappId: connection } : {}),
      ...(typeof connection === 'string' ? { whatsappName: connection } : {}),
      ...(contactName === undefined ? {} : { contactName }),
      ...(saveOnTicket ? {} : { saveOnTicket }),
    };
    return async (client, options) => {
      const { data, meta } = await client.messages.send(message, options);
      return { data: { ticket: data.ticketId, contact: data.contactId, messages: data.messages }, meta };
    };
  }

  async function lookInto(c: Message, ticket: number, intent: IntentRow): Promise<Seen> {
    const { event, account } = c;
    const request = contentSent(c.request, intent.mark);
    const page = await callApi(deps, account, c.run, 'messages:read', (client, options) =>
      client.conversations.messages(ticket, { pageSize: 200 }, options),
    );
    const path = '/v1/conversations/{ticketId}/messages';
    const items = wholeList({ method: 'GET', path }, page);
    const since = sinceOf(c, intent);
    const found = findMessage({ items, hasMore: page?.hasMore ?? false }, request, since);
    if (found.kind !== 'like') return found.kind === 'none' ? 'absent' : 'unclear';
    const { to } = traceOf(request);
    const twins = await findTwins(
      db,
      { account: event.account, id: intent.id, mark: markOf(request) },
      { ticket, targets: [to, targetOf(ticket)], since: new Date(since.getTime() - CLOCK_SKEW_MS) },
    );
    const keys = new Set(items.map(({ key }) => key));
    const claim = claimMessage(found.messages, twins, {
      ...{ id: intent.id, settleSeconds: account.settleSeconds, keys },
    });
    if (claim.kind === 'none') return 'absent';
    if (claim.kind === 'own') return keep(c, ticket, to, claim.message);
    const waits = (c.progress.waits ?? 0) + 1;
    if (claim.kind === 'unclear' || waits > MAX_LOOKS) return 'unclear';
    await noteProgress(db, event.id, { waits });
    return 'later';
  }

  function keep(c: Message, ticket: number, to: string, message: HistoryMessage): Seen {
    const trace: MessageTrace = { to, ticket, contact: null, messages: [message.key] };
    return async (tx, intent) => {
      await traceIntent(tx, intent, trace);
      await follow(tx, c, ticket, [message]);
    };
  }
}

/** Has the delivery of messages followed, those without an id excepted: nobody could ask for them. */
async function follow(
  tx: Queryable,
  { event }: Message,
  conversation: number | null,
  messages: readonly Pick<HistoryMessage, 'id' | 'status' | 'ack'>[],
): Promise<void> {
  const followed = messages.flatMap(({ id, status, ack }) =>
    id === null ? [] : [{ id, status: status ?? 'unknown', ack }],
  );
  if (followed.length === 0) return;
  const { account, id } = event;
  await followMessages(tx, { account, event: id, conversation, messages: followed });
}

/** The step that begins to look for a message. */
function begin({ to }: RequestOf<'message'>): 'readBackMessage' | 'findConversation' {
  return 'conversation' in to ? 'readBackMessage' : 'findConversation';
}

function lookOf({ request }: Message): Look {
  return { kind: KIND, write: 'sendMessage', look: begin(request), unseen: UNSEEN };
}

/** The message is not older than this. */
function sinceOf({ progress }: Message, intent: IntentRow): Date {
  const first = progress.since === undefined ? intent.sent_at : new Date(progress.since);
  return new Date((first ?? new Date()).getTime() - CLOCK_SKEW_MS);
}

const targetOf = (ticket: number) => `conversation ${ticket}`;

function traceOf({ to }: RequestOf<'message'>): MessageTrace {
  return { to: 'conversation' in to ? targetOf(to.conversation) : to.key };
}

function templateData({ name, language, parameters }: NonNullable<RequestOf<'message'>['template']>) {
  return { templateName: name, templateLanguage: language, templateParameters: parameters };
}
