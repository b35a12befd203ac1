// What an operator is shown of a message until it has ended and been read, and the exit code. Prepared answers stand for the
// operator API.
import { describe, expect, it } from 'vitest';
import { CliError, EXIT } from '../../../../../../src/cli/lib/exit.ts';
import {
  describeState,
  exitCodeOf,
  type MessageState,
  probe,
  untilDelivered,
  untilEnded,
} from '../../../../../../src/jobs/events/commands/events/message-follow.ts';
import type { DeliveryEntry, EventSummary } from '../../../../../../src/jobs/events/contract/events.ts';
import type { OperatorClient } from '../../../../../../src/operator/client/client.ts';

const AT = '2026-11-20T10:00:00.000Z';
const OPEN: EventSummary = {
  id: 'e1',
  account: 'acme',
  route: '_cli',
  action: 'message',
  state: 'accepted',
  outcome: null,
  step: null,
  code: null,
  reason: null,
  blocked: null,
  warnings: [],
  workflow: 'w',
  receivedAt: AT,
  acceptedAt: AT,
  endedAt: null,
};
const BLOCKED = { ...OPEN, blocked: { code: 'ERR_TOKEN_REVOKED', reason: 'the token is revoked' } };
const DONE: EventSummary = { ...OPEN, state: 'ended', outcome: 'done', endedAt: AT };
const MESSAGE: DeliveryEntry = {
  event: 'e1',
  account: 'acme',
  message: 'm1',
  conversation: 5,
  status: 'sent',
  ack: 1,
  sentAt: AT,
  checkedAt: null,
  nextAt: AT,
  deadline: AT,
  endCode: null,
};
const as = (over: Partial<DeliveryEntry>): DeliveryEntry => ({ ...MESSAGE, ...over });

/** Answers in order, the last one again and again. */
function queries(events: readonly (EventSummary | null)[], messages: readonly DeliveryEntry[][] = [[]]) {
  const left = { 'GET /events': [...events], 'GET /deliveries': [...messages] };
  const call = async (route: keyof typeof left) => {
    const answers = left[route] as unknown[];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return route === 'GET /events' ? { events: answer === null ? [] : [answer] } : { messages: answer };
  };
  const said: string[] = [];
  const pauses: number[] = [];
  const client = { call } as unknown as OperatorClient;
  const watching = {
    client,
    event: 'e1',
    signal: new AbortController().signal,
    say: (line: string) => void said.push(line),
    pause: async (ms: number) => void pauses.push(ms),
  };
  return { client, watching, said, pauses };
}

const ended = (over: Partial<MessageState> = {}): MessageState => ({ ...DONE, messages: [], ...over });

describe('until the event has ended', () => {
  it('a message that ends at once is shown with what was sent', async () => {
    const { watching, said, pauses } = queries([DONE], [[MESSAGE]]);
    expect(await untilEnded(watching)).toEqual(ended({ messages: [MESSAGE] }));
    expect([said, pauses]).toEqual([[], []]);
  });

  it('reports once what blocks it, and that it continues', async () => {
    const other = { ...BLOCKED, blocked: { code: 'CONFIG', reason: 'no such account' } };
    const { watching, said } = queries([OPEN, BLOCKED, BLOCKED, OPEN, other, DONE]);
    await untilEnded(watching);
    expect(said).toEqual([
      'waits for an operator: the token is revoked [ERR_TOKEN_REVOKED]',
      'it continues',
      'waits for an operator: no such account [CONFIG]',
    ]);
  });

  it('reports once what a long wait is for, and checks less and less often', async () => {
    const { watching, said, pauses } = queries([...Array.from({ length: 20 }, () => OPEN), DONE]);
    await untilEnded(watching);
    expect(said).toEqual([expect.stringMatching(/^not done yet: earlier events/)]);
    expect(pauses.slice(0, 3)).toEqual([150, 300, 600]);
    expect(Math.max(...pauses)).toBe(2000);
  });

  it('an event that is not in the ledger any more is not waited for', async () => {
    const { watching } = queries([null]);
    const failure = await untilEnded(watching).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CliError);
    expect(failure).toMatchObject({ exitCode: EXIT.unavailable });
  });

  it('an event that is not there is null, for whoever asks once', async () => {
    expect(await probe(queries([null]).client, 'e1')).toBeNull();
  });
});

describe('until it is read', () => {
  it('reports each new status once, until Sluice stops following', async () => {
    const { watching } = queries(
      [DONE],
      [
        [MESSAGE],
        [as({ status: 'delivered', ack: 3 })],
        [as({ status: 'delivered', ack: 3 })],
        [as({ status: 'read', ack: 4, nextAt: null })],
      ],
    );
    const reported: string[] = [];
    const last = await untilDelivered(
      watching,
      ended({ messages: [MESSAGE] }),
      ({ status }) => void reported.push(status),
    );
    expect(reported).toEqual(['sent', 'delivered', 'read']);
    expect(last.messages).toMatchObject([{ status: 'read' }]);
  });

  it('a text and its file are followed until the later of them is read', async () => {
    const read = as({ status: 'read', nextAt: null });
    const file = as({ message: 'm2' });
    const { watching } = queries(
      [DONE],
      [
        [read, file],
        [read, { ...file, status: 'failed', nextAt: null }],
      ],
    );
    const reported: string[] = [];
    const state = ended({ messages: [read, file] });
    const last = await untilDelivered(
      watching,
      state,
      ({ message, status }) => void reported.push(`${message} ${status}`),
    );
    expect(reported).toEqual(['m1 read', 'm2 sent', 'm2 failed']);
    expect(exitCodeOf(last)).toBe(EXIT.failedRecords);
  });

  it.each([
    [AT, 3000],
    ['2999-01-01T00:00:00.000Z', 15_000],
  ])('checks when the service is asked next (%s), yet for what a poller sees', async (nextAt, ms) => {
    const { watching, pauses } = queries([DONE], [[as({ status: 'read', nextAt: null })]]);
    await untilDelivered(watching, ended({ messages: [as({ nextAt })] }), () => undefined);
    expect(pauses).toEqual([ms]);
  });

  it('a message without an id ends at once', async () => {
    const { watching, pauses } = queries([DONE]);
    await untilDelivered(watching, ended(), () => undefined);
    expect(pauses).toEqual([]);
  });
});

it.each([
  [ended(), EXIT.ok],
  [ended({ outcome: 'unchanged' }), EXIT.ok],
  [ended({ outcome: 'failed' }), EXIT.failedRecords],
  [ended({ outcome: 'discarded' }), EXIT.failedRecords],
  [ended({ outcome: 'unknown' }), EXIT.unknownOutcomes],
  [ended({ messages: [as({ status: 'read' })] }), EXIT.ok],
  [ended({ messages: [as({ endCode: 'DEADLINE' })] }), EXIT.ok],
  [ended({ messages: [as({ status: 'read' }), as({ status: 'failed' })] }), EXIT.failedRecords],
])('exit code of %j', (state, code) => {
  expect(exitCodeOf(state)).toBe(code);
});

it('people read how it ended, why, and how far each message is', () => {
  const state = ended({
    outcome: 'failed',
    code: 'WINDOW_CLOSED',
    reason: 'the window is closed',
    messages: [as({ conversation: null, status: 'delivered', endCode: 'DEADLINE' })],
  });
  expect(describeState(state)).toEqual([
    'event    e1 for acme',
    'state    failed',
    'why      the window is closed [WINDOW_CLOSED]',
    expect.stringMatching(
      /^message {2}2026-11-2\d \d\d:\d\d:\d\d \S+ {2}delivered {2}m1; not followed any more \[DEADLINE\]$/,
    ),
  ]);
  expect(describeState({ ...BLOCKED, messages: [] })[1]).toBe('state    blocked');
});
