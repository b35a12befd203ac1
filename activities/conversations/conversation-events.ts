// Builds events about a conversation. Their ids depend only on what they report, so a repeat has the same id.
import {
  envelopeOf,
  type StatusChange,
  statusEvent,
} from '../../src/jobs/conversations/contract/envelope.ts';
import type {
  ConversationEvent,
  ConversationEventType,
  ConversationState,
} from '../../src/jobs/conversations/contract/events.ts';
import type { StagedMessage } from '../../src/jobs/conversations/store/messages.ts';
import { isAlike, stateHash } from './listing.ts';

export interface Findings {
  readonly account: string;
  readonly state: ConversationState;
  readonly previous: ConversationState | null;
  /** Epoch milliseconds before which nothing is published; null publishes everything. */
  readonly since: number | null;
  /** Oldest first. */
  readonly messages: readonly StagedMessage[];
  readonly statuses: readonly StatusChange[];
}

/** Returns the events in the order of publication: opened, statuses and messages, current state. */
export function eventsOf(findings: Findings): ConversationEvent[] {
  const { account, state, previous } = findings;
  const of = { account, conversation: state.id };
  const time = state.updatedAt;
  const types = changeTypes(findings);
  const changed = (type: (typeof types)[number]): ConversationEvent => ({
    ...envelopeOf(of, { type, what: `${time}/${stateHash(state)}`, time }),
    data: { account, conversation: state, previous },
  });
  const opened = types.filter((type) => type === 'conversation.opened');
  const others = types.filter((type) => type !== 'conversation.opened');
  return [
    ...opened.map(changed),
    ...findings.statuses.map((change) => statusEvent(of, change, time)),
    ...findings.messages.map((message) => messageEvent(findings, message)),
    ...others.map(changed),
  ];
}

type ChangeType = Extract<ConversationEventType, `conversation.${string}`>;

function changeTypes({ state, previous, since }: Findings): ChangeType[] {
  const isClosed = state.status === 'closed';
  if (previous === null) {
    const isNew = since === null || Date.parse(state.createdAt) >= since;
    if (!isNew) return ['conversation.updated'];
    return isClosed ? ['conversation.opened', 'conversation.closed'] : ['conversation.opened'];
  }
  const wasClosed = previous.status === 'closed';
  if (wasClosed && !isClosed) return ['conversation.opened'];
  if (!wasClosed && isClosed) return ['conversation.closed'];
  return isAlike(state, previous) ? [] : ['conversation.updated'];
}

function messageEvent({ account, state }: Findings, message: StagedMessage): ConversationEvent {
  const type = message.fromMe ? 'message.sent' : 'message.received';
  const { key: what, at: time } = message;
  return {
    ...envelopeOf({ account, conversation: state.id }, { type, what, time: time ?? state.updatedAt }),
    subject: message.key,
    data: { account, conversation: state, message },
  };
}
