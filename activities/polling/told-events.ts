// What is told of a conversation: events whose ids depend on nothing but what they tell, so that a repeat is known as one.
import type {
  ConversationEvent,
  ConversationEventType,
  ConversationState,
} from '../../src/contracts/conversation-events.ts';
import type { StagedMessage } from '../../src/ledger/messages.ts';
import { looksAlike, stateHash } from './listing.ts';

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

export interface ToTell {
  readonly account: string;
  readonly state: ConversationState;
  readonly previous: ConversationState | null;
  /** Epoch milliseconds before which nothing is told; null: everything is. */
  readonly since: number | null;
  /** Oldest first. */
  readonly messages: readonly StagedMessage[];
  readonly statuses: readonly StatusChange[];
}

/** In the order in which they are told: it was opened, what was written in it, how it stands now. */
export function eventsOf(tell: ToTell): ConversationEvent[] {
  const { account, state, previous } = tell;
  const types = changeTypes(tell);
  const changed = (type: (typeof types)[number]): ConversationEvent => ({
    ...envelope(account, state, type, `${state.updatedAt}/${stateHash(state)}`, state.updatedAt),
    type,
    data: { account, conversation: state, previous },
  });
  const opened = types.filter((type) => type === 'conversation.opened');
  const others = types.filter((type) => type !== 'conversation.opened');
  return [
    ...opened.map(changed),
    ...tell.statuses.map((change) => statusEvent(tell, change)),
    ...tell.messages.map((message) => messageEvent(tell, message)),
    ...others.map(changed),
  ];
}

type ChangeType = Extract<ConversationEventType, `conversation.${string}`>;

function changeTypes({ state, previous, since }: ToTell): ChangeType[] {
  const isClosed = state.status === 'closed';
  if (previous === null) {
    const isNew = since === null || Date.parse(state.createdAt) >= since;
    if (!isNew) return ['conversation.updated'];
    return isClosed ? ['conversation.opened', 'conversation.closed'] : ['conversation.opened'];
  }
  const wasClosed = previous.status === 'closed';
  if (wasClosed && !isClosed) return ['conversation.opened'];
  if (!wasClosed && isClosed) return ['conversation.closed'];
  return looksAlike(state, previous) ? [] : ['conversation.updated'];
}

function messageEvent({ account, state }: ToTell, message: StagedMessage): ConversationEvent {
  const type = message.fromMe === true ? 'message.sent' : 'message.received';
  return {
    ...envelope(account, state, type, message.key, message.at ?? state.updatedAt),
    type,
    subject: message.key,
    data: { account, conversation: state, message },
  };
}

function statusEvent({ account, state }: ToTell, change: StatusChange): ConversationEvent {
  const type = 'message.status';
  const { event, ...message } = change;
  return {
    ...envelope(account, state, type, `${change.key}/${change.status}`, state.updatedAt),
    type,
    subject: change.key,
    data: { account, conversationId: state.id, message, event },
  };
}

function envelope<T extends string>(
  account: string,
  { id }: ConversationState,
  type: T,
  what: string,
  time: string,
) {
  return {
    specversion: '1.0' as const,
    id: `${type}/${account}/${id}/${what}`,
    source: `/sluice/accounts/${account}/conversations/${id}`,
    time,
    datacontenttype: 'application/json' as const,
    partitionkey: `${account}/${id}`,
  };
}
