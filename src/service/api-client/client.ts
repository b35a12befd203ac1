// The client of the messaging API: options, wiring, and one property per resource.
import { type Dispatcher, Pool } from 'undici';
import { type AssumptionOverrides, type Assumptions, resolveAssumptions } from './assumptions.ts';
import { type Call, type CallInfo, checkDeadline, createCall } from './call.ts';
import { HIDDEN, InvalidArgumentError } from './errors.ts';
import { CardsResource } from './resources/cards.ts';
import { ContactsResource } from './resources/contacts.ts';
import { ConversationsResource } from './resources/conversations.ts';
import { FlowsResource } from './resources/flows.ts';
import {
  connectionsResource,
  type ListResource,
  lostReasonsResource,
  pipelinesResource,
  tagsResource,
} from './resources/lists.ts';
import { MessagesResource } from './resources/messages.ts';
import type { Connection } from './schemas/connection.ts';
import type { LostReason, Pipeline } from './schemas/pipeline.ts';
import type { Tag } from './schemas/tag.ts';

export type { CallInfo } from './call.ts';

export interface MessagingClientOptions {
  /** Address of the instance, for example `https://acme.example.com/wapi`. */
  readonly baseUrl: string;
  /** Access token. Kept private: no error, report or inspection of the client shows it. */
  readonly token: string;
  /** Overrides of the defaults for points that the API text does not show: see ASSUMPTIONS. */
  readonly assumptions?: AssumptionOverrides | undefined;
  /** Milliseconds for a whole call, body included. @default 30_000 */
  readonly deadlineMs?: number | undefined;
  /** Milliseconds to open a connection, accurate to about 500 ms. @default 10_000 */
  readonly connectTimeoutMs?: number | undefined;
  /** Cap on the decoded bytes of one answer. @default 8 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Sends the requests instead of the client's own pool. It must not retry. Its owner closes it. */
  readonly dispatcher?: Dispatcher | undefined;
  /** @default 'sluice' */
  readonly userAgent?: string | undefined;
  /** Receives a report of every call, including failed ones. The budget and the metrics use it. */
  readonly onResponse?: ((info: CallInfo) => void) | undefined;
}

/** The resources of a client. They make their calls with `call`. */
export function resourcesOf(call: Call, assumptions: Assumptions) {
  return {
    conversations: new ConversationsResource(call, assumptions),
    messages: new MessagesResource(call, assumptions),
    contacts: new ContactsResource(call, assumptions),
    cards: new CardsResource(call, assumptions),
    tags: tagsResource(call, assumptions),
    pipelines: pipelinesResource(call, assumptions),
    lostReasons: lostReasonsResource(call, assumptions),
    connections: connectionsResource(call),
    flows: new FlowsResource(call, assumptions),
  };
}

/**
 * Calls the API. It never retries and never follows a redirect. Every failure is one of the errors in errors.ts. One
 * client has one token.
 *
 * @example
 * const client = new MessagingClient({ baseUrl: 'https://acme.example.com/wapi', token });
 * const { data, meta } = await client.contacts.upsert({ number: '5511987654321', name: 'Bia' });
 * console.log(data.created, meta.rate?.remaining);
 * await client.close();
 */
export class MessagingClient {
  readonly conversations: ConversationsResource;
  readonly messages: MessagesResource;
  readonly contacts: ContactsResource;
  readonly cards: CardsResource;
  readonly tags: ListResource<Tag>;
  readonly pipelines: ListResource<Pipeline>;
  readonly lostReasons: ListResource<LostReason>;
  readonly connections: ListResource<Connection>;
  readonly flows: FlowsResource;
  readonly #assumptions: Assumptions;
  readonly #call: Call;
  readonly #ownPool: Pool | null;

  /** @throws InvalidArgumentError */
  constructor(options: MessagingClientOptions) {
    if (typeof options !== 'object' || options === null) {
      throw new InvalidArgumentError('options', options, 'send an object with baseUrl and token');
    }
    const baseUrl = checkBaseUrl(options.baseUrl);
    const assumptions = resolveAssumptions(options.assumptions);
    this.#assumptions = assumptions;
    const connectTimeout = positive('connectTimeoutMs', options.connectTimeoutMs ?? 10_000);
    this.#ownPool =
      options.dispatcher === undefined
        ? // One request at a time on a connection, no HTTP/2: see exchange.ts for what this excludes.
          new Pool(baseUrl.origin, { pipelining: 1, allowH2: false, connect: { timeout: connectTimeout } })
        : null;
    const call = createCall({
      dispatcher: options.dispatcher ?? (this.#ownPool as Pool),
      baseUrl,
      token: checkToken(options.token),
      userAgent: options.userAgent ?? 'sluice',
      assumptions,
      deadlineMs: checkDeadline(options.deadlineMs ?? 30_000),
      maxBodyBytes: positive('maxBodyBytes', options.maxBodyBytes ?? 8 * 1024 * 1024),
      onResponse: options.onResponse,
    });
    this.#call = call;
    const resources = resourcesOf(call, assumptions);
    this.conversations = resources.conversations;
    this.messages = resources.messages;
    this.contacts = resources.contacts;
    this.cards = resources.cards;
    this.tags = resources.tags;
    this.pipelines = resources.pipelines;
    this.lostReasons = resources.lostReasons;
    this.connections = resources.connections;
    this.flows = resources.flows;
  }

  /** How a client makes its calls. For clients that pace the calls of this one. */
  static callOf(client: MessagingClient): Call {
    return client.#call;
  }

  /** Effective assumptions of the account. */
  get assumptions(): Assumptions {
    return this.#assumptions;
  }

  /**
   * Waits for the running calls (each ends by its deadline), then closes the connections. Later calls fail as
   * `aborted`. A dispatcher from the options stays open.
   */
  async close(): Promise<void> {
    if (this.#ownPool !== null && !this.#ownPool.closed) await this.#ownPool.close();
  }
}

function checkBaseUrl(text: string): URL {
  const hint = 'send an http(s) address without credentials, query or fragment, such as https://host/wapi';
  if (!URL.canParse(text))
    throw new InvalidArgumentError('baseUrl', typeof text === 'string' ? HIDDEN : text, hint);
  const url = new URL(text);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('baseUrl', HIDDEN, hint);
  return url;
}

function checkToken(token: string): string {
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new InvalidArgumentError('token', HIDDEN, 'send printable ASCII without spaces');
  }
  return token;
}

function positive(field: string, value: number): number {
  if (!Number.isInteger(value) || value < 1) {
    throw new InvalidArgumentError(field, value, 'send an integer of 1 or more');
  }
  return value;
}
