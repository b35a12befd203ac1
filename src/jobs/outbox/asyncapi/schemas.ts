// The zod schemas that the AsyncAPI document describes, by the names of its components.
import { CampaignMemberEvent, CampaignRunEvent } from '../../campaigns/contract/campaign-events.ts';
import {
  ConversationChangedEvent,
  ConversationState,
  MessagePublishedEvent,
  MessageStatusEvent,
  PublishedMessage,
} from '../../conversations/contract/events.ts';
import { DeadLetterEvent } from '../../events/contract/dead-letter-events.ts';
import { RunEndedEvent, type SinkEvent } from '../../events/contract/envelope.ts';
import { RunSummary } from '../../sync/contract/run.ts';
import { OptOutEvent } from '../contract/opt-out-events.ts';

export type EventType = SinkEvent['type'];

export interface MessageText {
  readonly title: string;
  readonly summary: string;
  /** Component that the payload is a case of. */
  readonly schema: keyof typeof SCHEMAS;
  readonly example: SinkEvent;
}

/** Components of the document, by name. */
export const SCHEMAS = {
  Conversation: ConversationState,
  Message: PublishedMessage,
  RunSummary,
  MessagePublished: MessagePublishedEvent,
  MessageStatus: MessageStatusEvent,
  ConversationChanged: ConversationChangedEvent,
  RunEnded: RunEndedEvent,
  CampaignRun: CampaignRunEvent,
  CampaignMember: CampaignMemberEvent,
  OptOut: OptOutEvent,
  DeadLetter: DeadLetterEvent,
};
