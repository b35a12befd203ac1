// Follows a message until its event has ended, and optionally until it is read.
import { setTimeout as delay } from 'node:timers/promises';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { formatTime } from '../../../../cli/lib/terminal/format.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import type { DeliveryEntry, EventSummary } from '../../contract/events.ts';

/** Interval of the checks. */
const FIRST_CHECK_MS = 150;
const LAST_CHECK_MS = 2000;
const FIRST_DELIVERY_MS = 3000;
/** Allows for a poller that is slow to see a status. */
const LAST_DELIVERY_MS = 15_000;
/** After this time, the command shows what blocks the message. */
const PATIENCE_MS = 8000;
/** Messages of one event: its text and its files. */
const MAX_MESSAGES = 100;

/** An event with its messages, in the form of `--json`. */
export interface MessageState extends EventSummary {
  readonly messages: readonly DeliveryEntry[];
}

export interface Watching {
  readonly client: OperatorClient;
  readonly event: string;
  readonly signal: AbortSignal;
  /** One line for people. */
  say(line: string): void;
  /** Waits between two checks. @default a timer */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const pauseByTimer = (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal });

/** Null when there is no such event. */
export async function probe(client: OperatorClient, event: string): Promise<MessageState | null> {
  const summary = await eventOf(client, event);
  if (summary === null) return null;
  return { ...summary, messages: await messagesOf(client, event) };
}

async function eventOf(client: OperatorClient, event: string): Promise<EventSummary | null> {
  const { events } = await client.call('GET /events', { ids: [event], limit: 1 });
  return events[0] ?? null;
}

async function messagesOf(client: OperatorClient, event: string): Promise<readonly DeliveryEntry[]> {
  return (await client.call('GET /deliveries', { event, limit: MAX_MESSAGES })).messages;
}

/** Returns when the event has ended; meanwhile it reports what blocks it. */
export async function untilEnded({
  client,
  event,
  signal,
  say,
  pause = pauseByTimer,
}: Watching): Promise<MessageState> {
  let reported = '';
  let waited = 0;
  for (let wait = FIRST_CHECK_MS; ; wait = Math.min(wait * 2, LAST_CHECK_MS)) {
    const summary = await eventOf(client, event);
    if (summary?.state === 'ended') return { ...summary, messages: await messagesOf(client, event) };
    if (summary === null)
      throw new CliError(
        EXIT.unavailable,
        `the event ${event} is not in the ledger any more; see --state and DATABASE_URL`,
      );
    const { blocked } = summary;
    const why = blocked === null ? '' : `waits for an operator: ${blocked.reason} [${blocked.code}]`;
    if (why !== reported) say(why === '' ? 'it continues' : why);
    reported = why;
    if (waited < PATIENCE_MS && waited + wait >= PATIENCE_MS && blocked === null)
      say(
        'not done yet: earlier events about the same person come first, and so may the budget of the account',
      );
    waited += wait;
    await pause(wait, signal);
  }
}

/**
 * Returns when Sluice no longer follows the messages: they are read or failed, or their deadline has passed.
 * @param reported receives each new status
 */
export async function untilDelivered(
  { client, event, signal, pause = pauseByTimer }: Watching,
  state: MessageState,
  reported: (message: DeliveryEntry) => void,
): Promise<MessageState> {
  const known = new Map<string, string>();
  for (let messages = state.messages; ; messages = await messagesOf(client, event)) {
    for (const each of messages) {
      if (known.get(each.message) === each.status) continue;
      known.set(each.message, each.status);
      reported(each);
    }
    const checks = messages.flatMap(({ nextAt }) => (nextAt === null ? [] : [new Date(nextAt).getTime()]));
    if (checks.length === 0) return { ...state, messages };
    const untilNext = Math.min(...checks) - Date.now();
    await pause(Math.min(Math.max(untilNext, FIRST_DELIVERY_MS), LAST_DELIVERY_MS), signal);
  }
}

export function exitCodeOf({ outcome, messages }: MessageState): number {
  if (outcome === 'unknown') return EXIT.unknownOutcomes;
  if (outcome === 'failed' || outcome === 'discarded') return EXIT.failedRecords;
  return messages.some(({ status }) => status === 'failed') ? EXIT.failedRecords : EXIT.ok;
}

export function describeMessage({ message, conversation, status, ...entry }: DeliveryEntry): string {
  const at = formatTime(new Date(entry.checkedAt ?? entry.sentAt));
  const where = conversation === null ? '' : ` in conversation ${conversation}`;
  const end = entry.endCode === null ? '' : `; not followed any more [${entry.endCode}]`;
  return `${at}  ${status}  ${message}${where}${end}`;
}

/** Lines for people. */
export function describeState(state: MessageState): string[] {
  const { id, account, outcome, blocked, messages } = state;
  const why = blocked ?? state;
  const rows = [
    ['event', `${id} for ${account}`],
    ['state', outcome ?? (blocked === null ? state.state : 'blocked')],
    ...(why.code === null ? [] : [['why', `${why.reason ?? ''} [${why.code}]`]]),
    ...messages.map((message) => ['message', describeMessage(message)]),
  ];
  return rows.map(([name = '', value]) => `${name.padEnd(8)} ${value}`);
}
