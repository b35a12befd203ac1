// One account in memory: its records by id, and indexes that save simple requests a scan.

import { ByUpdate } from './by-update.ts';
import type {
  Card,
  Connection,
  Contact,
  Conversation,
  Flow,
  FlowRun,
  HookCall,
  Kinds,
  Message,
  Named,
  Pipeline,
  Settings,
  Stage,
  TableKinds,
  Tag,
  Token,
  Webhook,
} from './model.ts';
import { Table } from './table.ts';

export const DEFAULT_SETTINGS: Settings = {
  defaultConnectionId: null,
  tagMode: 'contacts',
  storageLimitReached: false,
  missingFeatures: [],
  cardTitlePrefix: 'Lead - ',
  numbersNotOnNetwork: [],
  customFields: [],
};

export class Account {
  readonly id: string;
  settings: Settings = DEFAULT_SETTINGS;
  readonly tokens = new Map<string, Token>();
  readonly webhooks = new Map<string, Webhook>();
  /** Messages of a conversation, oldest first. */
  readonly messages = new Map<number, Message[]>();
  readonly tables: { readonly [K in keyof TableKinds]: Table<TableKinds[K]> } = {
    connection: new Table<Connection>(),
    user: new Table<Named>(),
    tag: new Table<Tag>(),
    source: new Table<Named>(),
    lostReason: new Table<Named>(),
    pipeline: new Table<Pipeline>(),
    flow: new Table<Flow>(),
    contact: new Table<Contact>(),
    conversation: new Table<Conversation>(),
    card: new Table<Card>(),
    hookCall: new Table<HookCall>(),
    flowRun: new Table<FlowRun>(),
  };
  readonly #contactByNumber = new Map<string, number>();
  readonly #cardsByContact = new Map<number, number[]>();
  readonly #conversationsByContact = new Map<number, number[]>();
  readonly #recent = new ByUpdate(() => this.tables.conversation.rows);
  /** Latest processed call per webhook hash and idempotency key. */
  readonly #processedHooks = new Map<string, HookCall>();
  readonly #stages = new Map<number, { readonly pipelineId: number; readonly stage: Stage }>();
  readonly #messageHome = new Map<string, number>();
  #notOnNetwork: ReadonlySet<string> = new Set();

  constructor(id: string) {
    this.id = id;
  }

  contactByNumber(number: string): Contact | undefined {
    const id = this.#contactByNumber.get(number);
    return id === undefined ? undefined : this.tables.contact.get(id);
  }

  cardsOf(contactId: number): Card[] {
    return (this.#cardsByContact.get(contactId) ?? []).map((id) => this.tables.card.get(id) as Card);
  }

  /** Conversations of a contact by ascending id. */
  conversationsOf(contactId: number): Conversation[] {
    const ids = this.#conversationsByContact.get(contactId) ?? [];
    return ids.map((id) => this.tables.conversation.get(id) as Conversation);
  }

  /** All conversations, the most recently updated one last. Read only. */
  get conversationsByUpdate(): readonly Conversation[] {
    return this.#recent.rows;
  }

  message(id: string): Message | undefined {
    const home = this.#messageHome.get(id);
    return home === undefined ? undefined : this.messages.get(home)?.findLast((message) => message.id === id);
  }

  /** Returns the latest call of this webhook with this key that was not a repeat. */
  processedHook(hash: string, key: string): HookCall | undefined {
    return this.#processedHooks.get(`${hash} ${key}`);
  }

  stage(id: number): { readonly pipelineId: number; readonly stage: Stage } | undefined {
    return this.#stages.get(id);
  }

  /** Returns the conversation of this message. */
  conversationOfMessage(messageId: string): number | undefined {
    return this.#messageHome.get(messageId);
  }

  isOffNetwork(number: string): boolean {
    return this.#notOnNetwork.has(number);
  }

  /** Stores one changed record and updates the indexes. Idempotent. */
  put<K extends keyof Kinds>(kind: K, value: Kinds[K]): void {
    (this.#put[kind] as (value: Kinds[K]) => void)(value);
  }

  readonly #put: { readonly [K in keyof Kinds]: (value: Kinds[K]) => void } = {
    settings: (settings) => {
      this.settings = settings;
      this.#notOnNetwork = new Set(settings.numbersNotOnNetwork);
    },
    token: (token) => void this.tokens.set(token.value, token),
    webhook: (webhook) => void this.webhooks.set(webhook.hash, webhook),
    message: (message) => this.#putMessage(message),
    connection: (row) => this.tables.connection.put(row),
    user: (row) => this.tables.user.put(row),
    tag: (row) => this.tables.tag.put(row),
    source: (row) => this.tables.source.put(row),
    lostReason: (row) => this.tables.lostReason.put(row),
    flow: (row) => this.tables.flow.put(row),
    conversation: (row) => this.#putConversation(row),
    hookCall: (row) => {
      if (row.idempotencyKey !== null && row.result.status !== 'duplicate') {
        this.#processedHooks.set(`${row.hash} ${row.idempotencyKey}`, row);
      }
      this.tables.hookCall.put(row);
    },
    flowRun: (row) => this.tables.flowRun.put(row),
    pipeline: (row) => {
      for (const stage of row.stages) this.#stages.set(stage.id, { pipelineId: row.id, stage });
      this.tables.pipeline.put(row);
    },
    contact: (row) => {
      const old = this.tables.contact.get(row.id);
      // Two contacts may have swapped numbers: the old number may already belong to another contact.
      if (old !== undefined && this.#contactByNumber.get(old.number) === row.id) {
        this.#contactByNumber.delete(old.number);
      }
      this.#contactByNumber.set(row.number, row.id);
      this.tables.contact.put(row);
    },
    card: (row) => {
      const old = this.tables.card.get(row.id);
      if (old?.contactId !== row.contactId) {
        if (old !== undefined) {
          const left = this.#cardsByContact.get(old.contactId)?.filter((id) => id !== row.id) ?? [];
          this.#cardsByContact.set(old.contactId, left);
        }
        const cards = this.#cardsByContact.get(row.contactId);
        if (cards === undefined) this.#cardsByContact.set(row.contactId, [row.id]);
        else cards.push(row.id);
      }
      this.tables.card.put(row);
    },
  };

  #putConversation(row: Conversation): void {
    const old = this.tables.conversation.get(row.id);
    this.#recent.change(old, row);
    if (old?.contactId !== row.contactId) {
      if (old !== undefined) {
        const left = this.#conversationsByContact.get(old.contactId)?.filter((id) => id !== row.id) ?? [];
        this.#conversationsByContact.set(old.contactId, left);
      }
      const ids = this.#conversationsByContact.get(row.contactId);
      if (ids === undefined) this.#conversationsByContact.set(row.contactId, [row.id]);
      else ids.splice(ids.findLastIndex((id) => id < row.id) + 1, 0, row.id);
    }
    this.tables.conversation.put(row);
  }

  #putMessage(message: Message): void {
    const list = this.messages.get(message.conversationId) ?? [];
    this.messages.set(message.conversationId, list);
    if (this.#messageHome.has(message.id)) {
      list.splice(
        list.findIndex((other) => other.id === message.id),
        1,
      );
    }
    this.#messageHome.set(message.id, message.conversationId);
    let at = list.length;
    while (at > 0 && (list[at - 1] as Message).at > message.at) at -= 1;
    list.splice(at, 0, message);
  }
}
