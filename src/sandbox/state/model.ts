// The records of the sandbox. A record is immutable: a change replaces it, and the journal writes the whole record. So
// replaying an entry twice changes nothing. Times are epoch milliseconds.

export const SCOPES = [
  'conversations:read',
  'messages:read',
  'messages:send',
  'connections:read',
  'contacts:read',
  'contacts:write',
  'cards:read',
  'cards:write',
  'flows:trigger',
] as const;
export type Scope = (typeof SCOPES)[number];

export const CARD_STATUSES = ['open', 'won', 'lost'] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];
export const CONVERSATION_STATUSES = ['open', 'pending', 'closed'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];
export const FIELD_TYPES = ['text', 'number', 'date', 'boolean', 'select', 'multiselect'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];
export const HOOK_ACTIONS = ['create_opportunity', 'trigger_flow', 'upsert_contact'] as const;
export type HookAction = (typeof HOOK_ACTIONS)[number];

export const FATES = ['failed', 'blocked'] as const;
export type Fate = (typeof FATES)[number];

export interface CustomField {
  readonly name: string;
  readonly type: FieldType;
  readonly options: readonly string[];
  /** Null: global to the account. */
  readonly pipelineId: number | null;
}

export interface Settings {
  readonly defaultConnectionId: number | null;
  readonly tagMode: 'contacts' | 'conversations';
  readonly storageLimitReached: boolean;
  readonly missingFeatures: readonly string[];
  readonly cardTitlePrefix: string;
  readonly numbersNotOnNetwork: readonly string[];
  readonly customFields: readonly CustomField[];
}

export interface Token {
  readonly value: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly revoked: boolean;
}

export interface Connection {
  readonly id: number;
  readonly name: string;
  readonly channel: string;
  readonly status: string;
  readonly isDefault: boolean;
  readonly lastWebhookAt: number;
  readonly updatedAt: number;
}

export interface Named {
  readonly id: number;
  readonly name: string;
}

export interface Tag extends Named {
  readonly color: string;
}

export interface Stage extends Named {
  readonly order: number;
  readonly probability: number;
  readonly isFinal: boolean;
  readonly isWon: boolean;
  readonly requiresSource: boolean;
}

export interface Pipeline extends Named {
  /** By `order`, ascending. */
  readonly stages: readonly Stage[];
}

export interface Flow extends Named {
  readonly active: boolean;
  readonly published: boolean;
  readonly nodes: number;
}

export interface Contact {
  readonly id: number;
  readonly number: string;
  readonly name: string;
  readonly email: string | null;
  readonly document: string | null;
  readonly channel: string;
  readonly disableBot: boolean;
  readonly tagIds: readonly number[];
  /** Flat: name, value, name, value. Small objects for the pairs would double the size of a contact. */
  readonly extraInfo: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Conversation {
  readonly id: number;
  readonly contactId: number;
  readonly connectionId: number;
  readonly status: ConversationStatus;
  readonly chatbot: boolean;
  readonly userId: number | null;
  readonly queueId: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Description of a sent file. Its bytes are not stored. */
export interface Media {
  readonly name: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

export interface Template {
  readonly templateName: string;
  readonly templateLanguage: string;
  readonly templateParameters: readonly string[];
}

export interface Message {
  readonly id: string;
  readonly conversationId: number;
  readonly body: string;
  readonly fromMe: boolean;
  readonly at: number;
  readonly media?: Media;
  readonly templateData?: Template;
  /** How an outgoing message ends; absent: delivered, then read. `blocked` stays queued. */
  readonly fate?: Fate;
}

export interface Card {
  readonly id: number;
  readonly contactId: number;
  readonly pipelineId: number;
  readonly stageId: number | null;
  readonly title: string;
  readonly value: number;
  readonly status: CardStatus;
  readonly userId: number | null;
  readonly sourceId: number | null;
  readonly lostReasonId: number | null;
  readonly originTicketId: number | null;
  /** YYYY-MM-DD. */
  readonly expectedCloseDate: string | null;
  readonly customFields: Readonly<Record<string, unknown>> | null;
  /** Only the webhook receiver writes notes. */
  readonly notes?: string;
  readonly createdAt: number;
  readonly closedAt: number | null;
  readonly stageEnteredAt: number;
  readonly updatedAt: number;
}

export interface Webhook {
  readonly hash: string;
  readonly action: HookAction;
  readonly pipelineId: number | null;
  readonly stageId: number | null;
  readonly flowId: number | null;
  readonly connectionId: number | null;
  readonly fieldMapping: Readonly<Record<string, string>>;
  readonly authMode: 'none' | 'token';
  readonly token: string | null;
  readonly active: boolean;
}

/** Outcome of a webhook call. The panel shows it; the caller never sees it. */
export type HookResult =
  | { readonly status: 'pending' }
  | { readonly status: 'duplicate'; readonly of: number }
  | { readonly status: 'failed'; readonly code: string; readonly reason: string }
  | {
      readonly status: 'done';
      readonly contactId: number;
      readonly contactCreated: boolean;
      readonly cardId?: number;
      readonly ignoredCustomFields?: readonly string[];
      readonly flowRunId?: number;
      readonly ticketId?: number;
    };

export interface HookCall {
  readonly id: number;
  readonly hash: string;
  readonly at: number;
  /** The received JSON text. */
  readonly body: string;
  readonly idempotencyKey: string | null;
  readonly result: HookResult;
}

export interface FlowRun {
  readonly id: number;
  readonly at: number;
  readonly flowId: number;
  readonly contactId: number;
  readonly ticketId: number;
  readonly connectionId: number;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Kinds that the store indexes by a numeric id, unique across all accounts. */
export interface TableKinds {
  connection: Connection;
  user: Named;
  tag: Tag;
  source: Named;
  lostReason: Named;
  pipeline: Pipeline;
  flow: Flow;
  contact: Contact;
  conversation: Conversation;
  card: Card;
  hookCall: HookCall;
  flowRun: FlowRun;
}

export interface Kinds extends TableKinds {
  settings: Settings;
  token: Token;
  message: Message;
  webhook: Webhook;
}

/** One change: the new state of one record of an account. */
export type Op = {
  [K in keyof Kinds]: readonly [kind: K, accountId: string, value: Kinds[K]];
}[keyof Kinds];
