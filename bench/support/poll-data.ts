// Accounts with conversations in them, and the messages that customers write there, for the bench of the poller.
import type { Environment } from './environment.ts';
import { account } from './people.ts';
import { poissonTimes, seeded } from './random.ts';

/** Messages that each conversation has before the poller starts: none of them is to be published. */
const BEFORE = 3;
const BEFORE_AT = '2026-01-01T10:00:00.000Z';

/** An account of the fixture; `n` makes its ids, which are unique over the whole fixture. */
export function accountWithConversations(id: string, n: number, conversations: number): object {
  const ids = Array.from({ length: conversations }, (_, i) => n * 100_000 + i + 1);
  return {
    ...account(id, n),
    tokens: [{ value: `svc_test_bench_${id}`, scopes: ['conversations:read', 'messages:read'] }],
    contacts: ids.map((each, i) => ({ id: each, number: numberOf(i), name: `Person ${i}`, channel: 'waba' })),
    conversations: ids.map((each) => ({
      id: each,
      contactId: each,
      connectionId: n,
      status: 'pending',
      updatedAt: BEFORE_AT,
      messages: Array.from({ length: BEFORE }, (_, i) => ({
        id: `before-${each}-${i}`,
        body: `before ${i}`,
        at: BEFORE_AT,
      })),
    })),
  };
}

const numberOf = (person: number) => `1415${2_000_000 + person}`;

/** The clock of what is handed in and of what arrives: epoch milliseconds that nobody sets back. */
export const now = (): number => performance.timeOrigin + performance.now();

export interface Writing {
  readonly account: string;
  /** As in the fixture. */
  readonly n: number;
  readonly conversations: number;
  /** Seconds between two messages of each conversation on average, at random (Poisson). */
  readonly everyS: number;
  readonly seconds: number;
  readonly seed: number;
}

/**
 * Customers write. Ends when the last message has been handed in.
 * @returns id of each message → when it was handed to the sandbox, by {@link now}
 */
export async function write(environment: Environment, what: Writing): Promise<Map<string, number>> {
  const { conversations, everyS, seconds } = what;
  const random = seeded(what.seed);
  const meanMs = (everyS * 1000) / conversations;
  // As many as would take twice the time on average: the end is the time, not the count.
  const times = poissonTimes(Math.ceil((2 * seconds * 1000) / meanMs) + 20, meanMs, random);
  const handed = new Map<string, number>();
  const pending: Promise<void>[] = [];
  const began = now();
  for (const [i, at] of times.entries()) {
    if (at > seconds * 1000) break;
    const number = numberOf(Math.floor(random() * conversations));
    await environment.wait(Math.max(0, began + at - now()));
    const one = hand(environment, what, { number, body: `message ${i}`, connectionId: what.n }, handed);
    one.catch(() => undefined);
    pending.push(one);
  }
  await Promise.all(pending);
  return handed;
}

async function hand(environment: Environment, what: Writing, inbound: object, handed: Map<string, number>) {
  const at = now();
  const { messageId } = await environment.panel<{ messageId: string }>(
    `/accounts/${what.account}/inbound`,
    inbound,
  );
  handed.set(messageId, at);
}

/** A message as the sandbox has it; `at` by its own clock, as its log of requests. */
export interface Written {
  readonly id: string;
  readonly conversation: number;
  readonly at: number;
}

/** Conversations as the panel shows those of an account. */
export interface AccountState {
  readonly conversations: readonly {
    readonly id: number;
    readonly messages: readonly { readonly id: string; readonly at: string }[];
  }[];
}

/** What customers have written since the fixture, conversation by conversation in their order. */
export function writtenIn({ conversations }: AccountState): Written[] {
  return conversations.flatMap(({ id: conversation, messages }) =>
    messages
      .filter(({ id }) => !id.startsWith('before-'))
      .map(({ id, at }) => ({ id, conversation, at: Date.parse(at) })),
  );
}
