// The public exports of the API client.
export {
  ASSUMPTIONS,
  ASSUMPTIONS_SCHEMA,
  type AssumptionGroup,
  type AssumptionKey,
  type AssumptionOverrides,
  type Assumptions,
  assumptionsFingerprint,
  OPEN_POINTS,
  resolveAssumptions,
} from './assumptions.ts';
export type { ApiResult, CallInfo, CallMeta, CallOptions } from './call.ts';
export { MessagingClient, type MessagingClientOptions } from './client.ts';
export { type ErrorCode, KNOWN_ERROR_CODES, type KnownErrorCode } from './error-codes.ts';
export {
  ApiError,
  type ApiErrorKind,
  InvalidArgumentError,
  isAmbiguous,
  overrideOf,
  shapeHint,
  TransportError,
  type TransportReason,
  UnexpectedShapeError,
} from './errors.ts';
export type { JsonObject } from './json-object.ts';
export { MAX_PAGE_SIZE } from './page-cursor.ts';
export type { IterateOptions } from './paging.ts';
export type { RateHeaders } from './rate-headers.ts';
export type { CardPage, CreatedCard, WrittenCard } from './resources/cards.ts';
export type { UpsertedContact, WrittenContact } from './resources/contacts.ts';
export type { ReplyReceipt } from './resources/conversations.ts';
export type { FlowTrigger, TriggeredFlow } from './resources/flows.ts';
export type { Card, CardContact, CardCreate, CardQuery, CardStatus } from './schemas/card.ts';
export type { Connection } from './schemas/connection.ts';
export type {
  Contact,
  ContactDetails,
  ContactQuery,
  ContactUpdate,
  ContactUpsert,
  ExtraInfo,
} from './schemas/contact.ts';
export type { Conversation, ConversationQuery, ConversationStatus } from './schemas/conversation.ts';
export type { Mention, Named } from './schemas/fields.ts';
export type {
  HistoryMessage,
  Media,
  MessageContent,
  MessageQuery,
  MessageReply,
  MessageSend,
  MessageState,
  MessageStatus,
  SendReceipt,
  SentMessage,
  TemplateData,
} from './schemas/message.ts';
export type { LostReason, Pipeline, Stage } from './schemas/pipeline.ts';
export type { Tag } from './schemas/tag.ts';
export type { InvalidItem, Listing, Page } from './shapes.ts';
