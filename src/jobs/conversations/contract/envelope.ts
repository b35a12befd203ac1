// Envelope of conversation events. An id depends only on what the event reports, so a repeat has the same id.
import type { ConversationEvent } from './events.ts';

export interface OfConversation {
  readonly account: string;
  readonly conversation: number;
}

/**
 * @param what distinguishes it from the other events of its type in the conversation
 * @param time ISO 8601, UTC
 */
export function envelopeOf<T extends string>(
  { account, conversation }: OfConversation,
  { type, what, time }: { readonly type: T; readonly what: string; readonly time: string },
) {
  return {
    specversion: '1.0' as const,
    type,
    id: `${type}/${account}/${conversation}/${what}`,
    source: conversationSource(account, conversation),
    time,
    datacontenttype: 'application/json' as const,
    partitionkey: `${account}/${conversation}`,
  };
}

/** A change of a message's status. */
export interface StatusChange {
  readonly key: string;
  readonly id: string | null;
  readonly status: string;
  readonly previous: string | null;
  readonly ack: number | null;
  /** Id of the event that sent the message, if Sluice sent it. */
  readonly event: string | null;
}

/** Builds the event for a status change. It is the same event, whichever part of Sluice sees the change first. */
export function statusEvent(of: OfConversation, change: StatusChange, time: string): ConversationEvent {
  const { event, key, id, status, previous, ack } = change;
  return {
    ...envelopeOf(of, { type: 'message.status', what: `${key}/${status}`, time }),
    subject: key,
    data: {
      account: of.account,
      conversationId: of.conversation,
      message: { key, id, status, previous, ack },
      event,
    },
  };
}

/** The value of `source` in the events of a conversation. */
export function conversationSource(account: string, conversation: number): string {
  return `/sluice/accounts/${account}/conversations/${conversation}`;
}
