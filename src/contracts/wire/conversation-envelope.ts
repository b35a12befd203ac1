// What all events of a conversation share: ids that depend on nothing but what is told, so that a repeat is known as one.
import type { ConversationEvent } from './conversation-events.ts';

export interface OfConversation {
  readonly account: string;
  readonly conversation: number;
}

/**
 * @param what tells it from the other events of the type in its conversation
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
    source: `/sluice/accounts/${account}/conversations/${conversation}`,
    time,
    datacontenttype: 'application/json' as const,
    partitionkey: `${account}/${conversation}`,
  };
}

/** A status word that has changed. */
export interface StatusChange {
  readonly key: string;
  readonly id: string | null;
  readonly status: string;
  readonly previous: string | null;
  readonly ack: number | null;
  /** The event that had the message sent, when Sluice sent it. */
  readonly event: string | null;
}

/** The same event, whoever sees the change first. */
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
