// Conversations and their messages (API text, Endpoints, Conversations).
import { checkArguments, queryText, route } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import type { ApiResult, Call, CallOptions } from '../call.ts';
import { InvalidArgumentError } from '../errors.ts';
import { placed, valueAt } from '../field-spec.ts';
import type { JsonObject } from '../json-object.ts';
import { MAX_PAGE_SIZE } from '../page-cursor.ts';
import { type IterateOptions, iteratePages } from '../paging.ts';
import { Conversation, ConversationQuery } from '../schemas/conversation.ts';
import { readHistory } from '../schemas/history.ts';
import { type HistoryMessage, MessageQuery, type MessageReply, SentMessage } from '../schemas/message.ts';
import { type Page, readItems, readPage } from '../shapes.ts';
import { contentSpec, mediaInputs } from './message-content.ts';

const LIST = '/v1/conversations';
const MESSAGES = '/v1/conversations/{ticketId}/messages';

/** Receipt of a reply. The API text does not show the response. */
export interface ReplyReceipt {
  /** Messages in the form that sending returns. Empty if the answer has none. */
  readonly messages: readonly SentMessage[];
  /** The unchanged answer. */
  readonly raw: JsonObject;
}

export class ConversationsResource {
  readonly #call: Call;
  readonly #assumptions: Assumptions;

  constructor(call: Call, assumptions: Assumptions) {
    this.#call = call;
    this.#assumptions = assumptions;
  }

  /** One page, most recently updated first. GET /v1/conversations, scope conversations:read. */
  async list(query: ConversationQuery = {}, options?: CallOptions): Promise<ApiResult<Page<Conversation>>> {
    const params = queryText(checkArguments(ConversationQuery, query));
    return this.#call(
      {
        method: 'GET',
        route: route(LIST),
        query: params,
        read: (body) => readPage(Conversation, body, 'conversations'),
      },
      options,
    );
  }

  /**
   * Yields all conversations that match, each once, even if an update moves some to the front while the list is read.
   * `pageSize` (20 to 100) is the largest page requested. The deadline and the signal apply to each call.
   *
   * @example for await (const ticket of client.conversations.iterate({ status: ['open', 'pending'] })) …
   */
  iterate(
    query: Omit<ConversationQuery, 'pageNumber'> = {},
    options: IterateOptions = {},
  ): AsyncGenerator<Conversation> {
    return iteratePages({
      endpoint: LIST,
      pageSize: query.pageSize ?? MAX_PAGE_SIZE.conversations,
      maxPageSize: MAX_PAGE_SIZE.conversations,
      keyOf: ({ id }) => id,
      fetchPage: (window) => this.list({ ...query, ...window }, options),
      onInvalid: options.onInvalid,
    });
  }

  /**
   * One page of a conversation, its items in chronological order; page 1 holds the most recent ones.
   * GET /v1/conversations/{ticketId}/messages, scope messages:read. `pageSize` is 100 by default and
   * at most 200. A message that is unreadable by the account's assumptions is in `invalid`, never in `items` with a
   * null. See history.ts for what makes a message readable.
   */
  async messages(
    ticketId: number,
    query: MessageQuery = {},
    options?: CallOptions,
  ): Promise<ApiResult<Page<HistoryMessage>>> {
    const params = queryText(checkArguments(MessageQuery, query));
    return this.#call(
      {
        method: 'GET',
        route: route(MESSAGES, { ticketId }),
        query: params,
        read: (body) => readHistory(body, this.#assumptions),
      },
      options,
    );
  }

  /**
   * Yields a conversation's messages, each once, from the newest to the oldest. Messages that arrive meanwhile come
   * last. So a caller that stops at a known message has missed none that existed when it began. `pageSize` is 20 to
   * 200.
   *
   * @example for await (const message of client.conversations.iterateMessages(7)) …
   */
  iterateMessages(
    ticketId: number,
    query: Omit<MessageQuery, 'pageNumber'> = {},
    options: IterateOptions = {},
  ): AsyncGenerator<HistoryMessage> {
    return iteratePages({
      endpoint: MESSAGES,
      pageSize: query.pageSize ?? MAX_PAGE_SIZE.messages,
      maxPageSize: MAX_PAGE_SIZE.messages,
      keyOf: ({ key }) => key,
      fetchPage: async (window) => {
        const { data, meta } = await this.messages(ticketId, window, options);
        return { data: { ...data, items: data.items.toReversed() }, meta };
      },
      onInvalid: options.onInvalid,
    });
  }

  /**
   * Replies on the conversation's own connection. POST /v1/conversations/{ticketId}/messages, scope
   * messages:send. Not idempotent: see `isAmbiguous` before repeating one that failed. With medias the
   * deadline includes the upload.
   */
  async reply(
    ticketId: number,
    reply: MessageReply,
    options?: CallOptions,
  ): Promise<ApiResult<ReplyReceipt>> {
    const { quotedMessageId, ...content } = reply;
    const quotedField = this.#assumptions['reply.quotedMessageField'];
    if (quotedMessageId !== undefined && quotedField === null) {
      throw new InvalidArgumentError(
        'quotedMessageId',
        {},
        'set the assumption reply.quotedMessageField first: the API text does not show the name of this field',
      );
    }
    const fields = { ...content, ...placed(quotedField === null ? [] : [[quotedField, quotedMessageId]]) };
    return this.#call(
      {
        method: 'POST',
        route: route(MESSAGES, { ticketId }),
        ...contentSpec(fields, this.#assumptions),
        allowEmpty: true,
        inputs: [
          ...mediaInputs(reply),
          ...(quotedMessageId === undefined ? [] : (['reply.quotedMessageField'] as const)),
        ],
        read: (raw) => {
          const list = valueAt(raw, this.#assumptions['reply.messagesField']);
          const messages = Array.isArray(list) ? readItems(SentMessage, list, 'messages').items : [];
          return { messages, raw };
        },
      },
      options,
    );
  }
}
