// Delivery state of a message: depends on its send time, its planned end and the clock (API text, "Message status").
import type { Choices } from '../choices.ts';
import type { Message } from '../state/model.ts';

export type MessageStatus = 'queued' | 'sent' | 'server_ack' | 'delivered' | 'read' | 'failed' | 'received';

const ACKS = { queued: 0, sent: 1, server_ack: 2, delivered: 3, read: 4, failed: 5 } as const;

/** Returns the status and the raw code at `at`, in epoch milliseconds. */
export function deliveryOf(
  message: Pick<Message, 'fromMe' | 'at' | 'fate'>,
  at: number,
  { progressMs, receivedAck }: Choices,
): { readonly status: MessageStatus; readonly ack: number } {
  if (!message.fromMe) return { status: 'received', ack: receivedAck };
  const age = at - message.at;
  const failed = message.fate === 'failed';
  const steps = [
    ...(failed ? [['failed', progressMs.failed] as const] : []),
    ...(failed ? [] : [['read', progressMs.read] as const, ['delivered', progressMs.delivered] as const]),
    ['server_ack', progressMs.serverAck] as const,
    ['sent', progressMs.sent] as const,
  ];
  const reached = message.fate === 'blocked' ? undefined : steps.find(([, after]) => age >= after);
  const status = reached?.[0] ?? 'queued';
  return { status, ack: ACKS[status] };
}
